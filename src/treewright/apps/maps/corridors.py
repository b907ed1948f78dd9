"""The style of corridors: every second cell is floor, and what is between two of them may be."""

from itertools import pairwise, product

import numpy as np

from treewright.apps.maps.digging import Rock, bend
from treewright.apps.maps.spec import FLOOR, FREE, WALL, Cell, MapSpec
from treewright.apps.maps.ways import around, distances, way
from treewright.random import below, stream


def dig_corridors(rock: Rock) -> None:
    """All corridors that there may be, and a way to each checkpoint that lies beside them."""
    for cell, beside in _corridors(rock.spec).items():
        rock.dig([cell])
        for cells in beside:
            rock.dig(cells[:-1], FREE)
    xs, ys = _every_second(rock.spec.width), _every_second(rock.spec.height)
    for x, y in rock.points:
        near = min(xs, key=lambda v: abs(v - x)), min(ys, key=lambda v: abs(v - y))
        rock.dig(bend((x, y), near))


def labyrinth(walls: np.ndarray, plan: MapSpec, spec: MapSpec, seed: int) -> np.ndarray:
    """The shortest ways alone, and other corridors off them, which make no way shorter."""
    dug = _Corridors(walls, spec)
    corridors = _corridors(plan)
    rng = stream(seed)
    begins = [cell for cell in corridors if dug.is_floor(cell)]
    while begins:
        branch = [begins.pop(int(below(rng, len(begins))))]
        while branch:  # from where it came to last, or from before that
            beside = [c for c in corridors[branch[-1]] if _open(c, plan)]
            at = int(below(rng, max(1, len(beside))))
            further = next((c for c in beside[at:] + beside[:at] if dug.branch(c)), None)
            if further is None:
                branch.pop()
            else:
                branch.append(further[-1])
    return (~dug.floor[1:-1, 1:-1]).astype(np.uint8)


class _Corridors:
    """The floor of a labyrinth that is being dug, with a border of rock."""

    def __init__(self, walls: np.ndarray, spec: MapSpec) -> None:
        """A shortest way for each pair of checkpoints, and one to all floor that was asked for."""
        self.image = spec.image
        self.floor = np.pad(spec.fixed == FLOOR, 1)
        points = spec.checkpoints
        fields = [distances(walls, point) for point in points]
        asked = np.argwhere((spec.fixed == FLOOR) & (fields[0] >= 0)).tolist()
        for begin, end in [
            *((points[i], j) for i, j, _ in spec.pairs),
            *((point, 0) for point in points),
            *(((x, y), 0) for y, x in asked),
        ]:
            for cell in way(fields[end], begin):
                self._set(cell, True)
                self._set(self.image(cell), True)

    def is_floor(self, cell: Cell) -> bool:
        return bool(self.floor[cell[1] + 1, cell[0] + 1])

    def _set(self, cell: Cell, floor: bool) -> None:
        self.floor[cell[1] + 1, cell[0] + 1] = floor

    def branch(self, cells: list[Cell]) -> bool:
        """Dig these cells one after the other, and their mirror images.

        Not if one of them would touch anything but the cell that it is dug from.
        """
        done: list[Cell] = []
        for cell in dict.fromkeys([*cells, *map(self.image, cells)]):
            x, y = cell[0] + 1, cell[1] + 1
            if self.floor[y, x] or sum(self.floor[v, u] for u, v in around((x, y))) != 1:
                for dug in done:
                    self._set(dug, False)
                return False
            self._set(cell, True)
            done.append(cell)
        return True


def _corridors(spec: MapSpec) -> dict[Cell, list[list[Cell]]]:
    """From each cell where corridors may meet, the cells on to the next such one."""
    xs, ys = _every_second(spec.width), _every_second(spec.height)
    found: dict[Cell, list[list[Cell]]] = {c: [] for c in product(xs, ys)}
    for (a, b), y in product(pairwise(xs), ys):
        found[a, y].append([(x, y) for x in range(a + 1, b + 1)])
        found[b, y].append([(x, y) for x in range(b - 1, a - 1, -1)])
    for (a, b), x in product(pairwise(ys), xs):
        found[x, a].append([(x, y) for y in range(a + 1, b + 1)])
        found[x, b].append([(x, y) for y in range(b - 1, a - 1, -1)])
    return found


def _open(cells: list[Cell], plan: MapSpec) -> bool:
    return all(plan.fixed[y, x] != WALL for x, y in cells)


def _every_second(size: int) -> list[int]:
    """Every second number below a size, the same from both ends."""
    first = 1 if size % 2 or size % 4 == 2 else 0
    low = list(range(first, (size + 1) // 2, 2))
    return sorted({*low, *(size - 1 - v for v in low)})
