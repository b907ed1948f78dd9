"""A level: rows of characters, and what can be counted in it."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treewright.apps.levels.tiles import EMPTY, GOAL, START, TILES, LevelError, Tile

FEWEST_ROWS, MOST_ROWS = 4, 24
LONGEST = 100_000


@dataclass(frozen=True)
class Level:
    """A rectangle of tiles, top row first.  ``where`` says what it was read from."""

    rows: tuple[str, ...]
    where: str = "the level"

    def __post_init__(self) -> None:
        rows, where = self.rows, self.where
        if not rows or not rows[0]:
            raise LevelError(f"{where} is empty: a level is rows of tiles")
        for number, row in enumerate(rows, 1):
            if len(row) != len(rows[0]):
                raise LevelError(
                    f"{where}, row {number}: {len(row)} tiles, but the first row has "
                    f"{len(rows[0])}; all rows must have the same length"
                )
            for column, tile in enumerate(row, 1) if not set(row) <= TILES.keys() else ():
                if tile not in TILES:
                    raise LevelError(
                        f"{where}, row {number}, column {column}: {tile!r} is no tile; "
                        f"known are {' '.join(TILES)}"
                    )
        if not FEWEST_ROWS <= len(rows) <= MOST_ROWS:
            raise LevelError(f"{where}: {len(rows)} rows; a level has {FEWEST_ROWS} to {MOST_ROWS}")
        for mark, what in ((START, "start"), (GOAL, "goal")):
            if sum(row.count(mark) for row in rows) > 1:
                raise LevelError(f"{where} has several tiles {mark}; a level has one {what}")
        if len(rows[0]) > LONGEST:
            raise LevelError(f"{where}: {len(rows[0])} columns; at most {LONGEST:,} can be used")

    @classmethod
    def of_columns(cls, columns: list[str], where: str = "the level") -> "Level":
        """From slices, each a column of tiles from the top down."""
        return cls(tuple("".join(row) for row in zip(*columns, strict=True)), where)

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def length(self) -> int:
        return len(self.rows[0])

    @functools.cached_property
    def columns(self) -> list[str]:
        """The vertical slices, from the top down."""
        return ["".join(column) for column in zip(*self.rows, strict=True)]

    @functools.cached_property
    def stops(self) -> np.ndarray:
        """[row, column]: does the tile stop a body?"""
        return self._table("stops")

    @functools.cached_property
    def carries(self) -> np.ndarray:
        """[row, column]: can one stand on it?"""
        return self._table("carries")

    def _table(self, fact: str) -> np.ndarray:
        return np.array([[getattr(TILES[tile], fact) for tile in row] for row in self.rows], bool)

    def count(self, *kinds: str) -> int:
        """How many tiles are of these kinds."""
        return self._with(lambda tile: tile.kind in kinds)

    @property
    def enemies(self) -> int:
        return self.count("enemy")

    @property
    def rewards(self) -> int:
        """Coins and power-ups."""
        return self._with(lambda tile: tile.reward)

    def _with(self, fact: Callable[[Tile], bool]) -> int:
        wanted = [mark for mark, tile in TILES.items() if fact(tile)]
        return sum(row.count(mark) for row in self.rows for mark in wanted)

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """(first column, width) of each hole in the bottom row."""
        found: list[tuple[int, int]] = []
        for column, tile in enumerate(self.rows[-1]):
            if not TILES[tile].stops:
                if found and sum(found[-1]) == column:
                    found[-1] = (found[-1][0], found[-1][1] + 1)
                else:
                    found.append((column, 1))
        return found

    @property
    def start(self) -> tuple[int, int]:
        """(column, row) where the player begins: the mark, or the lowest floor on the left."""
        return self._mark(START) or (0, self._lowest(0, "start"))

    @property
    def goal_column(self) -> int:
        """The column to be reached: the mark's, or the last."""
        mark = self._mark(GOAL)
        if mark is None:
            self._lowest(self.length - 1, "goal")
            return self.length - 1
        return mark[0]

    def _mark(self, mark: str) -> tuple[int, int] | None:
        for row, tiles in enumerate(self.rows):
            if mark in tiles:
                return tiles.index(mark), row
        return None

    def _lowest(self, column: int, what: str) -> int:
        """The first free row above the lowest floor of a column."""
        floor = False
        for row in range(self.height - 1, -1, -1):
            if self.carries[row, column]:
                floor = True
            elif floor:
                return row
        raise LevelError(
            f"{self.where}: the {what} can't exist: column {column + 1} has no floor to stand on; "
            f"put one there, or mark the {what} with {START if what == 'start' else GOAL}"
        )

    @property
    def marked(self) -> bool:
        """Whether the start or the goal is marked."""
        return self._mark(START) is not None or self._mark(GOAL) is not None

    def unmarked(self) -> "Level":
        """The same with air for the marks: what a corpus tells about tiles, not about one level."""
        air = str.maketrans({START: EMPTY, GOAL: EMPTY})
        return Level(tuple(row.translate(air) for row in self.rows), self.where)

    def text(self) -> str:
        return "\n".join(self.rows) + "\n"

    def with_rows(self, height: int) -> "Level":
        """The same with air added, or empty rows taken away, at the top."""
        missing = height - self.height
        if missing >= 0:
            return Level((EMPTY * self.length,) * missing + self.rows, self.where)
        lost = self.rows[:-missing]
        if any(tile != EMPTY for row in lost for tile in row):
            raise LevelError(
                f"{self.where} has {self.height} rows and something in the upper ones; "
                f"{height} rows are needed here"
            )
        return Level(self.rows[-missing:], self.where)
