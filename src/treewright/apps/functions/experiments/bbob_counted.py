"""A function of BBOB that counts its evaluations and ends a method after its budget."""

import math
import time
from typing import Any

import numpy as np

from treewright.apps.functions.bbob import HIGH, LOW, bbob, optimum

MARKS = (10, 30, 100, 300, 1000, 10000)  # evaluations per dimension
EXACT = 1e-8
TARGETS = [10 ** (2 - 0.2 * k) for k in range(51)]  # from 100 to 1e-8
EVERY = 50  # calls of which one is timed
STEPS = (10.0, 1.0, 0.1, 1e-2, 1e-4, 1e-6, EXACT)  # targets of the expected running times


class Spent(Exception):  # noqa: N818 - not an error: the budget is used up
    """Ends a method from inside."""


class Counted:
    """A function of one point that ends a method after its budget, and keeps the best so far."""

    def __init__(self, function: int, n: int, instance: int, budget: int) -> None:
        self.n, self.budget = n, budget
        self.f = bbob(function, n, instance)
        self.constant = optimum(function, instance)  # methods are not to see that 0 is the least
        self.done, self.best = 0, math.inf
        self.marks = {m: math.inf for m in MARKS if m * n <= budget}
        self.hits: list[int] = []  # evaluations after which each of the first steps was reached
        self._calls = self._timed = 0
        self._seconds = 0.0  # of CPU time, in the calls that were timed

    @property
    def inside(self) -> float:
        """Seconds of CPU time in the function, as far as some of its calls tell."""
        return self._seconds * self.done / max(1, self._timed)

    def __call__(self, x: Any, *_: Any) -> float:
        return float(self.many(np.atleast_2d(np.asarray(x, float)))[0])

    def many(self, points: np.ndarray) -> np.ndarray:
        if self.done + len(points) > self.budget:
            raise Spent
        values = self._values(np.clip(points, LOW, HIGH))
        for value in values:
            self.done += 1
            self.best = min(self.best, float(value))
            for mark in self.marks:
                if self.done <= mark * self.n:
                    self.marks[mark] = self.best
            while len(self.hits) < len(STEPS) and self.best <= STEPS[len(self.hits)]:
                self.hits.append(self.done)
        return values + self.constant

    def _values(self, points: np.ndarray) -> np.ndarray:
        """To ask for the time may take longer than the function: not every call is timed."""
        self._calls += 1
        if self._calls % EVERY != 1:
            return self.f(points)
        began = time.thread_time()
        values = self.f(points)
        self._seconds += time.thread_time() - began
        self._timed += len(points)
        return values

    def errors(self) -> dict[int, float]:
        """The error after each mark; a method that stops early keeps what it has."""
        return {
            m: max(EXACT, min(v, self.best) if self.done <= m * self.n else v)
            for m, v in self.marks.items()
        }
