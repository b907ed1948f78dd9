"""The engine's opening moves on 9x9, found by long searches of its own.

At the start of a game many moves look equal to a short search and are not.  ``openings.txt`` has
one line for each position that was searched: the moves to it and the answer.  A position is
looked up turned and mirrored, and however it came about.  ``tools/make_go_openings.py`` writes it.
"""

import functools
from importlib.resources import files

from treewright.domains.go.board import BLACK, EMPTY, WHITE
from treewright.domains.go.setup import to_point
from treewright.gtp.game import Game

SIZE = 9
KOMI = 5.5, 8.5  # it was searched with 7.5
Key = tuple[int, frozenset[tuple[int, int]]]  # who moves; colours and points


def turned(point: int, how: int) -> int:
    """A point after one of the eight turns and mirrorings of the board."""
    row, column = divmod(point, SIZE + 1)
    if how & 1:
        row = SIZE + 1 - row
    if how & 2:
        column = SIZE + 1 - column
    if how & 4:
        row, column = column, row
    return row * (SIZE + 1) + column


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


def known(game: Game, colour: int) -> int | None:
    """The book's move for a colour, or None."""
    if game.size != SIZE or not KOMI[0] <= game.komi <= KOMI[1] or game.suicide:
        return None
    stones = frozenset((game.at(p), p) for p in game.points() if game.at(p) != EMPTY)
    return answers().get((colour, stones))
