"""Threads against strength: two trees merged at the root against one tree."""

from typing import Any

from treewright.apps.games.connect_four import ConnectFour
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Reference,
    Row,
    Rows,
    Settings,
    Verdict,
    judge,
)
from treewright.workshop.experiments.matches import Contestant, match
from treewright.workshop.experiments.plots import curves
from treewright.workshop.experiments.stats import compare_rates
from treewright.workshop.experiments.summary import estimate, where

GAMES = 10  # per cell
NAMES = {
    "two threads, N in all": "two threads, N in all",
    "two threads, N each": "two threads, N each",
    "one thread, 2N": "one thread, 2N",
}
BUDGETS = [250, 1000, 4000]


def run(settings: Settings, seed: int) -> Row:
    n = int(settings["simulations"])  # type: ignore[arg-type]
    players = {
        "two threads, N in all": Contestant(n, workers=2),
        "two threads, N each": Contestant(2 * n, workers=2),
        "one thread, 2N": Contestant(2 * n),
    }
    return match(ConnectFour(), players[str(settings["searcher"])], Contestant(n), GAMES, seed)


def verdict(rows: Rows) -> Verdict:
    pooled = {name: where(rows, searcher=name) for name in NAMES}
    if not all(pooled.values()):
        return Verdict(None, "Too little was run to tell.")
    equal, each, double = (estimate(MEASURE, pooled[name]) for name in NAMES)
    gap = compare_rates(each.value * each.n, each.n, double.value * double.n, double.n)
    return judge(
        f"Over all budgets, two threads of N simulations each scored {each.value:.1%} against one "
        f"of N (one thread of 2N: {double.value:.1%}, difference {100 * gap.difference:+.1f} "
        f"points{gap.stars}; two threads of N in all: {equal.value:.1%})",
        each.low > 0.5,
        enough=each.n >= 100,
    )


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="simulations", by="searcher", even=0.5)
    axes.set_xlabel("simulations a move of the opponent, one thread (N)")


MEASURE = Measure("score", "score, a draw counts half", kind="rate", per="games")
EXPERIMENT = Experiment(
    name="threads-strength",
    title="Connect Four: two threads against one",
    claim="Two trees grown side by side and merged at the root play better than one of them.",
    source="root parallelisation, Chaslot, Winands & van den Herik 2008 (on Go; no number for "
    "this game)",
    scales={
        "smoke": [Grid({"searcher": list(NAMES), "simulations": [250]}, seeds=1)],
        "laptop": [Grid({"searcher": list(NAMES), "simulations": BUDGETS}, seeds=30)],
        "paper": [Grid({"searcher": list(NAMES), "simulations": [*BUDGETS, 16000]}, seeds=400)],
    },
    run=run,
    measure=MEASURE,
    groups=("searcher", "simulations"),
    verdict=verdict,
    draw=draw,
    references=[
        Reference({"searcher": "two threads, N in all"}, 0.5, "even, if nothing is lost"),
    ],
)
