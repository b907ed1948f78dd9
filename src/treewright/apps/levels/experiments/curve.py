"""Levels: is a difficulty curve followed, quarter by quarter?"""

import functools
from typing import Any

import numpy as np

from treewright.apps.levels.controls import Controls, per_column
from treewright.apps.levels.domain import Levels
from treewright.apps.levels.generate import compile_kernel, generate, own_chain
from treewright.apps.levels.score import QUANTITIES
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
from treewright.workshop.experiments.summary import where

LENGTH, QUARTERS, WITHIN = 320, 4, 0.15
MIDDLES = [0.125, 0.375, 0.625, 0.875]
WISHES = {"rising": (0.0, 1.0), "falling": (1.0, 0.0)} | {str(d): (d,) for d in MIDDLES}
NAMES = QUANTITIES[:3]


@functools.cache
def domain_of(wish: str) -> Levels:
    domain = Levels(own_chain(), Controls(length=LENGTH, difficulty=WISHES[wish]))
    compile_kernel(domain)
    return domain


def run(settings: Settings, seed: int) -> Row:
    level = generate(domain_of(str(settings["difficulty"])), seed).level
    found = per_column(level).reshape(len(NAMES), QUARTERS, -1).sum(axis=2)
    row: Row = {"enemies": float(found[1].sum())}
    for name, counts in zip(NAMES, found, strict=True):
        row |= {f"{name}_{q}": float(count) for q, count in enumerate(counts, 1)}
    return row


def means(rows: Rows, difficulty: str) -> np.ndarray:
    """[quantity, quarter], over the levels with a difficulty."""
    mine = where(rows, difficulty=difficulty)
    table = [[[r[f"{n}_{q + 1}"] for r in mine] for q in range(QUARTERS)] for n in NAMES]
    found: np.ndarray = np.array(table, float).mean(axis=2)
    return found


def misses(rows: Rows) -> dict[str, np.ndarray]:
    """[quantity, quarter] of both curves: how far it is from the constant difficulty's quarter."""
    even = np.array([means(rows, str(d)).mean(axis=1) for d in MIDDLES]).T
    return {
        "rising": means(rows, "rising") / even - 1.0,
        "falling": means(rows, "falling") / even[:, ::-1] - 1.0,
    }


def verdict(rows: Rows) -> Verdict:
    fewest = min(len(where(rows, difficulty=d)) for d in WISHES)
    if fewest < 2:
        return Verdict(None, "Too little was run to tell.")
    said, good = [], 0
    for curve, table in misses(rows).items():
        good += int((abs(table) <= WITHIN).sum())
        shown = [
            f"{n} {', '.join(f'{x:+.0%}' for x in t)}" for n, t in zip(NAMES, table, strict=True)
        ]
        said.append(f"{curve}, by quarter: {'; '.join(shown)}")
    return judge(
        f"Beside the mean quarter of a constant difficulty, {'. '.join(said)}. {good} of 24 are "
        f"within {WITHIN:.0%}, over {fewest} levels each",
        good == 24,
        enough=fewest >= 100,
    )


def draw(rows: Rows, axes: Any) -> None:
    for curve, table in misses(rows).items():
        for name, row in zip(NAMES, table, strict=True):
            axes.plot(range(1, 5), 100 * row, marker="o", label=f"{name}, {curve}")
    axes.axhspan(-100 * WITHIN, 100 * WITHIN, color="0.9", zorder=0)
    axes.set_xticks(range(1, 5))
    axes.set_xlabel("quarter of the level")
    axes.set_ylabel("beside the constant difficulty (%)")
    axes.legend(fontsize=7)


EXPERIMENT = Experiment(
    name="levels-curve",
    title="Levels: a difficulty curve, quarter by quarter",
    claim="Along a curve each quarter has what the constant difficulty of its middle gives.",
    source="Our own question; the paper has no curves",
    scales={
        "smoke": [Grid({"difficulty": ["rising"]}, seeds=1)],
        "laptop": [Grid({"difficulty": list(WISHES)}, seeds=120)],
        "paper": [Grid({"difficulty": list(WISHES)}, seeds=1000)],
    },
    run=run,
    measure=Measure("enemies", "enemies in a level"),
    groups=("difficulty",),
    verdict=verdict,
    draw=draw,
)
