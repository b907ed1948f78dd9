"""``tw.minimize``: the shape of SciPy's, with our methods."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.apps.functions import cec2014
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
}
DEFAULT_BUDGET = 10_000
LONG = 5000  # evaluations per dimension from which stages that are planned for the budget pay


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
    options: dict[str, Any] | None = None,
) -> OptimizeResult:
    """Minimise ``f`` inside ``bounds`` with ``budget`` evaluations.

    ``f`` is a plain function of one point; a Numba function, which compiles into the kernel; or,
    with ``vectorized``, a function of an array [points, dimensions].  ``maxiter`` is SciPy's
    name for the budget.  ``method`` is ``runs`` if not given, or ``staged`` with 5,000 evaluations
    per dimension and more.  ``workers`` processes (or a map) evaluate a plain function; the
    result is the same for any number of them.  ``callback(x, fun)`` is told of the best so far and
    stops the search by returning True; ``progress(evaluations, fun)`` only looks.  ``options`` are
    the method's own: ``moves``, ``passes``, ``splits`` and ``c`` of ``iterated-splitting``,
    ``parts`` and ``tree`` of ``staged``, ``tree`` of ``runs``; ``watch`` of the first and the last
    is called after each pass.

    Values that are not finite (nan, inf) count as worse than all others; if there is no other,
    ``success`` is False.  Variables whose two bounds are equal stay as they are.  A function that
    raises ends the search with :class:`FunctionError`, which says at which point and holds the
    best so far as its ``result``.
    """
    if method is not None and method not in METHODS:
        raise OptionError(f"there is no method {method!r}{nearest(method, METHODS)}")
    if bounds is None:
        raise OptionError("bounds are needed: a list of (low, high) pairs")
    if args and not isinstance(f, Compiled):
        f = _with(f, args)
    objective = Objective(
        f,
        bounds,
        budget=budget if budget is not None else maxiter or DEFAULT_BUDGET,
        seconds=seconds,
        workers=workers,
        vectorized=vectorized,
        callback=_told(callback, progress) if callback or progress else None,
    )
    method = method or default_method(objective.n, objective.budget)
    known: dict[str, tuple[str, ...]] = {
        "iterated-splitting": ("moves", "passes", "splits", "c", "watch"),
        "staged": ("parts", "tree"),
        "runs": ("tree", "watch"),
    }
    for name in options or {}:
        if name not in known.get(method, ()):
            raise OptionError(
                f"the method {method!r} has no option {name!r}"
                f"{nearest(name, known.get(method, ()))}"
            )
    started = time.perf_counter()
    try:
        if objective.n:
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


def default_method(dimensions: int, budget: int) -> str:
    """``runs``, which needs no plan, and ``staged`` for very long searches."""
    return "staged" if budget >= LONG * max(1, dimensions) else "runs"


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
        return callback is not None and callback(
            objective.whole(objective.best_x).copy(), objective.best
        )

    return told


def _result(o: Objective, method: str, started: float, success: bool) -> OptimizeResult:
    why = {
        "budget": "the budget was used up",
        "seconds": "the time was used up",
        "callback": "the callback stopped the search",
        "interrupt": "interrupted",
    }
    if success and o.best == math.inf:
        success, o.stopped = False, "the function was finite nowhere"
    return OptimizeResult(
        x=o.whole(o.best_x),
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


def scipy_method(
    fun: Callable[..., float],
    x0: Any,
    args: tuple[Any, ...] = (),
    bounds: Any = None,
    maxiter: int | None = None,
    callback: Callable[..., object] | None = None,
    **options: Any,
) -> Any:
    """For SciPy: ``scipy.optimize.minimize(f, x0, bounds=…, method=scipy_method)``.

    ``options={"budget": …, "seed": …, "method": …}`` reach :func:`minimize`; the start ``x0`` gives
    the number of dimensions only.
    """
    from scipy.optimize import OptimizeResult as SciPyResult

    given = {k: options[k] for k in ("budget", "seed", "method", "seconds") if k in options}
    told = (lambda x, value: callback(x)) if callback else None
    found = minimize(fun, bounds, args=args, maxiter=maxiter, callback=told, **given)
    return SciPyResult({k: v for k, v in found.items() if k != "curve"})


def cec_function(number: int, dim: int) -> Compiled:
    """A CEC 2014 function less its bias, to be minimised in [-100, 100] to the power ``dim``."""
    return Compiled(cec2014.objective, cec2014.tables(number, dim))


def cec_bounds(dim: int) -> list[tuple[float, float]]:
    return [(cec2014.LOW, cec2014.HIGH)] * dim
