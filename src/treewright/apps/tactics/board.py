"""The maps, and what compiled code needs to know about their squares.

A square is ``5 x + y`` (x the column from the left, y the row from the top), so that counting up
walks the board column by column, the order in which actions are listed.  Sets of squares are
64-bit masks; 45 bits are used.
"""

import functools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

WIDTH, HEIGHT = 9, 5
SQUARES = WIDTH * HEIGHT
PLAIN, ASSAULT, DEFENSE, POWER, DEPLOY = range(5)  # terrain; the second player's is DEPLOY + 1

MAPS = {
    "a": ("d...S...D", "..c...C..", "..P...P..", ".c.....C.", "d...A...D"),
    "a-small": ("d..S..D", "..c.C..", ".c.P.C.", "d..A..D"),
    "a-tiny": ("d.S.P", "c.A.C", "P.S.D"),
}
_TERRAIN = {"A": ASSAULT, "S": DEFENSE, "P": POWER, "d": DEPLOY, "D": DEPLOY + 1}

# rows of the table `zone`
BOARD, OWN_DEPLOY, ASSAULTS, SPECIAL = 0, 1, 3, 4


@dataclass(frozen=True)
class Board:
    """One map: its size, crystals and tables."""

    name: str
    width: int
    height: int
    terrain: np.ndarray
    crystals: tuple[tuple[int, ...], tuple[int, ...]]
    tables: dict[str, np.ndarray]


def square(x: int, y: int) -> int:
    return x * HEIGHT + y


def mask(squares: Iterable[int]) -> int:
    return sum(1 << q for q in squares)


@functools.cache
def load(name: str) -> Board:
    """A map by its name, with every table that depends on it."""
    rows = MAPS[name]
    width, height = len(rows[0]), len(rows)
    cells = {(x, y): rows[y][x] for x in range(width) for y in range(height)}
    terrain = np.zeros(SQUARES, np.int8)
    for place, letter in cells.items():
        terrain[square(*place)] = _TERRAIN.get(letter, PLAIN)
    near = np.zeros((4, SQUARES), np.int64)
    ring = np.zeros(SQUARES, np.int64)
    between = np.zeros((SQUARES, SQUARES), np.int64)
    for here in cells:
        for there in cells:
            dx, dy = there[0] - here[0], there[1] - here[1]
            f, q = square(*here), square(*there)
            for reach in range(max(1, abs(dx) + abs(dy)), 4):
                near[reach, f] |= 0 if f == q else 1 << q
            if max(abs(dx), abs(dy)) <= 1:
                ring[f] |= 1 << q
            between[f, q] = mask(square(*p) for p in _between(here, there))
    zone = np.array(
        [
            mask(square(*p) for p in cells),
            *(mask(q for q in range(SQUARES) if terrain[q] == DEPLOY + side) for side in (0, 1)),
            mask(q for q in range(SQUARES) if terrain[q] == ASSAULT),
            mask(q for q in range(SQUARES) if terrain[q] != PLAIN),
        ],
        np.int64,
    )
    crystals = tuple(
        tuple(square(*p) for p in sorted(cells) if cells[p] == letter) for letter in "cC"
    )
    tables = {
        "near": near.reshape(-1),
        "ring": ring,
        "between": between.reshape(-1),
        "terrain": terrain,
        "zone": zone,
    }
    return Board(name, width, height, terrain, crystals, tables)  # type: ignore[arg-type]


def by_squares(squares: int) -> Board:
    """The map with these squares."""
    return next(b for b in map(load, MAPS) if b.tables["zone"][BOARD] == squares)


def _between(here: tuple[int, int], there: tuple[int, int]) -> list[tuple[int, int]]:
    """The squares that can hide a target at distance 2 or 3; none for a diagonal neighbour."""
    (x, y), (tx, ty) = here, there
    dx, dy = tx - x, ty - y
    sx, sy = (dx > 0) - (dx < 0), (dy > 0) - (dy < 0)
    if abs(dx) + abs(dy) > 3:
        return []
    if dy == 0:
        return [(x + sx * i, y) for i in range(1, abs(dx))]
    if dx == 0:
        return [(x, y + sy * i) for i in range(1, abs(dy))]
    if abs(dx) == 2:
        return [(x + sx, y), (x + sx, ty)]
    if abs(dy) == 2:
        return [(x, y + sy), (tx, y + sy)]
    return []
