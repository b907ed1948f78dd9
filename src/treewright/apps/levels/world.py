"""From a level to a game that can be played: blocks with their contents, enemies with their kinds.

The paper's tiles say "an enemy, regardless of its type" and "a pipe, regardless"; here each enemy,
pipe and cannon gets what the game needs, by a fixed rule of its place and the level's number, so
that the same level is the same game everywhere.  As in the paper's study there is one power-up in
a level: the first that the level has; every other one holds a coin.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.apps.levels import game, physics
from treewright.apps.levels.level import Level
from treewright.apps.levels.physics import TILE
from treewright.apps.levels.tiles import TILES
from treewright.kernel.rng import stream_seed

ENGINE = 1  # the version of the game: recorded inputs belong to it
SLOTS = 24  # bullets and items at a time
POWER = "?@"
HIDDEN_POWER = "UL1"
COIN = "QC!2"
KINDS = {"g": game.GOOMBA, "G": game.GOOMBA, "k": game.GREEN, "K": game.GREEN}
KINDS |= {"r": game.RED, "R": game.RED, "y": game.RED, "Y": game.RED}
# of an enemy whose kind the level leaves open, in 16ths
OPEN_KINDS = [game.GOOMBA] * 8 + [game.GREEN] * 4 + [game.RED] * 4


@dataclass
class Totals:
    """What there is in a level."""

    coins: int = 0
    coin_blocks: int = 0
    power_blocks: int = 0
    empty_blocks: int = 0
    enemies: int = 0
    gaps: int = 0


@dataclass
class GameState:
    """The arrays of a game that is under way."""

    cells: np.ndarray
    coins: np.ndarray
    seen: np.ndarray
    body: np.ndarray
    status: np.ndarray
    things: np.ndarray

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        return self.cells, self.coins, self.seen, self.body, self.status, self.things


@dataclass(frozen=True)
class World:
    """A level as the game begins with it."""

    level: Level
    seed: int = 0
    totals: Totals = field(default_factory=Totals, compare=False)
    _start: dict[str, np.ndarray] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._start.update(_build(self.level, self.seed, self.totals))

    def begin(self) -> GameState:
        """A fresh attempt."""
        return GameState(**{name: array.copy() for name, array in self._start.items()})

    def to_dict(self) -> dict[str, Any]:
        """For the browser."""
        start = self._start
        return {
            "engine": ENGINE,
            "rows": self.level.height,
            "columns": self.level.length,
            **{n: start[n].ravel().tolist() for n in ("cells", "coins", "body", "status")},
            "things": start["things"].tolist(),
        }


def _build(level: Level, seed: int, totals: Totals) -> dict[str, np.ndarray]:
    shape = (level.height, level.length)
    cells, coins = np.zeros(shape, np.int8), np.zeros(shape, np.int8)
    things: list[list[float]] = []
    power = _power_up(level)
    for column in range(level.length):
        for row in range(level.height):
            tile = level.rows[row][column]
            if TILES[tile].kind == "coin":
                coins[row, column] = 1
            elif TILES[tile].kind == "enemy":
                things.append(_enemy(tile, row, column, seed))
            elif TILES[tile].stops:
                cells[row, column] = _block(level, row, column, power)
    things += _in_pipes(cells, level, seed) + _cannons(cells)
    totals.coins = int(coins.sum())
    totals.coin_blocks = int((cells == game.COIN_BLOCK).sum())
    totals.power_blocks = int((cells == game.POWER_BLOCK).sum())
    totals.empty_blocks = int((cells == game.BRICK).sum())
    totals.enemies = sum(t[game.KIND] <= game.FLOWER for t in things)
    totals.gaps = len(level.gaps)
    status = np.zeros(game.STATUS, np.int64)
    status[[game.FACING, game.GOAL, game.SLOT]] = 1, level.goal_column, len(things)
    rows = np.zeros((len(things) + SLOTS, game.THING))
    rows[: len(things)] = np.array(things).reshape(-1, game.THING)
    rows[len(things) :, game.MODE] = game.GONE
    column, row = level.start
    body = physics.at_rest(TILE * column + TILE / 2, physics.stand_on(row))
    return {
        "cells": cells,
        "coins": coins,
        "seen": np.zeros(shape, np.int8),
        "body": body,
        "status": status,
        "things": rows,
    }


def _hash(seed: int, row: int, column: int) -> int:
    return stream_seed(seed, 64 * column + row)


def _power_up(level: Level) -> tuple[int, int] | None:
    """(row, column) of the level's one power-up: its first, or the first question block."""
    for tiles in (POWER + HIDDEN_POWER, COIN):
        for column, slice_ in enumerate(level.columns):
            for row, tile in enumerate(slice_):
                if tile in tiles:
                    return row, column
    return None


def _block(level: Level, row: int, column: int, power: tuple[int, int] | None) -> int:
    tile = level.rows[row][column]
    kind = TILES[tile].kind
    above = TILES[level.rows[row - 1][column]].kind if row else "empty"
    if (row, column) == power:
        return game.POWER_BLOCK
    if tile in POWER or tile in COIN:
        return game.COIN_BLOCK
    if tile in HIDDEN_POWER or kind == "breakable":
        return game.BRICK
    if kind == "pipe":
        return game.PIPE if above == "pipe" else game.PIPE_TOP
    if kind == "cannon":
        return game.CANNON_BODY if above == "cannon" else game.CANNON_TOP
    return game.SOLID


def _thing(kind: int, x: float, y: float, mode: int, **more: float) -> list[float]:
    row = [0.0] * game.THING
    row[physics.X], row[physics.Y], row[physics.VY] = x, y, physics.RESTING
    row[game.KIND], row[game.MODE], row[game.SIDE] = kind, mode, -1
    row[game.TIMER], row[game.HOME] = more.get("timer", 0.0), more.get("home", 0.0)
    return row


def _enemy(tile: str, row: int, column: int, seed: int) -> list[float]:
    kind = KINDS.get(tile) or OPEN_KINDS[_hash(seed, row, column) % 16]
    x, y = TILE * column + TILE / 2, physics.stand_on(row)
    return _thing(kind, x, y, game.ASLEEP)


def _in_pipes(cells: np.ndarray, level: Level, seed: int) -> list[list[float]]:
    """A flower in every second pipe, and where the level says so (``T``)."""
    found = []
    rows, columns = np.nonzero(cells == game.PIPE_TOP)
    tops = set(zip(rows.tolist(), columns.tolist(), strict=True))
    for row, column in sorted(tops, key=lambda at: (at[1], at[0])):
        if level.rows[row][column] == ">" and (row, column - 1) in tops:
            continue  # the right half of a pipe
        wide = (row, column + 1) in tops
        if level.rows[row][column] == "T" or (wide and _hash(seed, row, column) % 2):
            home = float(TILE * row)
            x = TILE * (column + 1.0) if wide else TILE * column + TILE / 2
            timer = float(_hash(seed, row, column) // 2 % game.FLOWER_UP)
            y = home + game.TALL
            found.append(_thing(game.FLOWER, x, y, game.AWAKE, timer=timer, home=home))
    return found


def _cannons(cells: np.ndarray) -> list[list[float]]:
    rows, columns = np.nonzero(cells == game.CANNON_TOP)
    return [
        _thing(
            game.CANNON,
            TILE * column + TILE / 2,
            TILE * (row + 1.0) - 2.0,
            game.AWAKE,
            timer=float(column * 37 % game.FIRE_EVERY),
        )
        for row, column in sorted(zip(rows.tolist(), columns.tolist(), strict=True))
    ]
