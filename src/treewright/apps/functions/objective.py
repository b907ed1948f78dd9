"""The function to be minimised: what it is, where it lives, and what has been seen of it."""

import functools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import DomainError, OptionError


class FunctionError(DomainError):
    """The function raised; ``result`` is the best that was found before."""

    result: Any = None


class Exhausted(Exception):  # noqa: N818 - not an error: the budget is used up
    """Ends a method from inside; never reaches a caller of ``minimize``."""


class Compiled:
    """A function that compiles: ``call(x, t, work)`` with tables ``t`` and scratch ``work``."""

    def __init__(self, call: Callable[..., float], tables: Mapping[str, np.ndarray]) -> None:
        self.call = call
        self.tables = dict(tables)


def compiled(f: Any) -> Compiled | None:
    """A Numba function, or one of ours, as something that compiles into a kernel."""
    if isinstance(f, Compiled):
        return f
    if not hasattr(f, "py_func"):
        return None

    def call(x, t, work):  # type: ignore[no-untyped-def]
        return f(x)

    return Compiled(call, {"none": np.zeros(1)})


def check_bounds(bounds: Any) -> tuple[np.ndarray, np.ndarray]:
    """(low, high) from pairs, or from an object with ``lb`` and ``ub`` as SciPy's Bounds."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        bounds = np.column_stack([np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub)])
    try:
        pairs = np.array(bounds, float)
    except (TypeError, ValueError):
        pairs = np.zeros(0)
    if pairs.ndim != 2 or pairs.shape[1:] != (2,) or len(pairs) < 1:
        raise OptionError("bounds must be a list of (low, high) pairs, one for each dimension")
    for i, (low, high) in enumerate(pairs):
        if not (math.isfinite(low) and math.isfinite(high)):
            raise OptionError(f"bounds[{i}] = ({low:g}, {high:g}) must be finite")
        if low > high:
            raise OptionError(
                f"bounds[{i}] = ({low:g}, {high:g}) are reversed: the low one comes first"
            )
    return pairs[:, 0].copy(), pairs[:, 1].copy()


class Objective:
    """Evaluates points within a budget and remembers the best.

    Points are given many at a time; a plain function is called once for each, in ``workers``
    processes if there are several, a vectorised one once for all, a compiled one in a loop.

    Variables whose bounds are equal are fixed: methods see the others only.  Values that are not
    finite count as worse than any that was seen, and are never the best.
    """

    def __init__(
        self,
        f: Any,
        bounds: Any,
        *,
        budget: int,
        seconds: float | None = None,
        workers: int | Callable[..., Any] = 1,
        vectorized: bool = False,
        callback: Callable[[Any], object] | None = None,
    ) -> None:
        low, high = check_bounds(bounds)
        self.fixed = low.copy()
        self.free = low < high
        self.low, self.high = low[self.free], high[self.free]
        self.n = len(self.low)
        if not callable(f) and not isinstance(f, Compiled):
            raise OptionError(f"the function must be callable, not {f!r}")
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
            raise OptionError(f"budget must be a whole number, at least 1; not {budget!r}")
        if seconds is not None and not seconds > 0:
            raise OptionError(f"seconds must be above 0, not {seconds!r}")
        good = callable(workers) or (isinstance(workers, int) and workers >= 1)
        if not good or isinstance(workers, bool):
            raise OptionError(
                f"workers must be a whole number, at least 1, or like map; not {workers!r}"
            )
        self.f = f
        self.compiled = compiled(f)
        self.bounds = np.column_stack([low, high])
        self.vectorized = vectorized
        self.workers = workers
        self.callback = callback
        self.budget = budget
        self.deadline = math.inf if seconds is None else time.perf_counter() + seconds
        self.done = 0
        self.best_x = (self.low + self.high) / 2
        self.best = math.inf
        self.worst = -math.inf  # of the finite values
        self.curve: list[tuple[int, float]] = []  # (evaluations, best) where it improved
        self.stopped = "budget"

    @property
    def left(self) -> int:
        return self.budget - self.done

    @functools.cached_property
    def _map(self) -> Callable[..., Any]:
        """How plain functions are called many times."""
        if callable(self.workers):
            return self.workers
        if self.workers == 1:
            return map
        from concurrent.futures import ProcessPoolExecutor

        self._pool = ProcessPoolExecutor(self.workers)
        return functools.partial(self._pool.map, chunksize=4)

    def close(self) -> None:
        pool = self.__dict__.get("_pool")
        if pool is not None:
            pool.shutdown(cancel_futures=True)

    def evaluate(self, points: np.ndarray) -> np.ndarray:
        """The values of [k, n] points; fewer than asked for at the end of the budget."""
        if self.left <= 0:
            raise Exhausted
        if time.perf_counter() > self.deadline:
            self.stopped = "seconds"
            raise Exhausted
        points = np.ascontiguousarray(points[: self.left])
        values = self._values(points)
        self._see(points, values)
        if self.callback is not None and self.callback(self) is True:
            self.stopped = "callback"
            self.budget = self.done
            raise Exhausted
        finite = np.isfinite(values)
        return values if finite.all() else np.where(finite, values, self._bad)

    @property
    def _bad(self) -> float:
        """What a value that is not finite counts as: worse than all that were seen."""
        if self.worst == -math.inf:
            return 1e100
        return self.worst + (self.worst - self.best) + 1.0

    def whole(self, points: np.ndarray) -> np.ndarray:
        """Points with the fixed variables."""
        if self.free.all():
            return points
        found = np.empty((*points.shape[:-1], len(self.fixed)))
        found[...] = self.fixed
        found[..., self.free] = points
        return found

    def _values(self, points: np.ndarray) -> np.ndarray:
        points = self.whole(points)
        if self.compiled is not None:
            return self._batch(points)
        if self.vectorized:
            try:
                values = np.asarray(self.f(points), float)
            except Exception as error:
                self.fail(
                    f"the function raised {type(error).__name__}: {error}, for {len(points)} "
                    f"points from {shown(points[0])}"
                )
            if values.shape != (len(points),):
                raise OptionError(
                    f"a vectorised function must return {len(points)} values for points of shape "
                    f"{points.shape}, not an array of shape {values.shape}"
                )
            return values
        found = np.empty(len(points))
        results = iter(self._map(self.f, list(points)))
        for i in range(len(points)):
            try:
                found[i] = float(next(results))
            except Exception as error:
                self._see(points[:i, self.free], found[:i])
                self.fail(
                    f"the function raised {type(error).__name__}: {error}, at {shown(points[i])}"
                )
        return found

    @functools.cached_property
    def _compiled_batch(self) -> Any:
        from treewright.apps.functions.splitting import Splitting
        from treewright.library.program import Program

        assert self.compiled is not None
        domain = Splitting(self.compiled, self.bounds)
        text = Path(__file__).parent / "batch_kernel.py"
        batch = Program(domain, (text,), "batch")
        return functools.partial(batch.call, np.zeros(1, domain.state), batch.tables, np.zeros(1))

    def _batch(self, points: np.ndarray) -> np.ndarray:
        out = np.empty(len(points))
        self._compiled_batch(points, out)
        return out

    def _see(self, points: np.ndarray, values: np.ndarray) -> None:
        if len(values):
            finite = np.isfinite(values)
            ranked = np.where(finite, values, math.inf)
            at = int(np.argmin(ranked))
            self.worst = max(self.worst, float(np.where(finite, values, -math.inf).max()))
            if ranked[at] < self.best:
                self.best = float(values[at])
                self.best_x = points[at].copy()
                self.curve.append((self.done + at + 1, self.best))
        self.done += len(values)

    def note(self, x: np.ndarray, value: float, evaluations: int) -> None:
        """What a kernel has evaluated by itself: so many points, and the best of them."""
        self.done += evaluations
        if math.isfinite(value) and value < self.best:
            self.best, self.best_x = value, x.copy()
            self.curve.append((self.done, value))

    def fail(self, why: str) -> None:
        raise FunctionError(f"{why} (evaluation {self.done + 1})")


def shown(x: Sequence[float] | np.ndarray) -> str:
    """A point for a message: at most six numbers."""
    numbers = [f"{v:.6g}" for v in list(x)[:6]]
    return "x = [" + ", ".join(numbers) + (", …]" if len(x) > 6 else "]")


def plain(f: Callable[[np.ndarray], float]) -> Any:
    """A plain function as the interpreted kernel calls it."""

    def call(x: Any, t: Any, work: Any) -> float:
        return float(f(np.array(x)))

    return call
