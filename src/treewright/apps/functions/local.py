"""Local models: quadratic for smooth valleys, a walker for curved ridges, Gaussian to finish."""

import math
from collections.abc import Generator
from typing import Any

import numpy as np

from treewright.apps.functions.objective import Objective
from treewright.apps.functions.steps import Step, Steps, evaluated

FORWARD, CENTRAL = 1e-7, 1e-6  # differences of BFGS, as shares of the box
FORETOLD = 100.0  # times what the last step gained: if more was foretold and failed, it is an edge
STALLED = 3  # steps of BFGS that gain next to nothing, after which it ends


def quadratic(objective: Objective, x: np.ndarray, evaluations: int) -> tuple[np.ndarray, float]:
    """BFGS for so many evaluations at most: where it came to, and the value there."""
    end = objective.done + evaluations - objective.n - 2
    found = x, math.inf
    for step in evaluated(bfgs_steps(objective.low, objective.high, x), objective.evaluate):
        found = step.x, step.value
        if objective.done >= end:
            break
    return found


def bfgs_steps(low: np.ndarray, high: np.ndarray, x: np.ndarray) -> Steps:
    """BFGS with a backtracking line search, inside the box.

    Slopes are forward differences, until these are too coarse to come nearer: then central ones.
    Where a step fails that foretold more than the last one has gained, there is an edge: it ends.
    """
    width = high - low
    n = len(x)
    central = False

    def gradient(x: np.ndarray, f: float) -> Generator[np.ndarray, Any, np.ndarray]:
        if central:
            step = CENTRAL * width
            sides = np.diag(np.minimum(x + step, high) - x), np.diag(np.maximum(x - step, low) - x)
            values = yield np.concatenate([x + sides[0], x + sides[1]])
            apart = np.diag(sides[0] - sides[1])
            return (values[:n] - values[n:]) / apart if len(values) == 2 * n else np.zeros(n)
        step = FORWARD * width
        side = np.where(x + step > high, -step, step)
        values = yield x + np.diag(side)
        found: np.ndarray = (values - f) / side if len(values) == n else np.zeros(n)
        return found

    f = float((yield x[None])[0])
    g = yield from gradient(x, f)
    inverse = np.eye(n)
    stalled, gained = 0, 0.0
    first = True
    yield Step(f, x)
    while True:
        direction = -inverse @ g
        slope = float(direction @ g)
        if not slope < 0:
            inverse = np.eye(n)
            direction, slope = -g, -float(g @ g)
        if first:  # the first step has no scale of its own
            direction *= 0.05 * width.mean() / max(1e-300, float(np.linalg.norm(direction)))
        new, value = x, f
        if slope < 0:
            new, value = yield from _backtracked(low, high, x, f, direction, g)
        stalled = stalled + 1 if f - value < 1e-9 * (1 + abs(f)) else 0
        if value >= f or stalled == STALLED:
            if central or (value >= f and -slope > FORETOLD * gained):
                break
            central, stalled = True, 0
            x, f = (new, value) if value < f else (x, f)
            g = yield from gradient(x, f)
            yield Step(f, x)
            continue
        gained = f - value
        after = yield from gradient(new, value)
        s, y = new - x, after - g
        x, f, g = new, value, after
        product = float(s @ y)
        if product > 1e-12 * float(np.linalg.norm(s) * np.linalg.norm(y)):
            if first:
                inverse *= product / float(y @ y)
            first = False
            left = np.eye(n) - np.outer(s, y) / product
            inverse = left @ inverse @ left.T + np.outer(s, s) / product
        else:
            first = first and product <= 0
        yield Step(f, x)


def _backtracked(
    low: np.ndarray, high: np.ndarray, x: np.ndarray, f: float, direction: np.ndarray, g: np.ndarray
) -> Generator[np.ndarray, Any, tuple[np.ndarray, float]]:
    """Where a line search comes to, and the value there."""
    length = 1.0
    for _ in range(21):
        new = np.clip(x + length * direction, low, high)
        value = float((yield new[None])[0])
        if value < f + 1e-4 * length * min(0.0, float(g @ direction)):
            break
        length *= 0.4
    return new, value


GOLDEN = (math.sqrt(5) - 1) / 2
PATIENCE = 25  # steps without success after which a ridge is given up


