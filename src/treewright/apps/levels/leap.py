"""Where no move of moves.py leads on: the engine's own ticks, tried in the level itself.

The moves are from rest to rest, and touch nothing but the floors that they need.  Some levels ask
for more: a jump on from a jump, a head under a brick, a run over uneven ground.  So from all tiles
near the farthest one, every sequence of keys is tried tick by tick, where states that are nearly
the same count as one.  What is found is played from a little beside its place too, since a player
never stands exactly there; it is kept if it ends on the same tile.  Merging may miss a way; it
can't invent one.
"""

import functools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.levels import physics
from treewright.apps.levels.leap_kernel import careful_tick
from treewright.apps.levels.level import Level
from treewright.apps.levels.moves import Move, Player
from treewright.apps.levels.physics import LARGE, SMALL, TILE, X, Y
from treewright.apps.levels.tiles import TILES
from treewright.kernel.specialise import specialise
from treewright.library.program import ImportedFunctions

STATES = 1 << 22  # at most, for one leap
# cells in a pixel of x and of y, and in a pixel a tick of both speeds: first coarse, then fine
GRIDS = ((0.5, 0.25, 4.0, 1.0), (1.0, 0.5, 4.0, 1.0))
BACK = 24  # columns behind the farthest tile from which a leap may begin
BESIDE = (-0.05, 0.05)  # pixels: as near to a place as taps of the walking key bring anyone
Tile = tuple[int, int]


@functools.cache
def _compiled() -> Any:
    text = Path(__file__).parent / "leap_kernel.py"
    functions = ImportedFunctions(physics.move, physics.steer, physics.settle)
    return specialise(functions, {}, (text,), "leap").leap


class Leaps:
    """A level for leaps: its tiles, with a row more at the top, as the engine rounds there."""

    def __init__(self, level: Level, player: Player, stand: Iterable[Tile]) -> None:
        self.height = LARGE if player == "large" else SMALL
        tiles = [[TILES[c] for c in row] for row in (level.rows[0], *level.rows)]
        self.cells = np.array(
            [
                [[t.stops for t in row] for row in tiles],
                [[t.stops and t.carries and not t.thin for t in row] for row in tiles],
                [[t.stops and t.carries for t in row] for row in tiles],
            ],
            np.uint8,
        )
        self.seen = np.zeros(self.cells.shape[1:], np.uint8)
        self.stand = np.zeros(self.cells.shape[1:], np.uint8)
        for column, row in stand:
            self.stand[row + 1, column] = 1

    def find(self, reached: Iterable[Tile], far: int, goal: int) -> tuple[Tile, Move] | None:
        """A tile beyond column ``far`` and how to get there: (where it begins, the leap)."""
        sources = sorted(tile for tile in reached if tile[0] > far - BACK)
        for grid in GRIDS:
            for keys, begin, end in self._found(sources, far, goal, grid):
                if all(self._ends(begin, keys, beside) == end for beside in BESIDE):
                    dx, dy = end[0] - begin[0], end[1] - begin[1]
                    return begin, Move(dx, dy, (0,) * 6, (), (), False, keys)
        return None

    def _found(
        self, sources: list[Tile], far: int, goal: int, grid: tuple[float, ...]
    ) -> Iterator[tuple[tuple[int, ...], Tile, Tile]]:
        bodies = np.zeros((STATES, physics.BODY))
        parent = np.zeros(STATES, np.int32)
        pressed = np.zeros(STATES, np.int8)
        table = np.zeros(2 * STATES, np.int64)
        for i, tile in enumerate(sources):
            bodies[i] = self._at_rest(tile)
        state = np.array([len(sources), 0, 0], np.int64)
        while True:
            at = _compiled()(
                self.cells,
                self.seen,
                self.stand,
                self.height,
                far,
                goal,
                np.array(grid),
                bodies,
                parent,
                pressed,
                table,
                state,
            )
            if at < 0:
                return
            end, keys = _tile(bodies[at]), []
            while at >= len(sources):
                keys.append(int(pressed[at]))
                at = parent[at]
            yield tuple(reversed(keys)), sources[at], end

    def _at_rest(self, tile: Tile) -> np.ndarray:
        column, row = tile
        return physics.at_rest(TILE * column + TILE / 2, physics.stand_on(row + 1))

    def _ends(self, begin: Tile, keys: tuple[int, ...], beside: float) -> Tile | None:
        body = self._at_rest(begin)
        body[X] += beside
        other = body.copy()
        for key in keys:
            if not careful_tick(body, other, key, self.height, self.cells, self.seen):
                return None
        return _tile(body) if body[physics.GROUNDED] else None


def _tile(body: np.ndarray) -> Tile:
    return int(body[X] // TILE), int(body[Y] // TILE) - 1
