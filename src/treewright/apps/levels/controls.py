"""What a designer asks for, and the same as tables that the search reads column by column.

Difficulty moves the targets: with more of it gaps and enemies are wished, with less of it
rewards, as in the paper.  At difficulty ``d`` the wished rate is the corpus's own, times
``0.4 + 1.2 d`` for gaps and enemies and ``1.6 - 1.2 d`` for rewards; ``d = 0.5`` is the corpus.
In the middle the counts may spread about as they do in the corpus (``SPREAD`` times the root of the
target, up and down); towards both ends, and more so along a curve, the target itself is wished.
Targets are cumulative: what should have come by column n, so that a level that is half done can be
judged.  Along a curve what came long ago fades (``MEMORY``), on both sides alike: a quarter that
had too little is not made up for in the next one, which may ask for something else.  And a rollout
is judged by its misses at each of its last columns (``LAST``), not only where it ends: a search
that is judged at its horizon alone puts off what is wished until there.  What the flat ground at
both ends and the safe first screen can't hold, the rest of their quarter is asked for.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.apps.levels.chain import Chain
from treewright.apps.levels.ends import BEGIN, FINISH, safe_columns
from treewright.apps.levels.level import LONGEST, Level
from treewright.apps.levels.moves import Player
from treewright.apps.levels.score import QUANTITIES, Score
from treewright.apps.levels.tiles import TILES, LevelError

SHORTEST, SHORTEST_WHOLE = 10, 20
FREE = 1e9  # a bound that never binds
COPY_LIMIT = 24
SPREAD = 1.5
MEMORY = 100.0  # columns: with a curve, what came this long ago counts for a third
LAST = 80.0  # columns over which a miss along a curve is averaged
CATCH_UP = 0.125  # found by trying: 0 leaves a sixth of the gaps out where most are wished
PART = 20  # slices of a part that is kept or made anew
Range = tuple[float, float]


@dataclass(frozen=True)
class Controls:
    """Everything that can be wished of a level.

    difficulty: one number, or several that are spread evenly along the level.
    gaps, enemies, rewards: totals as (least, most); ``None`` leaves them to the difficulty.
    height: the mean height of the floor above the bottom row, as (least, most).
    fixed: (column, level) pieces that must stand where they are.
    player: whose moves count; what the large player can do, the small one can do too.
    copy_limit: longest run of slices that may be copied from one level of the corpus.
    novelty: at least this share of the stretches of eight slices is in no level of the corpus.
    crowd: at most this many enemies in any eight columns; ``None`` for no check, as in the paper.
    score: another score (score.py) instead of the paper's.
    whole: begin and end on flat ground, with a start, a flag and a safe first screen (ends.py);
    ``False`` for a stretch to be put between others.
    """

    length: int = 320
    difficulty: tuple[float, ...] = (0.5,)
    gaps: Range | None = None
    enemies: Range | None = None
    rewards: Range | None = None
    height: Range | None = None
    fixed: tuple[tuple[int, Level], ...] = ()
    player: Player = "large"
    copy_limit: int = COPY_LIMIT
    novelty: float | None = None
    crowd: int | None = None
    score: Score | None = field(default=None, repr=False)
    whole: bool = True

    def __post_init__(self) -> None:
        least = SHORTEST_WHOLE if self.whole else SHORTEST
        if self.length < least:
            raise LevelError(f"length {self.length} is too short: at least {least} slices")
        if self.length > LONGEST:
            raise LevelError(f"length {self.length} is too long: at most {LONGEST:,} slices")
        if not self.difficulty or any(not 0.0 <= d <= 1.0 for d in self.difficulty):
            shown = ",".join(f"{d:g}" for d in self.difficulty)
            raise LevelError(f"difficulty {shown or 'none'}: each must be between 0 and 1")
        for name, value in self.ranges().items():
            if value is not None and not 0 <= value[0] <= value[1]:
                raise LevelError(
                    f"{name} {value[0]:g} to {value[1]:g} can't hold: the least must not be above "
                    f"the most, nor below 0"
                )
            if value is not None and name != "height" and -(-value[0] // 1) > value[1]:
                raise LevelError(
                    f"{name} {value[0]:g} to {value[1]:g} can't hold: no whole number is in it"
                )
        if self.copy_limit < 1:
            raise LevelError(f"a copy limit of {self.copy_limit} allows no slice: at least 1")
        if self.novelty is not None and not 0.0 <= self.novelty <= 1.0:
            raise LevelError(f"a novelty of {self.novelty:g} can't be: it is a share from 0 to 1")
        if self.crowd is not None and self.crowd < 0:
            raise LevelError("the most enemies in eight columns can't be below 0")

    def ranges(self) -> dict[str, Range | None]:
        return {name: getattr(self, name) for name in QUANTITIES}

    def missed(self, level: Level) -> dict[str, float]:
        """The ranges that a level does not keep, with its own numbers."""
        have = counts(level)
        return {
            name: have[name]
            for name, wished in self.ranges().items()
            if wished is not None and not wished[0] <= round(have[name], 6) <= wished[1]
        }


def counts(level: Level) -> dict[str, float]:
    """The four quantities of a level."""
    heights = [h for h in map(floor_height, level.columns) if h >= 0]
    return {
        "gaps": len(level.gaps),
        "enemies": level.enemies,
        "rewards": level.rewards,
        "height": sum(heights) / len(heights) if heights else 0.0,
    }


def floor_height(column: str) -> int:
    """Rows between the bottom row and the lowest floor one can stand on; -1 without a floor."""
    for row in range(len(column) - 1, 0, -1):
        if TILES[column[row]].carries and not TILES[column[row - 1]].stops:
            return len(column) - 1 - row
    return -1


def rates(levels: Sequence[Level]) -> dict[str, float]:
    """Gaps, enemies and rewards per slice in a corpus."""
    total = sum(level.length for level in levels)
    found = [counts(level) for level in levels]
    return {name: sum(c[name] for c in found) / total for name in QUANTITIES[:3]}


def curve(difficulty: Sequence[float], length: int) -> np.ndarray:
    """The difficulty at each column: straight lines between the given numbers."""
    if len(difficulty) == 1:
        return np.full(length, float(difficulty[0]))
    return np.interp(np.linspace(0, 1, length), np.linspace(0, 1, len(difficulty)), difficulty)


def faded_sum(rate: np.ndarray, fade: float) -> np.ndarray:
    """What has come by each column, if a column's worth fades with each one that follows."""
    found = np.zeros(len(rate) + 1)
    for n, more in enumerate(rate):
        found[n + 1] = fade * found[n] + more
    return found


