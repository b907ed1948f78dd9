"""Local runs shared out by a tree, their model, and the functions of BBOB."""

import numpy as np
import pytest

import treewright as tw
from treewright.apps.functions import archive, axes
from treewright.apps.functions import shared as runs
from treewright.apps.functions.archive import Archive
from treewright.apps.functions.axes import axis_steps
from treewright.apps.functions.bbob import FUNCTIONS, bbob, optimum
from treewright.apps.functions.experiments import bbob_others, bbob_ranks
from treewright.apps.functions.experiments.bbob import EXPERIMENT
from treewright.apps.functions.experiments.bbob_counted import EXACT, STEPS
from treewright.apps.functions.experiments.bbob_runs import counted
from treewright.apps.functions.local import Gaussian, bfgs_steps
from treewright.apps.functions.minimize import default_method
from treewright.apps.functions.model import in_ball, lowest, model_steps
from treewright.apps.functions.objective import Objective
from treewright.apps.functions.run import Run
from treewright.apps.functions.steps import evaluated
from treewright.apps.functions.surrogate import Modelled
from treewright.workshop.experiments import code
from treewright.workshop.experiments.code import code_of

SOLVERS = ("model", "bfgs", "lq-cma-es", "axes", "ridge", "l-shade")


def shared(f, n=3, budget=1000):
    objective = Objective(f, [(-5.0, 5.0)] * n, budget=budget)
    objective.evaluate(np.zeros((1, n)))
    return runs.Shared(objective, np.random.default_rng(1))


def test_the_step_of_a_model_is_the_lowest_in_ball_and_box():
    dice = np.random.default_rng(2)
    for _ in range(30):
        n = int(dice.integers(1, 6))
        half = dice.standard_normal((n, n))
        hessian, gradient = half + half.T, dice.standard_normal(n)
        step = in_ball(gradient, hessian, 1.0)
        assert np.linalg.norm(step) <= 1 + 1e-9
        others = dice.standard_normal((2000, n))
        others /= np.maximum(1.0, np.linalg.norm(others, axis=1))[:, None]
        value = others @ gradient + 0.5 * ((others @ hessian) * others).sum(axis=1)
        assert gradient @ step + 0.5 * step @ hessian @ step <= 0.9 * value.min()
        boxed = lowest(gradient, hessian, np.full(n, -0.1), np.full(n, 0.2))
        assert ((boxed >= -0.1) & (boxed <= 0.2)).all()


def test_a_model_finds_the_minimum_of_a_quadratic():
    dice = np.random.default_rng(3)
    half = dice.standard_normal((4, 4))
    matrix, best = half @ half.T + np.eye(4), dice.uniform(0.2, 0.8, 4)
    made = 0

    def f(points):
        nonlocal made
        made += len(points)
        return (((points - best) @ matrix) * (points - best)).sum(axis=1)

    for step in evaluated(model_steps(dice, np.full(4, 0.5), 0.2), f):
        if step.value < 1e-10:
            break
    assert made < 80


def after_the_opening(f, n, budget, tree):
    """What each solver gets of the evaluations that are shared out."""
    spent = dict.fromkeys(SOLVERS, 0)
    spend = runs.Shared.spend

    def watched(self, chosen):
        before = self.objective.done
        worth = spend(self, chosen)
        if before >= runs.OPENING * n:
            spent[self.solvers[chosen[1]]] += self.objective.done - before
        assert 0 <= worth <= 1
        return worth

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs.Shared, "spend", watched)
        tw.minimize(f, [(-4, 5)] * n, budget=budget, method="runs", options={"tree": tree})
    return {name: count / sum(spent.values()) for name, count in spent.items()}


def test_the_tree_gives_the_evaluations_to_the_run_that_gains():
    """In a long curved valley BFGS is ahead of the others."""
    n = 8

    def valley(x):
        return float(sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in range(n - 1)))

    assert after_the_opening(valley, n, 120 * n, tree=True)["bfgs"] > 0.65
    assert max(after_the_opening(valley, n, 120 * n, tree=False).values()) < 0.6


