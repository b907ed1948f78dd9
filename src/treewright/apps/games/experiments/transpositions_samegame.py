"""Transpositions: does a graph find better games of SameGame than a tree?"""

from typing import Any

from treewright.apps.games.experiments import samegame_boards
from treewright.apps.games.experiments.samegame_boards import BUDGETS, MEASURE, ROLLOUT, C, play
from treewright.library.options import Options
from treewright.workshop.experiments import Experiment, Grid, Row, Rows, Settings, Verdict
from treewright.workshop.experiments.plots import curves

NAMES = {"tree": "tree", "graph": "graph"}


def run(settings: Settings, seed: int) -> Row:
    shared = settings["method"] == "graph"
    return play(settings, seed, Options(c=C, rollout=ROLLOUT, transpositions=shared))


def verdict(rows: Rows) -> Verdict:
    sentence = "The graph's best game was clearly better than the tree's"
    return samegame_boards.verdict(rows, "graph", "tree", sentence)


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="simulations", by="method", names=NAMES)


EXPERIMENT = Experiment(
    name="transpositions-samegame",
    title="SameGame: a graph beside a tree",
    claim="With the same simulations, a search in which equal boards share one node finds better "
    "games.",
    source="our guess; no published number for this setting",
    scales={
        "smoke": [Grid({"method": list(NAMES), "simulations": [200]}, seeds=2, first=1)],
        "laptop": [Grid({"method": list(NAMES), "simulations": BUDGETS}, seeds=60, first=1)],
        "paper": [
            Grid(
                {"method": list(NAMES), "simulations": [*BUDGETS, 64000, 256_000]},
                seeds=250,
                first=1,
            )
        ],
    },
    run=run,
    measure=MEASURE,
    groups=("method", "simulations"),
    verdict=verdict,
    draw=draw,
)
