"""Whole levels: a start, a finish, and joints at which nothing is cut.

A level begins on flat ground with the start's mark and ends on flat ground with the flag.  The
ground is the corpus's own plainest slice.  In the first ``SAFE`` columns nothing can hurt: an enemy
wakes and a cannon fires at twelve columns' distance.

The chain must walk into a given piece, or into the finish, as it walks anywhere else: through
states that the corpus has.  Which states lead there is worked out backwards from the joint, column
by column, before the search begins (``joint_tables``).
"""

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.apps.levels.level import Level
from treewright.apps.levels.tiles import EMPTY, GOAL, START, TILES

BEGIN, FINISH = 4, 7  # columns of flat ground at both ends
START_AT, FLAG_AT = 1, 3  # columns of the marks, within them
SAFE = 16  # columns without anything that hurts; fewer in a short level
REACH = 40  # columns before a joint in which the chain is led towards it
NEVER = 1 << 14  # the place of a hazard in a pattern without one

PIPE_HALVES = {"<": ">", "[": "]"}


def safe_columns(length: int) -> int:
    return max(BEGIN, min(SAFE, length // 4))


def is_plain(column: str) -> bool:
    """Ground with air above it, and nothing else."""
    ground = column.lstrip(EMPTY)
    return 0 < len(ground) < len(column) and all(TILES[c].kind == "solid" for c in ground)


def plain_slice(lines: Sequence[Sequence[str]]) -> str:
    """The slice of flat ground that a corpus has most often twice in a row; else one of ours."""
    found = Counter(
        a for line in lines for a, b in itertools.pairwise(line) if a == b and is_plain(a)
    )
    if found:
        return min(found, key=lambda column: (-found[column], column))
    return EMPTY * (len(lines[0][0]) - 1) + "X"


def with_mark(column: str, mark: str) -> str:
    """A plain slice with a mark on its ground."""
    row = len(column) - len(column.lstrip(EMPTY)) - 1
    return column[:row] + mark + column[row + 1 :]


def begin_columns(plain: str) -> list[str]:
    return [with_mark(plain, START) if i == START_AT else plain for i in range(BEGIN)]


def finish_columns(plain: str) -> list[str]:
    return [with_mark(plain, GOAL) if i == FLAG_AT else plain for i in range(FINISH)]


def with_ends(given: dict[int, str], length: int, plain: str) -> tuple[dict[int, str], int]:
    """The given columns with a start and a finish where nothing is given, and the safe columns.

    A mark that a given piece has already is not set again.
    """
    marks = "".join(given.values())
    found = dict(given)
    safe = 0
    if all(column >= BEGIN for column in given):
        safe = safe_columns(length)
        found |= dict(enumerate(plain if START in marks else c for c in begin_columns(plain)))
    if all(column < length - FINISH for column in given):
        for i, column in enumerate(finish_columns(plain)):
            found[length - FINISH + i] = plain if GOAL in marks else column
    return found, safe


# ------------------------------------------------------------------------------------ joints


@dataclass(frozen=True)
class Walks:
    """The chain as arrays: a state's actions are neighbours, with their widths and targets."""

    first: np.ndarray  # of a state's actions; one more at the end
    width: np.ndarray
    target: np.ndarray
    hazard: np.ndarray  # the first slice of an action that can hurt, or NEVER

    def leading(self, column: int, room: int, safe: int, ahead: Callable[[int], np.ndarray]):  # type: ignore[no-untyped-def]
        """[state]: has it an action that fits here and ends in a good state?"""
        good = (self.width <= room) & (column + self.hazard >= safe)
        if room:
            after = np.stack([ahead(column + width) for width in range(1, room + 1)])
            good &= after[np.minimum(self.width, room) - 1, self.target]
        summed = np.concatenate([[0], np.cumsum(good)])
        return summed[self.first[1:]] > summed[self.first[:-1]]


def joint_tables(
    walks: Walks,
    given: np.ndarray,
    rooms: np.ndarray,
    begins: np.ndarray,
    safe: int,
    joins: Callable[[int], list[np.ndarray]],
) -> dict[str, np.ndarray]:
    """``window[column]`` names a row of ``led[row, state]``: may the chain be here in this state?

    ``begins[column]`` is the state in which the chain goes on after given slices, and
    ``joins(column)`` has the states that may stand before the piece there, the best kind of
    joint first: the first kind is taken that the chain can reach at all.
    """
    states = len(walks.first) - 1
    rows = [np.ones(states, bool)]
    window = np.zeros(len(given), np.int32)
    for start, stop in _stretches(given):
        kinds = joins(stop) if stop < len(given) - 1 else []
        for kind in [*kinds, rows[0]]:
            led = _lead(walks, rooms, start, stop, safe, kind)
            if led is not None and led.get(start, rows[0])[begins[start]]:
                break
        else:
            continue
        for column, row in led.items():
            if not row.all():
                window[column] = len(rows)
                rows.append(row)
    return {"window": window, "led": np.array(rows, np.int8)}


def _stretches(given: np.ndarray) -> list[tuple[int, int]]:
    """The stretches of free columns, as (first, one behind the last)."""
    found = []
    start = None
    for column, slice_ in enumerate(given[:-1]):
        if slice_ < 0 and start is None:
            start = column
        if slice_ >= 0 and start is not None:
            found.append((start, column))
            start = None
    if start is not None:
        found.append((start, len(given) - 1))
    return found


def _lead(
    walks: Walks, rooms: np.ndarray, start: int, stop: int, safe: int, kind: np.ndarray
) -> dict[int, np.ndarray] | None:
    """Backwards from a joint: the good states by column; ``None`` if there is none somewhere."""
    free = np.ones(len(kind), bool)
    found = {stop: kind}
    for column in range(stop - 1, start - 1, -1):
        if column < stop - REACH and column >= safe:
            continue
        found[column] = walks.leading(
            column, int(rooms[column]), safe, lambda at: found.get(at, free)
        )
        if not found[column].any():
            return None
    return found if kind.any() else None


# ------------------------------------------------------------------------- looking at a level


def cuts(left: str, right: str) -> bool:
    """Whether two neighbouring slices cut a pipe in half."""
    for a, b in zip(left, right, strict=True):
        if PIPE_HALVES.get(a, "") != (b if b in PIPE_HALVES.values() else ""):
            return True
    return False


def what_is_cut(level: Level) -> list[str]:
    """What keeps a level from being whole, in words; nothing if it is."""
    found = []
    air = EMPTY * level.height
    for column, (a, b) in enumerate(
        zip([air, *level.columns], [*level.columns, air], strict=True), 0
    ):
        if cuts(a, b):
            found.append(f"half a pipe at column {max(column, 1)}")
    for name, column in (("first", 0), ("last", level.length - 1)):
        if not TILES[level.rows[-1][column]].carries:
            found.append(f"no ground in the {name} column")
        elif not is_plain(level.unmarked().columns[column]):
            found.append(f"something other than flat ground in the {name} column")
    if not level.marked:
        found.append("neither start nor flag")
    for column in range(safe_columns(level.length)):
        if hazardous(level.columns[column]):
            found.append(f"no safe start: something that hurts in column {column + 1}")
            break
    return found


def hazardous(column: str) -> bool:
    """Whether a slice can hurt: an enemy, a cannon, or no ground."""
    kinds = {TILES[c].kind for c in column}
    return not TILES[column[-1]].stops or bool(kinds & {"enemy", "cannon"})
