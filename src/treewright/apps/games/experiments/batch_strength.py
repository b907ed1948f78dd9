"""Connect Four: what an evaluator's batch of leaves costs in strength."""

from typing import Any

import numpy as np

from treewright.apps.games.connect_four import COLUMN, HEIGHT, WIDTH, ConnectFour
from treewright.apps.games.experiments.side_by_side import by_forest, match
from treewright.library.forest import Forest
from treewright.library.options import Options
from treewright.library.position import Position
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
from treewright.workshop.experiments.plots import curves
from treewright.workshop.experiments.stats import compare_rates
from treewright.workshop.experiments.summary import estimate, where

OPENINGS = 20  # per cell; two games each, so that both begin
RANDOM_MOVES = 4  # before the two players take over: they would repeat one game
SIMULATIONS = 800
OPTIONS = Options(puct=True, c=1.25)
BATCHES = [1, 8, 64]
BUDGETS = [200, 400, SIMULATIONS]

CELLS = np.array([column * COLUMN + row for column in range(WIDTH) for row in range(HEIGHT)])
WORTH = np.array([0.0, 1.0, 4.0, 16.0, 0.0])  # of a line that only one player has stones in
SCALE = 24.0


def _lines() -> np.ndarray:
    """A column for each of the 69 lines of four: which cells it has."""
    found = []
    for column in range(WIDTH):
        for row in range(HEIGHT):
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                cells = [(column + i * right, row + i * up) for i in range(4)]
                if all(0 <= c < WIDTH and 0 <= r < HEIGHT for c, r in cells):
                    line = np.zeros(WIDTH * HEIGHT)
                    line[[c * HEIGHT + r for c, r in cells]] = 1.0
                    found.append(line)
    return np.array(found).T


LINES = _lines()


def evaluate(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lines that each player can still fill, as a chance to win; the middle looks best."""
    me = states["player"].astype(np.int64)
    rows = np.arange(len(states))
    mine, theirs = (
        (((states["stones"][rows, who][:, None] >> CELLS) & 1) @ LINES).astype(np.int64)
        for who in (me, 1 - me)
    )
    ahead = (WORTH[mine] * (theirs == 0) - WORTH[theirs] * (mine == 0)).sum(axis=1)
    middle = np.tile([1.0, 1.2, 1.5, 2.0, 1.5, 1.2, 1.0], (len(states), 1))
    return 1.0 / (1.0 + np.exp(-ahead / SCALE)), middle


def run(settings: Settings, seed: int) -> Row:
    """The player against one leaf at a time with all simulations, every opening from both sides."""
    batch, simulations = (int(settings[name]) for name in ("batch", "simulations"))  # type: ignore[arg-type]
    domain = ConnectFour()
    openings = _openings(domain, seed)
    batched = Forest(domain, openings, OPTIONS, evaluate=evaluate, batch=batch)
    single = Forest(domain, openings, OPTIONS, evaluate=evaluate)
    player, opponent = by_forest(batched, simulations), by_forest(single, SIMULATIONS)
    scores = match(player, opponent, openings, seed)
    return {"score": float(np.mean(scores)), "games": len(scores)}


def _openings(domain: ConnectFour, seed: int) -> list[Position]:
    dice = np.random.default_rng(seed)
    found = []
    for _ in range(OPENINGS):
        position = Position(domain)
        for _ in range(RANDOM_MOVES):
            position.follow(int(dice.choice(position.legal())))
        found.append(position)
    return found


def verdict(rows: Rows) -> Verdict:
    parts = {
        "batch 64": where(rows, batch=64, simulations=SIMULATIONS),
        "half": where(rows, batch=1, simulations=SIMULATIONS // 2),
    }
    if not all(parts.values()):
        return Verdict(None, "Too little was run to tell.")
    batch, half = (estimate(MEASURE, part) for part in parts.values())
    gap = compare_rates(batch.value * batch.n, batch.n, half.value * half.n, half.n)
    return judge(
        f"Against one leaf at a time, batches of 64 scored {batch.value:.1%} ({batch.low:.1%} to "
        f"{batch.high:.1%}), and half the simulations {half.value:.1%} ({half.low:.1%} to "
        f"{half.high:.1%}), a difference of {100 * gap.difference:+.1f} points{gap.stars}",
        gap.low > 0.0,
        enough=min(batch.n, half.n) >= 400,
    )


def draw(rows: Rows, axes: Any) -> None:
    names = {str(n): f"batch {n}" for n in BATCHES}
    curves(EXPERIMENT, rows, axes, x="simulations", by="batch", names=names, even=0.5)
    axes.set_xlabel(f"simulations a move, against batch 1 with {SIMULATIONS}")


MEASURE = Measure("score", "score, a draw counts half", kind="rate", per="games")
EXPERIMENT = Experiment(
    name="batch-strength",
    title="Connect Four: an evaluator's batch against one leaf at a time",
    claim="With 800 simulations a move, finding 64 leaves before any of them is valued costs less "
    "strength than half of the simulations.",
    source="virtual loss, Chaslot, Winands & van den Herik 2008; no published number for this "
    "setting",
    scales={
        "smoke": [Grid({"batch": [64], "simulations": [200]}, seeds=1)],
        "laptop": [Grid({"batch": BATCHES, "simulations": BUDGETS}, seeds=25)],
        "paper": [Grid({"batch": BATCHES, "simulations": BUDGETS}, seeds=250)],
    },
    run=run,
    measure=MEASURE,
    groups=("batch", "simulations"),
    verdict=verdict,
    draw=draw,
    references=[
        Reference({"batch": 64, "simulations": SIMULATIONS}, 0.5, "even, if nothing is lost"),
    ],
)