def ridge(
    objective: Objective, rng: np.random.Generator, x: np.ndarray, f: float, evaluations: int
) -> None:
    """Walk along a ridge for so many evaluations at most."""
    end = objective.done + evaluations - objective.n - 60  # a step may take as many
    steps = ridge_steps(objective.low, objective.high, rng, x, f)
    if objective.done < end:
        for _ in evaluated(steps, objective.evaluate):
            if objective.done >= end:
                break


def ridge_steps(
    low: np.ndarray, high: np.ndarray, rng: np.random.Generator, x: np.ndarray, f: float
) -> Steps:
    """Walk along a curved ridge: a random step, then a line search back down the slope.

    On a ridge that bends, every straight step is worse, however short, so that no Gaussian
    model moves; the step becomes good only when the slope beside the ridge is descended first.
    ``f`` is the value of ``x``.
    """
    n, width = len(x), high - low
    sigma, failed = 0.02, 0
    while failed < PATIENCE:
        start = np.clip(x + sigma / math.sqrt(n) * width * rng.standard_normal(n), low, high)
        f0 = float((yield start[None])[0])
        side = np.where(start + 1e-8 * width > high, -1e-8, 1e-8) * width
        slope = ((yield start + np.diag(side)) - f0) / side
        size = float(np.linalg.norm(slope))
        if size > 0:
            line = _Line(low, high, start, -slope / size)
            found, value = yield from line.descend(f0, 0.1 * sigma * width.mean())
        if size > 0 and value < f:
            x, f, failed = found, value, 0
            sigma = min(0.2, 1.6 * sigma)
        else:
            failed += 1
            sigma *= 0.85 if size > 0 else 1.0
        yield Step(f, x)


class _Line:
    """A line inside a box, from a point in a direction."""

    def __init__(
        self, low: np.ndarray, high: np.ndarray, x: np.ndarray, direction: np.ndarray
    ) -> None:
        self.low, self.high, self.x, self.direction = low, high, x, direction

    def point(self, t: float) -> np.ndarray:
        found: np.ndarray = np.clip(self.x + t * self.direction, self.low, self.high)
        return found

    def _at(self, t: float) -> Generator[np.ndarray, Any, float]:
        return float((yield self.point(t)[None])[0])

    def descend(
        self, f: float, step: float
    ) -> Generator[np.ndarray, Any, tuple[np.ndarray, float]]:
        """The lowest point: bracket by doubling, then golden section."""
        at = self._at
        a, b, fb = 0.0, step, (yield from at(step))
        if fb >= f:
            while fb >= f and b > 1e-6 * step:
                b *= 0.25
                fb = yield from at(b)
        c, fc = 2 * b, (yield from at(2 * b))
        while fc < fb and c < 1e6 * step:
            a, b, fb = b, c, fc
            c *= 2
            fc = yield from at(c)
        left, right = a, c
        t1, t2 = right - GOLDEN * (right - left), left + GOLDEN * (right - left)
        f1, f2 = (yield from at(t1)), (yield from at(t2))
        while right - left > 1e-9 * (abs(right) + 1e-300):
            if f1 < f2:
                right, t2, f2 = t2, t1, f1
                t1 = right - GOLDEN * (right - left)
                f1 = yield from at(t1)
            else:
                left, t1, f1 = t1, t2, f2
                t2 = left + GOLDEN * (right - left)
                f2 = yield from at(t2)
        t, value = (t1, f1) if f1 < f2 else (t2, f2)
        return self.point(t), value


