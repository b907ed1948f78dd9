"""Tic-tac-toe: does UCT converge to perfect play?"""

import functools
import random
from typing import Any

from treewright.apps.games.tictactoe import LINES, TicTacToe
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
from treewright.workshop.experiments.matches import Contestant, match
from treewright.workshop.experiments.plots import curves
from treewright.workshop.experiments.summary import estimate, where

GAMES = 20  # per cell
NAMES = {
    "random": "random moves",
    "quarter": "UCT with a quarter",
    "perfect": "perfect play",
}


@functools.cache
def outcome(mine: int, theirs: int) -> float:
    """What the player to move gets with perfect play on both sides (plain minimax on bits)."""
    if any(all(theirs >> cell & 1 for cell in line) for line in LINES):
        return 0.0
    free = [cell for cell in range(9) if not (mine | theirs) >> cell & 1]
    return max((1.0 - outcome(theirs, mine | 1 << cell) for cell in free), default=0.5)


def perfect_move(position: Position, dice: random.Random) -> int:
    """A policy: any of the best moves."""
    stones = [sum(1 << cell for cell in position.history[side::2]) for side in (0, 1)]
    mine, theirs = stones if position.player == 0 else stones[::-1]
    values = {a: 1.0 - outcome(theirs, mine | 1 << a) for a in position.legal()}
    return dice.choice([a for a in values if values[a] == max(values.values())])


def run(settings: Settings, seed: int) -> Row:
    simulations = int(settings["simulations"])  # type: ignore[arg-type]
    opponents = {
        "random": Contestant(),
        "quarter": Contestant(max(1, simulations // 4)),
        "perfect": Contestant(policy=perfect_move),
    }
    opponent = opponents[str(settings["opponent"])]
    return match(TicTacToe(), Contestant(simulations), opponent, GAMES, seed)


def verdict(rows: Rows) -> Verdict:
    perfect = where(rows, opponent="perfect")
    budgets = sorted({r["simulations"] for r in perfect})
    if len(budgets) < 2:
        return Verdict(None, "Too few budgets were run to tell.")
    few, many = budgets[0], budgets[-1]
    weak = estimate(MEASURE, where(perfect, simulations=few))
    strong = estimate(MEASURE, where(perfect, simulations=many))
    return judge(
        f"Against a perfect player UCT scored {weak.value:.1%} with {few} simulations a move and "
        f"{strong.value:.1%} with {many:,}, where perfect play scores 50 %",
        weak.high < 0.5 and 0.5 in strong,
        enough=strong.n >= 100,
    )


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="simulations", by="opponent", names=NAMES, even=0.5)
    axes.set_xlabel("simulations a move")
    axes.set_ylim(0, 103)


MEASURE = Measure("score", "score, a draw counts half", kind="rate", per="games")
EXPERIMENT = Experiment(
    name="tictactoe-strength",
    title="Tic-tac-toe: strength against simulations",
    claim="With more simulations UCT's choice of move converges to the best one.",
    source="Kocsis & Szepesvári 2006 (a theorem); Magnuson 2015, section 2.3",
    scales={
        "smoke": [Grid({"opponent": list(NAMES), "simulations": [10, 1000]}, seeds=2)],
        "laptop": [
            Grid({"opponent": list(NAMES), "simulations": [10, 30, 100, 300, 1000, 3000]}, seeds=20)
        ],
        "paper": [
            Grid(
                {
                    "opponent": list(NAMES),
                    "simulations": [10, 30, 100, 300, 1000, 3000, 10_000, 30_000],
                },
                seeds=200,
            )
        ],
    },
    run=run,
    measure=MEASURE,
    groups=("opponent", "simulations"),
    verdict=verdict,
    draw=draw,
    references=[
        Reference({"opponent": "perfect", "simulations": n}, 0.5, "game theory: a draw")
        for n in (3000, 30_000)
    ],
)
