"""Levels: does each slider move what it is for?"""

import functools
import statistics
from typing import Any

from treewright.apps.levels.controls import Controls, counts, rates
from treewright.apps.levels.domain import Levels
from treewright.apps.levels.generate import compile_kernel, generate, own_chain, own_corpus
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
from treewright.workshop.experiments.plots import curves
from treewright.workshop.experiments.summary import where

SLIDERS = ["gaps", "enemies", "rewards"]
FACTORS = [0.5, 1.0, 1.5]
LENGTH = 96


@functools.cache
def average(slider: str) -> float:
    return LENGTH * rates(own_corpus())[slider]


@functools.cache
def domain_of(slider: str, factor: float) -> Levels:
    """One slider at a multiple of the corpus's rate, a fifth more or less; no other wishes."""
    target = factor * average(slider)
    wish: dict[str, Any] = {slider: (max(0.0, 0.8 * target - 1), 1.2 * target + 1)}
    domain = Levels(own_chain(), Controls(length=LENGTH, **wish))
    compile_kernel(domain)
    return domain


def run(settings: Settings, seed: int) -> Row:
    slider = str(settings["slider"])
    domain = domain_of(slider, float(settings["factor"]))  # type: ignore[arg-type]
    found = counts(generate(domain, seed).level)[slider]
    return {"count": found, "share": found / average(slider)}


def quartiles(rows: Rows) -> tuple[float, float, float]:
    low, middle, high = statistics.quantiles([float(r["share"]) for r in rows], n=4)  # type: ignore[arg-type]
    return low, middle, high


def verdict(rows: Rows) -> Verdict:
    good, said, fewest = 0, [], 10**9
    for slider in SLIDERS:
        groups = [where(rows, slider=slider, factor=f) for f in FACTORS]
        fewest = min(fewest, *(len(g) for g in groups))
        if fewest < 2:
            return Verdict(None, "Too little was run to tell.")
        found = [quartiles(g) for g in groups]
        medians = [q[1] for q in found]
        good += medians == sorted(set(medians)) and found[0][2] < found[-1][0]
        said.append(f"{slider} {medians[0]:.2f}, {medians[1]:.2f}, {medians[2]:.2f}")
    return judge(
        f"Medians, as multiples of the corpus's rate, at half, once and one and a half times it: "
        f"{'; '.join(said)}. {good} of 3 sliders are monotone with quartiles that do not overlap "
        f"between low and high, over {fewest} levels each",
        good == 3,
        enough=fewest >= 50,
    )


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="factor", by="slider", log=False)
    axes.plot(FACTORS, FACTORS, color="0.6", lw=1, ls="--", zorder=0)


EXPERIMENT = Experiment(
    name="levels-controls",
    title="Levels: what the sliders do",
    claim="A designer's wishes for gaps, enemies and rewards are followed.",
    source="Summerville, Philip & Mateas 2015: 'playability guarantees and designer control'; no "
    "number is given there",
    scales={
        "smoke": [Grid({"slider": SLIDERS[:1], "factor": FACTORS[:1]}, seeds=1)],
        "laptop": [Grid({"slider": SLIDERS, "factor": FACTORS}, seeds=100)],
        "paper": [Grid({"slider": SLIDERS, "factor": FACTORS}, seeds=1000)],
    },
    run=run,
    measure=Measure("share", "count, in multiples of the corpus's rate"),
    groups=("slider", "factor"),
    verdict=verdict,
    draw=draw,
)
