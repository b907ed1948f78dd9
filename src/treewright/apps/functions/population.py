"""L-SHADE (Tanabe & Fukunaga 2014): differential evolution that learns its own parameters.

With the parameters of the CEC 2014 competition, which it won.  One object is one run: it shrinks
its population linearly over the evaluations that it is given.
"""

from collections.abc import Generator
from typing import Any

import numpy as np

from treewright.apps.functions.steps import Step, Steps

PER_DIMENSION = 18
SMALLEST = 4
MEMORY = 6
PBEST = 0.11
ARCHIVE = 2.6


class Population:
    """Members in a box, archive and the memory of successful parameters."""

    def __init__(
        self,
        low: np.ndarray,
        high: np.ndarray,
        rng: np.random.Generator,
        evaluations: int,
        size: int | None = None,
    ) -> None:
        self.low, self.high, self.rng = low, high, rng
        self.evaluations, self.used = evaluations, 0
        size = size or PER_DIMENSION * len(low)
        self.begun = max(SMALLEST, min(size, evaluations // 4))
        self.x = rng.uniform(low, high, (self.begun, len(low)))
        self.f = np.empty(0)
        self.archive = np.empty((0, len(low)))
        self.mu_f = np.full(MEMORY, 0.5)
        self.mu_cr = np.full(MEMORY, 0.5)
        self.slot = 0

    @property
    def spread(self) -> np.ndarray:
        """How far the members are from each other, by dimension."""
        found: np.ndarray = self.x.std(axis=0)
        return found

    def steps(self) -> Steps:
        """Generations until the evaluations are used up or all members are the same."""
        self.f = yield self.x
        self.x = self.x[: len(self.f)]
        self.used = len(self.f)
        yield self._stand
        while self.used < self.evaluations and np.ptp(self.f) > 1e-14 * (1 + abs(self.f.min())):
            yield from self._generation()
            yield self._stand

    @property
    def _stand(self) -> Step:
        best = int(np.argmin(self.f))
        return Step(float(self.f[best]), self.x[best])

    def _generation(self) -> Generator[np.ndarray, Any, None]:
        f, cr = self._parameters()
        trial = self._cross(self._mutants(f), cr)
        room = max(1, min(len(trial), self.evaluations - self.used))
        values = yield trial[:room]
        k = len(values)
        self.used += k
        old = self.f[:k]
        better = values < old
        gain = (old - values)[better]
        self._learn(f[:k][better], cr[:k][better], gain)
        lost = self.x[:k][better]
        if len(lost):
            self.archive = np.concatenate([self.archive, lost])
        no_worse = values <= old
        self.x[:k][no_worse] = trial[:k][no_worse]
        self.f[:k][no_worse] = values[no_worse]
        self._shrink()

    def _parameters(self) -> tuple[np.ndarray, np.ndarray]:
        n = len(self.x)
        slots = self.rng.integers(MEMORY, size=n)
        cr = np.clip(self.rng.normal(self.mu_cr[slots], 0.1), 0.0, 1.0)
        cr[self.mu_cr[slots] < 0] = 0.0
        f = self.mu_f[slots] + 0.1 * self.rng.standard_cauchy(n)
        while (f <= 0).any():
            again = f <= 0
            f[again] = self.mu_f[slots[again]] + 0.1 * self.rng.standard_cauchy(again.sum())
        return np.minimum(f, 1.0), cr

    def _mutants(self, f: np.ndarray) -> np.ndarray:
        """current-to-pbest/1 with the archive."""
        n = len(self.x)
        top = np.argsort(self.f, kind="stable")[: max(2, round(PBEST * n))]
        best = self.x[self.rng.choice(top, n)]
        own = np.arange(n)
        r1 = self.rng.integers(n - 1, size=n)
        r1 += r1 >= own
        everyone = np.concatenate([self.x, self.archive])
        r2 = self.rng.integers(len(everyone), size=n)
        while ((r2 == own) | (r2 == r1)).any():
            again = (r2 == own) | (r2 == r1)
            r2[again] = self.rng.integers(len(everyone), size=again.sum())
        found: np.ndarray = self.x + f[:, None] * (best - self.x + self.x[r1] - everyone[r2])
        return found

    def _cross(self, mutants: np.ndarray, cr: np.ndarray) -> np.ndarray:
        n, dimensions = mutants.shape
        take = self.rng.random((n, dimensions)) < cr[:, None]
        take[np.arange(n), self.rng.integers(dimensions, size=n)] = True
        trial = np.where(take, mutants, self.x)
        low, high = self.low, self.high
        trial = np.where(trial < low, (low + self.x) / 2, trial)
        return np.where(trial > high, (high + self.x) / 2, trial)

    def _learn(self, f: np.ndarray, cr: np.ndarray, gain: np.ndarray) -> None:
        """Weighted Lehmer means of what was successful."""
        if not len(f):
            return
        w = gain / gain.sum() if gain.sum() > 0 else np.full(len(f), 1 / len(f))
        self.mu_f[self.slot] = (w * f * f).sum() / (w * f).sum()
        dead = self.mu_cr[self.slot] < 0 or cr.max() == 0
        self.mu_cr[self.slot] = -1.0 if dead else (w * cr * cr).sum() / (w * cr).sum()
        self.slot = (self.slot + 1) % MEMORY

    def _shrink(self) -> None:
        share = min(1.0, self.used / self.evaluations)
        size = max(SMALLEST, round(self.begun + (SMALLEST - self.begun) * share))
        if size < len(self.x):
            keep = np.sort(np.argsort(self.f, kind="stable")[:size])
            self.x, self.f = self.x[keep], self.f[keep]
        room = round(ARCHIVE * len(self.x))
        if len(self.archive) > room:
            self.archive = self.archive[self.rng.permutation(len(self.archive))[:room]]
