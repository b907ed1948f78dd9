"""The function to be minimised: what it is, where it lives, and what has been seen of it."""

import functools
import itertools
import math
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.functions.blas import usual_threads
from treewright.apps.functions.constraints import Penalty, read_constraints
from treewright.apps.functions.noise import MOST_KEPT, Candidate, Candidates
from treewright.apps.functions.space import Space
from treewright.errors import DomainError, OptionError

HUGE = 1e100  # methods see no larger values, so that their squares are numbers too
IN_VAIN = 10_000  # points asked for, one after another, that were all seen before


class FunctionError(DomainError):
    """The function raised; ``result`` is the best that was found before."""

    result: Any = None


class Exhausted(Exception):  # noqa: N818 - not an error: the budget is used up
    """Ends a method from inside; never reaches a caller of ``minimize``."""


class _NotANumber(Exception):  # noqa: N818 - becomes a FunctionError, which says where
    """What a function returned."""


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


class Objective:
    """Evaluates points within a budget and remembers the best.

    Points are given many at a time; a plain function is called once for each, in ``workers``
    processes if there are several, a vectorised one once for all, a compiled one in a loop.

    Methods see a box of coordinates (space.py).  Values that are not finite count as worse than
    any that was seen, and are never the best; where constraints are broken there is a penalty
    on the value.  With whole numbers, a point that was seen before is not evaluated again.
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
        constraints: Any = None,
        noisy: bool = False,
    ) -> None:
        self.space = Space(bounds)
        self.low, self.high, self.n = self.space.low, self.space.high, self.space.n
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
        self.vectorized = vectorized
        self.workers = workers
        self.callback = callback
        self.budget = budget
        self.deadline = math.inf if seconds is None else time.perf_counter() + seconds
        self.done = 0
        self.best_x = (self.low + self.high) / 2
        self.best = math.inf
        self.least_broken = math.inf  # of all points, by constraints
        self.worst = -math.inf  # of the finite values
        self.curve: list[tuple[int, float]] = []  # (evaluations, best) where it improved
        self.stopped = "budget"
        self.known: tuple[np.ndarray, np.ndarray] = np.empty((0, self.n)), np.empty(0)
        self.candidates = Candidates() if noisy else None
        constraining = read_constraints(constraints)
        self._penalty = Penalty(constraining, self.n) if constraining else None
        self._seen: dict[bytes, float] | None = None  # values of points that can come again
        if self.space.whole.any() and not noisy:
            self._seen = {}
        self._in_vain = 0
        self.warm = False  # whether a point to begin with was given

    @property
    def left(self) -> int:
        return self.budget - self.done

    @property
    def natural(self) -> bool:
        """Whether a compiled function alone says all: nothing fixed, rounded or constrained."""
        return self.space.plain and self._penalty is None

    @property
    def version(self) -> int:
        """Counts how often the meaning of values has changed, since penalties grow."""
        return 0 if self._penalty is None else self._penalty.version

    @property
    def at_once(self) -> int:
        """How many points can be evaluated at the same time."""
        return self.workers if isinstance(self.workers, int) and self.compiled is None else 1

    @functools.cached_property
    def _map(self) -> Callable[..., Any]:
        """How plain functions are called many times."""
        if callable(self.workers):
            return self.workers
        if self.workers == 1:
            return map
        from concurrent.futures import ProcessPoolExecutor

        try:
            pickle.dumps(self.f)
        except Exception as error:
            raise OptionError(
                f"workers={self.workers} are processes, and this function can't go to them: "
                f"define it at the top of a module (a lambda can't go), or use workers=1"
            ) from error
        self._pool = ProcessPoolExecutor(self.workers)
        return self._pool.map

    def close(self) -> None:
        pool = self.__dict__.get("_pool")
        if pool is not None:
            pool.shutdown(cancel_futures=True)

    def evaluate(self, points: np.ndarray) -> np.ndarray:
        """The values of [k, n] points; fewer than asked for at the end of the budget or time."""
        self._check_limits()
        if self._seen is not None:
            return self._evaluate_new(points, self._seen)
        return self._evaluate(points)

    def _check_limits(self) -> None:
        if self.left <= 0:
            raise Exhausted
        if time.perf_counter() > self.deadline:
            self.stopped = "seconds"
            raise Exhausted

    def again(self, candidates: Sequence[Candidate]) -> None:
        """Evaluate candidates of a noisy function once more each, as far as the budget goes."""
        assert self.candidates is not None
        self._check_limits()
        candidates = candidates[: self.left]
        values = self._values(self.space.values(np.array([c.x for c in candidates])))
        self.done += len(values)
        for candidate, value in zip(candidates, values, strict=False):
            if np.isfinite(value):
                self.candidates.again(candidate, float(value))
        self._choose()
        self._tell()

    def keep(self, share: float) -> Callable[[], None]:
        """Keep a share of the budget and of the time back; what is returned releases it."""
        evaluations = min(MOST_KEPT, int(share * self.budget))
        seconds = 0.0
        if self.deadline < math.inf:
            seconds = share * max(0.0, self.deadline - time.perf_counter())
        self.budget -= evaluations
        self.deadline -= seconds

        def release() -> None:
            self.budget += evaluations
            self.deadline += seconds

        return release

    def know(self, points: np.ndarray, values: np.ndarray) -> None:
        """Points whose values are known already: they cost nothing."""
        self.warm = True
        self.known = points, self._see(points, values)
        self.done -= len(values)
        if self._seen is not None:
            keys = (row.tobytes() for row in self.space.values(points))
            self._seen.update(zip(keys, self.known[1].tolist(), strict=True))

    def _evaluate(self, points: np.ndarray) -> np.ndarray:
        points = np.ascontiguousarray(points[: self.left])
        values = self._values(self.space.values(points))
        values = self._see(points[: len(values)], values)
        self._tell()
        return values

    def _evaluate_new(self, points: np.ndarray, seen: dict[bytes, float]) -> np.ndarray:
        """The same, without evaluating what was seen before."""
        keys = [row.tobytes() for row in self.space.values(points)]
        new = {key: i for i, key in reversed(list(enumerate(keys))) if key not in seen}
        if new:
            rows = sorted(new.values())
            values = self._evaluate(points[rows])
            seen.update(zip((keys[i] for i in rows), values.tolist(), strict=False))
            self._in_vain = 0
        elif len(seen) >= self.space.size or self._in_vain > IN_VAIN:
            self.stopped = "everything"
            raise Exhausted
        self._in_vain += len(points) - len(new)
        known = list(itertools.takewhile(lambda v: v is not None, map(seen.get, keys)))
        return np.array(known, float)

    def _tell(self) -> None:
        if self.callback is not None and self.callback(self) is True:
            self.stopped = "callback"
            self.budget = self.done
            raise Exhausted

    @property
    def _bad(self) -> float:
        """What a value that is not finite counts as: worse than all that were seen."""
        if self.worst == -math.inf:
            return 1e100
        return min(HUGE, self.worst + (self.worst - min(self.best, self.worst)) + 1.0)

    def _values(self, points: np.ndarray) -> np.ndarray:
        """What the function returns for the variables at some points; at least for the first."""
        if self.compiled is not None:
            return self._batch(points)
        with usual_threads():
            return self._called(points)

    def _called(self, points: np.ndarray) -> np.ndarray:
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
        return self._one_by_one(points)

    def _one_by_one(self, points: np.ndarray) -> np.ndarray:
        """Of a plain function, until the time is over."""
        given = [self.space.given(row) for row in points]
        found: list[float] = []
        results = iter(self._map(self.f, given))
        try:
            for _ in given:
                found.append(_number(next(results)))
                if time.perf_counter() > self.deadline:
                    self.stopped = "seconds"
                    break
        except Exception as error:
            self._see(points[: len(found), self.space.free], np.array(found))
            self.fail(f"{_why(error)}, at {shown(given[len(found)])}")
        return np.array(found)

    @functools.cached_property
    def _compiled_batch(self) -> Any:
        from treewright.apps.functions.splitting import Splitting
        from treewright.library.program import Program

        assert self.compiled is not None
        domain = Splitting(self.compiled, self.space.bounds)
        text = Path(__file__).parent / "batch_kernel.py"
        batch = Program(domain, (text,), "batch")
        return functools.partial(batch.call, np.zeros(1, domain.state), batch.tables, np.zeros(1))

    def _batch(self, points: np.ndarray) -> np.ndarray:
        out = np.empty(len(points))
        self._compiled_batch(points, out)
        return out

    def _see(self, points: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Remember the best; the values as methods see them: finite, and with the penalty."""
        finite = np.isfinite(values)
        self.worst = max(self.worst, float(values[finite].max(initial=-math.inf)))
        allowed, found = finite, np.where(finite, values, self._bad).clip(-HUGE, HUGE)
        if self._penalty is not None and len(values):
            broken = self._broken(self._penalty, points)
            found = self._penalty.added(found, broken, self.best)
            allowed = finite & (broken == 0)
            self._nearest(points, broken)
        if self.candidates is not None:
            for x, value in zip(points[allowed], values[allowed], strict=True):
                self.candidates.see(x, float(value))
            self.done += len(values)
            self._choose()
            return found
        ranked = np.where(allowed, values, math.inf)
        at = int(np.argmin(ranked)) if len(values) else 0
        if len(values) and ranked[at] < self.best:
            self.best, self.best_x = float(values[at]), points[at].copy()
            self.curve.append((self.done + at + 1, self.best))
        self.done += len(values)
        return found

    def _broken(self, penalty: Penalty, points: np.ndarray) -> np.ndarray:
        """By how much each point breaks the constraints."""
        found = np.empty(len(points))
        for i, row in enumerate(self.space.values(points)):
            x = self.space.given(row)
            try:
                found[i] = penalty.broken(x)
            except OptionError:
                raise
            except Exception as error:
                self.fail(f"a constraint raised {type(error).__name__}: {error}, at {shown(x)}")
        return found

    def _nearest(self, points: np.ndarray, broken: np.ndarray) -> None:
        """Until a point is allowed, the one that breaks least is the best."""
        at = int(np.argmin(broken))
        if broken[at] < self.least_broken:
            self.least_broken = float(broken[at])
            if self.best == math.inf:
                self.best_x = points[at].copy()

    def _choose(self) -> None:
        """The best of the candidates, by its mean."""
        if self.candidates is not None and self.candidates.all:
            found = self.candidates.best
            if found.mean != self.best:
                self.best, self.best_x = found.mean, found.x
                self.curve.append((self.done, self.best))

    def note(self, x: np.ndarray, value: float, evaluations: int) -> None:
        """What a kernel has evaluated by itself: so many points, and the best of them."""
        self.done += evaluations
        if math.isfinite(value) and value < self.best:
            self.best, self.best_x = value, x.copy()
            self.curve.append((self.done, value))

    def fail(self, why: str) -> None:
        raise FunctionError(f"{why} (evaluation {self.done + 1})")


def shown(x: Sequence[Any] | np.ndarray) -> str:
    """A point for a message: at most six variables."""
    numbers = [f"{v:.6g}" if isinstance(v, float) else repr(v) for v in list(x)[:6]]
    return "x = [" + ", ".join(numbers) + (", …]" if len(x) > 6 else "]")


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise _NotANumber(f"the function must return a number, not {value!r:.60}") from None


def _why(error: Exception) -> str:
    from concurrent.futures.process import BrokenProcessPool

    if isinstance(error, _NotANumber):
        return str(error)
    if isinstance(error, BrokenProcessPool):
        return "a worker process was ended, by the system or by the function"
    return f"the function raised {type(error).__name__}: {error}"


def plain(f: Callable[[np.ndarray], float]) -> Any:
    """A plain function as the interpreted kernel calls it."""

    def call(x: Any, t: Any, work: Any) -> float:
        return float(f(np.array(x)))

    return call
