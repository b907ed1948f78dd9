"""SameGame: UCT, RAVE and flat Monte Carlo with the same number of simulations."""

from typing import Any

from treewright.apps.games.samegame import SameGame
from treewright.library.baselines import FlatMonteCarlo
from treewright.library.options import Options, Rave, Rollout
from treewright.library.search import Search
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
from treewright.workshop.experiments.stats import Comparison, compare_paired
from treewright.workshop.experiments.summary import where

POINTS = 5000  # of reward 1 on a full board
C = 0.03  # the best of 0.01 to 0.3 on boards 1001 to 1020, which are not among those below
ROLLOUT = Rollout(policy="domain")
METHODS = {
    "flat": (FlatMonteCarlo, Options(rollout=ROLLOUT)),
    "uct": (Search, Options(c=C, rollout=ROLLOUT)),
    "rave": (Search, Options(c=C, rollout=ROLLOUT, rave=Rave(k=100))),
}
NAMES = {"flat": "flat Monte Carlo", "uct": "UCT", "rave": "MC-RAVE"}


def run(settings: Settings, seed: int) -> Row:
    """The seed draws the board, so that every method meets the same boards."""
    method, options = METHODS[str(settings["method"])]
    search = method(SameGame(seed=seed), options, seed=seed, memory="256MiB")
    result = search.run(int(settings["simulations"]))  # type: ignore[arg-type]
    return {
        "points": round(POINTS * (result.best_score or 0.0)),
        "moves": len(result.best_sequence),
    }


def verdict(rows: Rows) -> Verdict:
    found = {n: gain(rows, n) for n in sorted({int(r["simulations"]) for r in rows})}  # type: ignore[arg-type]
    clear = sum(c.difference > 0 and c.p < 0.05 for c in found.values())
    gains = ", ".join(f"{c.difference:+,.0f}{c.stars} with {n:,}" for n, c in found.items())
    return judge(
        f"UCT's best game was clearly better than flat Monte Carlo's at {clear} of {len(found)} "
        f"budgets (mean difference in points, paired by board: {gains} simulations)",
        clear == len(found),
        enough=len({r["seed"] for r in rows}) >= 20,
    )


def gain(rows: Rows, simulations: int) -> Comparison:
    """What UCT is better than flat Monte Carlo on the boards that both have played."""
    uct, flat = (
        {r["seed"]: r["points"] for r in where(rows, method=m, simulations=simulations)}
        for m in ("uct", "flat")
    )
    boards = sorted(uct.keys() & flat.keys())
    return compare_paired([uct[b] for b in boards], [flat[b] for b in boards])


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
        "laptop": [
            Grid({"method": list(METHODS), "simulations": [1000, 4000, 16000]}, seeds=60, first=1)
        ],
        "paper": [
            Grid(
                {"method": list(METHODS), "simulations": [1000, 4000, 16000, 64000, 256_000]},
                seeds=250,
                first=1,
            )
        ],
    },
    run=run,
    measure=Measure("points", "points of the best game found"),
    groups=("method", "simulations"),
    verdict=verdict,
    draw=draw,
)
