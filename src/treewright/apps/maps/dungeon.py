"""A dungeon in five passes, each with its own fitness (section IV-A of the paper).

"The first pass would be creating the level, the next task would be placing monsters using a
different fitness function, the next could be placing treasures or traps."  One domain, whose
``shrink`` goes on to the next kind of thing with the best of the pass before:

1. rooms and corridors: large rooms, and a long way from the entrance to the exit;
2. locks: doors with their keys, so that the walk to the exit by way of the keys is long; a key
   is only put where it can be got before its door is open (locks.py);
3. monsters: apart from each other, the strong ones far from the entrance;
4. treasure: far from the entrance, off the way to the exit, and guarded;
5. traps: in corridors on the ways to the treasure, apart from each other.

States are Python objects, searched by the interpreted kernel.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.apps.maps.locks import Floors
from treewright.apps.maps.ways import distances
from treewright.errors import OptionError
from treewright.library.domain import Domain, constant
from treewright.library.multipass import Pass
from treewright.random import below, stream

STAGES = ("rooms", "locks", "monsters", "treasure", "traps")
CANDIDATES = 120  # rooms to choose from, and cells for things
DOORS = 40  # of the candidates, in the pass for locks: the others are cells for keys
Cell = tuple[int, int]
MAKER = constant()


@dataclass(frozen=True)
class Room:
    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> Cell:
        return self.x + self.width // 2, self.y + self.height // 2

    def near(self, other: "Room") -> bool:
        """Whether less than two cells of wall are between two rooms."""
        return not (
            self.x + self.width + 1 < other.x
            or other.x + other.width + 1 < self.x
            or self.y + self.height + 1 < other.y
            or other.y + other.height + 1 < self.y
        )


@dataclass
class Plan:
    """A dungeon that is being made: the state of the search."""

    stage: int = 0
    walls: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.uint8))
    rooms: list[Room] = field(default_factory=list)
    things: dict[str, list[Cell]] = field(default_factory=dict)

    def copy(self) -> "Plan":
        return Plan(
            self.stage,
            self.walls.copy(),
            list(self.rooms),
            {k: list(v) for k, v in self.things.items()},
        )

    @property
    def entrance(self) -> Cell:
        return self.rooms[0].middle

    @property
    def exit(self) -> Cell:
        """The middle of the room that is farthest from the entrance."""
        away = distances(self.walls, self.entrance)
        return max((r.middle for r in self.rooms), key=lambda m: away[m[1], m[0]])


class Dungeon(Domain):
    """``Dungeon(maker)``: an action is a candidate room, or a candidate cell for the next thing.

    The functions are handed on to the maker, which lives outside the state and knows distances.
    """

    players = 1
    max_actions = CANDIDATES
    max_length = 200
    keys = CANDIDATES
    state = Plan

    def __init__(self, maker: "Maker") -> None:
        self.maker = maker
        super().__init__(constants={MAKER: maker})

    def start(s):
        MAKER.start(s)

    def legal(s, out):
        free = MAKER.legal(s)
        for i, action in enumerate(free):
            out[i] = action
        return len(free)

    def play(s, action):
        MAKER.play(s, action)

    def ended(s):
        return MAKER.ended(s)

    def rewards(s, out):
        out[0] = MAKER.score(s)

    def copy(s):
        return s.copy()

    def shrink(self, s: Any, found: Pass, progress: float) -> bool:
        """What was found stays; the next pass places the next kind of thing."""
        vars(s).update(vars(found.state))
        return self.maker.go_on(s)


class Maker:
    """The rules of the five passes."""

    def __init__(self, width: int, height: int, seed: int, counts: dict[str, int]) -> None:
        self.width, self.height, self.counts = width, height, counts
        self.rng = stream(seed)
        self.candidates = [_room(self.rng, width, height) for _ in range(CANDIDATES)]
        self.cells: list[Cell] = []  # where things may stand
        self.away = self.back = np.zeros((height, width), np.int64)  # from entrance and exit
        self.stages = [name for name in STAGES if counts[name]]
        self.floors = Floors(np.ones((height, width), np.uint8))
        self.doorways: list[Cell] = []

    def start(self, s: Plan) -> None:
        s.stage = 0
        s.walls = np.ones((self.height, self.width), np.uint8)
        s.rooms = []
        s.things = {}

    def go_on(self, s: Plan) -> bool:
        """To the next pass; whether there is one.  Where no door can be, there are no locks."""
        s.stage += 1
        self.look(s)
        if s.stage < len(self.stages) and self.stages[s.stage] == "locks" and not self.doorways:
            self.stages.remove("locks")
            self.look(s)
        return s.stage < len(self.stages)

    def look(self, s: Plan) -> None:
        """Before a pass: how far everything is, and which cells are offered."""
        self.away, self.back = distances(s.walls, s.entrance), distances(s.walls, s.exit)
        self.floors = Floors(s.walls)
        inside = {
            (x, y)
            for r in s.rooms
            for x in range(r.x, r.x + r.width)
            for y in range(r.y, r.y + r.height)
        }
        floor = [(int(x), int(y)) for y, x in np.argwhere(s.walls == 0)]
        taken = {s.entrance, s.exit, *(c for v in s.things.values() for c in v)}
        stage = self.stages[s.stage] if s.stage < len(self.stages) else ""
        corridor = stage == "traps"
        free = [c for c in floor if c not in taken and (c in inside) != corridor] or floor
        count = CANDIDATES
        if stage == "locks":
            count -= DOORS
            ways = self.floors.doorways(s.walls, inside, s.entrance)
            self.doorways = [ways[i * len(ways) // DOORS] for i in range(DOORS)] if ways else []
            self.doorways = list(dict.fromkeys(self.doorways))
        drawn = [free[below(self.rng, len(free))] for _ in range(count)]
        self.cells = list(dict.fromkeys(drawn))

    def legal(self, s: Plan) -> list[int]:
        stage = self.stages[s.stage]
        if stage == "rooms":
            rooms = enumerate(self.candidates)
            return [i for i, room in rooms if not any(room.near(other) for other in s.rooms)]
        if stage == "locks":
            return self._legal_locks(s.things.get("doors", []), s.things.get("keys", []), s)
        taken = set(s.things.get(stage, ()))
        return [i for i, c in enumerate(self.cells) if c not in taken]

    def _legal_locks(self, doors: list[Cell], keys: list[Cell], s: Plan) -> list[int]:
        """A door anywhere, then its key where one can get with the door locked."""
        if len(doors) == len(keys):
            return [i for i, c in enumerate(self.doorways) if c not in doors]
        open_floor = self.floors.open_up(s.entrance, doors, keys)
        return [
            DOORS + i
            for i, c in enumerate(self.cells)
            if c not in keys and open_floor & self.floors.set_of([c])
        ]

    def play(self, s: Plan, action: int) -> None:
        stage = self.stages[s.stage]
        if stage == "rooms":
            _dig(s, self.candidates[action])
        elif stage == "locks" and action < DOORS:
            s.things.setdefault("doors", []).append(self.doorways[action])
        elif stage == "locks":
            s.things.setdefault("keys", []).append(self.cells[action - DOORS])
        else:
            s.things.setdefault(stage, []).append(self.cells[action])

    def ended(self, s: Plan) -> bool:
        if s.stage >= len(self.stages):
            return True
        stage = self.stages[s.stage]
        count = self.counts[stage]
        if stage == "rooms":
            return len(s.rooms) >= count or not self.legal(s)
        if stage == "locks":
            most = min(count, len(self.doorways))
            return len(s.things.get("keys", ())) >= most or not self.legal(s)
        return len(s.things.get(stage, ())) >= min(count, len(self.cells))

    def score(self, s: Plan) -> float:
        stage = self.stages[s.stage]
        if stage == "rooms":
            area = sum(r.width * r.height for r in s.rooms) / s.walls.size
            length = distances(s.walls, s.entrance).max() / (self.width + self.height)
            return float(length + len(s.rooms) / self.counts["rooms"] + area)
        if stage == "locks":
            return self._score_locks(s.things.get("doors", []), s.things.get("keys", []), s)
        judges = {"monsters": _monsters, "treasure": _treasure, "traps": _traps}
        return judges[stage](s, s.things[stage], self.away, self.back)

    def _score_locks(self, doors: list[Cell], keys: list[Cell], s: Plan) -> float:
        """A long walk to the exit by way of the keys, and each key far from its door."""
        if len(doors) != len(keys):
            return 0.0
        size = self.width + self.height
        walk = self.floors.walk(s.entrance, s.exit, doors, keys)
        pairs = zip(doors, keys, strict=True)
        gaps = sum(abs(dx - kx) + abs(dy - ky) for (dx, dy), (kx, ky) in pairs)
        return walk / size + gaps / size / max(1, len(doors))


def _room(rng: Any, width: int, height: int) -> Room:
    w, h = 4 + int(below(rng, 7)), 3 + int(below(rng, 5))
    x, y = 1 + int(below(rng, width - w - 1)), 1 + int(below(rng, height - h - 1))
    return Room(x, y, w, h)


def _dig(s: Plan, room: Room) -> None:
    """A room, and a corridor with one bend to the nearest room that was there before."""
    s.walls[room.y : room.y + room.height, room.x : room.x + room.width] = 0
    x, y = room.middle
    if s.rooms:
        other = min(s.rooms, key=lambda r: abs(r.middle[0] - x) + abs(r.middle[1] - y))
        ox, oy = other.middle
        s.walls[y, min(x, ox) : max(x, ox) + 1] = 0
        s.walls[min(y, oy) : max(y, oy) + 1, ox] = 0
    s.rooms.append(room)


def _apart(cells: list[Cell]) -> float:
    """The mean distance to the nearest other one."""
    if len(cells) < 2:
        return 0.0
    points = np.array(cells, float)
    gaps = np.abs(points[:, None] - points[None]).sum(axis=2)
    np.fill_diagonal(gaps, math.inf)
    return float(gaps.min(axis=1).mean())


def _monsters(s: Plan, cells: list[Cell], away: np.ndarray, back: np.ndarray) -> float:
    """Apart, and the later (stronger) ones farther from the entrance."""
    far = away.max() or 1
    strength = [(i + 1) / len(cells) * away[y, x] / far for i, (x, y) in enumerate(cells)]
    early = sum(away[y, x] < 6 for x, y in cells)
    return float(_apart(cells) / 10 + 2 * sum(strength) / len(cells) - early)


def _treasure(s: Plan, cells: list[Cell], away: np.ndarray, back: np.ndarray) -> float:
    """Far away, off the shortest way to the exit, with a monster near."""
    far = away.max() or 1
    way = away[s.exit[1], s.exit[0]]
    total = 0.0
    for x, y in cells:
        guard = min((abs(x - mx) + abs(y - my) for mx, my in s.things["monsters"]), default=99)
        detour = (away[y, x] + back[y, x] - way) / far
        total += away[y, x] / far + detour + 1.0 / (1 + max(0, guard - 1))
    return total / len(cells) + _apart(cells) / 20


def _traps(s: Plan, cells: list[Cell], away: np.ndarray, back: np.ndarray) -> float:
    """On the shortest ways from the entrance to the treasure, apart."""
    fields = [distances(s.walls, c) for c in s.things["treasure"][:3]]
    on = sum(
        any(away[y, x] + f[y, x] == f[s.entrance[1], s.entrance[0]] for f in fields)
        for x, y in cells
    )
    return on / len(cells) + _apart(cells) / 20


def dungeon(
    width: int = 48,
    height: int = 32,
    seed: int = 0,
    *,
    rooms: int = 9,
    locks: int = 2,
    monsters: int = 8,
    treasure: int = 5,
    traps: int = 5,
) -> Dungeon:
    """The domain of a dungeon of this size with this many things in it."""
    counts = {
        "rooms": rooms,
        "locks": locks,
        "monsters": monsters,
        "treasure": treasure,
        "traps": traps,
    }
    least = {"rooms": 2, "locks": 0}
    for name, value, low, high in (
        ("width", width, 16, 200),
        ("height", height, 12, 200),
        *((name, value, least.get(name, 1), 40) for name, value in counts.items()),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise OptionError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
    return Dungeon(Maker(width, height, seed, counts))
