"""The engine's opening moves: on 9x9 from long searches of its own, on large boards the corners.

At the start of a game many moves look equal to a short search and are not.  ``openings.txt`` has
one line for each position on 9x9 that was searched: the moves to it and the answer.  A position is
looked up turned and mirrored, and however it came about.  ``tools/make_go_openings.py`` writes it.
On a large board no search that we can pay for tells a corner from the centre.
"""

import functools
from importlib.resources import files

from treewright.apps.go.board import BLACK, EMPTY, WHITE
from treewright.apps.go.features import LARGE
from treewright.apps.go.gtp.game import Game
from treewright.apps.go.setup import to_point

SIZE = 9
KOMI = 5.5, 8.5  # it was searched with 7.5
FIRST = 8  # this many moves may be corners on a large board; later a fight may matter more
Key = tuple[int, frozenset[tuple[int, int]]]  # who moves; colours and points


def turned(point: int, how: int, size: int = SIZE) -> int:
    """A point after one of the eight turns and mirrorings of the board."""
    row, column = divmod(point, size + 1)
    if how & 1:
        row = size + 1 - row
    if how & 2:
        column = size + 1 - column
    if how & 4:
        row, column = column, row
    return row * (size + 1) + column


def keys(points: list[int]) -> list[Key]:
    """The position after some moves, Black's first, in all eight ways; nothing is captured."""
    mover = WHITE if len(points) % 2 else BLACK
    return [
        (mover, frozenset((i % 2 + 1, turned(point, how)) for i, point in enumerate(points)))
        for how in range(8)
    ]


@functools.cache
def answers() -> dict[Key, int]:
    """The answer to each position."""
    found: dict[Key, int] = {}
    for line in files(__package__).joinpath("openings.txt").read_text().splitlines():
        *moves, answer = (to_point(vertex, SIZE) for vertex in line.split())
        for how, key in enumerate(keys(moves)):
            found.setdefault(key, turned(answer, how))
    return found


def empty_corner(game: Game) -> int | None:
    """The 4-4 point of a corner, a third of the board wide and high, that has no stone."""
    width, near = game.size + 1, range(1, game.size // 3 + 1)
    for how in (3, 2, 1, 0):
        corner = [turned(row * width + column, how, game.size) for row in near for column in near]
        if all(game.at(point) == EMPTY for point in corner):
            return turned(4 * width + 4, how, game.size)
    return None


def known(game: Game, colour: int) -> int | None:
    """The move to play without a search, or None."""
    if game.size >= LARGE:
        begins = not game.stones and len(game.moves) < FIRST
        return empty_corner(game) if begins else None
    if game.size != SIZE or not KOMI[0] <= game.komi <= KOMI[1] or game.suicide:
        return None
    stones = frozenset((game.at(p), p) for p in game.points() if game.at(p) != EMPTY)
    return answers().get((colour, stones))
