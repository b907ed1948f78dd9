"""Distances and ways on a map, by plain breadth-first search: the reference for all others."""

import numpy as np

from treewright.apps.maps.spec import Cell


def around(cell: Cell) -> list[Cell]:
    """The four cells beside a cell, inside the map or not."""
    x, y = cell
    return [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]


def distances(walls: np.ndarray, source: Cell) -> np.ndarray:
    """How far each cell is from a cell, -1 where there is no way."""
    height, width = walls.shape
    found = np.full(walls.shape, -1, np.int64)
    found[source[1], source[0]] = 0
    layer = [source]
    while layer:
        following = []
        for x, y in layer:
            for nx, ny in around((x, y)):
                inside = 0 <= nx < width and 0 <= ny < height
                if inside and not walls[ny, nx] and found[ny, nx] < 0:
                    found[ny, nx] = found[y, x] + 1
                    following.append((nx, ny))
        layer = following
    return found


def way(left: np.ndarray, begin: Cell) -> list[Cell]:
    """A shortest way, cell by cell, to where the distances in ``left`` begin; there must be one."""
    height, width = left.shape
    found = [begin]
    while left[found[-1][1], found[-1][0]] > 0:
        x, y = found[-1]
        inside = [(u, v) for u, v in around((x, y)) if 0 <= u < width and 0 <= v < height]
        found.append(next((u, v) for u, v in inside if left[v, u] == left[y, x] - 1))
    return found
