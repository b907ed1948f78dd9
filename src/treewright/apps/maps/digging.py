"""A block of rock, and what is dug into it, each time with its mirror image."""

from collections.abc import Iterable

import numpy as np

from treewright.apps.maps.spec import FLOOR, WALL, Cell, MapSpec
from treewright.random import stream


class Rock:
    """``cells`` says what is fixed where: rock is WALL, and what a search may change is FREE."""

    def __init__(self, spec: MapSpec, seed: int) -> None:
        self.spec = spec
        self.rng = stream(seed)
        self.cells = np.full((spec.height, spec.width), WALL, np.int8)
        self.points = {p for c in spec.checkpoints for p in (c, spec.image(c))}

    def dig(self, cells: Iterable[Cell], what: int = FLOOR) -> None:
        for cell in cells:
            for x, y in (cell, self.spec.image(cell)):
                self.cells[y, x] = what


def bend(begin: Cell, end: Cell) -> list[Cell]:
    """The cells of a way with one bend."""
    (x, y), (u, v) = begin, end
    xs, ys = range(min(x, u), max(x, u) + 1), range(min(y, v), max(y, v) + 1)
    return [*((i, y) for i in xs), *((u, j) for j in ys)]
