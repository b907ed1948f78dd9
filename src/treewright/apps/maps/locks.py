"""Doors that are locked, and the keys that open them: what can be reached, and how long it takes.

A set of cells is one large whole number, with a bit for each cell, so that a flood over the whole
dungeon takes one operation for each step.  There must be walls all around.
"""

from collections.abc import Iterable, Sequence

import numpy as np

Cell = tuple[int, int]


class Floors:
    """The floor of a dungeon as a set of cells."""

    def __init__(self, walls: np.ndarray) -> None:
        self.width = int(walls.shape[1])
        self.floor = self.set_of((int(x), int(y)) for y, x in np.argwhere(walls == 0))

    def set_of(self, cells: Iterable[Cell]) -> int:
        found = 0
        for x, y in cells:
            found |= 1 << (y * self.width + x)
        return found

    def spread(self, cells: int, free: int) -> int:
        """The cells, and those beside them that are free."""
        w = self.width
        found: int = (cells | cells << 1 | cells >> 1 | cells << w | cells >> w) & free
        return found

    def reach(self, start: Cell, closed: int = 0) -> int:
        """All that can be reached while some cells are closed."""
        free = self.floor & ~closed
        found = self.set_of([start]) & free
        while (more := self.spread(found, free)) != found:
            found = more
        return found

    def steps(self, start: Cell, end: Cell, closed: int = 0) -> int | None:
        """How far it is; none if there is no way."""
        free, target = self.floor & ~closed, self.set_of([end])
        found, count = self.set_of([start]) & free, 0
        while not found & target:
            more = self.spread(found, free)
            if more == found:
                return None
            found, count = more, count + 1
        return count

    def open_up(self, start: Cell, doors: Sequence[Cell], keys: Sequence[Cell]) -> int:
        """All that can be reached by somebody who takes each key that he can get to."""
        opened: set[int] = set()
        while True:
            closed = self.set_of(d for i, d in enumerate(doors) if i not in opened)
            found = self.reach(start, closed)
            taken = {i for i, k in enumerate(keys) if found & self.set_of([k])} - opened
            if not taken:
                return found
            opened |= taken

    def walk(self, start: Cell, end: Cell, doors: Sequence[Cell], keys: Sequence[Cell]) -> int:
        """The length of a walk that takes the nearest key until the end can be reached; or -1."""
        opened: set[int] = set()
        at, total = start, 0
        while True:
            closed = self.set_of(d for i, d in enumerate(doors) if i not in opened)
            home = self.steps(at, end, closed)
            if home is not None:
                return total + home
            ways = [
                (length, i)
                for i, k in enumerate(keys)
                if i not in opened and (length := self.steps(at, k, closed)) is not None
            ]
            if not ways:
                return -1
            length, taken = min(ways)
            total, at = total + length, keys[taken]
            opened.add(taken)

    def doorways(self, walls: np.ndarray, inside: set[Cell], start: Cell) -> list[Cell]:
        """Cells of corridors beside a room, between two walls, that part the dungeon in two."""
        found = []
        for y, x in np.argwhere(walls == 0).tolist():
            if (x, y) in inside or (x, y) == start:
                continue
            across = walls[y, x - 1] and walls[y, x + 1]
            down = walls[y - 1, x] and walls[y + 1, x]
            beside = {(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)} & inside
            if across == down or not beside:
                continue
            here = self.set_of([(x, y)])
            if self.reach(start, here) != self.floor & ~here:
                found.append((x, y))
        return found