def test_a_search_begins_with_the_model_and_goes_on_with_cma_es():
    """Until the opening is over there is one solver to choose, with a tree and without."""
    n = 5
    turned = np.linalg.qr(np.random.default_rng(6).standard_normal((n, n)))[0] * 10.0 ** np.arange(
        n
    )
    chosen = []
    spend = runs.Shared.spend

    def watched(self, pair):
        chosen.append((self.objective.done / n, self.solvers[pair[1]]))
        return spend(self, pair)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs.Shared, "spend", watched)
        for tree in (True, False):
            chosen.clear()
            tw.minimize(
                lambda x: float(np.sum((x @ turned) ** 2)) ** 0.2,
                [(-4, 5)] * n,
                budget=runs.OPENING * n,
                options={"tree": tree},
            )
            first = {name for at, name in chosen if at < runs.MODEL_FIRST}
            later = [name for at, name in chosen if at >= runs.MODEL_FIRST]
            assert "model" in first
            assert "lq-cma-es" not in first
            assert later.count("lq-cma-es") > 0.8 * len(later)


def test_parts_are_split_where_good_and_bad_samples_differ():
    found = shared(lambda x: float(x[0]), n=2, budget=2000)
    dice = np.random.default_rng(4)
    found.evaluate(dice.uniform(0, 1, (400, 2)))
    found.learn()
    assert len(found.parts) == 4
    found.finished.append(0.0)
    good, bad = (found._begin_at(place) for place in (runs.PARTS, runs.PARTS + 3))
    assert good[0] < 0.5 < bad[0]


def test_many_dimensions_do_without_the_model():
    assert "model" not in shared(lambda x: float(x @ x), n=40).solvers
    found = tw.minimize(lambda x: float(x @ x), [(-4, 5)] * 40, budget=600, method="runs")
    assert found.fun < 1e-6


def test_which_method_is_the_default():
    assert default_method(10, 10_000) == "runs"
    assert default_method(10, 100_000) == "staged"
    assert default_method(2, 100_000) == "runs"
    assert tw.minimize(lambda x: float(x @ x), [(-4, 5)] * 2, budget=100).method == "runs"


def test_a_population_begins_when_the_search_is_long_and_each_lives_twice_as_long():
    found = shared(lambda x: float(np.sum(np.sin(7 * x) + x * x)), n=2, budget=10_000)
    assert found.solvers.index("l-shade") not in found.actions([runs.EVERYWHERE])
    found.evaluate(np.random.default_rng(1).uniform(0, 1, (runs.VERY_LONG * 2, 2)))
    assert runs.EVERYWHERE in found.actions([])
    population = found.solvers.index("l-shade")
    assert population in found.actions([runs.EVERYWHERE])
    lives = []
    for _ in range(2):
        run, before = found._run(runs.EVERYWHERE, population), found.objective.done
        while not run.ended:
            found.spend([runs.EVERYWHERE, population])
        lives.append(found.life)
        assert found.objective.done - before <= found.life
    assert lives == [2 * runs.LIFE, 4 * runs.LIFE]


def test_searches_along_the_axes_solve_a_sum_with_many_minima():
    """In one pass, nearly: most variables are in the valley of the best, where CMA-ES is not."""
    best = np.random.default_rng(7).uniform(0.2, 0.8, 8)

    def rugged(points):
        x = 10 * (points - best)
        return (x * x + 10 * (1 - np.cos(2 * np.pi * x))).sum(axis=1)

    made = []

    def f(points):
        made.extend(points)
        return rugged(points)

    *_, last = evaluated(axis_steps(np.random.default_rng(1), np.full(8, 0.5)), f)
    assert (np.abs(10 * (last.x - best)) < 0.5).sum() >= 6
    assert len(made) == 1 + 8 * axes.ALONG
    assert ((np.array(made) >= 0) & (np.array(made) <= 1)).all()
    other = Gaussian(np.random.default_rng(1), np.full(8, 0.5), 0.2)
    assert last.value < [step.value for step in evaluated(other.steps(), rugged)][-1]


