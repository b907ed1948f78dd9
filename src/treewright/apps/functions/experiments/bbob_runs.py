"""What the experiment on BBOB runs: our methods and other people's, each counted alike."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.apps.functions.bbob import HIGH, LOW, bbob, optimum
from treewright.apps.functions.minimize import minimize
from treewright.apps.functions.objective import Exhausted
from treewright.errors import MissingExtra
from treewright.workshop.experiments import Row, Settings

MARKS = (10, 30, 100, 300, 1000, 10000)  # evaluations per dimension
EXACT = 1e-8
TARGETS = [10 ** (2 - 0.2 * k) for k in range(51)]  # from 100 to 1e-8
STEPS = (10.0, 1.0, 0.1, 1e-2, 1e-4, 1e-6, EXACT)  # targets of the expected running times
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "runs": ("runs", {}),
    "runs-no-tree": ("runs", {"tree": False}),
    "staged": ("staged", {}),
    "soo": ("soo", {}),
    "la-mcts": ("la-mcts", {}),
}


class Counted:
    """A function of one point that ends a method after its budget, and keeps the best so far."""

    def __init__(self, function: int, n: int, instance: int, budget: int) -> None:
        self.n, self.budget = n, budget
        self.f = bbob(function, n, instance)
        self.constant = optimum(function, instance)  # methods are not to see that 0 is the least
        self.done, self.best = 0, math.inf
        self.marks = {m: math.inf for m in MARKS if m * n <= budget}
        self.hits: list[int] = []  # evaluations after which each of the first steps was reached
        self.inside = 0.0  # seconds of CPU time

    def __call__(self, x: Any, *_: Any) -> float:
        return float(self.many(np.atleast_2d(np.asarray(x, float)))[0])

    def many(self, points: np.ndarray) -> np.ndarray:
        if self.done + len(points) > self.budget:
            raise Exhausted
        began = time.thread_time()
        values = self.f(np.clip(points, LOW, HIGH))
        for value in values:
            self.done += 1
            self.best = min(self.best, float(value))
            for mark in self.marks:
                if self.done <= mark * self.n:
                    self.marks[mark] = self.best
            while len(self.hits) < len(STEPS) and self.best <= STEPS[len(self.hits)]:
                self.hits.append(self.done)
        self.inside += time.thread_time() - began
        return values + self.constant

    def errors(self) -> dict[int, float]:
        """The error after each mark; a method that stops early keeps what it has."""
        return {
            m: max(EXACT, min(v, self.best) if self.done <= m * self.n else v)
            for m, v in self.marks.items()
        }


def counted(method: str, function: int, n: int, instance: int, per: int) -> tuple[Counted, float]:
    """One run of a method, the instance being its seed too; and its CPU seconds beside ``f``."""
    f = Counted(function, n, instance, per * n)
    began = time.thread_time()
    try:
        if method in OURS:
            name, options = OURS[method]
            box = [(LOW, HIGH)] * n
            minimize(f, box, budget=per * n, method=name, seed=instance, options=options)
        else:
            OTHERS[method](f, instance)
    except Exhausted:
        pass
    return f, time.thread_time() - began - f.inside


def run(settings: Settings, seed: int) -> Row:
    """The errors of one run, when it reached which target, and what an evaluation cost beside f.

    The seed is the instance.
    """
    f, seconds = counted(
        str(settings["method"]),
        int(settings["function"]),  # type: ignore[arg-type]
        int(settings["dimensions"]),  # type: ignore[arg-type]
        seed,
        int(settings["per_dimension"]),  # type: ignore[arg-type]
    )
    found = f.errors()
    row: Row = {f"at_{mark}": found.get(mark) for mark in MARKS}
    reached = [sum(error <= target for target in TARGETS) for error in found.values()]
    row["targets"] = sum(reached) / (len(TARGETS) * max(1, len(reached)))
    row |= {f"to_{step:g}": hit for step, hit in zip(STEPS, f.hits, strict=False)}
    return row | {"evaluations": f.done, "overhead_ms": 1000 * seconds / f.done}


def _direct(f: Counted, seed: int) -> None:
    from scipy.optimize import direct

    direct(f, [(LOW, HIGH)] * f.n, maxfun=f.budget, maxiter=10**6, vol_tol=0, len_tol=0)


def _evolution(f: Counted, seed: int) -> None:
    from scipy.optimize import differential_evolution

    for run in range(10**6):  # a converged population begins again
        differential_evolution(f, [(LOW, HIGH)] * f.n, maxiter=10**6, rng=seed + 1000 * run)


def _annealing(f: Counted, seed: int) -> None:
    from scipy.optimize import dual_annealing

    dual_annealing(f, [(LOW, HIGH)] * f.n, maxfun=10**9, maxiter=10**6, rng=seed)


def _shgo(f: Counted, seed: int) -> None:
    from scipy.optimize import shgo

    shgo(
        f,
        [(LOW, HIGH)] * f.n,
        n=64,
        iters=10**4,
        sampling_method="sobol",
        options={"maxfev": f.budget},
    )


def _cma(f: Counted, seed: int) -> None:
    """CMA-ES from the centre, then from random points with a population twice as large."""
    try:
        import cma
    except ImportError:
        raise MissingExtra("CMA-ES of the package cma", "bbob") from None
    rng = np.random.default_rng(seed)
    for run in range(10**6):
        start = np.zeros(f.n) if run == 0 else rng.uniform(LOW, HIGH, f.n)
        settings = {
            "bounds": [LOW, HIGH],
            "verbose": -9,
            "seed": seed + 1 + 1000 * run,
            "popsize": (4 + int(3 * math.log(f.n))) * 2 ** min(run, 9),
        }
        cma.fmin2(f, start, 2.0, settings)


def _nevergrad(f: Counted, seed: int) -> None:
    try:
        import nevergrad
    except ImportError:
        raise MissingExtra("NGOpt of Nevergrad", "bbob") from None
    space = nevergrad.p.Array(shape=(f.n,), lower=LOW, upper=HIGH)
    space.random_state = np.random.RandomState(seed)
    optimizer = nevergrad.optimizers.NGOpt(space, budget=f.budget)
    optimizer.minimize(f)


def _optuna(f: Counted, seed: int) -> None:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(
        lambda trial: f([trial.suggest_float(f"x{i}", LOW, HIGH) for i in range(f.n)]),
        n_trials=f.budget,
    )


OTHERS: dict[str, Callable[[Counted, int], None]] = {
    "direct": _direct,
    "differential-evolution": _evolution,
    "dual-annealing": _annealing,
    "shgo": _shgo,
    "cma-es": _cma,
    "ngopt": _nevergrad,
    "optuna": _optuna,
}
