"""CEC 2014 against an independent implementation, and the methods that minimise."""

import math
import os
from importlib.util import find_spec

import numpy as np
import pytest

import treewright as tw
from treewright.apps.functions import cec2014
from treewright.apps.functions.asking import Asking
from treewright.apps.functions.minimize import METHODS, cec_bounds, cec_function, scipy_method
from treewright.apps.functions.objective import FunctionError, Objective

if find_spec("opfunu") is None:  # found, never imported: it asks for more than its data
    pytest.skip("the data of CEC 2014 comes with the extra cec", allow_module_level=True)
BOX = [(-5.0, 3.0)] * 3


def sphere(x):
    return float(((x - 1) ** 2).sum())


def many(x):
    return ((x - 1) ** 2).sum(axis=1)


def values(number, dim, points):
    objective = Objective(cec_function(number, dim), cec_bounds(dim), budget=10**6)
    return objective.evaluate(points) + 100.0 * number


@pytest.mark.parametrize("dim", [2, 10, 30, 50, 100])
def test_every_optimum_has_its_bias(dim):
    for number in range(1, 31):
        if dim == 2 and (17 <= number <= 22 or number > 28):
            with pytest.raises(tw.OptionError, match="not defined in 2 dimensions"):
                cec2014.tables(number, dim)
            continue
        t = cec2014.tables(number, dim)
        arguments = (dim, t["shift"], t["rotation"], t["shuffle"], np.zeros(6 * dim))
        assert cec2014.error(number, t["shift"][0], *arguments) < 1e-12 * 100 * number


@pytest.mark.parametrize("dim", [10])
def test_every_function_agrees_with_another_implementation(dim):
    """minionpy is a wrapper of the organisers' C code."""
    minionpy = pytest.importorskip("minionpy", reason="minionpy is not installed")
    dice = np.random.default_rng(dim)
    points = dice.uniform(-100, 100, (1000, dim))
    for number in range(1, 31):
        theirs = np.array(minionpy.CEC2014Functions(number, dim)(points.tolist()))
        assert values(number, dim, points) == pytest.approx(theirs, rel=1e-9), number


def test_the_centre_of_the_box_is_worth_200_on_compositions():
    for number in range(23, 31):
        found = values(number, 10, np.zeros((1, 10)))[0]
        assert found == pytest.approx(100.0 * number + 200.0, abs=1e-6)


def test_interpreted_and_compiled_functions_agree():
    dice = np.random.default_rng(1)
    point = dice.uniform(-100, 100, 10)
    for number in (1, 6, 12, 19, 22, 26, 29):
        t = cec2014.tables(number, 10)
        plain = cec2014.error(
            number, point, 10, t["shift"], t["rotation"], t["shuffle"], np.zeros(60)
        )
        assert values(number, 10, point[None])[0] - 100 * number == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.parametrize("kind", ["plain", "vectorized"])
def test_methods_on_a_bowl(method, kind):
    f = sphere if kind == "plain" else many
    seen = []

    def counted(x):
        seen.append(np.array(x).reshape(-1, 3))
        return f(x)

    found = tw.minimize(
        counted, BOX, budget=600, method=method, seed=1, vectorized=kind == "vectorized"
    )
    points = np.concatenate(seen)
    assert len(points) == found.nfev == 600
    assert (points >= -5).all()
    assert (points <= 3).all()
    assert found.success
    assert found.fun == sphere(found.x) == min(map(sphere, points))
    assert found.fun < (1e-12 if method in ("runs", "staged") else 0.05)


@pytest.mark.parametrize("method", METHODS)
def test_one_variable(method):
    found = tw.minimize(lambda x: (x[0] - 1) ** 2, [(-5, 5)], budget=1000, method=method, seed=1)
    assert found.fun < 1e-3
    assert abs(found.x[0] - 1) < 0.05


def test_a_numba_function_compiles_into_the_kernel():
    from numba import njit

    @njit
    def bowl(x):
        total = 0.0
        for i in range(len(x)):
            total += (x[i] - 1.0) ** 2
        return total

    plain = tw.minimize(sphere, BOX, budget=300, method="iterated-splitting", seed=3)
    native = tw.minimize(bowl, BOX, budget=300, method="iterated-splitting", seed=3)
    assert native.x == pytest.approx(plain.x)  # both engines split alike
    assert tw.minimize(bowl, BOX, budget=2000, seed=3).fun < 1e-12


