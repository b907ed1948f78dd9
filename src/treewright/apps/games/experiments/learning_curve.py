"""Connect Four: how strong the network of the training example becomes, round by round."""

import importlib.util
import math
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.games.connect_four import WIDTH, ConnectFour
from treewright.apps.games.experiments.side_by_side import by_forest, by_search, match
from treewright.errors import MissingExtra
from treewright.library.forest import Forest
from treewright.library.options import Options
from treewright.library.position import Position
from treewright.library.search import Search
from treewright.workshop.experiments import (
    Experiment,
    ExperimentError,
    Grid,
    Measure,
    Reference,
    Row,
    Rows,
    Settings,
    Verdict,
    judge,
)
from treewright.workshop.experiments.plots import curves
from treewright.workshop.experiments.summary import estimate, where

ROUNDS = [10, 25, 50, 100]
MORE = 200  # at the scale of a paper only: half an hour a cell
SIMULATIONS = 400  # a move, of both players
PAIRS = 100  # of games: each player begins in one
BAR = 0.75
OPTIONS = Options(puct=True, c=1.25)


def place() -> Path:
    """The training example: it is in the repository, and not in the installed package."""
    package: Any = importlib.util.find_spec("treewright")
    return Path(package.origin).parents[2] / "examples" / "train_connect_four.py"


def example() -> Any:
    if not place().exists():
        raise ExperimentError(
            "learning-curve trains with examples/train_connect_four.py: it needs "
            "a checkout of the repository"
        )
    if importlib.util.find_spec("jax") is None:
        raise MissingExtra("learning-curve", "train")
    spec: Any = importlib.util.spec_from_file_location("train_connect_four", place())
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def knows_nothing(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What there is before the first round, without a network."""
    return np.full(len(states), 0.5), np.ones((len(states), WIDTH))


def run(settings: Settings, seed: int) -> Row:
    """Train from nothing for this many rounds, then play against plain UCT."""
    rounds, pairs = (int(settings[name]) for name in ("rounds", "pairs"))  # type: ignore[arg-type]
    evaluate: Any = knows_nothing
    began = time.process_time(), time.perf_counter()
    if rounds:
        trainer = example()
        with tempfile.TemporaryDirectory() as folder:
            net = trainer.train(Path(folder) / "net.npz", math.inf, seed + 1, rounds)
        evaluate = trainer.evaluator(net)
    cpu, wall = time.process_time() - began[0], time.perf_counter() - began[1]
    domain = ConnectFour()
    openings = [Position(domain) for _ in range(pairs)]
    learned = Forest(domain, openings, OPTIONS, evaluate=evaluate, batch=4)
    plain = Search(domain, seed=seed, memory="16MiB")
    player, opponent = by_forest(learned, SIMULATIONS), by_search(plain, SIMULATIONS)
    scores = match(player, opponent, openings, seed)
    return {
        "score": float(np.mean(scores)),
        "games": len(scores),
        "cpu_minutes": round(cpu / 60, 2),
        "minutes": round(wall / 60, 2),
    }


def uses(settings: Settings) -> Sequence[Any]:
    """Rows depend on the example's text, too."""
    return (place().read_text(),) if settings["rounds"] and place().exists() else ()


def verdict(rows: Rows) -> Verdict:
    most = max((int(row["rounds"]) for row in rows), default=0)  # type: ignore[arg-type]
    if most < max(ROUNDS):
        return Verdict(None, f"No network was trained for {max(ROUNDS)} rounds.")
    trained = where(rows, rounds=most)
    found = estimate(MEASURE, trained)
    # of CPU time: two cores take half of it at best, and no longer if others leave them alone
    minutes = max(float(r["cpu_minutes"]) for r in trained)  # type: ignore[arg-type]
    return judge(
        f"After {most} rounds, in {minutes:.0f} minutes of CPU time, the network scored "
        f"{found.value:.1%} ({found.low:.1%} to {found.high:.1%}) against UCT with the same "
        f"{SIMULATIONS} simulations",
        found.value >= BAR and minutes < 20,
        enough=found.n >= 200,
    )


def draw(rows: Rows, axes: Any) -> None:
    shown = [{**row, "who": "network"} for row in rows]
    curves(EXPERIMENT, shown, axes, x="rounds", by="who", log=False, even=0.5)
    axes.set_xlabel("rounds of self-play and learning")


MEASURE = Measure("score", "score against UCT, a draw counts half", kind="rate", per="games")
EXPERIMENT = Experiment(
    name="learning-curve",
    title="Connect Four: a network learns by self-play",
    claim="In under 20 minutes on two cores, the training example learns from nothing to beat "
    "plain UCT with the same 400 simulations in 75 % of the games.",
    source="our own bar; no published number for this setting",
    scales={
        "smoke": [Grid({"rounds": [0], "pairs": [1]}, seeds=1)],
        "laptop": [Grid({"rounds": [0, *ROUNDS], "pairs": [PAIRS]}, seeds=1)],
        "paper": [Grid({"rounds": [0, *ROUNDS, MORE], "pairs": [PAIRS]}, seeds=10)],
    },
    run=run,
    measure=MEASURE,
    groups=("rounds",),
    verdict=verdict,
    draw=draw,
    references=[Reference({"rounds": ROUNDS[-1]}, BAR, "the bar")],
    uses=uses,
)