class Gaussian:
    """CMA-ES (Hansen 2016) in the unit box, with points outside put on the border.

    With the active update of the covariance (Jastrebski & Arnold 2006).
    """

    def __init__(
        self,
        rng: np.random.Generator,
        x: np.ndarray,
        sigma: float,
        size: int | None = None,
    ) -> None:
        self.rng = rng
        n = self.n = len(x)
        self.mean = x
        self.sigma = sigma
        self.best = math.inf
        self.size = size or 4 + int(3 * math.log(n))
        mu = self.size // 2
        weights = math.log((self.size + 1) / 2) - np.log(np.arange(1, mu + 1))
        self.weights = weights / weights.sum()
        eff = self.eff = 1 / float((self.weights**2).sum())
        self.cs = (eff + 2) / (n + eff + 5)
        self.ds = 1 + 2 * max(0.0, math.sqrt((eff - 1) / (n + 1)) - 1) + self.cs
        self.cc = (4 + eff / n) / (n + 4 + 2 * eff / n)
        self.c1 = 2 / ((n + 1.3) ** 2 + eff)
        self.cmu = min(1 - self.c1, 2 * (eff - 2 + 1 / eff) / ((n + 2) ** 2 + eff))
        self.against = self._against(mu)
        self.norm = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
        self.ps, self.pc = np.zeros(n), np.zeros(n)
        self.covariance = np.eye(n)
        self.axes, self.lengths = np.eye(n), np.ones(n)
        self.generations = 0
        self.recent: list[float] = []
        self.every = max(1, int(1 / (10 * n * (self.c1 + self.cmu))))

    def _against(self, mu: int) -> np.ndarray:
        """Weights, below zero, of the worse half of a generation: directions to become shorter."""
        worse = math.log((self.size + 1) / 2) - np.log(np.arange(mu + 1, self.size + 1))
        eff = float(worse.sum() ** 2 / (worse**2).sum())
        keep = 1 - self.c1 - self.cmu
        most = (1 + self.c1 / self.cmu, 1 + 2 * eff / (self.eff + 2), keep / (self.n * self.cmu))
        found: np.ndarray = worse / -worse.sum() * min(most)
        return found

    @property
    def stuck(self) -> bool:
        if self.sigma * self.lengths.max() < 1e-13 or self.lengths.max() > 1e7 * self.lengths.min():
            return True
        window = 10 + 30 * self.n // self.size
        recent = self.recent[-window:]
        return len(recent) == window and max(recent) - min(recent) < 1e-12 * (1 + abs(recent[-1]))

    def steps(self) -> Steps:
        """Generations, each a step, until nothing moves any more."""
        while not self.stuck:
            yield from self._generation()
            yield Step(self.best, self.mean)

    def _generation(self) -> Generator[np.ndarray, Any, None]:
        n = self.n
        z = self.rng.standard_normal((self.size, n))
        steps = (z * self.lengths) @ self.axes.T
        unit = np.clip(self.mean + self.sigma * steps, 0.0, 1.0)
        values = yield from self._ranked(unit)
        if len(values) < self.size:
            return
        order, mu = np.argsort(values, kind="stable"), len(self.weights)
        chosen = (unit[order[:mu]] - self.mean) / self.sigma
        worse = (unit[order[mu:]] - self.mean) / self.sigma
        lengths = (((worse @ self.axes) / self.lengths) ** 2).sum(axis=1)
        against = self.against * n / np.maximum(lengths, 1e-9)
        step = self.weights @ chosen
        self.mean = self.mean + self.sigma * step
        self.ps = (1 - self.cs) * self.ps + math.sqrt(self.cs * (2 - self.cs) * self.eff) * (
            self.axes @ ((self.axes.T @ step) / self.lengths)
        )
        self.generations += 1
        size = float(np.linalg.norm(self.ps))
        decay = math.sqrt(1 - (1 - self.cs) ** (2 * self.generations))
        rising = size / decay < (1.4 + 2 / (n + 1)) * self.norm
        self.pc = (1 - self.cc) * self.pc
        if rising:
            self.pc = self.pc + math.sqrt(self.cc * (2 - self.cc) * self.eff) * step
        given = 1 + float(self.against.sum())
        keep = 1 - self.c1 - self.cmu * given + (0 if rising else self.c1 * self.cc * (2 - self.cc))
        self.covariance = (
            keep * self.covariance
            + self.c1 * np.outer(self.pc, self.pc)
            + self.cmu * (chosen.T * self.weights) @ chosen
            + self.cmu * (worse.T * against) @ worse
        )
        self.sigma *= math.exp(min(1.0, self.cs / self.ds * (size / self.norm - 1)))
        if self.generations % self.every == 0:
            self._decompose()

    def _ranked(self, unit: np.ndarray) -> Generator[np.ndarray, Any, np.ndarray]:
        """The values by which a generation is ranked."""
        values: np.ndarray = yield unit
        self._see(values)
        return values

    def _see(self, values: np.ndarray) -> None:
        """What was evaluated of a generation."""
        self.recent.append(float(values.min()))
        self.best = min(self.best, self.recent[-1])

    def _decompose(self) -> None:
        self.covariance = (self.covariance + self.covariance.T) / 2
        values, self.axes = np.linalg.eigh(self.covariance)
        self.lengths = np.sqrt(np.maximum(values, 1e-30))
