"""``tw.minimize``: the shape of SciPy's, with our methods."""

import contextlib
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.apps.functions import cec2014
from treewright.apps.functions.blas import one_thread
from treewright.apps.functions.lamcts import la_mcts
from treewright.apps.functions.noise import KEPT, MOST_KEPT
from treewright.apps.functions.objective import Compiled, Exhausted, FunctionError, Objective
from treewright.apps.functions.runs import runs
from treewright.apps.functions.soo import soo
from treewright.apps.functions.splitting import iterated_splitting
from treewright.apps.functions.staged import staged
from treewright.errors import OptionError, nearest

METHODS: dict[str, Callable[..., None]] = {
    "runs": runs,
    "staged": staged,
    "iterated-splitting": iterated_splitting,
    "soo": soo,
    "la-mcts": la_mcts,
}
OPTIONS: dict[str, tuple[str, ...]] = {
    "iterated-splitting": ("moves", "passes", "splits", "c", "watch"),
    "staged": ("parts", "tree"),
    "runs": ("tree", "watch"),
    "la-mcts": ("c", "leaf", "tree"),
}
DEFAULT_BUDGET = 10_000
UNLIMITED = 10**15
LONG = 5000  # evaluations per dimension from which stages that are planned for the budget pay,
MANY = 3  # in so many dimensions


