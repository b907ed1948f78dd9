"""A tile-level A* player (section "Markov Chain Monte Carlo Tree Search" of the paper).

Nodes are the tiles that one can stand on, edges the moves of moves.py, leftward moves and run-ups
included, and where those end, leaps that are tried in the level itself (leap.py).  What it accepts,
the engine can do: every edge is a simulated key sequence together with all cells on which its
success depends, or one that was played in this level.  Enemies are not considered, as in the paper.
"""

import functools
import heapq
from dataclasses import dataclass, field

from treewright.apps.levels.leap import Leaps
from treewright.apps.levels.level import Level
from treewright.apps.levels.moves import ABOVE, Move, Player, every_move
from treewright.apps.levels.reach import column_masks
from treewright.apps.levels.tiles import LevelError

Tile = tuple[int, int]
Came = dict[Tile, tuple[Tile, Move] | None]  # from where, and how
JUMP_COST = 2  # a jump is taken where it saves more walking than this


@dataclass(frozen=True)
class Step:
    """A move of the path and the tile where it ends."""

    move: Move
    column: int
    row: int


@dataclass(frozen=True)
class Report:
    """What the player found."""

    playable: bool
    start: tuple[int, int]
    goal: int
    path: list[Step] = field(repr=False)
    farthest: tuple[int, int]  # of all that was reached; the goal if it was
    obstacle: str = ""  # what stops the player there

    @property
    def tiles(self) -> list[tuple[int, int]]:
        """(column, row) of the start and of every rest on the way."""
        return [self.start, *((s.column, s.row) for s in self.path)]


class Map:
    """A level as the player sees it: masks by column, standable rows."""

    def __init__(self, level: Level, player: Player) -> None:
        tall = player == "large"
        masks = [column_masks(column, tall) for column in level.columns]
        self.stops = [m[0] for m in masks]
        self.carries = [m[1] for m in masks]
        self.stand = [m[2] for m in masks]
        self.thin = [m[3] for m in masks]
        self.rows = [
            [r for r in range(level.height) if stand >> (ABOVE + r) & 1] for stand in self.stand
        ]
        self.length = level.length

    @property
    def tiles(self) -> list[Tile]:
        """Where one can stand."""
        return [(column, row) for column, rows in enumerate(self.rows) for row in rows]

    def allows(self, move: Move, column: int, row: int) -> bool:
        """Whether every cell that the move looks at is as it must be."""
        if move.touches and self.thin[column + move.dx] >> (ABOVE + row + move.dy) & 1:
            return False
        step = 1 if move.dx > 0 else -1
        at = column
        for empty, solid in zip(move.empty, move.solid, strict=True):
            if (empty << row) & self.stops[at] or (solid << row) & ~self.carries[at]:
                return False
            at += step
        return True


@functools.cache
def moves_of(player: Player) -> dict[int, dict[int, list[Move]]]:
    """All moves by dx and dy."""
    found: dict[int, dict[int, list[Move]]] = {}
    for move in every_move(player):
        found.setdefault(move.dx, {}).setdefault(move.dy, []).append(move)
    return found


def play(level: Level, player: Player = "small", leaps: bool = True) -> Report:
    """Find a way from the start to the goal's column, or the farthest point.

    ``leaps`` tries the engine's own ticks where no move leads on (leap.py).
    """
    world = Map(level, player)
    start, goal = level.start, level.goal_column
    way = _Way(world, player, start, goal)
    if not world.stand[start[0]] >> (ABOVE + start[1]) & 1:
        return _report(world, start, goal, way.came, start, False)
    last = way.to_goal()
    ground = Leaps(level, player, world.tiles) if leaps and last is None else None
    while last is None and ground is not None:
        found = ground.find(way.done, max(column for column, _ in way.done), goal)
        if found is None:
            break
        way.add(*found)
        last = way.to_goal()
    best = last or min(way.done, key=lambda tile: (abs(goal - tile[0]), way.cost[tile]))
    return _report(world, start, goal, way.came, best, last is not None)


class _Way:
    """A* over tiles, which can be gone on with from a tile that something else has found."""

    def __init__(self, world: Map, player: Player, start: Tile, goal: int) -> None:
        self.world, self.groups, self.goal = world, moves_of(player), goal
        self.came: Came = {start: None}
        self.cost = {start: 0}
        self.done: set[Tile] = set()
        # (estimate, cost, tile): the estimate is the cost so far plus the columns to go
        self.queue = [(abs(goal - start[0]), 0, start)]

    def add(self, here: Tile, move: Move) -> None:
        tile = (here[0] + move.dx, here[1] + move.dy)
        price = self.cost[here] + abs(move.dx) + (JUMP_COST if move.jumps else 0)
        if tile not in self.cost or price < self.cost[tile]:
            self.cost[tile] = price
            self.came[tile] = (here, move)
            heapq.heappush(self.queue, (price + abs(self.goal - tile[0]), price, tile))

    def to_goal(self) -> Tile | None:
        """The tile at the goal; ``None`` if nothing more can be reached."""
        while self.queue:
            _, _, here = heapq.heappop(self.queue)
            if here in self.done:
                continue
            self.done.add(here)
            if here[0] == self.goal:
                return here
            for _, move in neighbours(self.world, self.groups, here):
                self.add(here, move)
        return None


def playable(level: Level, player: Player = "small") -> bool:
    """Whether a level can be finished; one without a floor to start or end on can't."""
    try:
        return play(level, player).playable
    except LevelError:
        return False


def neighbours(
    world: Map, groups: dict[int, dict[int, list[Move]]], here: tuple[int, int]
) -> list[tuple[tuple[int, int], Move]]:
    """The tiles that one move reaches, each with a move that does it."""
    column, row = here
    found = []
    for dx, by_height in groups.items():
        at = column + dx
        if not 0 <= at < world.length:
            continue
        for landing in world.rows[at]:
            for move in by_height.get(landing - row, ()):
                if world.allows(move, column, row):
                    found.append(((at, landing), move))
                    break
    return found


def _report(
    world: Map,
    start: tuple[int, int],
    goal: int,
    came: Came,
    last: tuple[int, int],
    playable: bool,
) -> Report:
    path: list[Step] = []
    tile = last
    while (before := came[tile]) is not None:
        path.append(Step(before[1], *tile))
        tile = before[0]
    path.reverse()
    obstacle = "" if playable else _obstacle(world, last, goal)
    return Report(playable, start, goal, path, last, obstacle)


def _obstacle(world: Map, last: tuple[int, int], goal: int) -> str:
    """What is in the way at the farthest tile, in words."""
    column, row = last
    step = 1 if goal > column else -1
    if not world.carries[column] >> (ABOVE + row + 1) & 1:
        return "there is no floor below the start"
    if not world.stand[column] >> (ABOVE + row) & 1:
        return "no room to stand at the start"
    for distance in range(1, abs(goal - column) + 1):
        rows = world.rows[column + step * distance]
        if not rows:
            continue
        up = row - min(rows, key=lambda r: abs(r - row))
        gap = distance - 1
        height = f"{abs(up)} {'up' if up > 0 else 'down'}" if up else "on the same height"
        if gap == 0:
            return f"the next floor is {height}, and nothing leads onto it"
        return f"a gap of {gap} columns; the next floor beyond it is {height}"
    return "there is no floor ahead"
