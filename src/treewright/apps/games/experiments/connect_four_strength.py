"""Connect Four: what four times the simulations are worth."""

from typing import Any

from treewright.apps.games.connect_four import ConnectFour
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
NAMES = {"random": "random moves", "quarter": "UCT with a quarter"}
BUDGETS = [16, 64, 256, 1024, 4096]


def run(settings: Settings, seed: int) -> Row:
    simulations = int(settings["simulations"])  # type: ignore[arg-type]
    opponents = {"random": Contestant(), "quarter": Contestant(simulations // 4)}
    opponent = opponents[str(settings["opponent"])]
    return match(ConnectFour(), Contestant(simulations), opponent, GAMES, seed)


def verdict(rows: Rows) -> Verdict:
    quarter = where(rows, opponent="quarter")
    budgets = sorted({r["simulations"] for r in quarter})
    found = {n: estimate(MEASURE, where(quarter, simulations=n)) for n in budgets}
    if not found:
        return Verdict(None, "No games against a quarter of the simulations were run.")
    worst = min(found, key=lambda n: found[n].value)
    clear = sum(f.low > 0.5 for f in found.values())
    return judge(
        f"UCT beat itself with a quarter of the simulations at {clear} of {len(found)} budgets, "
        f"least clearly with {worst:,} simulations a move ({found[worst].value:.1%})",
        clear == len(found),
        enough=min(f.n for f in found.values()) >= 100,
    )


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="simulations", by="opponent", names=NAMES, even=0.5)
    axes.set_xlabel("simulations a move")
    axes.set_ylim(40, 103)


MEASURE = Measure("score", "score, a draw counts half", kind="rate", per="games")
EXPERIMENT = Experiment(
    name="connect-four-strength",
    title="Connect Four: strength against simulations",
    claim="More simulations play better, at every budget.",
    source="general knowledge of the field; no published number for this setting",
    scales={
        "smoke": [Grid({"opponent": list(NAMES), "simulations": [16, 256]}, seeds=2)],
        "laptop": [Grid({"opponent": list(NAMES), "simulations": BUDGETS}, seeds=40)],
        "paper": [Grid({"opponent": list(NAMES), "simulations": [*BUDGETS, 16384, 65536]}, 400)],
    },
    run=run,
    measure=MEASURE,
    groups=("opponent", "simulations"),
    verdict=verdict,
    draw=draw,
)
