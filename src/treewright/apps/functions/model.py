"""A quadratic model through the points around the best one, and steps to where it is lowest.

After Powell's NEWUOA (2006) and BOBYQA (2009): the model interpolates up to 2 n + 1 points, and of
all that do the one is taken whose second derivatives differ least from those of the model before.
It begins with fewer, since a first step along each axis gains something by itself.  A step goes to
the minimum of the model within a radius and the box; the radius follows how well the model foretold
the value.  It is never less than a bound, as Powell's: that shrinks only when steps as long as it
fail with all points near, so that a model of few points does not make the search creep too soon.
No derivative is asked for, and no point is nearer to another than it needs.
"""

import math
from collections.abc import Generator
from typing import Any

import numpy as np

from treewright.apps.functions.steps import Step, Steps

Asks = Generator[np.ndarray, Any, None]
SMALLEST = 1e-9  # of the radius
LARGEST = 0.5
SHORT = 0.1  # a step that is shorter, in least radii, says that the least one is too large
DROP = 0.15  # of the least radius, when steps of its length bring nothing any more
FLAT = 1e-100  # the least curvature: steps that are longer could not be squared
FAR = 1.5  # points that are farther away, in radii, tell little


def model_steps(
    rng: np.random.Generator, x: np.ndarray, radius: float, smallest: float = SMALLEST
) -> Steps:
    """Minimise from ``x`` in the unit box, until the radius is ``smallest``."""
    points, values = [x], [float((yield x[None])[0])]
    for i in range(len(x)):
        yield from _along_axis(points, values, i, radius)
        yield Step(min(values), points[int(np.argmin(values))])
    yield from _Model(rng, np.array(points), np.array(values), radius, smallest).steps()


def _along_axis(points: list[np.ndarray], values: list[float], i: int, radius: float) -> Asks:
    """A point along an axis from the best so far; if it is no better, another on its other side."""
    best = int(np.argmin(values))
    x, f = points[best], values[best]
    step = radius if x[i] + radius <= 1 else -radius
    for side in (step, -step):
        if side != step and not 0 <= x[i] + side <= 1:
            side = step / 2
        point = x.copy()
        point[i] += side
        points.append(point)
        values.append(float((yield point[None])[0]))
        if values[-1] < f:
            break


