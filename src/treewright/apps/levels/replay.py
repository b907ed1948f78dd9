"""What happened in an attempt: the recorded keys, played again.

An attempt is stored as *runs* of keys, ``[[keys, ticks], …]``.  Playing them again gives the
events, and every feature follows from those; so nothing else of a game has to be trusted or kept.
"""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.levels import game
from treewright.apps.levels.tiles import LevelError
from treewright.apps.levels.world import GameState, World
from treewright.kernel.specialise import specialise
from treewright.library.program import ImportedFunctions

Runs = list[list[int]]
ALL_KEYS = 63
NO_TRACE = np.zeros((0, 2))


@dataclass(frozen=True)
class Attempt:
    """One life: how it ended and what happened; ``events`` are (tick, event, value, x)."""

    outcome: int  # game.PLAYING, WON or DIED
    cause: int
    ticks: int
    coins: int
    events: np.ndarray = field(repr=False)
    trace: np.ndarray = field(repr=False)  # (x, y) of the feet after each tick

    @property
    def way(self) -> list[tuple[float, float]]:
        """The way of the body's middle, for pictures."""
        return [(float(x), float(y) - 6.0) for x, y in self.trace]


@functools.cache
def _compiled() -> Any:
    text = Path(__file__).parent / "replay_kernel.py"
    return specialise(ImportedFunctions(game.tick), {}, (text,), "replay").replay


def encode(keys: Iterable[int]) -> Runs:
    """Keys by tick as runs."""
    return [[int(k), sum(1 for _ in same)] for k, same in groupby(keys)]


def decode(runs: Sequence[Sequence[int]]) -> np.ndarray:
    """Runs as keys by tick; an error says what is wrong with them."""
    if not isinstance(runs, Sequence):
        raise LevelError("the keys of an attempt are a list of runs")
    for number, run in enumerate(runs, 1):
        good = isinstance(run, Sequence) and len(run) == 2 and all(type(n) is int for n in run)
        if not (good and 0 <= run[0] <= ALL_KEYS and 1 <= run[1] <= game.LIMIT):
            raise LevelError(f"run {number} is no run of keys: [keys 0 to 63, ticks from 1] is")
    if sum(n for _, n in runs) > game.LIMIT:
        raise LevelError(f"an attempt has at most {game.LIMIT} ticks")
    return np.repeat([k for k, _ in runs], [n for _, n in runs]).astype(np.int64)


def step(now: GameState, keys: np.ndarray, events: np.ndarray, trace: np.ndarray = NO_TRACE) -> int:
    """Press keys until they end or the game does, and say for how many ticks that was."""
    return int(_compiled()(*now.arrays, events, keys, trace))


def replay(world: World, runs: Sequence[Sequence[int]]) -> Attempt:
    """Play recorded keys again."""
    keys = decode(runs)
    now = world.begin()
    events = np.zeros((4 * len(keys) + 64, 4), np.int32)
    trace = np.zeros((len(keys), 2))
    ticks = step(now, keys, events, trace)
    status = now.status
    return Attempt(
        int(status[game.OUTCOME]),
        int(status[game.CAUSE]),
        ticks,
        int(status[game.COINS]),
        events[: status[game.EVENTS]],
        trace[:ticks],
    )
