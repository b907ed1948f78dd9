"""Where a function lives: real and whole numbers between bounds, and choices among things.

Methods see a box of real coordinates.  A whole number, or the number of a choice, has a
coordinate that is rounded; each of its values has the same room there.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import OptionError


@dataclass(frozen=True)
class Integer:
    """A variable that is a whole number, from ``low`` to ``high``, both included."""

    low: int
    high: int

    def __post_init__(self) -> None:
        for number in (self.low, self.high):
            if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
                raise OptionError(f"the bounds of an Integer are whole numbers, not {number!r}")
        if self.low > self.high:
            raise OptionError(f"{self!r} is reversed: the low one comes first")


class Choice:
    """A variable that is one of some things without an order: ``Choice("sgd", "adam")``."""

    def __init__(self, *values: Any) -> None:
        if not values:
            raise OptionError("a Choice needs at least one thing to choose, as in Choice('a', 'b')")
        self.values = values

    def __repr__(self) -> str:
        return f"Choice({', '.join(map(repr, self.values))})"


class Space:
    """The variables of a function, and the box that methods see of them.

    ``low`` and ``high`` are the box of the variables that are free: those with equal bounds, or
    with one thing to choose, stay as they are.  Of the free ones ``whole`` tells which are
    rounded, and ``unordered`` which are choices.
    """

    def __init__(self, bounds: Any) -> None:
        self.kinds = _kinds(bounds)
        least, most = (np.array([_ends(k)[i] for k in self.kinds], float) for i in (0, 1))
        rounded = np.array([isinstance(k, (Integer, Choice)) for k in self.kinds])
        self.bounds = np.column_stack([least, most])
        self.free = least < most
        self.whole, self._rounded = rounded[self.free], rounded
        self.unordered = np.array([isinstance(k, Choice) for k in self.kinds])[self.free]
        self._least, self._most = least, most
        room = np.where(rounded, 0.5, 0.0)
        self.low, self.high = (least - room)[self.free], (most + room)[self.free]
        self.n = len(self.low)
        self.levels = np.where(self.whole, (most - least)[self.free] + 1, math.inf)
        self.size = float(np.prod(self.levels)) if self.n else 1.0
        self.named = any(isinstance(k, Choice) for k in self.kinds)
        self.plain = bool(self.free.all()) and not rounded.any()

    def values(self, points: np.ndarray) -> np.ndarray:
        """The variables at points of the box: fixed ones too, whole ones rounded."""
        if self.plain:
            return points
        found = np.empty((*points.shape[:-1], len(self.kinds)))
        found[...] = self._least
        found[..., self.free] = points
        return np.where(self._rounded, np.clip(np.rint(found), self._least, self._most), found)

    def given(self, values: np.ndarray) -> Any:
        """One point as a plain function gets it: with choices, a list that holds the things."""
        if not self.named:
            return values
        return [_given(kind, float(v)) for kind, v in zip(self.kinds, values, strict=True)]

    def point(self, x: Any, what: str) -> np.ndarray:
        """The coordinates of a point that a caller gives, clipped to the box."""
        try:
            values = [_number(kind, v) for kind, v in zip(self.kinds, x, strict=True)]
        except (TypeError, ValueError):
            raise OptionError(
                f"{what} must have {len(self.kinds)} variables as the bounds have, not {x!r}"
            ) from None
        if not np.isfinite(values).all():
            raise OptionError(f"{what} must be finite, not {x!r}")
        found: np.ndarray = np.clip(np.array(values, float)[self.free], self.low, self.high)
        return found


def _kinds(bounds: Any) -> list[Any]:
    """The variables, from a list, or an object with ``lb`` and ``ub`` as SciPy's Bounds."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        bounds = np.column_stack([np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub)])
    sentence = "bounds must be a list of (low, high) pairs, Integers or Choices, one for each"
    try:
        kinds = list(bounds)
    except TypeError:
        kinds = []
    if not kinds or isinstance(bounds, (str, dict)):
        raise OptionError(f"{sentence} dimension")
    return [
        k if isinstance(k, (Integer, Choice)) else _pair(i, k, sentence)
        for i, k in enumerate(kinds)
    ]


def _pair(i: int, kind: Any, sentence: str) -> tuple[float, float]:
    try:
        low, high = (float(v) for v in kind)
    except (TypeError, ValueError):
        raise OptionError(f"{sentence} dimension, and bounds[{i}] is {kind!r}") from None
    if not (math.isfinite(low) and math.isfinite(high)):
        raise OptionError(f"bounds[{i}] = ({low:g}, {high:g}) must be finite")
    if not math.isfinite(high - low):
        raise OptionError(f"bounds[{i}] = ({low:g}, {high:g}) are too far apart for numbers")
    if low > high:
        raise OptionError(
            f"bounds[{i}] = ({low:g}, {high:g}) are reversed: the low one comes first"
        )
    return low, high


def _ends(kind: Any) -> tuple[float, float]:
    if isinstance(kind, Integer):
        return kind.low, kind.high
    return (0, len(kind.values) - 1) if isinstance(kind, Choice) else kind


def _given(kind: Any, value: float) -> Any:
    if isinstance(kind, Choice):
        return kind.values[round(value)]
    return round(value) if isinstance(kind, Integer) else value


def _number(kind: Any, value: Any) -> float:
    return kind.values.index(value) if isinstance(kind, Choice) else float(value)
