"""From every tile the way to the goal, by the checker's moves: for who is off the path.

The checker (player.py) finds one path.  A player who dodges enemies leaves it, so here the moves
are followed backwards from the goal: each tile from which it can be reached gets its next move and
the cost that is left.  Where the path has a leap (leap.py) there is a cost, but no move: the
search has to jump there by itself.
"""

import heapq
from dataclasses import dataclass

import numpy as np

from treewright.apps.levels.level import Level
from treewright.apps.levels.moves import Move, Player
from treewright.apps.levels.player import JUMP_COST, Map, moves_of, neighbours, play

UNKNOWN = 1e9
FACTS = 7  # stance, delay, hold, speed, push, direction, whether it is a fall
Tile = tuple[int, int]


@dataclass(frozen=True)
class Ways:
    """``next_move[row, column]`` is a row of ``recipes``, or -1; ``left`` the cost to the goal."""

    next_move: np.ndarray
    left: np.ndarray
    recipes: np.ndarray


def ways_to_goal(level: Level, player: Player) -> Ways:
    """The next move from each tile that the player can get to."""
    into = _graph(level, player)
    goal = level.goal_column
    cost: dict[Tile, float] = {tile: 0.0 for tile in into if tile[0] == goal}
    best: dict[Tile, Move] = {}
    queue = [(0.0, tile) for tile in sorted(cost)]
    while queue:
        spent, tile = heapq.heappop(queue)
        if spent > cost[tile]:
            continue
        for before, move in into[tile]:
            price = spent + abs(move.dx) + (JUMP_COST if move.jumps else 0)
            if price < cost.get(before, UNKNOWN):
                cost[before] = price
                best[before] = move
                heapq.heappush(queue, (price, before))
    return _tables(level, cost, best)


def _graph(level: Level, player: Player) -> dict[Tile, list[tuple[Tile, Move]]]:
    """Which tiles lead into each tile that can be reached from the start."""
    world, groups = Map(level, player), moves_of(player)
    report = play(level, player)
    leaps: dict[Tile, list[tuple[Tile, Move]]] = {}
    for here, step in zip(report.tiles, report.path, strict=False):
        if step.move.keys:
            leaps.setdefault(here, []).append(((step.column, step.row), step.move))
    into: dict[Tile, list[tuple[Tile, Move]]] = {level.start: []}
    waiting = [level.start]
    while waiting:
        here = waiting.pop()
        for tile, move in [*neighbours(world, groups, here), *leaps.get(here, [])]:
            if tile not in into:
                into[tile] = []
                waiting.append(tile)
            into[tile].append((here, move))
    return into


def _tables(level: Level, cost: dict[Tile, float], best: dict[Tile, Move]) -> Ways:
    number: dict[Move, int] = {}
    next_move = np.full((level.height, level.length), -1, np.int32)
    left = np.full((level.height, level.length), UNKNOWN)
    for (column, row), price in cost.items():
        left[row, column] = price
    for (column, row), move in best.items():
        if move.keys:
            continue
        next_move[row, column] = number.setdefault(move, len(number))
    recipes = [
        [*move.recipe[:5], 1 if move.dx > 0 else -1, move.dy > 0 and not move.jumps]
        for move in number
    ]
    return Ways(next_move, left, np.array(recipes, np.int64).reshape(-1, FACTS))
