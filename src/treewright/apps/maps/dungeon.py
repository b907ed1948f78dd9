"""A dungeon in four passes, each with its own fitness (section IV-A of the paper).

"The first pass would be creating the level, the next task would be placing monsters using a
different fitness function, the next could be placing treasures or traps."  One domain, whose
``shrink`` goes on to the next kind of thing with the best of the pass before:

1. rooms and corridors: large rooms, and a long way from the entrance to the exit;
2. monsters: apart from each other, the strong ones far from the entrance;
3. treasure: far from the entrance, off the way to the exit, and guarded;
4. traps: in corridors on the ways to the treasure, apart from each other.

States are Python objects, searched by the interpreted kernel.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.apps.maps import draw, tiled
from treewright.apps.maps.methods import distances
from treewright.errors import OptionError
from treewright.library.domain import Domain, constant
from treewright.library.multipass import MultiPass, Pass
from treewright.library.options import Options, Rave
from treewright.random import below, stream

STAGES = ("rooms", "monsters", "treasure", "traps")
CANDIDATES = 120  # rooms to choose from, and cells for things
Cell = tuple[int, int]
LEGEND = "# wall, . floor, < entrance, > exit, m monster, $ treasure, ^ trap"
MAKER = constant()
COLOURS = {"monsters": (213, 54, 46), "treasure": (230, 159, 0), "traps": (204, 121, 167)}


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
        s.stage += 1
        self.maker.look(s)
        return bool(s.stage < len(STAGES))


class Maker:
    """The rules of the four passes."""

    def __init__(self, width: int, height: int, seed: int, counts: dict[str, int]) -> None:
        self.width, self.height, self.counts = width, height, counts
        self.rng = stream(seed)
        self.candidates = [_room(self.rng, width, height) for _ in range(CANDIDATES)]
        self.cells: list[Cell] = []  # where things may stand
        self.away = self.back = np.zeros((height, width), np.int64)  # from entrance and exit

    def start(self, s: Plan) -> None:
        s.stage = 0
        s.walls = np.ones((self.height, self.width), np.uint8)
        s.rooms = []
        s.things = {}

    def look(self, s: Plan) -> None:
        """Before a pass: how far everything is, and which cells are offered."""
        self.away, self.back = distances(s.walls, s.entrance), distances(s.walls, s.exit)
        inside = {
            (x, y)
            for r in s.rooms
            for x in range(r.x, r.x + r.width)
            for y in range(r.y, r.y + r.height)
        }
        floor = [(int(x), int(y)) for y, x in np.argwhere(s.walls == 0)]
        taken = {s.entrance, s.exit, *(c for v in s.things.values() for c in v)}
        corridor = s.stage < len(STAGES) and STAGES[s.stage] == "traps"
        free = [c for c in floor if c not in taken and (c in inside) != corridor] or floor
        drawn = [free[below(self.rng, len(free))] for _ in range(CANDIDATES)]
        self.cells = list(dict.fromkeys(drawn))

    def legal(self, s: Plan) -> list[int]:
        if s.stage == 0:
            rooms = enumerate(self.candidates)
            return [i for i, room in rooms if not any(room.near(other) for other in s.rooms)]
        taken = set(s.things.get(STAGES[s.stage], ()))
        return [i for i, c in enumerate(self.cells) if c not in taken]

    def play(self, s: Plan, action: int) -> None:
        if s.stage == 0:
            _dig(s, self.candidates[action])
        else:
            s.things.setdefault(STAGES[s.stage], []).append(self.cells[action])

    def ended(self, s: Plan) -> bool:
        if s.stage >= len(STAGES):
            return True
        count = self.counts[STAGES[s.stage]]
        if s.stage == 0:
            return len(s.rooms) >= count or not self.legal(s)
        return len(s.things.get(STAGES[s.stage], ())) >= min(count, len(self.cells))

    def score(self, s: Plan) -> float:
        if s.stage == 0:
            area = sum(r.width * r.height for r in s.rooms) / s.walls.size
            length = distances(s.walls, s.entrance).max() / (self.width + self.height)
            return float(length + len(s.rooms) / self.counts["rooms"] + area)
        judge = (_monsters, _treasure, _traps)[s.stage - 1]
        return judge(s, s.things[STAGES[s.stage]], self.away, self.back)


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


# ---------------------------------------------------------------------------- the result


@dataclass(frozen=True)
class DungeonResult:
    """A finished dungeon and the score of each pass."""

    plan: Plan
    scores: dict[str, float]
    seed: int

    @property
    def rows(self) -> list[str]:
        """Marks as in ``LEGEND``."""
        marks = [["#" if c else "." for c in row] for row in self.plan.walls]
        for stage, mark in (("monsters", "m"), ("treasure", "$"), ("traps", "^")):
            for x, y in self.plan.things.get(stage, []):
                marks[y][x] = mark
        for (x, y), mark in ((self.plan.entrance, "<"), (self.plan.exit, ">")):
            marks[y][x] = mark
        return ["".join(row) for row in marks]

    def to_dict(self) -> dict[str, Any]:
        plan = self.plan
        return {
            "seed": self.seed,
            "width": plan.walls.shape[1],
            "height": plan.walls.shape[0],
            "scores": self.scores,
            "entrance": list(plan.entrance),
            "exit": list(plan.exit),
            "rooms": [[r.x, r.y, r.width, r.height] for r in plan.rooms],
            **{k: [list(c) for c in v] for k, v in plan.things.items()},
            "map": self.rows,
        }

    def layers(self) -> list[tiled.Layer]:
        """Object layers for Tiled, one for each pass."""
        plan = self.plan
        doors = [
            tiled.Thing("entrance", "door", *plan.entrance),
            tiled.Thing("exit", "door", *plan.exit),
        ]
        rooms = [tiled.Thing(f"room {i}", "room", *r.middle) for i, r in enumerate(plan.rooms)]
        found = [tiled.Layer("doors", doors, "#009e73"), tiled.Layer("rooms", rooms, "#787878")]
        for stage, colour in COLOURS.items():
            names = stage.removesuffix("s")
            things = [
                tiled.Thing(f"{names} {i}", names, x, y, (("level", i + 1),))
                for i, (x, y) in enumerate(plan.things.get(stage, []))
            ]
            found.append(tiled.Layer(stage, things, "#{:02x}{:02x}{:02x}".format(*colour)))
        return found

    def paint(self, cell: int = 14) -> np.ndarray:
        """A picture: [y, x, 3]."""
        walls = self.plan.walls
        pixels = np.empty((walls.shape[0] * cell, walls.shape[1] * cell, 3), np.uint8)
        pixels[:] = draw.FLOOR
        pixels[np.kron(walls, np.ones((cell, cell), np.uint8)) == 1] = draw.WALL
        for stage, colour in COLOURS.items():
            for x, y in self.plan.things.get(stage, []):
                draw.disc(pixels, x, y, cell, colour, 0.36)
        for (x, y), colour in (
            (self.plan.entrance, (0, 158, 115)),
            (self.plan.exit, (0, 114, 178)),
        ):
            draw.disc(pixels, x, y, cell, colour, 0.6)
        return pixels


def dungeon(
    width: int = 48,
    height: int = 32,
    seed: int = 0,
    *,
    rooms: int = 9,
    monsters: int = 8,
    treasure: int = 5,
    traps: int = 5,
) -> Dungeon:
    """The domain of a dungeon of this size with so many things in it."""
    counts = {"rooms": rooms, "monsters": monsters, "treasure": treasure, "traps": traps}
    for name, value, low, high in (
        ("width", width, 16, 200),
        ("height", height, 12, 200),
        *((name, value, 2 if name == "rooms" else 1, 40) for name, value in counts.items()),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise OptionError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
    return Dungeon(Maker(width, height, seed, counts))


def make_dungeon(
    width: int = 48,
    height: int = 32,
    seed: int = 0,
    *,
    simulations: int = 300,
    progress: Callable[[Pass], object] | None = None,
    **counts: int,
) -> DungeonResult:
    """Four passes of ``simulations`` each; ``counts`` as for :func:`dungeon`."""
    search = MultiPass(
        dungeon(width, height, seed, **counts),
        Options(c=0.3, rave=Rave(k=100), keep_state=True),
        passes=len(STAGES),
        simulations=simulations,
        seed=seed,
        engine="python",
    )
    found = search.run(progress=progress)
    if found.stopped == "interrupt":  # a dungeon without its last stages is none
        raise KeyboardInterrupt
    scores = {STAGES[p.number]: p.score for p in found.passes}
    return DungeonResult(found.state, scores, seed)
