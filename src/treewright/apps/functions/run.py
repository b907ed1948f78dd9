"""A run: a solver that was begun somewhere, and can be left after any step and gone on with."""

import math
from bisect import bisect_right

import numpy as np

from treewright.apps.functions.steps import Step, Steps


class Run:
    """One solver that was started somewhere, and how far it has come."""

    def __init__(self, steps: Steps, place: int, solver: str) -> None:
        self.steps, self.place, self.solver = steps, place, solver
        self.best = math.inf
        self.ended = False
        self.made = self.good = 0  # steps since it was last judged
        self.age = 0  # in evaluations
        self.ages: list[int] = []  # when it was judged,
        self.bests: list[float] = []  # and its best value then
        self._asked: np.ndarray | None = None
        self._got: list[float] = []  # the values of the first of them
        self._values: np.ndarray | None = None

    def judged(self) -> None:
        self.made = self.good = 0
        self.ages.append(self.age)
        self.bests.append(self.best)

    def gain(self, more: float) -> float:
        """How much lower it is expected to come with so many more evaluations.

        Of the last third of its age (or of as many evaluations) and of those before, the gains
        have a ratio: the next ones are expected to have it too.
        """
        span = min(more, self.age / 3)
        before, first = self._best_at(self.age - span), self._best_at(self.age - 2 * span)
        last, earlier = before - self.best, first - before
        if len(self.ages) < 3 or not 0 < last < math.inf:
            return 0.0
        ratio = min(1.0, last / earlier) if 0 < earlier < math.inf else 1.0
        spans = more / span
        if ratio > 0.999:
            return last * spans
        return float(last * ratio * (1 - ratio**spans) / (1 - ratio))

    def _best_at(self, age: float) -> float:
        at = bisect_right(self.ages, age)
        return self.bests[at - 1] if at else math.inf

    def ask(self) -> np.ndarray | None:
        """The points that it still wants evaluated; none at the end of a step."""
        if self._asked is not None:
            return self._asked[len(self._got) :]
        try:
            found = self.steps.send(self._values)
        except StopIteration:
            self.ended = True
            return None
        self._values = None
        if isinstance(found, Step):
            self.made += 1
            self.good += found.value < self.best
            self.best = found.value
            return None
        self._asked = found
        return found

    def tell(self, values: np.ndarray) -> None:
        """The values of the first points, or of all."""
        self.age += len(values)
        self._got.extend(values.tolist())
        if self._asked is not None and len(self._got) == len(self._asked):
            self._asked, self._values, self._got = None, np.array(self._got), []
