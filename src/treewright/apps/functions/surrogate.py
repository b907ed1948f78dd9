"""CMA-ES with a quadratic model that spares it evaluations (after lq-CMA-ES, Hansen 2019).

Of each generation only so many points are evaluated, those that the model likes best first, as are
needed until the model ranks points as their values do; it ranks the rest.  It is fitted to the
nearest samples of this run: those of other solvers lie on lines and in clusters, which misleads
it.  The better they are, the more they weigh.  It has mixed terms as soon as there are samples
enough.  One point of a generation is where the model is lowest.
"""

import functools
import math
from collections.abc import Generator
from typing import Any

import numpy as np

from treewright.apps.functions.archive import Archive
from treewright.apps.functions.local import Gaussian
from treewright.apps.functions.model import in_ball

MIXED = 12  # dimensions: in more, mixed terms take longer than a millisecond
ENOUGH = 1.1  # samples for each coefficient
NEAR = 2.0  # the same: no more of them are used
LATEST = 8.0  # the same: no older ones are looked at
HEAVY = 20.0  # what the best sample weighs; the worst weighs 1
ALIKE = 0.85  # Kendall's tau of model and values
JUDGED = 15  # samples that it is taken of, at least
MORE = 0.5  # of those of a generation that were evaluated: how many are next


class Modelled(Gaussian):
    """CMA-ES whose generations are ranked by a model as far as that can be relied on."""

    def __init__(self, rng: np.random.Generator, x: np.ndarray, sigma: float, size: int) -> None:
        super().__init__(rng, x, sigma, size)
        none = np.empty((0, len(x))), np.empty(0)
        self.samples = Archive(*none)
        self.latest = none  # some of them, the latest first

    def _ranked(self, unit: np.ndarray) -> Generator[np.ndarray, Any, np.ndarray]:
        """Values to rank a generation by: true ones, or the model's."""
        model = self._fit()
        if model is None:
            values: np.ndarray = yield unit
            self._remember(unit, values)
            self._see(values)
            return values
        unit[-1] = self._lowest(model)
        values, done = np.empty(self.size), np.zeros(self.size, bool)
        many = 1
        while True:
            order = np.argsort(model(self._white(unit)), kind="stable")
            chosen = order[~done[order]][:many]
            got = yield unit[chosen]
            if len(got) < len(chosen):
                return values[:0]
            values[chosen], done[chosen] = got, True
            self._remember(unit[chosen], got)
            model = self._fit() or model
            many = math.ceil(MORE * done.sum())
            if done.all() or self._alike(model, int(done.sum())):
                break
        self._see(values[done])
        if done.all():
            return values
        return model(self._white(unit))

    def _remember(self, unit: np.ndarray, values: np.ndarray) -> None:
        order = np.argsort(values, kind="stable")
        points = np.concatenate([unit[order], self.latest[0]])[: max(JUDGED, self.size)]
        self.latest = points, np.concatenate([values[order], self.latest[1]])[: len(points)]
        self.samples.add(unit, values)

    def _alike(self, model: "_Quadratic", done: int) -> bool:
        """Whether model and values rank the latest samples alike."""
        count = int(max(JUDGED, min(1.2 * done, 0.75 * self.size)))
        values = self.latest[1][:count]
        foretold = model(self._white(self.latest[0][:count]))
        signs = np.sign(values[:, None] - values) * np.sign(foretold[:, None] - foretold)
        k = len(values)
        return bool(signs.sum() >= ALIKE * k * (k - 1)) if k > 1 else False

    def _white(self, unit: np.ndarray) -> np.ndarray:
        """Points as CMA-ES sees them: from the mean, along its axes, in their lengths."""
        found: np.ndarray = ((unit - self.mean) @ self.axes) / (self.sigma * self.lengths)
        return found

    def _fit(self) -> "_Quadratic | None":
        """The model of the nearest samples; none while they are too few."""
        n = self.n
        full = (n + 1) * (n + 2) // 2 if n <= MIXED else 2 * n + 1
        latest = math.ceil(LATEST * full)
        values = self.samples.values[-latest:]
        white = self._white(self.samples.points[-latest:])
        distances = (white * white).sum(axis=1)
        most = math.ceil(NEAR * full)
        if len(values) > most:
            near = np.argpartition(distances, most - 1)[:most]
            white, values, distances = white[near], values[near], distances[near]
        count = len(values)
        sizes = [size for size in (n + 1, 2 * n + 1, full) if ENOUGH * size <= count]
        if not sizes:
            return None
        return _Quadratic(white, values, sizes[-1], math.sqrt(distances.max()))

    def _lowest(self, model: "_Quadratic") -> np.ndarray:
        room = math.sqrt(self.n) + 2 * self.n / (self.n + 2)
        step = in_ball(model.gradient * room, model.hessian * room * room, 1.0) * room
        found: np.ndarray = self.mean + self.sigma * ((step * self.lengths) @ self.axes.T)
        return found.clip(0.0, 1.0)


class _Quadratic:
    """A quadratic by weighted least squares, with as many coefficients as given."""

    def __init__(self, points: np.ndarray, values: np.ndarray, size: int, scale: float) -> None:
        n = points.shape[1]
        scale = scale or 1.0
        order = np.argsort(values, kind="stable")
        weights = np.empty(len(values))
        weights[order] = _weights(len(values))
        points = points / scale
        middle = float(values[order[0]])
        first, second = _pairs(n, size > 2 * n + 1)
        terms, along = np.ones((size, len(values))), np.ascontiguousarray(points.T)
        terms[1 : n + 1] = along
        if size > n + 1:
            np.multiply(along[first], along[second], out=terms[n + 1 :])
        root = np.sqrt(weights)
        terms *= root
        system = terms @ terms.T
        system.flat[:: size + 1] += 1e-12 * system.trace() / size
        found = np.linalg.solve(system, terms @ (root * (values - middle)))
        self.constant = middle + float(found[0])
        self.gradient = found[1 : n + 1] / scale
        self.hessian = np.zeros((n, n))
        if size > n + 1:
            self.hessian[first, second] = found[n + 1 :] / scale**2
            self.hessian = self.hessian + self.hessian.T

    def __call__(self, points: np.ndarray) -> np.ndarray:
        found: np.ndarray = points @ self.gradient + 0.5 * ((points @ self.hessian) * points).sum(
            axis=1
        )
        return found + self.constant


@functools.lru_cache(256)
def _weights(count: int) -> np.ndarray:
    """Of samples, the best first."""
    return np.linspace(HEAVY, 1.0, count)


@functools.lru_cache(256)
def _pairs(n: int, mixed: bool) -> tuple[np.ndarray, np.ndarray]:
    """The variables of each quadratic term."""
    first, second = np.triu_indices(n) if mixed else (np.arange(n), np.arange(n))
    return first, second
