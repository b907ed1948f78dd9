"""CEC 2014 in 30 and 50 dimensions: our three stages beside L-SHADE."""

from typing import Any

from treewright.apps.functions.experiments.cec2014_best import named, ranked
from treewright.apps.functions.experiments.cec2014_runs import (
    OTHERS,
    draw_ratios,
    error,
    errors,
    mean,
)
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

PER_DIMENSION = 10_000
METHODS = ["staged", "l-shade"]


def run(settings: Settings, seed: int) -> Row:
    """The error of one run with the competition's evaluations."""
    number, dim = int(settings["function"]), int(settings["dimensions"])  # type: ignore[arg-type]
    return {"error": error(str(settings["method"]), number, seed, PER_DIMENSION * dim, dim)}


def verdict(rows: Rows) -> Verdict:
    parts, ahead, fewest = [], True, 0
    for dim in sorted({int(r["dimensions"]) for r in rows}):  # type: ignore[arg-type]
        there = where(rows, dimensions=dim)
        runs = min(len(errors(there, m, n)) for m in METHODS for n in OTHERS)
        fewest = min(fewest or runs, runs)
        better, worse = ranked(there, "l-shade")
        ahead &= len(better) > len(worse)
        lower = sum(mean(there, "staged", n) < mean(there, "l-shade", n) for n in OTHERS)
        equal = sum(mean(there, "staged", n) == mean(there, "l-shade", n) for n in OTHERS)
        parts.append(
            f"In {dim} dimensions, {runs} runs of {PER_DIMENSION * dim:,} evaluations, the three "
            f"stages are better than L-SHADE, by rank test, on {len(better)}{named(better)} of "
            f"{len(OTHERS)} functions and worse on {len(worse)}{named(worse)}; their mean is lower "
            f"on {lower} and equal on {equal}"
        )
    return judge(". ".join(parts) + ". All in all", ahead, enough=fewest >= 20)


def draw(rows: Rows, axes: Any) -> None:
    """Mean errors over those of L-SHADE."""
    series = []
    for dim, mark in ((30, "o"), (50, "x")):
        there = where(rows, dimensions=dim)
        means = [(n, mean(there, "staged", n), mean(there, "l-shade", n)) for n in OTHERS]
        points = [(n, a / b) for n, a, b in means if a > 0 and b > 0]
        series.append((f"three stages, {dim} dimensions", mark, points))
    draw_ratios(axes, series, "mean error / L-SHADE's")


def _grid(functions: list[int], dims: list[int], seeds: int) -> Grid:
    return Grid({"function": functions, "dimensions": dims, "method": METHODS}, seeds)


EXPERIMENT = Experiment(
    name="cec2014-dimensions",
    title="CEC 2014 in 30 and 50 dimensions",
    claim="In 30 and 50 dimensions, too, the three stages are better than L-SHADE on more "
    "functions than they are worse on.",
    source="our own; L-SHADE is of Tanabe & Fukunaga 2014",
    scales={
        "smoke": [_grid([4], [30], 1)],
        "laptop": [_grid(OTHERS, [30, 50], 5)],
        "paper": [_grid(OTHERS, [30, 50], 51)],
    },
    run=run,
    measure=Measure("error", "error", kind="mean"),
    groups=("dimensions", "function", "method"),
    verdict=verdict,
    draw=draw,
)