def test_a_search_along_an_axis_ends_where_nothing_is_left():
    *_, last = evaluated(axis_steps(np.random.default_rng(1), np.zeros(1)), lambda p: p[:, 0] * 0)
    assert last.value == 0


def test_the_model_grows_while_it_steps():
    """The first steps come before there are 2 n + 1 points, and gain something."""
    dice, made = np.random.default_rng(8), []

    def f(points):
        made.extend(points)
        return points.sum(axis=1)  # each first step along an axis is the wrong way

    for step in evaluated(model_steps(dice, np.full(6, 0.5), 0.1), f):
        if step.value < 2.0:
            break
    assert len(made) < 2 * 6 + 6


def test_a_model_spares_cma_es_most_evaluations():
    """In a turned valley; where it says nothing, most points are evaluated."""
    dice = np.random.default_rng(5)
    turned = np.linalg.qr(dice.standard_normal((4, 4)))[0] * [1.0, 5.0, 20.0, 100.0]
    best = dice.uniform(0.2, 0.8, 4)

    def valley(points):
        return (((points - best) @ turned) ** 2).sum(axis=1)

    def noise(points):
        return dice.random(len(points))

    def made(f, kind, steps):
        samples = Archive(np.empty((0, 4)), np.empty(0))

        def evaluate(points):
            values = f(points)
            samples.add(points, values)
            return values

        solver = kind(np.random.default_rng(1), np.full(4, 0.5), 0.2, 8)
        for count, step in enumerate(evaluated(solver.steps(), evaluate), 1):
            assert step.value == samples.values.min()
            if step.value < 1e-8 or count == steps:
                break
        return len(samples)

    assert 3 * made(valley, Modelled, 10**4) < made(valley, Gaussian, 10**4)
    assert made(noise, Modelled, 20) > 0.8 * 20 * 8


def test_an_archive_keeps_the_latest_samples_and_fewer_old_ones():
    samples = Archive(np.empty((0, 2)), np.empty(0))
    for i in range(0, 12_000, 3):
        values = np.arange(i, i + 3.0)
        samples.add(np.stack([values, -values], axis=1), values)
    assert len(samples) == len(samples.values) <= archive.MOST
    assert (samples.points[:, 0] == samples.values).all()
    assert (samples.points[:, 1] == -samples.values).all()
    assert (samples.values[-archive.LATEST :] == np.arange(12_000 - archive.LATEST, 12_000)).all()
    assert (np.diff(samples.values) > 0).all()
    assert 0 < (samples.values < 3000).sum() < (samples.values > 9000).sum()


def test_where_cma_es_has_a_model():
    """Of smooth functions in at most thirty dimensions."""
    assert "lq-cma-es" in shared(lambda x: float(x @ x), n=30).solvers
    assert "lq-cma-es" not in shared(lambda x: float(x @ x), n=31).solvers
    for bounds, noisy in (([(0.0, 1.0), tw.Integer(1, 5)], False), ([(0.0, 1.0)] * 2, True)):
        objective = Objective(lambda x: float(x[0]), bounds, budget=100, noisy=noisy)
        solvers = runs.Shared(objective, np.random.default_rng(1)).solvers
        assert "cma-es" in solvers
        assert "lq-cma-es" not in solvers


def test_a_run_promises_what_it_has_gained_of_late():
    run = Run(iter(()), runs.HERE, "cma-es")
    for age, best in ((10, 100.0), (20, 20.0), (30, 12.0), (40, 11.0)):
        run.age, run.best = age, best
        run.judged()
    assert run.gain(10) == pytest.approx(1 / 8)  # a gain of 1 after one of 8
    assert run.gain(1000) > 0.13
    assert Run(iter(()), runs.HERE, "cma-es").gain(10) == 0


