"""What can be measured in levels: the field's metrics, each with its definition.

Linearity and leniency: Smith & Whitehead 2010; density: Horn et al. 2014; tile-pattern KL
divergence: Lucas & Volz 2019; copied runs: Summerville & Mateas 2016.
"""

import math
from collections import Counter
from collections.abc import Sequence

from treewright.apps.levels.chain import Chain
from treewright.apps.levels.controls import counts, floor_height
from treewright.apps.levels.copies import Automaton, longest_run
from treewright.apps.levels.level import Level
from treewright.apps.levels.tiles import EMPTY, TILES

LENIENCY = {"gap": -0.5, "enemy": -1.0, "cannon": -0.5, "power-up": 1.0}
EPSILON = 1e-6
WINDOW = 8  # slices, for the share of copied windows


def linearity(level: Level) -> float:
    """Mean distance of the floor's height from its least-squares line; 0 is a straight floor."""
    points = [(x, h) for x, h in enumerate(map(floor_height, level.columns)) if h >= 0]
    n = len(points)
    if n < 2:
        return 0.0
    mean_x = sum(x for x, _ in points) / n
    mean_h = sum(h for _, h in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (h - mean_h) for x, h in points) / spread if spread else 0.0
    return sum(abs(h - mean_h - slope * (x - mean_x)) for x, h in points) / n


def leniency(level: Level) -> float:
    """Sum of the weights above over all challenges and power-ups, per slice."""
    cannons = sum(
        TILES[tile].kind == "cannon" and (not y or TILES[level.rows[y - 1][x]].kind != "cannon")
        for y, row in enumerate(level.rows)
        for x, tile in enumerate(row)
    )
    powers = sum(row.count(tile) for row in level.rows for tile in "?@UL1")
    total = (
        LENIENCY["gap"] * len(level.gaps)
        + LENIENCY["enemy"] * level.enemies
        + LENIENCY["cannon"] * cannons
        + LENIENCY["power-up"] * powers
    )
    return total / level.length


def density(level: Level) -> float:
    """Mean number of tiles per slice on which one can stand."""
    carries, stops = level.carries, level.stops
    return float((carries[1:] & ~stops[:-1]).sum() / level.length)


def windows(level: Level, width: int, height: int) -> Counter[tuple[str, ...]]:
    """How often each rectangle of tiles occurs, in the corpus's alphabet."""
    rows = ["".join(TILES[tile].vglc for tile in row) for row in level.rows]
    return Counter(
        tuple(row[x : x + width] for row in rows[y : y + height])
        for y in range(level.height - height + 1)
        for x in range(level.length - width + 1)
    )


def divergence(p: Counter[tuple[str, ...]], q: Counter[tuple[str, ...]]) -> float:
    """KL(P || Q) of two histograms with Lucas & Volz's smoothing, in nats."""
    total_p, total_q = p.total(), q.total()
    found = 0.0
    for pattern in p.keys() | q.keys():
        a = (p[pattern] + EPSILON) / ((total_p + EPSILON) * (1 + EPSILON))
        b = (q[pattern] + EPSILON) / ((total_q + EPSILON) * (1 + EPSILON))
        found += a * math.log(a / b)
    return found


def pooled(levels: Sequence[Level], size: int) -> Counter[tuple[str, ...]]:
    """The windows of several levels together."""
    found: Counter[tuple[str, ...]] = Counter()
    for level in levels:
        found += windows(level, size, size)
    return found


def copied(level: Level, chain: Chain, runs: Automaton) -> tuple[int, float]:
    """The longest run copied from one level of the corpus, and the share of copied windows."""
    rows = max(level.height, chain.height)
    number = {EMPTY * (rows - chain.height) + c: i for i, c in enumerate(chain.slices)}
    columns = level.unmarked().with_rows(rows).columns
    line = [number.get(column, len(chain.slices)) for column in columns]
    known = {
        other[i : i + WINDOW] for other in chain.levels for i in range(len(other) - WINDOW + 1)
    }
    places = range(len(line) - WINDOW + 1)
    share = sum(tuple(line[i : i + WINDOW]) in known for i in places) / max(len(places), 1)
    return longest_run(runs, line)[0], share


def analyse(
    level: Level, chain: Chain, runs: Automaton, corpus: dict[int, Counter[tuple[str, ...]]]
) -> dict[str, float]:
    """All numbers of one level; ``corpus`` holds its windows by size."""
    run, share = copied(level, chain, runs)
    return {
        "length": level.length,
        **counts(level),
        "linearity": linearity(level),
        "leniency": leniency(level),
        "density": density(level),
        **{f"kl_{n}x{n}": divergence(windows(level, n, n), c) for n, c in corpus.items()},
        "copied_run": run,
        "copied_windows": share,
    }
