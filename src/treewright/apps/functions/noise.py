"""Noisy functions: candidates that were evaluated several times, and how sure that makes us.

A candidate got where it is by its first value, which therefore was a lucky one: as soon as it is
evaluated again, that value is forgotten.  A tenth of the evaluations is kept for the end, when the
candidates are evaluated again, fewer of them each time, until one is left.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

CANDIDATES = 8
KEPT = 0.1  # share of the evaluations, or of the time, for the candidates at the end
MOST_KEPT = 1000  # evaluations
SURE = 1.0  # standard errors that a mean must be better by


@dataclass(eq=False)
class Candidate:
    """A point, how often it was evaluated again, and the mean of that."""

    x: np.ndarray
    mean: float  # the first value, while there is no other
    count: int = 0


class Candidates:
    """The best points so far of a noisy function, by their means.

    All values are taken to have the same noise; how large it is shows where a point was evaluated
    several times.
    """

    def __init__(self) -> None:
        self.all: list[Candidate] = []
        self._squares, self._freedom = 0.0, 0

    @property
    def noise(self) -> float:
        """The standard deviation of one evaluation; infinite while nothing was repeated."""
        if self._freedom == 0:
            return math.inf
        return math.sqrt(self._squares / self._freedom)

    def see(self, x: np.ndarray, value: float) -> None:
        """A point that is evaluated for the first time: it may push out the worst."""
        self.all.append(Candidate(x.copy(), value))
        if len(self.all) > CANDIDATES:
            best = self.best
            self.all.remove(max((c for c in self.all if c is not best), key=self._hope))

    def again(self, candidate: Candidate, value: float) -> None:
        """A candidate was evaluated again."""
        off = value - candidate.mean
        candidate.count += 1
        candidate.mean += off / candidate.count
        if candidate.count > 1:
            self._squares += off * (value - candidate.mean)
            self._freedom += 1

    def error(self, candidate: Candidate) -> float:
        """The standard error of a mean."""
        return self.noise / math.sqrt(max(1, candidate.count))

    @property
    def best(self) -> Candidate:
        """The one whose mean is lowest even if it was lucky, of those that were repeated."""
        repeated = [c for c in self.all if c.count > 1]
        if not repeated:
            return min(self.all, key=lambda c: c.mean)
        return min(repeated, key=lambda c: c.mean + SURE * self.error(c))

    def _hope(self, candidate: Candidate) -> float:
        """How low a mean may be in truth: what a candidate is kept for."""
        return candidate.mean - (SURE * self.error(candidate) if self._freedom else 0.0)

    def doubt(self, candidate: Candidate) -> float:
        """From 0 to 1: how open it is whether this one is better than the best of the others."""
        best = self.best
        if candidate is best:
            others = [c for c in self.all if c is not best and c.count > 0]
            if not others:
                return 1.0
            best = min(others, key=lambda c: c.mean)
        if self._freedom == 0:
            return 1.0
        error = math.hypot(self.error(candidate), self.error(best))
        off = abs(candidate.mean - best.mean)
        return math.erfc(off / error / math.sqrt(2)) if error > 0 else float(off == 0)

    def rounds(self, evaluations: int) -> Iterator[list[Candidate]]:
        """Whom to evaluate again: all, then the better half, and so on; the last has the rest."""
        size = len(self.all)
        share = evaluations // size.bit_length()
        while size:
            chosen = sorted(self.all, key=lambda c: c.mean)[:size]
            times = max(1, share // size if size > 1 else evaluations)
            for _ in range(times):
                yield chosen
            evaluations -= times * size
            size //= 2