def test_iterated_splitting_splits_as_described():
    """One pass, three splits of two dimensions, enough budget: all nine centres are seen."""
    seen = set()

    def f(x):
        seen.add(tuple(np.round(x, 6)))
        return float(x[0] + 2 * x[1])

    options = {"moves": 2, "passes": 1, "splits": 3}
    box = [(0.0, 3.0), (0.0, 6.0)]
    found = tw.minimize(f, box, budget=200, method="iterated-splitting", options=options)
    assert seen == {(x, y) for x in (0.5, 1.5, 2.5) for y in (1.0, 3.0, 5.0)}
    assert found.x.tolist() == [0.5, 1.0]
    options["passes"] = 2
    found = tw.minimize(f, box, budget=400, method="iterated-splitting", options=options)
    assert found.x == pytest.approx([1 / 6, 1 / 3])


def test_iterated_splitting_reproduces_table_iv_where_it_is_deterministic():
    """One pass of three splits sees nearly all 3^10 centres: F26 101.55, F27 134.036."""
    for number, theirs in ((26, 101.55), (27, 134.036)):
        options = {"moves": 10, "passes": 1, "splits": 3}
        found = tw.minimize(
            cec_function(number, 10),
            cec_bounds(10),
            budget=100_000,
            method="iterated-splitting",
            options=options,
        )
        assert found.fun == pytest.approx(theirs, rel=1e-4)


def test_soo_cuts_as_described():
    """The second variable first; what a round has made waits for the next round."""
    seen = []

    def f(x):
        seen.append(tuple(np.round(x, 6)))
        return float(abs(x[0] - 0.2) + 2 * abs(x[1] - 0.9))

    tw.minimize(f, [(0.0, 1.0), (0.0, 1.0)], budget=9, method="soo")
    assert seen[0] == (0.5, 0.5)
    assert seen[1:3] == [(0.5, 0.166667), (0.5, 0.833333)]
    assert seen[3:5] == [(0.166667, 0.833333), (0.833333, 0.833333)]
    # the middle of the first cut, then the best of the second
    assert seen[5:7] == [(0.166667, 0.5), (0.833333, 0.5)]
    assert seen[7:9] == [(0.166667, 0.722222), (0.166667, 0.944444)]


@pytest.mark.parametrize(("number", "theirs"), [(2, 6.343), (10, 130.39), (21, 24694.9)])
def test_soo_reproduces_table_iv(number, theirs):
    found = tw.minimize(cec_function(number, 10), cec_bounds(10), budget=100_000, method="soo")
    assert found.fun == pytest.approx(theirs, rel=1e-4)


def test_the_seed_decides_and_workers_do_not():
    """But for ``runs``, which has several runs at a time then."""
    runs = [
        tw.minimize(sphere, BOX, budget=400, seed=s, workers=w, method="staged")
        for s, w in ((1, 1), (1, 2), (2, 1))
    ]
    assert runs[0].x.tolist() == runs[1].x.tolist() != runs[2].x.tolist()
    mapped = tw.minimize(sphere, BOX, budget=400, seed=1, workers=map, method="staged")
    assert mapped.x.tolist() == runs[0].x.tolist()


def test_callback_time_and_maxiter():
    calls = []

    def stop(x, value):
        calls.append(value)
        return len(calls) == 3

    found = tw.minimize(sphere, BOX, maxiter=500, callback=stop)
    assert found.nfev < 500
    assert found.message == "the callback stopped the search"
    assert tw.minimize(sphere, BOX, maxiter=100).nfev == 100
    assert tw.minimize(sphere, BOX, budget=10**9, seconds=0.2).message == "the time was used up"