class OptimizeResult(dict[str, Any]):
    """What was found, with SciPy's names: x, fun, nfev, nit, success, status, message."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        width = max(map(len, self)) + 1
        return "\n".join(f"{k.rjust(width)}: {v}" for k, v in self.items() if k != "curve")


def minimize(
    f: Any,
    bounds: Any = None,
    *,
    budget: int | None = None,
    method: str | None = None,
    seed: int = 0,
    args: tuple[Any, ...] = (),
    maxiter: int | None = None,
    seconds: float | None = None,
    callback: Callable[..., object] | None = None,
    progress: Callable[[int, float], object] | None = None,
    workers: int | Callable[..., Any] = 1,
    vectorized: bool = False,
    constraints: Any = None,
    noisy: bool = False,
    x0: Any = None,
    known: tuple[Any, Any] | None = None,
    options: dict[str, Any] | None = None,
) -> OptimizeResult:
    """Minimise ``f`` inside ``bounds`` with ``budget`` evaluations.

    ``bounds`` has for each variable a pair (low, high), ``tw.Integer(low, high)`` or
    ``tw.Choice("a", "b", …)``.  ``f`` is a plain function of one point (with choices, of a list);
    a Numba function, which compiles into the kernel; or, with ``vectorized``, a function of an
    array [points, dimensions]; the last two get the number of a choice.  ``maxiter`` is SciPy's
    name for the budget; with ``seconds`` and neither of them, time alone decides.

    ``constraints``: functions of a point that are at most 0 where it is allowed, or SciPy's
    constraints.  ``noisy``: ``f`` differs from call to call, and the point with the best mean is
    looked for; the best points are evaluated again as often as the tree decides.  ``x0``: one
    point or several to be evaluated first.  ``known``: points and their values, which are not
    evaluated again.  ``workers`` processes (or a map) evaluate a plain function; with ``runs``
    several local runs go on at a time then, and otherwise the result is the same for any number.

    ``method`` is ``runs`` if not given, or ``staged`` with 5,000 evaluations per dimension and
    more of a function of three real numbers or more.  ``callback(x, fun)`` is told of the best
    so far and stops the search by returning True; ``progress(evaluations, fun)`` only looks.
    ``options`` are the method's own: ``moves``, ``passes``, ``splits`` and ``c`` of
    ``iterated-splitting``, ``parts`` and ``tree`` of ``staged``, ``tree`` of ``runs``, ``c``,
    ``leaf`` and ``tree`` of ``la-mcts``; ``watch`` of the first and of ``runs`` is called after
    each pass.

    Values that are not finite (nan, inf) count as worse than all others; if there is no other, or
    no point that is allowed, ``success`` is False.  Variables whose two bounds are equal stay as
    they are.  A function that raises ends the search with :class:`FunctionError`, which says
    at which point and holds the best so far as its ``result``.
    """
    if bounds is None:
        raise OptionError("bounds are needed: a list of (low, high) pairs")
    if args and not isinstance(f, Compiled):
        f = _with(f, args)
    unlimited = seconds is not None and budget is None and maxiter is None
    objective = Objective(
        f,
        bounds,
        budget=UNLIMITED
        if unlimited
        else budget
        if budget is not None
        else maxiter or DEFAULT_BUDGET,
        seconds=seconds,
        workers=workers,
        vectorized=vectorized,
        callback=_told(callback, progress) if callback or progress else None,
        constraints=constraints,
        noisy=noisy,
    )
    if method is None:
        plain = not (noisy or unlimited or constraints or objective.space.whole.any())
        method = default_method(objective.n, objective.budget) if plain else "runs"
    _check(method, options or {}, noisy)
    first = _warm(objective, x0, known)
    started = time.perf_counter()
    try:
        with one_thread():
            if len(first):
                objective.warm = True
                objective.evaluate(first)
            if noisy and objective.n:
                _search_and_confirm(objective, METHODS[method], seed, options or {})
            elif objective.n:
                METHODS[method](objective, seed, **(options or {}))
            else:  # nothing to choose
                objective.evaluate(np.zeros((1, 0)))
    except Exhausted:
        pass
    except KeyboardInterrupt:
        objective.stopped = "interrupt"
    except FunctionError as error:
        objective.stopped = str(error)
        error.result = _result(objective, method, started, False)
        if math.isfinite(objective.best):
            found = f"; the best before was {objective.best:g}, in error.result"
            raise _with_result(FunctionError(f"{error}{found}"), error.result) from error.__cause__
        raise
    finally:
        objective.close()
    return _result(objective, method, started, True)


def _search_and_confirm(
    objective: Objective, method: Callable[..., None], seed: int, options: dict[str, Any]
) -> None:
    """Search a noisy function, then evaluate the best points again with what was kept for that."""
    release = objective.keep(KEPT)
    with contextlib.suppress(Exhausted):
        method(objective, seed, **options)
    if objective.stopped == "callback":
        return
    release()
    candidates = objective.candidates
    if candidates is not None and candidates.all:
        for chosen in candidates.rounds(min(objective.left, MOST_KEPT)):
            objective.again(chosen)


def _check(method: str, options: dict[str, Any], noisy: bool) -> None:
    if method not in METHODS:
        raise OptionError(f"there is no method {method!r}{nearest(method, METHODS)}")
    if noisy and method != "runs":
        raise OptionError(f"only the method 'runs' knows noise, not {method!r}")
    known = OPTIONS.get(method, ())
    for name in options:
        if name not in known:
            raise OptionError(f"the method {method!r} has no option {name!r}{nearest(name, known)}")


def _warm(objective: Objective, x0: Any, known: tuple[Any, Any] | None) -> np.ndarray:
    """Tell the objective what is known; the points to be evaluated first."""
    space = objective.space
    if known is not None:
        try:
            points, values = known
            pairs = list(zip(points, np.asarray(values, float).tolist(), strict=True))
        except (TypeError, ValueError):
            raise OptionError(
                "known must be (points, values), as many of one as of the other"
            ) from None
        if pairs:
            rows = np.array([space.point(x, "a known point") for x, _ in pairs])
            objective.know(rows, np.array([value for _, value in pairs]))
    if x0 is None or not len(x0):
        return np.empty((0, objective.n))
    several = isinstance(x0[0], (list, tuple, np.ndarray))
    return np.array([space.point(x, "x0") for x in (x0 if several else [x0])])


def default_method(dimensions: int, budget: int) -> str:
    """``runs``, which needs no plan, and ``staged`` for very long searches of many variables."""
    return "staged" if dimensions >= MANY and budget >= LONG * dimensions else "runs"


def _with_result(error: FunctionError, result: OptimizeResult) -> FunctionError:
    error.result = result
    return error


def _with(f: Any, args: tuple[Any, ...]) -> Any:
    def call(x: np.ndarray) -> Any:
        return f(x, *args)

    return call


def _told(
    callback: Callable[..., object] | None, progress: Callable[[int, float], object] | None
) -> Callable[[Objective], object]:
    def told(objective: Objective) -> object:
        if progress is not None:
            progress(objective.done, objective.best)
        return callback is not None and callback(_point(objective), objective.best)

    return told


def _point(o: Objective) -> Any:
    """The best point so far, as the function gets it."""
    return o.space.given(o.space.values(o.best_x).copy())


def _result(o: Objective, method: str, started: float, success: bool) -> OptimizeResult:
    why = {
        "budget": "the budget was used up",
        "seconds": "the time was used up",
        "callback": "the callback stopped the search",
        "interrupt": "interrupted",
        "everything": "nothing was left that had not been evaluated",
    }
    if success and o.best == math.inf:
        success = False
        if o.stopped != "interrupt":
            o.stopped = "the function was finite nowhere"
        if o.least_broken > 0 and math.isfinite(o.least_broken):
            o.stopped = f"no point was found that is allowed; this one breaks {o.least_broken:.3g}"
    found = OptimizeResult(
        x=_point(o),
        fun=o.best,
        nfev=o.done,
        nit=o.done,
        success=success,
        status=0 if success else 1,
        message=why.get(o.stopped, o.stopped),
        method=method,
        seconds=time.perf_counter() - started,
        curve=o.curve,
    )
    if o.candidates is not None and o.candidates.all:
        best = o.candidates.best
        found |= {"error": o.candidates.error(best), "repeats": best.count}
    return found


def scipy_method(
    fun: Callable[..., float],
    x0: Any,
    args: tuple[Any, ...] = (),
    bounds: Any = None,
    maxiter: int | None = None,
    callback: Callable[..., object] | None = None,
    constraints: Any = (),
    **options: Any,
) -> Any:
    """For SciPy: ``scipy.optimize.minimize(f, x0, bounds=…, method=scipy_method)``.

    ``options={"budget": …, "seed": …, "method": …}`` reach :func:`minimize`; the start ``x0`` is
    evaluated first.
    """
    from scipy.optimize import OptimizeResult as SciPyResult

    given = {k: options[k] for k in ("budget", "seed", "method", "seconds") if k in options}
    told = (lambda x, value: callback(x)) if callback else None
    found = minimize(
        fun,
        bounds,
        args=args,
        maxiter=maxiter,
        callback=told,
        x0=x0,
        constraints=constraints,
        **given,
    )
    return SciPyResult({k: v for k, v in found.items() if k != "curve"})


def cec_function(number: int, dim: int) -> Compiled:
    """A CEC 2014 function less its bias, to be minimised in [-100, 100] to the power ``dim``."""
    return Compiled(cec2014.objective, cec2014.tables(number, dim))


def cec_bounds(dim: int) -> list[tuple[float, float]]:
    return [(cec2014.LOW, cec2014.HIGH)] * dim
