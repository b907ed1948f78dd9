"""The tile moves of the player, ready for use: what extract.py found, as arrays.

A move goes from rest on one tile to rest on another.  ``empty[i]`` and ``solid[i]`` are bit masks
for the i-th column in its direction: bit ``ABOVE + r`` is the row ``r`` below the start's.
"""

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

import numpy as np

ABOVE = 8  # rows of a mask above the start row (extract.py)
Player = Literal["small", "large"]


@dataclass(frozen=True)
class Move:
    """From rest to rest: ``dx`` columns on (or back), ``dy`` rows down (or up)."""

    dx: int
    dy: int
    recipe: tuple[int, ...]  # stance, delay, hold, speed, push, runway: extract.keys_at
    empty: tuple[int, ...]
    solid: tuple[int, ...]
    touches: bool  # the landing tile from the side or from below, so it must be a whole block
    keys: tuple[int, ...] = ()  # by tick, instead of a recipe: a leap (leap.py)

    @property
    def run_up(self) -> int:
        return self.recipe[5]

    @property
    def jumps(self) -> bool:
        return self.recipe[2] > 0 or bool(self.keys)

    @property
    def name(self) -> str:
        """For reports: ``jump 4 right, 2 up``."""
        verb = "leap" if self.keys else "jump" if self.jumps else "drop" if self.dy > 0 else "walk"
        after = f" with a run-up of {self.run_up}" if self.run_up else ""
        side = f"{abs(self.dx)} {'right' if self.dx > 0 else 'left'}"
        height = f", {abs(self.dy)} {'down' if self.dy > 0 else 'up'}" if self.dy else ""
        return f"{verb} {side}{height}{after}"


def _written(name: str) -> list[dict[str, Any]]:
    """A group, alone: to parse them all takes four times as long."""
    text = files("treewright.apps.levels").joinpath("data", "moves.json").read_text()
    begin = text.index("[", text.index(json.dumps(name)))
    return json.loads(text[begin : text.index("\n]", begin) + 2])  # type: ignore[no-any-return]


@functools.cache
def _group(name: str) -> list[Move]:
    return [
        Move(**(m | {key: tuple(m[key]) for key in ("recipe", "empty", "solid")}))
        for m in _written(name)
    ]


@functools.cache
def to_the_right(player: Player) -> tuple[Move, ...]:
    """From rest, rightward, looking at no column but those from start to landing.

    So the reachable rows of a column are final once it is there: what the search needs.
    """
    return tuple(m for m in _group(f"{player}-right") if m.run_up == 0)


@functools.cache
def every_move(player: Player) -> tuple[Move, ...]:
    """The wider set for the full player: leftward moves and run-ups too."""
    return (*_group(f"{player}-right"), *_group(f"{player}-left"))


def as_tables(moves: Sequence[Move]) -> dict[str, np.ndarray]:
    """Rightward moves as arrays, grouped by landing: group ``dx * 32 + dy + 16``."""
    widest = max(m.dx for m in moves)
    ordered = sorted(moves, key=lambda m: (m.dx, m.dy))
    group = np.array([m.dx * 32 + m.dy + 16 for m in ordered])
    first = np.searchsorted(group, np.arange((widest + 1) * 32 + 1)).astype(np.int32)
    at = np.cumsum([0] + [m.dx + 1 for m in ordered]).astype(np.int32)
    return {
        "move_group": first,
        "move_first": at,
        "move_empty": np.array([e for m in ordered for e in m.empty], np.int64),
        "move_solid": np.array([e for m in ordered for e in m.solid], np.int64),
        "move_touches": np.array([m.touches for m in ordered], np.int8),
    }