class _Model:
    """Up to 2 n + 1 points with their values, and the second derivatives of the model before."""

    def __init__(
        self,
        rng: np.random.Generator,
        points: np.ndarray,
        values: np.ndarray,
        radius: float,
        smallest: float,
    ) -> None:
        self.rng, self.smallest = rng, smallest
        self.points, self.values, self.radius = points, values, radius
        n = points.shape[1]
        self.hessian = np.zeros((n, n))

    @property
    def _growing(self) -> bool:
        """Whether it has room for more points: none needs to go for a new one."""
        return len(self.points) < 2 * len(self.points[0]) + 1

    @property
    def _stand(self) -> Step:
        best = int(np.argmin(self.values))
        return Step(float(self.values[best]), self.points[best])

    def steps(self) -> Steps:
        """Steps of the radius and more, down to the least one, which shrinks when they fail."""
        least = self.radius
        while least > self.smallest:
            best = int(np.argmin(self.values))
            x, f = self.points[best], float(self.values[best])
            offsets = (self.points - x) / self.radius
            gradient, hessian = self._interpolate(offsets, self.values - f)
            step = lowest(gradient, hessian, -x / self.radius, (1 - x) / self.radius)
            foretold = -float(gradient @ step + 0.5 * step @ hessian @ step)
            length = float(np.linalg.norm(step))
            long = foretold > 1e-14 * abs(f) and length * self.radius >= SHORT * least
            failed = True
            if long:
                value = yield from self._try(x + step * self.radius, best, f)
                failed = self._adapt((f - value) / foretold, length, least)
            if failed and (not long or not self._growing) and not (yield from self._nearer()):
                if not long and foretold > 0 and length > 1e-8:
                    yield from self._try(x + step * self.radius, best, f)
                least *= DROP
                self.radius = max(least, 0.5 * self.radius)
            yield self._stand

    def _adapt(self, ratio: float, length: float, least: float) -> bool:
        """Fit the radius to how much of what was foretold came true; whether it is too small to."""
        if ratio > 0.7:
            self.radius = min(LARGEST, max(1.0, 1.6 * length) * self.radius)
        elif ratio < 0.1:
            self.radius = max(least, 0.5 * self.radius)
            return self.radius <= least
        return False

    def _nearer(self) -> Generator[np.ndarray, Any, bool]:
        """Let the model see more of what is around the best point; false if it sees enough."""
        x = self.points[int(np.argmin(self.values))]
        distances = np.linalg.norm(self.points - x, axis=1)
        farthest = int(np.argmax(distances))
        if not self._growing and distances[farthest] <= FAR * self.radius:
            return False
        yield from self._spread(farthest, x)
        return True

    def _interpolate(self, d: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient and Hessian, in radii, of the model of least change through the points."""
        m, n = d.shape
        hessian = self.hessian * self.radius**2
        system = np.zeros((m + n + 1, m + n + 1))
        system[:m, :m] = 0.5 * (d @ d.T) ** 2
        system[range(m), range(m)] += 1e-10  # points that have fallen together
        system[:m, m] = system[m, :m] = 1.0
        system[:m, m + 1 :] = d
        system[m + 1 :, :m] = d.T
        right = np.zeros(m + n + 1)
        right[:m] = f - 0.5 * ((d @ hessian) * d).sum(axis=1)
        try:
            found = np.linalg.solve(system, right)
        except np.linalg.LinAlgError:
            found = np.linalg.lstsq(system, right, rcond=None)[0]
        hessian = hessian + (d.T * found[:m]) @ d
        self.hessian = hessian / self.radius**2
        return found[m + 1 :], hessian

    def _try(self, point: np.ndarray, best: int, f: float) -> Generator[np.ndarray, Any, float]:
        """Evaluate a point; it takes the place of the one farthest from the better of the two."""
        point = np.clip(point, 0.0, 1.0)
        value = float((yield point[None])[0])
        if self._growing:
            self._add(point, value)
            return value
        centre = point if value < f else self.points[best]
        distances = np.linalg.norm(self.points - centre, axis=1)
        if value >= f:
            distances[best] = -1.0
        leaves = int(np.argmax(distances))
        self.points[leaves], self.values[leaves] = point, value
        return value

    def _spread(self, leaves: int, x: np.ndarray) -> Asks:
        """Replace a point by one in the direction that the near ones span least, or add it."""
        n = len(x)
        offsets = (self.points if self._growing else np.delete(self.points, leaves, 0)) - x
        distances = np.linalg.norm(offsets, axis=1)
        near = offsets[distances < FAR * self.radius]
        near = near / np.maximum(1e-300, np.linalg.norm(near, axis=1))[:, None]
        direction = np.linalg.eigh(near.T @ near)[1][:, 0]
        direction = direction + 0.1 * self.rng.standard_normal(n) / math.sqrt(n)
        direction *= self.radius / float(np.linalg.norm(direction))
        point = x + direction
        if ((point < 0) | (point > 1)).any():
            point = x - direction
        point = np.clip(point, 0.0, 1.0)
        value = float((yield point[None])[0])
        if self._growing:
            self._add(point, value)
        else:
            self.points[leaves], self.values[leaves] = point, value

    def _add(self, point: np.ndarray, value: float) -> None:
        self.points = np.concatenate([self.points, point[None]])
        self.values = np.append(self.values, value)


def lowest(
    gradient: np.ndarray, hessian: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """The step of length 1 at most to where a quadratic is lowest, inside a box.

    Where the box is in the way, those variables stay at its border and the others are done again.
    """
    step = np.zeros(len(gradient))
    free = np.ones(len(gradient), bool)
    for _ in range(3):
        room = 1.0 - float(step[~free] @ step[~free])
        if room <= 0 or not free.any():
            break
        inner = gradient[free] + hessian[np.ix_(free, ~free)] @ step[~free]
        step[free] = in_ball(inner, hessian[np.ix_(free, free)], math.sqrt(room))
        inside = np.clip(step, low, high)
        free &= inside == step
        if (inside == step).all():
            break
        step = inside
    return np.clip(step, low, high)


def in_ball(gradient: np.ndarray, hessian: np.ndarray, room: float) -> np.ndarray:
    """The same in a ball, without a box: the shift of the eigenvalues is found by halving."""
    values, vectors = np.linalg.eigh(hessian)
    along = vectors.T @ gradient

    def shifted(by: float) -> np.ndarray:
        found: np.ndarray = along / np.maximum(values + by, FLAT)
        return found

    shift = 0.0
    if not (values[0] > 0 and np.linalg.norm(shifted(0.0)) <= room):
        left = max(0.0, -float(values[0]))
        right = left + float(np.linalg.norm(along)) / room + 1e-300
        for _ in range(60):
            middle = 0.5 * (left + right)
            if np.linalg.norm(shifted(middle)) > room:
                left = middle
            else:
                right = middle
            if right - left < 1e-3 * right:
                break
        shift = right
    found: np.ndarray = -vectors @ shifted(shift)
    return found
