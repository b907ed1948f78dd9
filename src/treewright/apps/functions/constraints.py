"""Constraints: by how much a point breaks them, and the penalty for that.

The penalty is a weight times the sum of what is broken, on top of the value.  The weight starts
from the first values and grows whenever it pays to break something.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treewright.errors import OptionError

Broken = Callable[[Any], np.ndarray]  # a point: by how much it breaks each constraint, 0 if not
TOLERANCE = 1e-9  # what is broken by less is kept
EQUAL = 1e-4  # the same for equations, as is usual where they are only met nearly
MUCH = 1e100  # more than this, or infinitely much, counts as this
GROWS = 3.0
PATIENCE = 20  # evaluations per dimension
NOTABLE = 1e-3  # of the best value
MOST = 1e8  # how often the first weight it can become


def read_constraints(constraints: Any) -> list[Broken]:
    """Functions that are at most 0 where a point is allowed, or SciPy's own kinds."""
    if constraints is None:
        return []
    several = isinstance(constraints, Sequence) and not isinstance(constraints, str)
    return [_read(given) for given in (constraints if several else [constraints])]


def _read(given: Any) -> Broken:
    if isinstance(given, dict) and callable(given.get("fun")):  # SciPy's oldest form
        f, args = given["fun"], given.get("args", ())
        if given.get("type") == "eq":
            return _between(lambda x: f(x, *args), 0.0, 0.0)
        if given.get("type") == "ineq":
            return _between(lambda x: f(x, *args), 0.0, math.inf)
    elif hasattr(given, "lb") and hasattr(given, "ub"):  # NonlinearConstraint, LinearConstraint
        if callable(getattr(given, "fun", None)):
            return _between(given.fun, given.lb, given.ub)
        if hasattr(given, "A"):
            matrix = np.atleast_2d(np.asarray(given.A, float))
            return _between(lambda x: matrix @ np.asarray(x, float), given.lb, given.ub)
    elif callable(given):
        return _between(given, -math.inf, 0.0)
    raise OptionError(
        "a constraint is a function that is at most 0 where a point is allowed, or one of SciPy's "
        f"(NonlinearConstraint, LinearConstraint or a dictionary with type and fun), not {given!r}"
    )


def _between(f: Callable[[Any], Any], low: Any, high: Any) -> Broken:
    low, high = np.atleast_1d(np.asarray(low, float)), np.atleast_1d(np.asarray(high, float))
    kept = np.where(low == high, EQUAL, TOLERANCE)

    def broken(x: Any) -> np.ndarray:
        given = f(x)
        if given is None:
            raise OptionError("a constraint must return a number, or several, not None")
        value = np.atleast_1d(np.asarray(given, float))
        excess = np.maximum(low - value, value - high)
        found: np.ndarray = np.where(excess > kept, np.minimum(excess, MUCH), 0.0)
        return np.where(np.isnan(excess), 1e6, found)

    return broken


class Penalty:
    """What broken constraints cost; ``version`` counts how often that has changed.

    Until a point is found that breaks nothing, what is broken is all that counts.
    """

    def __init__(self, constraints: list[Broken], dimensions: int) -> None:
        self.constraints, self.dimensions = constraints, max(1, dimensions)
        self.version = 0
        self.weight, self.heaviest = 0.0, math.inf
        self._low, self._high = math.inf, -math.inf  # of the values
        self._largest = 0.0  # of what was broken
        self._top, self._pays = math.inf, False  # the best with the penalty: does it break some?
        self._waited = 0  # evaluations since it became notably better

    def broken(self, x: Any) -> float:
        """By how much a point breaks the constraints, added up."""
        return sum(float(c(x).sum()) for c in self.constraints)

    def added(self, values: np.ndarray, broken: np.ndarray, best: float) -> np.ndarray:
        """The values with the penalty; ``best`` is the best value so far that breaks nothing."""
        bad = broken > 0
        self._low = min(self._low, float(values.min()))
        self._high = max(self._high, float(values.max()))
        self._largest = max(self._largest, float(broken.max()))
        if best == math.inf and bad.all():
            return broken
        if self.version == 0:
            self.version = 1
        if self.weight == 0.0 and bad.any():
            self.weight = max(1e-12, self._high - self._low) / self._largest
            self.heaviest = MOST * self.weight
        found: np.ndarray = values + self.weight * broken
        self._watch(found, self.weight * broken)
        return found

    def _watch(self, found: np.ndarray, penalties: np.ndarray) -> None:
        """It must not pay to break something: where it has for some time, the weight grows."""
        best = int(np.argmin(found))
        if found[best] < self._top:
            gained = self._top - float(found[best])
            self._waited = 0 if gained > NOTABLE * abs(self._top) else self._waited
            self._top = float(found[best])
            self._pays = bool(penalties[best] > NOTABLE * abs(self._top))
        self._waited += len(found)
        if (
            self._pays
            and self._waited >= PATIENCE * self.dimensions
            and self.weight < self.heaviest
        ):
            self.weight *= GROWS
            self.version += 1
            self._top, self._waited = math.inf, 0
