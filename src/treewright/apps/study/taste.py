"""A designer's taste, learnt from which of two levels was rated the better one.

The paper ends with this wish: levels are shown to a designer, and the score function is learnt from
the ratings.  Here the taste is a quadratic of gaps, enemies, rewards (per slice) and the height of
the floor, so that there can be too much of anything; its weights are a logistic regression on
differences between the two levels of a pair, with a ridge penalty, since there are few ratings.
"""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.levels.controls import counts
from treewright.apps.levels.formats import read_level
from treewright.apps.levels.level import Level
from treewright.apps.levels.player_model import PlayerModel
from treewright.apps.levels.score import QUANTITIES
from treewright.apps.study.analysis import load
from treewright.apps.study.errors import StudyError
from treewright.library.reading import text_of

RIDGE = 3.0  # of scikit-learn: the larger, the less penalty
FEWEST = 4
COLUMNS, WHY = ("a", "b", "better"), "why"
Rating = tuple[Level, Level, str]


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a CSV file by its header."""
    try:
        return list(csv.DictReader(io.StringIO(text_of(path, StudyError))))
    except csv.Error as error:
        raise StudyError(f"{path} is no CSV file: {error}") from None


def read_ratings(path: Path) -> list[Rating]:
    """A CSV file with the columns a, b (level files, beside it or absolute) and better (a or b)."""
    rows = rows_of(path)
    if not rows or any(name not in rows[0] for name in COLUMNS):
        raise StudyError(
            f"{path}: ratings have a header with {', '.join(COLUMNS)}, and rows below it"
        )
    found = []
    for number, row in enumerate(rows, 2):
        better = (row["better"] or "").strip().lower()
        if better not in ("a", "b"):
            raise StudyError(
                f"{path}, line {number}: better is {row['better']!r}; it must be a or b"
            )
        a, b = (read_level(path.parent / (row[side] or "").strip()) for side in "ab")
        found.append((a, b, better))
    return found


def rates(level: Level) -> dict[str, float]:
    """What a taste depends on."""
    have = counts(level)
    return {k: have[k] if k == "height" else have[k] / level.length for k in QUANTITIES}


def learn_taste(ratings: Sequence[Rating]) -> PlayerModel:
    """The model of a designer; the ranges are those of the levels that were rated."""
    if len(ratings) < FEWEST or len({better for _, _, better in ratings}) < 2:
        raise StudyError(
            f"a taste needs at least {FEWEST} ratings, and both a and b as the better one; "
            f"there are {len(ratings)}"
        )
    seen = [rates(level) for a, b, _ in ratings for level in (a, b)]
    ranges = {}
    for name in QUANTITIES:
        values = [one[name] for one in seen]
        if max(values) > min(values):
            ranges[name] = (min(values), max(values))
    names = [*ranges, *(f"{name}:{name}" for name in ranges)]

    def row(level: Level) -> np.ndarray:
        one = rates(level)
        x = np.array([(one[k] - low) / (high - low) - 0.5 for k, (low, high) in ranges.items()])
        return np.concatenate([x, x * x])

    x = np.array([row(a) - row(b) for a, b, _ in ratings])
    y = np.array([better == "a" for _, _, better in ratings], int)
    regression = load("sklearn.linear_model").LogisticRegression(C=RIDGE, fit_intercept=False)
    regression.fit(x, y)
    weights = {name: round(float(w), 6) for name, w in zip(names, regression.coef_[0], strict=True)}
    right = float((regression.predict(x) == y).mean())
    about = {"ratings": len(ratings), "agreement": round(right, 4)}
    return PlayerModel("taste", weights, ranges, about=about)


def add_rating(path: Path, a: str, b: str, better: str, why: str = "") -> None:
    """Append a rating to a file, with a header if it is new; an old file has no reasons."""
    fresh = not path.exists() or path.stat().st_size == 0
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if fresh:
            writer.writerow((*COLUMNS, WHY))
        reasons = fresh or WHY in _header(path)
        writer.writerow([a, b, better, *([" ".join(why.split())] if reasons else [])])


def _header(path: Path) -> list[str]:
    with path.open(newline="") as file:
        return next(csv.reader(file), [])


def pairs_to_rate(levels: int, rated: int, seed: int = 0) -> tuple[int, int]:
    """The next pair: every level equally often, partners drawn anew each round."""
    import random

    dice = random.Random(f"rate {seed} {rated // (levels // 2)}")
    order = list(range(levels))
    dice.shuffle(order)
    at = 2 * (rated % (levels // 2))
    return order[at], order[at + 1]