def test_a_solver_that_ended_at_the_best_point_does_not_begin_there_again():
    found = shared(lambda x: float(x @ x), n=2)
    model = found.solvers.index("model")
    while not found.finished:
        found.spend([runs.HERE, model])
    assert model not in found._there(runs.HERE)
    found.objective.best_x = found.objective.best_x + 1e-3
    assert model in found._there(runs.HERE)


def test_no_part_of_the_search_knows_the_budget():
    """The first evaluations are the same whatever the budget is."""

    def rugged(x):
        return float(np.sum(x * x + 3 * np.sin(5 * x)))

    seen = []
    for budget in (1500, 3000):
        seen.append([])
        tw.minimize(
            lambda x, here=seen[-1]: here.append(rugged(x)) or here[-1],
            [(-4, 5)] * 2,
            budget=budget,
            seed=3,
        )
    assert seen[0] == seen[1][:1500]


LONG_AND_ODD = {
    "constant": (lambda x: 1.0, 1.0),
    "staircase": (lambda x: float(np.floor(3 * x).sum()), -30.0),
    "huge": (lambda x: 1e308 * float(np.sign(x[0])), -1e308),
    "with a hole": (lambda x: np.nan if ((x + 1) ** 2).sum() < 1 else float(x @ x), 0.0),
    "nearly nowhere": (lambda x: np.inf if abs(x[0]) > 0.01 else float(x @ x), 0.0),
}


@pytest.mark.parametrize("name", LONG_AND_ODD)
def test_long_searches_of_odd_functions(name):
    """Every solver has its turn with them, and none of them warns."""
    f, least = LONG_AND_ODD[name]
    for tree in (True, False):
        found = tw.minimize(f, [(-5, 5)] * 2, budget=2000, seed=1, options={"tree": tree})
        assert found.nfev == 2000
        assert found.fun == pytest.approx(least, abs=1e-6)


def test_the_tree_finds_what_only_a_population_finds():
    """Schwefel's sine root: its second best minimum is far away from the best."""

    def deceptive(x):
        return float(418.9829 * 5 - np.sum(x * np.sin(np.sqrt(np.abs(x)))))

    # the last bits of a sum may differ between processes, and with them which seeds succeed:
    # two in five do, and fewer than five of 24 in one run of a hundred
    bounds, won = [(-500, 500)] * 5, 0
    for seed in range(24):
        won += tw.minimize(deceptive, bounds, budget=15_000, seed=seed, method="runs").fun < 1e-3
        if won == 5:  # it can't be lost any more
            break
    assert won == 5


def test_the_functions_of_bbob_agree_with_coco():
    cocoex = pytest.importorskip("cocoex", reason="coco-experiment (extra bbob) is not installed")
    points = np.random.default_rng(5).uniform(-5, 5, (20, 5))
    for function in FUNCTIONS:
        for instance in (1, 7):
            suite = cocoex.Suite(
                "bbob", f"instances:{instance}", f"dimensions:5 function_indices:{function}"
            )
            theirs = [suite[0](x) for x in points]
            ours = bbob(function, 5, instance)(points) + optimum(function, instance)
            assert ours == pytest.approx(theirs, rel=1e-6)


