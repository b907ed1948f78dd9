"""Transpositions: does a graph play Connect Four better than a tree?"""

from typing import Any

from treewright.apps.games.connect_four import ConnectFour
from treewright.library.options import Options
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
from treewright.workshop.experiments.matches import Contestant, match
from treewright.workshop.experiments.plots import curves
from treewright.workshop.experiments.summary import estimate, where

GAMES = 10  # per cell
FASTER = 1.5  # what a tree makes of simulations in the time of a graph, as measured: 1.56 and
# 1.06 million a second with 100,000 simulations of the empty board
NAMES = {"simulations": "equal simulations", "time": f"equal time: the tree has {FASTER} times"}
BUDGETS = [250, 1000, 4000, 16000]


def run(settings: Settings, seed: int) -> Row:
    simulations = int(settings["simulations"])  # type: ignore[arg-type]
    factor = FASTER if settings["equal"] == "time" else 1.0
    graph = Contestant(simulations, Options(transpositions=True))
    return match(ConnectFour(), graph, Contestant(int(factor * simulations)), GAMES, seed)


def verdict(rows: Rows) -> Verdict:
    parts = {name: where(rows, equal=name) for name in NAMES}
    if not all(parts.values()):
        return Verdict(None, "Too little was run to tell.")
    found = {name: estimate(MEASURE, part) for name, part in parts.items()}
    alike, timed = found["simulations"], found["time"]
    return judge(
        f"Over all budgets the graph scored {alike.value:.1%} ({alike.low:.1%} to "
        f"{alike.high:.1%}) against a tree with as many simulations, and {timed.value:.1%} "
        f"({timed.low:.1%} to {timed.high:.1%}) against one with as much time",
        alike.low > 0.5,
        enough=alike.n >= 400,
    )


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="simulations", by="equal", names=NAMES, even=0.5)
    axes.set_xlabel("simulations a move of the graph")


MEASURE = Measure("score", "score, a draw counts half", kind="rate", per="games")
EXPERIMENT = Experiment(
    name="transpositions-connect-four",
    title="Connect Four: a graph against a tree",
    claim="With the same simulations, a search in which equal positions share one node plays "
    "better.",
    source="Childs, Brodeur & Kocsis 2008, UCT2, on other games; no number for this one",
    scales={
        "smoke": [Grid({"equal": list(NAMES), "simulations": [250]}, seeds=2)],
        "laptop": [Grid({"equal": list(NAMES), "simulations": BUDGETS}, seeds=40)],
        "paper": [Grid({"equal": list(NAMES), "simulations": [*BUDGETS, 64000]}, seeds=400)],
    },
    run=run,
    measure=MEASURE,
    groups=("equal", "simulations"),
    verdict=verdict,
    draw=draw,
)