def per_column(level: Level) -> np.ndarray:
    """[quantity, column]: gaps that begin there, enemies, rewards."""
    found = np.zeros((3, level.length))
    for column, _ in level.gaps:
        found[0, column] = 1
    for i, tiles in enumerate(level.columns):
        found[1, i] = sum(TILES[c].kind == "enemy" for c in tiles)
        found[2, i] = sum(TILES[c].reward for c in tiles)
    return found


def target_tables(controls: Controls, corpus: Sequence[Level]) -> dict[str, np.ndarray]:
    """For each quantity and number of columns so far: the range, and what counts as a miss."""
    along = curve(controls.difficulty, controls.length)
    base = rates(corpus)
    factor = {"gaps": 0.4 + 1.2 * along, "enemies": 0.4 + 1.2 * along, "rewards": 1.6 - 1.2 * along}
    varies = len(set(controls.difficulty)) > 1
    if varies and controls.whole:
        factor = {name: _within_ends(row, name != "rewards") for name, row in factor.items()}
    spread = (1.0 - abs(2.0 * np.append(along, along[-1]) - 1.0)) ** (3 if varies else 2)
    shape = (len(QUANTITIES), controls.length + 1)
    low, high, tolerance = np.full(shape, -FREE), np.full(shape, FREE), np.ones(shape)
    fade = np.ones(3)
    for i, name in enumerate(QUANTITIES[:3]):
        given = controls.ranges()[name]
        fade[i] = 1.0 - 1.0 / MEMORY if varies and given is None else 1.0
        wished = faded_sum(base[name] * factor[name], fade[i])
        if given is None:
            free = SPREAD * spread * np.sqrt(wished)
            low[i], high[i] = wished - free, wished + free
        else:
            even = np.linspace(0, 1, controls.length + 1)
            share = wished / wished[-1] if wished[-1] > 0 else even
            low[i], high[i] = given[0] * share, given[1] * share
        loose, tight = 1.0 + 0.6 * np.sqrt(high[i]), 0.4 + 0.16 * np.sqrt(high[i])
        tolerance[i] = loose if given is not None else tight + (loose - tight) * spread
    if controls.height is not None:
        low[3], high[3] = controls.height
        tolerance[3] = 0.5
    return {
        "low": low,
        "high": high,
        "tolerance": tolerance,
        "fade": fade,
        "past": np.array([1.0 - 1.0 / LAST if varies else 0.0]),
        "difficulty": np.append(along, along[-1]),
    }