@pytest.mark.parametrize("method", list(METHODS))
def test_a_function_that_fails_says_where_and_keeps_the_best(method):
    calls = []

    def fails(x):
        calls.append(np.array(x))
        if len(calls) == 30:
            raise ZeroDivisionError("oh")
        return sphere(x)

    with pytest.raises(FunctionError, match=r"raised ZeroDivisionError: oh, at x = \[") as caught:
        tw.minimize(fails, BOX, budget=200, method=method)
    result = caught.value.result
    assert result.fun == min(sphere(x) for x in calls[:29])
    assert not result.success


@pytest.mark.parametrize("method", list(METHODS))
def test_values_that_are_not_finite_are_kept_away_from(method):
    """A disc of nan, a strip of inf and one of -inf, none of them with the minimum."""

    def holes(x):
        if x[0] < -2:
            return -math.inf
        if x[1] > 2:
            return math.inf
        return math.nan if ((x + 1) ** 2).sum() < 1 else sphere(x)

    found = tw.minimize(holes, BOX, budget=600, method=method, seed=1)
    assert found.nfev == 600
    assert found.success
    assert found.fun == sphere(found.x) < (1e-6 if method in ("runs", "staged") else 0.5)


def test_an_interrupt_before_the_first_value_is_an_interrupt():
    """Such as one while the function is compiled: it is not finite nowhere."""

    def pressed(x):
        raise KeyboardInterrupt

    found = tw.minimize(pressed, BOX, budget=60)
    assert not found.success
    assert found.message == "interrupted"


@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_function_that_is_finite_nowhere(method, value):
    found = tw.minimize(lambda x: value, BOX, budget=60, method=method)
    assert not found.success
    assert found.message == "the function was finite nowhere"
    assert found.fun == math.inf


@pytest.mark.parametrize("method", list(METHODS))
def test_variables_whose_bounds_are_equal_stay(method):
    seen = []

    def f(x):
        seen.append(np.array(x))
        return sphere(x)

    found = tw.minimize(f, [(-5, 3), (2, 2), (-5, 3)], budget=300, method=method, seed=1)
    assert (np.array(seen)[:, 1] == 2).all()
    assert len(found.x) == 3
    assert found.x[1] == 2
    assert found.fun == sphere(found.x) < 1.5
    every = tw.minimize(sphere, [(2, 2), (1, 1)], budget=50, method=method)
    assert (every.fun, every.nfev, every.x.tolist()) == (1.0, 1, [2.0, 1.0])


@pytest.mark.parametrize("method", list(METHODS))
def test_a_budget_of_one(method):
    found = tw.minimize(sphere, BOX, budget=1, method=method)
    assert found.nfev == 1
    assert found.fun == sphere(found.x)


def test_a_function_that_raises_in_a_worker():
    with pytest.raises(FunctionError, match=r"raised ZeroDivisionError: oh, at x = \["):
        tw.minimize(raises, BOX, budget=50, workers=2)


def raises(x):
    raise ZeroDivisionError("oh")


def test_a_worker_that_dies_is_told_in_a_sentence():
    with pytest.raises(FunctionError, match=r"a worker process was ended, .*, at x = \["):
        tw.minimize(leaves, BOX, budget=50, workers=2)


def leaves(x):
    os._exit(3)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "must return a number, not None, at x = "),
        (1j, "must return a number, not 1j, at x = "),
        (np.zeros(2), r"must return a number, not array\(\[0., 0.\]\), at x = "),
    ],
)
def test_what_is_no_number_is_told_in_a_sentence(value, says):
    with pytest.raises(FunctionError, match=says):
        tw.minimize(lambda x: value, BOX, budget=50)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"bounds": [(1, 0)]}, r"bounds\[0\] = \(1, 0\) are reversed"),
        ({"bounds": [(0, 1), (0, math.inf)]}, r"bounds\[1\] = \(0, inf\) must be finite"),
        ({"bounds": [(-1e308, 1e308)]}, r"bounds\[0\] = .* are too far apart"),
        ({"bounds": 3}, "list of .low, high. pairs"),
        ({"bounds": None}, "bounds are needed"),
        ({"budget": 0}, "budget must be"),
        ({"budget": 1.5}, "budget must be"),
        ({"seconds": -1}, "seconds must be above 0"),
        ({"workers": 0}, "workers must be"),
        ({"workers": 2, "f": lambda x: 0.0}, "workers=2 are processes, and this function can't"),
        ({"method": "sooo"}, "did you mean 'soo'"),
        ({"f": 3}, "must be callable"),
        ({"options": {"pases": 3}}, "no option 'pases'"),
        ({"method": "iterated-splitting", "options": {"splits": 1}}, "splits must be"),
        ({"method": "staged", "options": {"parts": ("regoins",)}}, "did you mean 'regions'"),
    ],
)
def test_bad_input(change, says):
    given = {"f": sphere, "bounds": BOX, "budget": 50} | change
    with pytest.raises(tw.OptionError, match=says):
        tw.minimize(given.pop("f"), given.pop("bounds"), **given)


