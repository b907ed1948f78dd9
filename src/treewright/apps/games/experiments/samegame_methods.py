"""SameGame: UCT, RAVE and flat Monte Carlo with the same number of simulations."""

from typing import Any

from treewright.apps.games.experiments import samegame_boards
from treewright.apps.games.experiments.samegame_boards import BUDGETS, MEASURE, ROLLOUT, C, play
from treewright.library.baselines import FlatMonteCarlo
from treewright.library.options import Options, Rave
from treewright.library.search import Search
from treewright.workshop.experiments import Experiment, Grid, Row, Rows, Settings, Verdict
from treewright.workshop.experiments.plots import curves

METHODS = {
    "flat": (FlatMonteCarlo, Options(rollout=ROLLOUT)),
    "uct": (Search, Options(c=C, rollout=ROLLOUT)),
    "rave": (Search, Options(c=C, rollout=ROLLOUT, rave=Rave(k=100))),
}
NAMES = {"flat": "flat Monte Carlo", "uct": "UCT", "rave": "MC-RAVE"}


def run(settings: Settings, seed: int) -> Row:
    kind, options = METHODS[str(settings["method"])]
    return play(settings, seed, options, kind)


def verdict(rows: Rows) -> Verdict:
    sentence = "UCT's best game was clearly better than flat Monte Carlo's"
    return samegame_boards.verdict(rows, "uct", "flat", sentence)


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="simulations", by="method", names=NAMES)


EXPERIMENT = Experiment(
    name="samegame-methods",
    title="SameGame: UCT, RAVE and flat Monte Carlo",
    claim="With the same simulations, a tree finds better games than flat Monte Carlo, at every "
    "budget.",
    source="the idea of Schadd et al. 2008; their boards and budgets differ, so no number is set "
    "beside ours",
    scales={
        "smoke": [Grid({"method": ["flat", "uct"], "simulations": [500]}, seeds=3, first=1)],
        "laptop": [Grid({"method": list(METHODS), "simulations": BUDGETS}, seeds=60, first=1)],
        "paper": [
            Grid(
                {"method": list(METHODS), "simulations": [*BUDGETS, 64000, 256_000]},
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
