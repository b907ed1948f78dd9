"""Whole numbers, choices, constraints, noise, known points and several workers."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import treewright as tw
from treewright.apps.functions.asking import Asking
from treewright.apps.functions.constraints import read_constraints
from treewright.apps.functions.minimize import METHODS, scipy_method
from treewright.apps.functions.noise import Candidates
from treewright.apps.functions.objective import FunctionError, Objective
from treewright.apps.functions.space import Space

MIXED = [(-5.0, 5.0), tw.Integer(0, 20), tw.Choice("a", "b", "c")]


def mixed(x):
    assert isinstance(x[1], int)
    return (x[0] - 1.3) ** 2 + (x[1] - 7) ** 2 + {"a": 3.0, "b": 0.0, "c": 1.0}[x[2]]


def bowl(x):
    return float(((np.asarray(x) - 1) ** 2).sum())


# ------------------------------------------------------------- whole numbers and choices


@pytest.mark.parametrize("method", METHODS)
def test_every_method_takes_whole_numbers_and_choices(method):
    seen = []

    def f(x):
        seen.append(tuple(x))
        return mixed(x)

    found = tw.minimize(f, MIXED, budget=300, method=method, seed=1)
    assert found.nfev == len(seen) <= 300
    assert len(set(seen)) == len(seen)  # nothing twice
    assert all(0 <= k <= 20 and c in "abc" for _, k, c in seen)
    assert found.fun == mixed(found.x) == min(map(mixed, seen))
    if method == "runs":
        assert found.fun < 1e-12
        assert found.x[1:] == [7, "b"]


def test_what_is_whole_is_searched_to_the_end():
    found = tw.minimize(lambda x: abs(x[0] - 3) + abs(x[1] + 2), [tw.Integer(-4, 4)] * 2)
    assert (found.nfev, found.fun, found.x.tolist()) == (81, 0.0, [3.0, -2.0])
    assert found.message == "nothing was left that had not been evaluated"


def test_many_bits():
    found = tw.minimize(lambda x: 30 - sum(x), [tw.Integer(0, 1)] * 30, budget=1500, seed=1)
    assert found.fun == 0


def test_a_space_rounds_and_names():
    space = Space(MIXED)
    assert space.low.tolist() == [-5.0, -0.5, -0.5]
    assert space.high.tolist() == [5.0, 20.5, 2.5]
    for corner, values in ((space.low, [-5.0, 0, "a"]), (space.high, [5.0, 20, "c"])):
        assert space.given(space.values(corner)) == values
    dice = np.random.default_rng(1)
    counts = np.unique(space.values(dice.uniform(space.low, space.high, (30000, 3)))[:, 2], True)
    assert len(counts[0]) == 3
    assert Space([tw.Integer(1, 3), tw.Choice(True, False)]).size == 6
    assert Space([tw.Integer(2, 2), tw.Choice("x"), (1, 1)]).n == 0


def test_nothing_to_choose():
    found = tw.minimize(lambda x: 5.0, [tw.Integer(2, 2), tw.Choice("x"), (1, 1)])
    assert (found.x, found.fun, found.nfev) == ([2, "x", 1.0], 5.0, 1)


def test_arrays_of_points_have_the_number_of_a_choice():
    def many(points):
        return (points[:, 2] - 1) ** 2 + (points[:, 1] - 4) ** 2 + points[:, 0] ** 2

    found = tw.minimize(many, MIXED, budget=200, vectorized=True, seed=1)
    assert found.x[1:] == [4, "b"]


def test_asking_for_choices():
    asking = Asking(MIXED, budget=60, seed=1)
    for _ in range(60):
        number, x = asking.ask()
        asking.tell(number, mixed(x))


# ------------------------------------------------------------- constraints


def rosenbrock(x):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def disc(x):
    return x[0] ** 2 + x[1] ** 2 - 1


def test_the_valley_in_a_disc():
    found = tw.minimize(rosenbrock, [(-1.5, 1.5)] * 2, budget=800, constraints=disc, seed=1)
    assert found.success
    assert disc(found.x) <= 1e-9
    assert found.fun == pytest.approx(0.0456748, abs=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_keeps_to_constraints(method):
    limits = [lambda x: x[0] ** 2 - x[1], lambda x: x[0] + x[1] - 2]
    found = tw.minimize(
        lambda x: (x[0] - 2) ** 2 + (x[1] - 1) ** 2,
        [(-3, 3)] * 2,
        budget=600,
        method=method,
        constraints=limits,
        seed=1,
    )
    assert found.success
    assert all(limit(found.x) <= 1e-9 for limit in limits)
    assert 1 - 1e-6 <= found.fun <= 5


def test_the_constraints_of_scipy():
    from scipy.optimize import LinearConstraint, NonlinearConstraint, minimize

    given = [
        NonlinearConstraint(lambda x: x[0] * x[1], 2, math.inf),
        LinearConstraint([[1, 1], [1, -1]], [-1, 0], [1, 0]),
        {"type": "ineq", "fun": lambda x, least: x[0] - least, "args": (5,)},
        {"type": "eq", "fun": lambda x: x[0] - 4},
    ]
    broken = [read(np.array([1.0, 1.0])).tolist() for read in read_constraints(given)]
    assert broken == [[1.0], [1.0, 0.0], [4.0], [3.0]]
    found = minimize(
        bowl,
        [0.0, 0.0],
        bounds=[(-2, 2)] * 2,
        method=scipy_method,
        constraints={"type": "ineq", "fun": lambda x: -x[0]},
        options={"budget": 400},
    )
    assert found.fun == pytest.approx(1.0, abs=1e-3)


def test_no_point_is_allowed_or_one_is():
    never = tw.minimize(bowl, [(0, 1)], constraints=lambda x: 1 + x[0], budget=80)
    assert not never.success
    assert never.message == "no point was found that is allowed; this one breaks 1"
    assert never.x[0] == 0.0
    one = tw.minimize(bowl, [tw.Integer(0, 9)] * 2, constraints=lambda x: 18 - sum(x), budget=200)
    assert one.x.tolist() == [9, 9]
    nan = tw.minimize(bowl, [(0, 1)], constraints=lambda x: math.nan, budget=50)
    assert not nan.success


def test_a_constraint_that_raises_says_where_and_keeps_the_best():
    def allowed(x):
        return math.log(x[0] + 1) if x[0] > -0.5 else 1 / 0

    with pytest.raises(FunctionError, match=r"a constraint raised ZeroDivisionError.*, at x = \["):
        tw.minimize(bowl, [(-5, 5)] * 2, budget=200, constraints=allowed, seed=1)
    with pytest.raises(tw.OptionError, match="a constraint must return a number"):
        tw.minimize(bowl, [(-5, 5)] * 2, budget=20, constraints=lambda x: None)


@pytest.mark.parametrize("method", list(METHODS))
def test_a_constraint_that_is_broken_infinitely(method):
    given = {"budget": 60, "method": method}
    found = tw.minimize(bowl, [(-5, 5)] * 2, constraints=lambda x: math.inf, **given)
    assert found.nfev == 60
    assert found.message.startswith("no point was found that is allowed")


def test_a_function_that_is_nan_where_constraints_are_broken():
    found = [
        tw.minimize(
            lambda x: bowl(x) if x[0] > 0.5 else math.nan,
            [(-5, 5)] * 2,
            constraints=lambda x: 0.5 - x[0],
            budget=300,
            seed=seed,
        ).fun
        for seed in range(7)
    ]
    assert np.median(found) < 1e-6
    assert max(found) < 1e-4


# ------------------------------------------------------------- noise


def noisy(deviation, seed):
    dice = np.random.default_rng(seed)
    return lambda x: bowl(x) + float(dice.normal()) * deviation


def test_the_tree_decides_how_often_points_of_a_noisy_function_are_evaluated_again():
    points, measured = [], noisy(1.0, 1)

    def f(x):
        points.append(tuple(x))
        return measured(x)

    found = tw.minimize(f, [(-5, 5)] * 2, budget=600, noisy=True, seed=1)
    assert found.nfev == len(points) == 600
    repeated = len(points) - len(set(points))
    assert 5 < repeated < 300
    assert found.repeats <= points.count(tuple(found.x)) - 1  # runs come to a point again too
    assert bowl(found.x) < 0.5


def test_without_noise_repeats_do_not_pay():
    found = tw.minimize(noisy(0.0, 1), [(-5, 5)] * 2, budget=300, noisy=True, seed=1)
    assert found.repeats < 20
    assert found.fun < 1e-3


def test_repeats_without_the_tree():
    found = tw.minimize(
        noisy(1.0, 2), [(-5, 5)] * 2, budget=300, noisy=True, options={"tree": False}
    )
    assert found.nfev == 300
    assert bowl(found.x) < 5


@pytest.mark.parametrize("tree", [True, False])
def test_the_value_of_a_noisy_result_is_a_mean_of_repeats(tree):
    found = tw.minimize(
        noisy(1.0, 3), [(-5, 5)] * 2, budget=100, noisy=True, seed=1, options={"tree": tree}
    )
    assert found.nfev == 100
    assert found.repeats >= 2
    assert np.isfinite(found.error)


def test_a_callback_that_stops_a_noisy_search_ends_it_at_once():
    calls, said = [], []

    def f(x):
        calls.append(x)
        return float(x @ x)

    def enough(x, value):
        said.append((len(calls), len(calls) >= 20))
        return said[-1][1]

    found = tw.minimize(f, [(-5, 5)] * 2, budget=100, noisy=True, callback=enough)
    assert found.message == "the callback stopped the search"
    assert found.nfev == len(calls)
    assert [done for done, stop in said if stop] == [len(calls)]


def test_candidates_know_their_noise():
    dice = np.random.default_rng(3)
    found = Candidates()
    for x in range(12):
        found.see(np.array([float(x)]), float(x))
    assert len(found.all) == 8
    assert found.doubt(found.all[0]) == 1.0
    for candidate in found.all:
        for value in candidate.x[0] + dice.normal(0, 0.5, 200):
            found.again(candidate, float(value))
    assert found.noise == pytest.approx(0.5, rel=0.1)
    assert found.best.x[0] == 0.0
    assert found.doubt(found.best) < 0.01


# ------------------------------------------------------------- known points


def test_points_to_begin_with():
    seen = []

    def f(x):
        seen.append(list(x))
        return bowl(x)

    tw.minimize(f, [(-5, 5)] * 2, budget=20, x0=[0.9, 1.1])
    assert seen[0] == [0.9, 1.1]
    seen.clear()
    tw.minimize(f, [(-5, 5)] * 2, budget=20, x0=[[2.0, 2.0], [0.0, 9.0]])
    assert seen[:2] == [[2.0, 2.0], [0.0, 5.0]]


@pytest.mark.parametrize("method", METHODS)
def test_known_points_cost_nothing_and_are_not_evaluated_again(method):
    seen = []

    def f(x):
        seen.append(list(x))
        return bowl(x) + 1.0

    known = ([[1.0, 1.0], [4.0, 4.0]], [1.0, 19.0])
    found = tw.minimize(f, [(-5, 5)] * 2, budget=40, known=known, method=method)
    assert found.nfev == len(seen) == 40
    assert found.fun == 1.0
    assert found.x.tolist() == [1.0, 1.0]


def test_a_search_goes_on_where_another_one_ended():
    first = tw.minimize(rosenbrock, [(-5, 5)] * 2, budget=40, seed=1)
    on = tw.minimize(rosenbrock, [(-5, 5)] * 2, budget=60, known=([first.x], [first.fun]), seed=2)
    assert on.fun < 0.1 * first.fun or on.fun < 1e-9


# ------------------------------------------------------------- workers and limits


def test_several_workers_have_several_runs_at_a_time():
    def sizes(workers):
        found = []

        def mapped(f, points):
            found.append(len(points))
            return map(f, points)

        objective = Objective(bowl, [(-5, 5)] * 3, budget=200, workers=workers)
        objective.__dict__["_map"] = mapped
        METHODS["runs"](objective, 1)
        return found, objective

    alone, first = sizes(1)
    four, second = sizes(4)
    assert sum(alone) == sum(four) == 200
    assert len(four) < 0.5 * len(alone)
    assert min(four[1:-1]) >= 3  # hardly a worker is idle
    assert max(first.best, second.best) < 1e-6


def test_the_same_number_of_workers_gives_the_same_result():
    found = [tw.minimize(bowl, [(-5, 5)] * 2, budget=60, seed=1, workers=2) for _ in range(2)]
    assert found[0].x.tolist() == found[1].x.tolist()


def test_time_alone_may_decide():
    found = tw.minimize(lambda x: x[0], [(0, 1)], seconds=0.05)
    assert found.message == "the time was used up"
    assert found.method == "runs"


@pytest.mark.parametrize(
    ("method", "noisy"), [("runs", True), ("runs", False), ("staged", False), ("la-mcts", False)]
)
def test_time_ends_between_two_points_that_are_evaluated_together(monkeypatch, method, noisy):
    """Slow functions run on by one evaluation at the most."""
    now = [0.0]
    clock = SimpleNamespace(perf_counter=lambda: now[0])
    monkeypatch.setattr("treewright.apps.functions.objective.time", clock)

    def slow(x):
        now[0] += 0.125
        return bowl(x)

    found = tw.minimize(slow, [(-5, 5)] * 2, seconds=2, noisy=noisy, method=method, seed=1)
    assert now[0] == 2.125
    assert found.nfev == 17
    assert found.message == "the time was used up"


def test_la_mcts_learns_where_to_sample():
    found = tw.minimize(bowl, [(-5, 5)] * 5, budget=600, method="la-mcts", seed=1)
    assert found.fun < 0.1
    off = tw.minimize(
        bowl, [(-5, 5)] * 5, budget=600, method="la-mcts", seed=1, options={"tree": False}
    )
    assert off.nfev == 600


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"bounds": [tw.Choice("a"), 3]}, r"bounds\[1\] is 3"),
        ({"bounds": [(0, 1, 2)]}, r"bounds\[0\] is \(0, 1, 2\)"),
        ({"constraints": 3}, "at most 0 where a point is allowed"),
        ({"constraints": [{"type": "le", "fun": bowl}]}, "at most 0 where a point is allowed"),
        ({"noisy": True, "method": "soo"}, "only the method 'runs' knows noise"),
        ({"x0": [1.0]}, "x0 must have 2 variables"),
        ({"x0": [math.nan, 1.0]}, "x0 must be finite"),
        ({"known": [[0.0, 0.0]]}, "known must be"),
        ({"known": ([[0.0, 0.0]], [1.0, 2.0])}, "known must be"),
        ({"method": "la-mcts", "options": {"leaf": 1}}, "leaf must be"),
    ],
)
def test_bad_input(change, says):
    given = {"bounds": [(-1, 1)] * 2, "budget": 20} | change
    with pytest.raises(tw.OptionError, match=says):
        tw.minimize(bowl, given.pop("bounds"), **given)


def test_bad_variables():
    with pytest.raises(tw.OptionError, match="whole numbers"):
        tw.Integer(0, 1.5)
    with pytest.raises(tw.OptionError, match="reversed"):
        tw.Integer(2, 1)
    with pytest.raises(tw.OptionError, match="at least one"):
        tw.Choice()
    with pytest.raises(tw.OptionError, match="x0 must have 1 variables"):
        tw.minimize(lambda x: 0.0, [tw.Choice("a", "b")], x0=["c"])


def test_a_choice_that_fails_is_named():
    def f(x):
        raise ValueError("no")

    with pytest.raises(FunctionError, match=r"at x = \[0, 10, 'b'\]"):
        tw.minimize(f, MIXED, budget=10)
