"""The tile-to-tile chain: the second representation, which the paper asks for in its last section.

A tile depends on its row and on the tiles to its left, below it, and below to the left (Snodgrass &
Ontañón 2013 with one chain for each row).  Where these never met in the corpus, less is looked at:
left and below, then left, then the row alone.  Columns are drawn from the bottom up, so slices
come about that the corpus has never seen.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from treewright.apps.levels.level import Level
from treewright.apps.levels.tiles import LevelError

Context = tuple[int, ...]


@dataclass(frozen=True)
class TileChain:
    """Tiles by number; ``draws[row, left, below, diagonal]`` names a row of ``summed``.

    ``summed[i]`` holds the summed probabilities of all tiles; the number of tiles stands for
    what is outside.
    """

    tiles: str
    height: int
    starts: tuple[str, ...]  # the first slices of the levels
    corpus: tuple[Level, ...] = field(repr=False)
    draws: np.ndarray = field(repr=False)
    summed: np.ndarray = field(repr=False)

    def column(self, left: str, draw: Sequence[float]) -> str:
        """The column after another one, from as many numbers in [0, 1) as there are rows."""
        outside = len(self.tiles)
        found = ""
        below = diagonal = outside
        for up in range(self.height):
            row = self.height - 1 - up
            beside = self.tiles.index(left[row])
            chances = self.summed[self.draws[row, beside, below, diagonal]]
            below = int(np.searchsorted(chances, draw[up], side="right"))
            diagonal = beside
            found = self.tiles[below] + found
        return found

    def sample(self, length: int, seed: int) -> Level:
        """Plain sampling, tile by tile."""
        rng = np.random.default_rng(seed)
        columns = [self.starts[rng.integers(len(self.starts))]]
        while len(columns) < length:
            columns.append(self.column(columns[-1], rng.random(self.height).tolist()))
        return Level.of_columns(columns, f"tile sample {seed}")


def learn_tiles(levels: Sequence[Level]) -> TileChain:
    """Count every tile in every context of the corpus."""
    if not levels:
        raise LevelError("the corpus is empty: there is no level to learn from")
    height = max(level.height for level in levels)
    corpus = tuple(level.unmarked().with_rows(height) for level in levels)
    tiles = "".join(sorted({tile for level in corpus for row in level.rows for tile in row}))
    counts = _count(corpus, tiles)
    n = len(tiles)
    shape = (height, n, n + 1, n + 1)
    draws = np.zeros(shape, np.int32)
    summed: list[np.ndarray] = []
    known: dict[Context, int] = {}
    for row, left, below, diagonal in np.ndindex(shape):
        context = _known(counts, (row, left, below, diagonal))
        if context not in known:
            known[context] = len(summed)
            weights = np.array([counts[context][i] for i in range(n)], float)
            summed.append(np.cumsum(weights) / weights.sum())
        draws[row, left, below, diagonal] = known[context]
    starts = tuple(level.columns[0] for level in corpus)
    return TileChain(tiles, height, starts, corpus, draws, np.array(summed))


def _count(corpus: Sequence[Level], tiles: str) -> dict[Context, Counter[int]]:
    """Tiles by (row, left, below, diagonal) and by every beginning of that."""
    counts: dict[Context, Counter[int]] = {}
    number = {tile: i for i, tile in enumerate(tiles)}
    outside = len(tiles)
    for level in corpus:
        grid = [[number[tile] for tile in row] for row in level.rows]
        for row in range(level.height):
            under = grid[row + 1] if row + 1 < level.height else [outside] * level.length
            for column in range(1, level.length):
                context = (row, grid[row][column - 1], under[column], under[column - 1])
                for much in range(1, 5):
                    counts.setdefault(context[:much], Counter())[grid[row][column]] += 1
    return counts


def _known(counts: dict[Context, Counter[int]], context: Context) -> Context:
    """As much of a context as the corpus has."""
    while context not in counts:
        context = context[:-1]
    return context