def _within_ends(rate: np.ndarray, hurts: bool) -> np.ndarray:
    """A rate with nothing where the ends allow none, and as much more in the rest of a quarter."""
    length, found = len(rate), rate.copy()
    first = safe_columns(length) if hurts else BEGIN
    for closed, quarter in (
        (slice(0, first), slice(0, length // 4)),
        (slice(length - FINISH, length), slice(length - length // 4, length)),
    ):
        whole = found[quarter].sum()
        found[closed] = 0.0
        if found[quarter].any():
            found[quarter] *= whole / found[quarter].sum()
    if hurts:  # after a safe screen the search falls short, the more so the more is wished
        found[: length // 4] *= 1.0 + CATCH_UP * rate[: length // 4].mean()
    return found


def fixed_columns(controls: Controls, height: int) -> dict[int, str]:
    """The slices that are given, by column."""
    found: dict[int, str] = {}
    for column, piece in controls.fixed:
        if piece.length > controls.length:
            raise LevelError(
                f"{piece.where} has {piece.length} slices, more than the level's {controls.length}"
            )
        if column < 0 or column + piece.length > controls.length:
            raise LevelError(
                f"{piece.where}: {piece.length} slices at column {column + 1} do not fit into a "
                f"level of {controls.length}"
            )
        for i, tiles in enumerate(piece.with_rows(height).columns):
            if found.setdefault(column + i, tiles) != tiles:
                raise LevelError(
                    f"{piece.where}: column {column + i + 1} is already fixed to something else"
                )
    return found


def kept_parts(level: Level, keep: float, seed: int) -> list[tuple[int, Level]]:
    """The parts of a level that stay when it is varied: stretches of about 20 slices."""
    parts = max(1, round(level.length / PART))
    edges = [round(i * level.length / parts) for i in range(parts + 1)]
    stay = random.Random(seed).sample(range(parts), round(keep * parts))
    return [
        (edges[i], Level.of_columns(level.columns[edges[i] : edges[i + 1]], level.where))
        for i in sorted(stay)
    ]


def can_hold(controls: Controls, chain: Chain) -> None:
    """Refuse wishes that no level of this length and corpus can fulfil, saying which."""
    n = controls.length
    most: dict[str, Any] = {
        "gaps": (n - 1) // 2,
        "enemies": n * max(sum(TILES[c].kind == "enemy" for c in s) for s in chain.slices),
        "rewards": n * max(sum(TILES[c].reward for c in s) for s in chain.slices),
        "height": max(map(floor_height, chain.slices)),
    }
    for name, wished in controls.ranges().items():
        if wished is not None and wished[0] > most[name]:
            raise LevelError(
                f"at least {wished[0]:g} for {name} can't hold: {n} slices of this corpus have at "
                f"most {most[name]:g}"
            )
