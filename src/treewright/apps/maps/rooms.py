"""The style of rooms: a room in each block of rock, and doors between them that may be closed."""

from collections.abc import Iterable
from functools import partial
from itertools import product

import numpy as np

from treewright.apps.maps.digging import Rock, bend
from treewright.apps.maps.spec import FLOOR, FREE, WALL, Cell, MapSpec, mirror_image
from treewright.apps.maps.ways import around, distances
from treewright.random import below

BLOCK = 7  # cells from one line between blocks to the next, about
ROOM = 3  # cells of a room, at least, across and down


class Room:
    """The cells from the left and the top to the right and the bottom, both counted."""

    def __init__(self, left: int, top: int, right: int, bottom: int) -> None:
        self.left, self.top, self.right, self.bottom = left, top, right, bottom

    @classmethod
    def of(cls, cells: Iterable[Cell]) -> "Room":
        xs, ys = zip(*cells, strict=True)
        return cls(min(xs), min(ys), max(xs), max(ys))

    def with_cells(self, cells: Iterable[Cell]) -> "Room":
        return Room.of([*self.corners, *cells])

    @property
    def corners(self) -> list[Cell]:
        return [(self.left, self.top), (self.right, self.bottom)]

    @property
    def middle(self) -> Cell:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    @property
    def cells(self) -> list[Cell]:
        xs, ys = range(self.left, self.right + 1), range(self.top, self.bottom + 1)
        return list(product(xs, ys))

    @property
    def flipped(self) -> "Room":
        return Room(self.top, self.left, self.bottom, self.right)


def dig_rooms(rock: Rock) -> None:
    """A room in each block, and a corridor with one door to each block beside it."""
    xs = _lines(rock, rock.spec.width, {x for x, _ in rock.points})
    ys = _lines(rock, rock.spec.height, {y for _, y in rock.points})
    size = len(xs) - 1, len(ys) - 1
    image = partial(mirror_image, size=size, mirrors=rock.spec.mirrors)
    rooms: dict[Cell, Room] = {}
    for i, j in product(*map(range, size)):
        if image((i, j)) in rooms:
            rooms[i, j] = Room.of(map(rock.spec.image, rooms[image((i, j))].corners))
            continue
        room = _room(rock, (xs[i] + 1, ys[j] + 1), (xs[i + 1] - 1, ys[j + 1] - 1))
        if image((i, j)) == (i, j):
            room = room.with_cells(map(rock.spec.image, room.corners))
        rooms[i, j] = room
        rock.dig(room.cells)
    joined: set[frozenset[Cell]] = set()
    for (i, j), a in rooms.items():
        for beside in ((i + 1, j), (i, j + 1)):
            if beside not in rooms or frozenset(map(image, ((i, j), beside))) in joined:
                continue
            joined.add(frozenset(((i, j), beside)))
            if beside[0] > i:
                _join(rock, a, rooms[beside], xs[i + 1])
            else:
                _join(rock, a.flipped, rooms[beside].flipped, ys[j + 1], flipped=True)


def _lines(rock: Rock, size: int, avoid: set[int]) -> list[int]:
    """Where blocks meet: an odd number of blocks, symmetric, and not quite even."""
    blocks = max(3, round((size - 1) / BLOCK) // 2 * 2 + 1)
    left = [0]
    for k in range(1, blocks // 2 + 1):
        wanted = round(k * (size - 1) / blocks) + int(below(rock.rng, 3)) - 1
        least = left[-1] + 2
        most = (size - 2) // 2
        places = range(least, most + 1)
        left.append(min(places, key=lambda v: (v in avoid, abs(v - wanted)), default=most))
    return left + [size - 1 - v for v in reversed(left)]


def _room(rock: Rock, low: Cell, high: Cell) -> Room:
    """Anywhere in the block, around the checkpoints in it."""
    sides = []
    for a, b in zip(low, high, strict=True):
        most = b - a + 1
        size = min(most, ROOM + int(below(rock.rng, max(1, most - ROOM + 1))))
        first = a + int(below(rock.rng, most - size + 1))
        sides.append((first, first + size - 1))
    (left, right), (top, bottom) = sides
    room = Room(left, top, right, bottom)
    for x, y in [p for p in rock.points if rock.cells[p[1], p[0]] == WALL]:
        inside = min(max(x, low[0]), high[0]), min(max(y, low[1]), high[1])
        if abs(inside[0] - x) < 2 and abs(inside[1] - y) < 2:  # on a line: of the first block
            room = room.with_cells([inside])
            rock.dig(bend(inside, (x, y)))
    return room


def _join(rock: Rock, a: Room, b: Room, line: int, flipped: bool = False) -> None:
    """A corridor from a room to the one to its right; its door is on the line between."""
    low, high = max(a.top, b.top), min(a.bottom, b.bottom)
    if low <= high:
        begin = end = (low + high) // 2
    else:
        begin, end = (a.top, b.bottom) if a.top > b.bottom else (a.bottom, b.top)
    way = [(x, begin) for x in range(a.right + 1, line)]
    way += [(line, y) for y in range(min(begin, end), max(begin, end) + 1)]
    way += [(x, end) for x in range(line + 1, b.left)]
    door = (line, (begin + end) // 2)
    if flipped:
        way, door = [(y, x) for x, y in way], (door[1], door[0])
    rock.dig(way)
    if door not in rock.points:
        rock.dig([door], FREE)


def without_dead_ends(walls: np.ndarray, spec: MapSpec) -> np.ndarray:
    """Rooms that nobody can enter and corridors that lead to a closed door become rock."""
    floor = np.pad((distances(walls, spec.checkpoints[0]) >= 0) | (spec.fixed == FLOOR), 1)
    kept = np.pad(spec.fixed == FLOOR, 1)
    for x, y in spec.checkpoints:
        for u, v in ((x, y), spec.image((x, y))):
            kept[v + 1, u + 1] = True
    ends = [(int(x), int(y)) for y, x in np.argwhere(floor)]
    while ends:
        cell = x, y = ends.pop()
        near = [(u, v) for u, v in around(cell) if floor[v, u]]
        if floor[y, x] and not kept[y, x] and len(near) < 2:
            floor[y, x] = False
            ends += near
    return (~floor[1:-1, 1:-1]).astype(np.uint8)
