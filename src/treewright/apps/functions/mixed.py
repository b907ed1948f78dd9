"""Local search over whole numbers, choices and real numbers at once.

A step changes some variables of the best point and keeps what is not worse.  How many is drawn
from a power law (Doerr, Le, Makhmara & Nguyen 2017), so that a single change is likely and many at
once are possible; whole numbers move by steps of any scale, choices to any other thing.
"""

import math

import numpy as np

from treewright.apps.functions.steps import Step, Steps

POWER = 1.5  # of the law
TRIES = 20  # to find a point that is new
PATIENCE = 4  # steps in vain for each value of each variable, after which a run ends
MOST_LEVELS = 16


def mixed_steps(
    rng: np.random.Generator, x: np.ndarray, levels: np.ndarray, unordered: np.ndarray
) -> Steps:
    """Minimise from ``x`` in the unit box; ``levels`` are the values of a variable, or inf."""
    moves = Moves(rng, levels, unordered)
    x = moves.middle(x)
    f = float((yield x[None])[0])
    yield Step(f, x)
    seen = {x.tobytes()}
    patience = PATIENCE * int(np.minimum(levels, MOST_LEVELS).sum())
    failed = 0
    while failed < patience:
        for _ in range(TRIES):
            point = moves.changed(x)
            if point.tobytes() not in seen:
                break
        else:
            return  # all that is near was seen
        seen.add(point.tobytes())
        value = float((yield point[None])[0])
        failed = 0 if value < f else failed + 1
        if value <= f:
            x, f = point, value
        yield Step(f, x)


class Moves:
    """How variables change."""

    def __init__(self, rng: np.random.Generator, levels: np.ndarray, unordered: np.ndarray) -> None:
        self.rng, self.levels, self.unordered = rng, levels, unordered
        law = np.arange(1, len(levels) + 1) ** -POWER
        self.law = law / law.sum()

    def middle(self, x: np.ndarray) -> np.ndarray:
        """A point with each whole number in the middle of its room."""
        whole = np.isfinite(self.levels)
        levels = np.where(whole, self.levels, 1.0)
        number = np.minimum(np.floor(x * levels), levels - 1)
        return np.where(whole, (number + 0.5) / levels, x)

    def changed(self, x: np.ndarray) -> np.ndarray:
        n = len(x)
        count = 1 + int(self.rng.choice(n, p=self.law))
        found = x.copy()
        for i in self.rng.choice(n, count, replace=False):
            found[i] = self._changed(float(x[i]), float(self.levels[i]), bool(self.unordered[i]))
        return self.middle(found)

    def _changed(self, u: float, levels: float, unordered: bool) -> float:
        if math.isinf(levels):  # a real number: steps of any scale
            return self._moved(u, 10.0 ** self.rng.uniform(-4, 0))
        if unordered or levels <= 2:
            other = (int(u * levels) + int(self.rng.integers(1, int(levels)))) % levels
            return (other + 0.5) / levels
        return self._moved(u, max(1.0, round(levels ** self.rng.uniform(0, 1) - 1)) / levels)

    def _moved(self, u: float, step: float) -> float:
        """Up or down; the other way where the box ends."""
        step = step if self.rng.random() < 0.5 else -step
        return u + step if 0 < u + step < 1 else min(1.0, max(0.0, u - step))
