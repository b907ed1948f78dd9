"""Who will own what: heavy playouts from a position, counted point by point."""

import contextlib
from dataclasses import dataclass

import numpy as np

from treewright.apps.go.board import BLACK, EMPTY, WHITE
from treewright.apps.go.gtp.game import Game
from treewright.library.baselines.playouts import final_states

SURE = 0.7  # a chain is called dead if its points are the opponent's this often, or more


@dataclass(frozen=True)
class Estimate:
    """``ownership``: by point, from -1 (White's) to 1 (Black's); ``lead``: Black's, after komi."""

    ownership: dict[int, float]
    lead: float


_ready: set[tuple[int, bool]] = set()  # boards whose playouts are compiled in this process


def is_ready(game: Game) -> bool:
    """Whether playouts on this board need no compiling any more."""
    return (game.size, game.suicide) in _ready


def make_ready(game: Game) -> None:
    """Compile the playouts of this board, ahead of the first estimate.

    It runs in a thread beside the game, and the program may end meanwhile; what goes wrong here is
    said by the estimate that is asked for.
    """
    with contextlib.suppress(Exception):
        estimate(game, BLACK, playouts=1)


def estimate(game: Game, colour: int, playouts: int = 200, seed: int = 0) -> Estimate:
    """Play the position out with a colour to move, and count."""
    final = final_states(game.searchable(colour), playouts, seed=seed)
    _ready.add((game.size, game.suicide))
    points = np.array(game.points())
    around = final["around"][:, points]
    colours = final["colour"][:, points]
    empty = colours == EMPTY
    black = (colours == BLACK) | (empty & (around & 15 == 4))
    white = (colours == WHITE) | (empty & ((around >> 4) & 15 == 4))
    margins = black.sum(axis=1) - white.sum(axis=1) - game.komi
    means = (black.astype(float) - white).mean(axis=0)
    return Estimate(dict(zip(game.points(), means.tolist(), strict=True)), float(margins.mean()))


def dead_stones(game: Game, seed: int = 0) -> set[int]:
    """The stones that are taken off before the score is counted."""
    owner = estimate(game, game.to_play, seed=seed).ownership
    dead = set()
    for chain in chains(game):
        sign = 1 if game.at(chain[0]) == BLACK else -1
        if sign * sum(owner[p] for p in chain) / len(chain) <= -(2 * SURE - 1):
            dead.update(chain)
    return dead


def chains(game: Game) -> list[list[int]]:
    """The stones on the board, chain by chain."""
    found: dict[int, list[int]] = {}
    for point in game.points():
        if game.at(point) != EMPTY:
            found.setdefault(int(game.state.chain[point]), []).append(point)
    return list(found.values())


def score_without(game: Game, dead: set[int]) -> float:
    """Black's area minus White's, minus komi, with dead stones taken off."""
    if not dead:
        return game.score()
    alive = [(game.at(p), p) for p in game.points() if game.at(p) != EMPTY and p not in dead]
    return Game(game.size, game.komi, game.suicide, stones=alive).score()
