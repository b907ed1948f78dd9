"""Levels: whole ends, and finished by both players, for six kinds of wishes.

Seeds begin at ``FIRST``, so that no level here is one that anything was tuned on.
"""

import functools
from typing import Any

import numpy as np

from treewright.apps.levels.controls import Controls
from treewright.apps.levels.domain import Levels
from treewright.apps.levels.ends import what_is_cut
from treewright.apps.levels.generate import compile_kernel, generate, own_chain
from treewright.apps.levels.ground import floating
from treewright.apps.levels.player import play
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Row,
    Rows,
    Settings,
    Verdict,
    judge,
)
from treewright.workshop.experiments.plots import bars

FIRST = 24_000
WISHES: dict[str, Controls] = {
    "easy": Controls(difficulty=(0.1,)),
    "usual": Controls(),
    "hard": Controls(difficulty=(0.9,)),
    "rising": Controls(difficulty=(0.0, 1.0)),
    "novel": Controls(novelty=0.7),
    "short": Controls(length=80),
}


@functools.cache
def domain_of(wish: str) -> Levels:
    domain = Levels(own_chain(), WISHES[wish])
    compile_kernel(domain)
    return domain


def run(settings: Settings, seed: int) -> Row:
    made = generate(domain_of(str(settings["wish"])), FIRST + seed)
    cut = what_is_cut(made.level)
    # with moves alone: the generator promises them, and leaps would hide a broken promise
    small, large = (play(made.level, size, leaps=False).playable for size in ("small", "large"))
    return {
        "good": small and large and not cut,
        "small": small,
        "large": large,
        "cut": "; ".join(cut),
        "floating": floating(made.level),
        "seconds": made.seconds,
    }


def verdict(rows: Rows) -> Verdict:
    if len(rows) < 2:
        return Verdict(None, "Too little was run to tell.")
    counts = [sum(bool(r[name]) for r in rows) for name in ("small", "large")]
    whole = sum(not r["cut"] for r in rows)
    seconds = np.mean([r["seconds"] for r in rows])
    floats = np.sum([r["floating"] for r in rows])
    return judge(
        f"Of {len(rows)} levels {counts[0]} are finished by the small and {counts[1]} by the large "
        f"player with moves alone, {whole} have whole ends, {floats} enemies float; "
        f"{seconds:.2f} s of one core a level",
        all(r["good"] for r in rows),
        enough=len(rows) >= 300,
    )


def draw(rows: Rows, axes: Any) -> None:
    bars(EXPERIMENT, rows, axes, by="wish")


EXPERIMENT = Experiment(
    name="levels-whole",
    title="Levels: whole, and finished by both players",
    claim="Every level has a start, a finish and nothing cut, and both players can finish it.",
    source="Our own question; the paper's levels have no ends",
    scales={
        "smoke": [Grid({"wish": ["short"]}, seeds=1)],
        "laptop": [Grid({"wish": list(WISHES)}, seeds=50)],
        "paper": [Grid({"wish": list(WISHES)}, seeds=500)],
    },
    run=run,
    measure=Measure("good", "whole, and finished by both players", "rate"),
    groups=("wish",),
    verdict=verdict,
    draw=draw,
)
