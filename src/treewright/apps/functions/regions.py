"""A method while it minimises: the points it evaluates, and the regions in which it looks.

Iterated Splitting keeps a box, smaller with each pass; SOO cuts the box into cells; the default
method parts it by planes that it learns.  All of them are shown on a slice of two dimensions.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.apps.functions.minimize import minimize
from treewright.apps.functions.objective import Compiled, plain
from treewright.apps.functions.splitting import Splitting

Polygon = list[list[float]]
CELLS = 1500  # of SOO that are shown


class Watched:
    """``f`` is minimised by one method; ``told(evaluations, search)`` hears how far it is.

    ``shapes`` has the regions: each with the number of evaluations from which it is there, and
    either a box or planes, both in the unit box.
    """

    def __init__(
        self, f: Callable[[Any], float], settings: Any, method: str, told: Callable[..., None]
    ) -> None:
        self._f, self._settings, self.method, self._told = f, settings, method, told
        self._low = settings.low
        self._wide = settings.high - settings.low
        self._points: list[list[float]] = []
        self._unit: list[np.ndarray] = []
        self.shapes: list[tuple[int, Any]] = []
        self.value, self.x = math.inf, [0.0] * len(settings.box)

    def run(self) -> None:
        budget, seed = self._settings.budget, self._settings.seed
        if self.method == "random":
            points = np.random.default_rng(seed).uniform(size=(budget, len(self._settings.box)))
            for point in points:
                self._evaluate(self._low + self._wide * point)
            return
        options: dict[str, Any] = {}
        if self.method != "soo":
            options["watch"] = self._pass
        minimize(
            self._evaluate,
            self._settings.box,
            budget=budget,
            method=self.method,
            seed=seed,
            options=options,
        )
        if self.method == "soo":
            self.shapes = list(_cells(self._unit))

    def _evaluate(self, x: Any) -> float:
        value = self._f(x)
        self._points.append([float(x[0]), float(x[1]), value])
        self._unit.append((np.asarray(x, float) - self._low) / self._wide)
        if value < self.value:
            self.value, self.x = value, [float(v) for v in x]
        if len(self._points) % 20 == 0:
            self._told(len(self._points), None)
        return value

    def _pass(self, search: Any, found: Any) -> None:
        """After each pass: the box that is kept, or the planes that part the box now."""
        self._told(len(self._points), search)
        if self.method == "runs":
            shape: Any = [list(sides) for sides in found.parts]
            if len(shape) < 2 or (self.shapes and _same(shape, self.shapes[-1][1])):
                return
        else:
            low = (np.array(found.state.low) - self._low) / self._wide
            shape = (low, (np.array(found.state.high) - self._low) / self._wide)
        self.shapes.append((len(self._points), shape))

    def to_dict(self, through: list[float]) -> dict[str, Any]:
        """For the page; the slice goes ``through`` a point."""
        at = (np.array(through) - self._low) / self._wide
        if self.method == "runs":
            regions = [[n, _parts(shape, at)] for n, shape in self.shapes]
        else:
            regions = [[n, [_rectangle(*shape)]] for n, shape in self.shapes[:CELLS]]
        return {
            "method": self.method,
            "value": self.value,
            "x": self.x,
            "points": self._points,
            "regions": regions,
        }


def splitting_of(f: Callable[[Any], float], box: list[tuple[float, float]]) -> Splitting:
    """Iterated Splitting's domain for a plain function, with a pass's moves."""
    return Splitting(Compiled(plain(f), {"none": np.zeros(1)}), box, splits=3, moves=len(box))


def _cells(unit: list[np.ndarray]) -> Any:
    """SOO's cells in the order of their cuts, from the points alone.

    Two points are evaluated at each cut, left and right of the centre of the cell that is cut; the
    middle third keeps the centre.
    """
    n = len(unit[0])
    widths = {_key(unit[0]): np.ones(n)}
    for i in range(1, len(unit) - 1, 2):
        left, right = unit[i], unit[i + 1]
        centre = (left + right) / 2
        wide = widths.get(_key(centre))
        if wide is None:  # cannot be, unless the method is another
            return
        wide = wide.copy()
        wide[int(np.argmax(right - left))] /= 3
        for point in (left, centre, right):
            widths[_key(point)] = wide
            yield i + 2, (point - wide / 2, point + wide / 2)


def _key(point: np.ndarray) -> tuple[int, ...]:
    return tuple(np.round(point * 1e12).astype(np.int64).tolist())


def _rectangle(low: np.ndarray, high: np.ndarray) -> Polygon:
    a, b, c, d = float(low[0]), float(low[1]), float(high[0]), float(high[1])
    return [[a, b], [c, b], [c, d], [a, d]]


def _parts(parts: Any, at: np.ndarray) -> list[Polygon]:
    """The parts as they cut the slice; what lies elsewhere is left out."""
    found = []
    for sides in parts:
        polygon: Polygon = [[0, 0], [1, 0], [1, 1], [0, 1]]
        for direction, threshold, better in sides:
            rest = threshold - float(direction[2:] @ at[2:])
            sign = 1.0 if better else -1.0
            a, b = float(direction[0]), float(direction[1])
            polygon = _cut(polygon, sign * a, sign * b, sign * rest)
        if len(polygon) > 2:
            found.append(polygon)
    return found


def _cut(polygon: Polygon, a: float, b: float, c: float) -> Polygon:
    """What of a polygon is on the side a x + b y >= c."""
    found: Polygon = []
    for (x, y), (u, v) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        here, there = a * x + b * y - c, a * u + b * v - c
        if here >= 0:
            found.append([x, y])
        if here * there < 0:
            share = here / (here - there)
            found.append([x + share * (u - x), y + share * (v - y)])
    return found


def _same(one: Any, other: Any) -> bool:
    def numbers(parts: Any) -> list[Any]:
        return [[(d.tolist(), t, s) for d, t, s in sides] for sides in parts]

    return numbers(one) == numbers(other)
