"""Distances and ways on a map, by plain breadth-first search: the reference for all others."""

import numpy as np

from treewright.apps.maps.spec import Cell


def around(cell: Cell) -> list[Cell]:
    """The four cells beside a cell, inside the map or not."""
    x, y = cell
    return [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]


def distances(walls: np.ndarray, source: Cell) -> np.ndarray:
    """How far each cell is from a cell, -1 where there is no way."""
    closed = np.pad(walls.astype(bool), 1, constant_values=True)  # so that no way leaves the map
    shape, across = closed.shape, closed.shape[1]
    shut = closed.ravel().tolist()  # in lists, as NumPy takes ten times as long for one number
    found = [-1] * len(shut)
    layer = [(source[1] + 1) * across + source[0] + 1]
    shut[layer[0]], found[layer[0]] = True, 0
    far = 0
    while layer:
        far += 1
        following = []
        for at in layer:
            for beside in (at + 1, at - 1, at + across, at - across):
                if not shut[beside]:
                    shut[beside], found[beside] = True, far
                    following.append(beside)
        layer = following
    return np.array(found, np.int64).reshape(shape)[1:-1, 1:-1].copy()


def way(left: np.ndarray, begin: Cell) -> list[Cell]:
    """A shortest way, cell by cell, to where the distances in ``left`` begin; there must be one."""
    height, width = left.shape
    found = [begin]
    while left[found[-1][1], found[-1][0]] > 0:
        x, y = found[-1]
        inside = [(u, v) for u, v in around((x, y)) if 0 <= u < width and 0 <= v < height]
        found.append(next((u, v) for u, v in inside if left[v, u] == left[y, x] - 1))
    return found
