"""Other people's methods on BBOB: SciPy's, CMA-ES, NGOpt and Optuna's."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.apps.functions.bbob import HIGH, LOW
from treewright.apps.functions.experiments.bbob_counted import Counted
from treewright.errors import MissingExtra


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
        from nevergrad.optimization import metamodel
    except ImportError:
        raise MissingExtra("NGOpt of Nevergrad", "bbob") from None
    # it makes a float of an array of one number, which NumPy 2.4 refuses
    metamodel.float = lambda x: np.asarray(x).item()
    space = nevergrad.p.Array(shape=(f.n,), lower=LOW, upper=HIGH)
    space.random_state = np.random.RandomState(seed)
    optimizer = nevergrad.optimizers.NGOpt(space, budget=f.budget)
    optimizer.minimize(f)


def _optuna(f: Counted, seed: int) -> None:
    import optuna

    _study(f, optuna.samplers.TPESampler(seed=seed))


def _optuna_cma(f: Counted, seed: int) -> None:
    try:
        import cmaes  # noqa: F401 - what Optuna's sampler needs
        import optuna
    except ImportError:
        raise MissingExtra("Optuna's sampler with CMA-ES", "bbob") from None
    _study(f, optuna.samplers.CmaEsSampler(seed=seed))


def _study(f: Counted, sampler: Any) -> None:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=sampler)
    study.optimize(
        lambda trial: f([trial.suggest_float(f"x{i}", LOW, HIGH) for i in range(f.n)]),
        n_trials=f.budget,
    )


METHODS: dict[str, Callable[[Counted, int], None]] = {
    "direct": _direct,
    "differential-evolution": _evolution,
    "dual-annealing": _annealing,
    "shgo": _shgo,
    "cma-es": _cma,
    "ngopt": _nevergrad,
    "optuna": _optuna,
    "optuna-cma": _optuna_cma,
}