def test_bad_cec_functions():
    for number, dim, says in ((31, 10, "1 to 30"), (1, 11, "2, 10, 30, 50, 100 dimensions")):
        with pytest.raises(tw.OptionError, match=says):
            cec_function(number, dim)


def test_scipy_takes_it_as_a_method():
    from scipy.optimize import minimize

    found = minimize(
        sphere, [0.0] * 3, bounds=BOX, method=scipy_method, options={"budget": 800, "seed": 1}
    )
    assert found.success
    assert found.nfev == 800
    assert found.x == pytest.approx([1.0] * 3, abs=1e-5)


def test_asking_says_what_became_of_the_method(monkeypatch):
    def fail(*arguments, **settings):
        raise ZeroDivisionError("in the method")

    monkeypatch.setattr("treewright.apps.functions.asking.minimize", fail)
    asking = Asking([(-1, 1)])
    asking._thread.join()
    with pytest.raises(ZeroDivisionError, match="in the method"):
        asking.ask()


def test_asking_and_telling():
    asking = Asking(BOX, budget=400, seed=1)
    best = math.inf
    for _ in range(400):
        number, x = asking.ask()
        best = min(best, sphere(x))
        asking.tell(number, sphere(x))
    assert best < 1e-6
    with pytest.raises(tw.OptionError, match="not asked for"):
        asking.tell(0, 1.0)
    out = [asking.ask() for _ in range(5)]  # the budget is over, or values are out: random points
    assert len({tuple(x) for _, x in out}) == 5


def test_optuna_takes_it_as_a_sampler():
    import optuna

    from treewright.apps.functions.sampler import TreewrightSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial):
        x = trial.suggest_float("x", -5, 5)
        y = trial.suggest_int("y", 0, 20)
        z = trial.suggest_float("z", 1e-3, 10, log=True)
        kind = trial.suggest_categorical("kind", ["a", "b"])
        return -((x - 1) ** 2 + (y - 7) ** 2 + math.log(z) ** 2 + (kind == "b"))

    study = optuna.create_study(
        direction="maximize", sampler=TreewrightSampler(n_trials=150, seed=2)
    )
    study.optimize(objective, n_trials=150)
    assert study.best_value > -1.0
    assert study.best_params["y"] in (6, 7, 8)


def test_categories_of_optuna_are_chosen_by_the_method():
    import optuna

    from treewright.apps.functions.sampler import TreewrightSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    wanted = {"a": "blue", "b": None, "c": 3, "d": True}

    def objective(trial):
        found = {
            "a": trial.suggest_categorical("a", ["red", "green", "blue", "white"]),
            "b": trial.suggest_categorical("b", [1.5, None, "x"]),
            "c": trial.suggest_int("c", 1, 9, step=2),
            "d": trial.suggest_categorical("d", [False, True]),
        }
        assert isinstance(found["c"], int)
        return sum(found[k] != wanted[k] for k in wanted) + (trial.suggest_float("x", 0, 1) - 0.3)

    right = 0
    for seed in range(1, 5):
        study = optuna.create_study(sampler=TreewrightSampler(n_trials=120, seed=seed))
        study.optimize(objective, n_trials=120)
        late = [{k: t.params[k] for k in wanted} for t in study.trials[80:]]
        right += sum(found == wanted for found in late)
        assert study.best_value < -0.25
    assert right > 60  # of 160; one in 120 by chance
