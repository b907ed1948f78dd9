"""Near misses: a level that misses a wish by a little is changed where nothing is walked on.

A slice is replaced by another one of the corpus with the same solid tiles, so that whatever could
be finished still can.  Enemies, coins and the contents of blocks change; gaps and heights do not.
The replacement that helps most is made again and again, where there is a choice with neighbours
that the corpus has beside it.
"""

import itertools
from collections.abc import Collection

from treewright.apps.levels.chain import Chain
from treewright.apps.levels.controls import Controls, counts
from treewright.apps.levels.ends import hazardous, safe_columns
from treewright.apps.levels.level import Level
from treewright.apps.levels.tiles import TILES

WINDOW = 8  # columns in which --crowd counts
UNSEEN = 0.01  # what a pair of slices costs that the corpus does not have: less than any miss


def distance(controls: Controls, level: Level) -> float:
    """How far a level's counts are outside the wished ranges, added up."""
    have = counts(level)
    total = 0.0
    for name, wished in controls.ranges().items():
        if wished is not None:
            total += max(wished[0] - have[name], have[name] - wished[1], 0.0)
    return total


def repaired(level: Level, chain: Chain, controls: Controls, fixed: Collection[int]) -> Level:
    """The level with enemies and rewards nearer to what is wished; ``fixed`` columns stay."""
    alike: dict[tuple[tuple[bool, bool, bool], ...], list[str]] = {}
    for column in chain.slices:
        alike.setdefault(_solid(column), []).append(column)
    pairs = {
        (chain.slices[a], chain.slices[b])
        for line in chain.levels
        for a, b in itertools.pairwise(line)
    }
    columns = list(level.columns)
    safe = safe_columns(level.length) if controls.whole else 0
    places = [i for i in range(level.length) if i not in fixed]
    have = counts(level)
    while True:
        wanted = {name: _wanted(controls, name, have[name]) for name in ("enemies", "rewards")}
        best: tuple[float, int, str] | None = None
        for at in places:
            for other in alike.get(_solid(columns[at]), ()):
                gain = _gain(wanted, columns[at], other) - _unseen(pairs, columns, at, other)
                if gain > 0 and (best is None or gain > best[0]):
                    calm = at >= safe or not hazardous(other)
                    if calm and _room(controls, columns, at, other):
                        best = gain, at, other
        if best is None:
            return Level.of_columns(columns, level.where)
        _, at, other = best
        for name in wanted:
            have[name] += _count(other, name) - _count(columns[at], name)
        columns[at] = other


def _solid(column: str) -> tuple[tuple[bool, bool, bool], ...]:
    return tuple((TILES[c].stops, TILES[c].carries, TILES[c].thin) for c in column)


def _count(column: str, name: str) -> int:
    if name == "enemies":
        return sum(TILES[c].kind == "enemy" for c in column)
    return sum(TILES[c].reward for c in column)


def _wanted(controls: Controls, name: str, have: float) -> tuple[float, float]:
    """By how much a count may fall and rise before it leaves its range; negative: it must."""
    wished = controls.ranges()[name]
    if wished is None:
        return 0.0, 0.0  # what was not asked for is not changed
    return have - wished[0], wished[1] - have


def _gain(wanted: dict[str, tuple[float, float]], old: str, new: str) -> float:
    """By how much nearer to the wishes one replacement brings the level."""
    total = 0.0
    for name, (down, up) in wanted.items():
        change = _count(new, name) - _count(old, name)
        before = max(-down, -up, 0.0)
        after = max(-(down + change), -(up - change), 0.0)
        total += before - after
    return total


def _unseen(pairs: set[tuple[str, str]], columns: list[str], at: int, new: str) -> float:
    beside = [(columns[at - 1], new)] if at else []
    beside += [(new, columns[at + 1])] if at + 1 < len(columns) else []
    return UNSEEN * sum(pair not in pairs for pair in beside)


def _room(controls: Controls, columns: list[str], at: int, new: str) -> bool:
    """Whether an enemy more is no crowd."""
    if controls.crowd is None:
        return True
    near = [*columns[max(0, at - WINDOW + 1) : at], new, *columns[at + 1 : at + WINDOW]]
    enemies = [_count(column, "enemies") for column in near]
    return all(
        sum(enemies[i : i + WINDOW]) <= controls.crowd
        for i in range(max(1, len(enemies) - WINDOW + 1))
    )