# value of COCO's own code (coco-experiment 2.8.2) at (1, -2, 3), instance 2
KNOWN = {
    1: 465.53978048,
    2: 8390990.661211453,
    3: 731.4598407146817,
    4: 2666.172709271816,
    5: 749.4768329805052,
    6: 244.8633671726947,
    7: 647.8650035298404,
    8: 65491.057210618455,
    9: 8710.126896591275,
    10: 767381.5448493331,
    11: 5789031.871912959,
    12: 1018130519.1724178,
    13: 1312.9234107372647,
    14: -136.5394001577207,
    15: 320.7730156959159,
    16: -196.96696805603605,
    17: 58.06338375711219,
    18: 125.05603203145559,
    19: 94.31997023795466,
    20: 95069.7149885242,
    21: 18.527715244298662,
    22: 1057.165776688633,
    23: 35.06216682261892,
    24: 157.24316024089654,
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_functions_of_bbob_have_the_values_of_coco(function):
    found = bbob(function, 3, 2)(np.array([[1.0, -2.0, 3.0]]))[0] + optimum(function, 2)
    assert found == pytest.approx(KNOWN[function], rel=1e-9)


def test_bad_functions_of_bbob():
    with pytest.raises(tw.OptionError, match="1 to 24"):
        bbob(25, 2)
    with pytest.raises(tw.OptionError, match="2 dimensions or more"):
        bbob(1, 1)


def test_a_run_of_the_experiment_counts_every_evaluation():
    f, seconds = counted("runs", 1, 2, 1, 30)
    few = f.errors()
    assert list(few) == [10, 30]
    assert few[10] >= few[30] >= EXACT
    assert seconds > 0
    assert f.done == 60
    assert f.hits == sorted(f.hits)
    assert len(f.hits) == sum(few[30] <= step for step in STEPS)
    assert list(counted("direct", 1, 2, 1, 10)[0].errors()) == [10]


def test_expected_running_times_count_the_runs_that_fail():
    def row(method, seed, hit):
        times = {"to_10": hit} if hit else {}
        return {
            "function": 1,
            "dimensions": 2,
            "per_dimension": 10,
            "seed": seed,
            "method": method,
            "evaluations": 20,
            **times,
        }

    rows = [row("runs", 6, 4), row("runs", 7, None), row("direct", 6, 6)]
    assert bbob_ranks.running_times(rows)["runs"][0] == 2  # only seed 6 has both methods
    rows.append(row("direct", 7, 10))
    times = bbob_ranks.running_times(rows)
    assert times["runs"][0] == (4 + 20) / 2
    assert times["direct"][0] == (6 + 10) / 2 / 2
    assert times["runs"][1] == float("inf")


def test_planned_methods_count_at_the_end_of_their_budget_only():
    def row(method, per, errors):
        at = {f"at_{mark}": error for mark, error in errors.items()}
        return {
            "function": 1,
            "dimensions": 2,
            "per_dimension": per,
            "seed": 6,
            "method": method,
            **at,
        }

    rows = [
        row("runs", 30, {10: 3.0, 30: 2.0}),
        row("runs-no-tree", 30, {10: 1.0, 30: 1.0}),
        row("ngopt", 30, {10: 0.5, 30: 1.0}),
    ]
    cells = bbob_ranks.table(rows)
    assert "ngopt" not in cells[2, 10]
    assert bbob_ranks.everywhere(cells[2, 10], "runs") == []  # nobody but the tree's absence
    names = bbob_ranks.everywhere(cells[2, 30], "runs")
    assert bbob_ranks.ranks(cells[2, 30], names) == {"runs": [2.0], "ngopt": [1.0]}
    assert bbob_ranks.duel(cells[2, 30], "runs", "runs-no-tree").value == 0


def test_the_default_of_each_budget_is_ranked():
    at = {(f, 6): float(f) for f in range(1, 25)}
    cell = {"runs": at, "staged": at, "direct": {p: e + 1 for p, e in at.items()}}
    assert [bbob_ranks.default(3, mark) for mark in (10, 1000, 10000)] == ["runs", "runs", "staged"]
    assert bbob_ranks.default(2, 10_000) == "runs"
    assert bbob_ranks.everywhere(cell, "staged") == ["staged", "direct"]
    assert bbob_ranks.everywhere(cell, "runs") == ["runs", "direct"]


def test_a_method_with_fewer_problems_is_ranked_apart_and_takes_none_from_the_others():
    two = {(f, i): 1.0 for i in (6, 7) for f in range(1, 25)}
    one = {problem: 2.0 for problem in two if problem[1] == 6}
    few = {(1, 6): 0.5}
    cell = {"runs": two, "direct": dict.fromkeys(two, 3.0), "ngopt": one, "optuna": few}
    assert bbob_ranks.everywhere(cell, "runs") == ["runs", "direct"]
    assert bbob_ranks.somewhere(cell, "runs") == ["runs", "direct", "ngopt"]
    assert len(bbob_ranks.common(cell, ["runs", "direct"])) == 48
    assert bbob_ranks.ranks(cell, ["runs", "direct", "ngopt"])["ngopt"] == [2.0] * 24
    del cell["ngopt"], cell["optuna"]
    assert bbob_ranks.somewhere(cell, "runs") == []


def test_the_report_says_which_instances_each_cell_has():
    def row(method, function, instance, error):
        where = {"function": function, "dimensions": 2, "per_dimension": 10, "seed": instance}
        return {"method": method, "at_10": error, "targets": 0.5, "evaluations": 20, **where}

    rows = [
        row(method, function, instance, error + function)
        for method, error, instances in (
            ("runs", 1, (6, 7)),
            ("direct", 2, (6, 7)),
            ("ngopt", 3, (6,)),
        )
        for function in range(1, 25)
        for instance in instances
    ]
    said = EXPERIMENT.verdict(rows).sentence
    assert "48 problems of instances 6 to 7: runs 1.00, direct 2.00; runs" in said
    assert "24 problems of instance 6: runs 1.00, direct 2.00, ngopt 3.00; runs" in said


def test_rows_of_other_peoples_methods_do_not_depend_on_ours():
    where = {"function": 1, "dimensions": 2, "per_dimension": 10}
    marks = {code_of(EXPERIMENT, {**where, "method": method}) for method in ("direct", "runs")}
    assert len(marks) == 2
    files = {path.name for path in code._closure(bbob_others.__name__)}
    assert {"bbob.py", "bbob_others.py", "bbob_counted.py"} <= files
    assert not {"minimize.py", "shared.py", "objective.py"} & files


def test_bfgs_ends_at_a_minimum_to_the_last_digits_and_soon_at_an_edge():
    """Forward differences alone stop some 1e-7 above the minimum of a narrow valley."""

    def valley(points):
        x = 9 * points - 4
        narrow = x[:, 1:] - x[:, :-1] ** 2
        return (100 * narrow**2 + (1 - x[:, :-1]) ** 2).sum(axis=1)

    *_, last = evaluated(bfgs_steps(np.zeros(4), np.ones(4), np.full(4, 0.45)), valley)
    assert last.value < 1e-13

    made = []

    def edges(points):
        made.extend(points)
        return np.abs(points - 0.5).sum(axis=1)

    *_, last = evaluated(bfgs_steps(np.zeros(4), np.ones(4), np.full(4, 0.5)), edges)
    assert last.value == 0
    assert len(made) < 1 + 4 + 4 + 22


@pytest.mark.parametrize("seed", range(4, 9))
def test_the_radius_of_a_model_stays_while_it_may_be_too_coarse(seed):
    """On an attractive sector a model of few points foretells badly, and goes on all the same."""
    n = 20
    dice = np.random.default_rng(seed)
    turned = np.linalg.qr(dice.standard_normal((n, n)))[0]
    best = dice.uniform(0.3, 0.7, n)

    def sector(points):
        z = (points - best) @ turned
        return ((np.where(z * ((best - 0.5) @ turned) > 0, 100.0, 1.0) * z) ** 2).sum(axis=1)

    made = 0

    def f(points):
        nonlocal made
        made += len(points)
        return sector(points)

    steps = evaluated(model_steps(np.random.default_rng(1), np.full(n, 0.5), 0.2), f)
    best_then = next(step.value for step in steps if made >= 8 * n)
    assert best_then < 0.63 * sector(np.full((1, n), 0.5))[0]
