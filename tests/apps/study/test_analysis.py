"""The analysis against other tools and by hand, and that it finds what is there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.apps.levels.tiles import LevelError
from treewright.apps.study import analysis, published, simulate, terms
from treewright.apps.study.errors import StudyError


def data(n, question="challenge", seed=0, names=None):
    rows = simulate.answers_only(n, seed)
    names = names or list(simulate.TRUTH[question].coefficients)
    y = np.array([row[question] == "A" for row in rows], int)
    return terms.design(rows, names), y, names


def test_the_estimate_is_the_maximum_of_a_likelihood_written_by_hand():
    """statsmodels against a plain sum of logarithms, maximised by SciPy."""
    from scipy.optimize import minimize

    x, y, names = data(200, "preference")
    found = analysis.fit(x, y, names)

    def cost(beta):
        total = 0.0
        for row, answer in zip(x, y, strict=True):
            p = 1 / (1 + np.exp(-(beta[0] + float(row @ beta[1:]))))
            total -= np.log(p if answer else 1 - p)
        return total

    best = minimize(cost, np.zeros(x.shape[1] + 1), method="BFGS", options={"gtol": 1e-7})
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    ours = [found.constant.coefficient, *(t.coefficient for t in found.terms)]
    assert ours == pytest.approx(best.x.tolist(), abs=1e-4)
    assert found.aic == pytest.approx(2 * len(best.x) + 2 * best.fun, abs=1e-5)


def test_two_by_two_by_hand():
    """One yes-no term: the odds ratio of a table with 30, 10, 15 and 20 is 30·20 / (10·15)."""
    x = np.array([[1.0]] * 40 + [[0.0]] * 35)
    y = np.array([1] * 30 + [0] * 10 + [1] * 15 + [0] * 20)
    (term,) = analysis.fit(x, y, ["x"]).terms
    error = np.sqrt(1 / 30 + 1 / 10 + 1 / 15 + 1 / 20)
    assert term.odds == pytest.approx(4.0)
    assert term.odds_interval == pytest.approx(
        (4 * np.exp(-1.959964 * error), 4 * np.exp(1.959964 * error)), rel=1e-5
    )
    assert term.direction == "+"


def test_the_search_over_subsets_agrees_with_statsmodels():
    """Every subset's AIC by Newton on arrays is statsmodels' own; so is the best."""
    from itertools import combinations

    x, y, names = data(120, names=["gaps", "enemies", "rewards", "gaps:enemies", "experience"])
    aics = {}
    for k in range(len(names) + 1):
        for subset in combinations(range(len(names)), k):
            part = x[:, list(subset)]
            aics[tuple(names[i] for i in subset)] = analysis.fit(
                part, y, [names[i] for i in subset]
            ).aic
    assert tuple(analysis.select(x, y, names)) == min(aics, key=aics.get)
    masks = np.ones((1, 6), bool)
    found = analysis.log_likelihoods(np.column_stack([np.ones(len(y)), x]), y, masks)[0]
    assert found == pytest.approx(analysis.fit(x, y, names).log_likelihood, abs=1e-7)


def test_cross_validation_agrees_with_a_loop_of_statsmodels_fits():
    """scikit-learn's cross_val_predict against fits by statsmodels, fold by fold."""
    x, y, names = data(300, "preference")
    predicted = np.zeros(len(y), int)
    for train, test in analysis.folds(y):
        fit = analysis.fit(x[train], y[train], names)
        beta = np.array([t.coefficient for t in fit.terms])
        predicted[test] = fit.constant.coefficient + x[test] @ beta > 0
    found = analysis.cross_validate(x, y)
    assert found.accuracy == pytest.approx((predicted == y).mean())
    agree, chance = (predicted == y).mean(), 0.0
    for k in (0, 1):
        chance += (predicted == k).mean() * (y == k).mean()
    assert found.kappa == pytest.approx((agree - chance) / (1 - chance))


def test_intervals_by_likelihood_are_near_walds_and_survive_separation():
    x, y, names = data(600, "preference", 4)
    for term, (low, high) in zip(
        analysis.fit(x, y, names).terms, analysis.profile_intervals(x, y), strict=True
    ):
        assert (low, high) == pytest.approx((term.low, term.high), abs=0.05)
    x, y = np.array([[1.0]] * 20 + [[-1.0]] * 20), np.array([1] * 20 + [0] * 20)
    with pytest.raises(StudyError, match="on x"):
        analysis.fit(x, y, ["x"])
    ((low, high),) = analysis.profile_intervals(x, y)
    assert high == np.inf
    assert 0 < low < 5


def test_recovery_with_few_and_many_pairs():
    """Small: signs and intervals at 64 pairs; large: 6,400 pairs. The full one is an experiment."""
    hits, total = 0, 0
    for seed in range(25):
        x, y, names = data(64, "preference", seed)
        truth = [published.PREFERENCE.coefficients[n] for n in names]
        inside = [
            a <= t <= b for (a, b), t in zip(analysis.profile_intervals(x, y), truth, strict=True)
        ]
        hits, total = hits + sum(inside), total + len(inside)
    assert hits / total > 0.88
    for question, model in simulate.TRUTH.items():
        means = np.zeros(len(model.coefficients))
        for seed in range(5):
            x, y, names = data(6400, question, seed)
            means += [t.coefficient / 5 for t in analysis.fit(x, y, names).terms]
        truth = np.array([model.coefficients[n] for n in names])
        assert np.exp(means - truth) == pytest.approx(1, abs=0.1)
        assert (np.sign(means) == np.sign(truth)).all()


def test_terms():
    row = {"gaps": 1, "enemies": -1, "rewards": 0, "experience": "expert"}
    assert terms.design([row], ["gaps", "gaps:enemies", "experience:gaps", "rewards"]).tolist() == [
        [1.0, -1.0, 2.0, 0.0]
    ]
    assert len(terms.TERMS) == 3 + 4 + 1 + 3
    with pytest.raises(LevelError, match="one of beginner"):
        terms.design([row | {"experience": "wizard"}], ["experience"])


def test_tests_by_hand():
    """Order and independence on data whose tables are known."""
    rows = [
        {"variant_a": 1, "variant_b": 3, "challenge": "B", "preference": "A"},
        {"variant_a": 3, "variant_b": 1, "challenge": "A", "preference": "A"},
    ] * 10
    found = {t.name: t for t in analysis.independence_tests(rows)}
    assert found["challenge: gaps"].table == [[20, 0], [0, 20]]
    assert found["challenge: gaps"].statistic == pytest.approx(40.0)
    order = {t.name: t for t in analysis.order_tests(rows)}
    assert order["challenge: first against second level (binomial)"].p == pytest.approx(1.0)
    assert order["preference: first against second level (binomial)"].p < 1e-5
    assert analysis.chosen_by_order(rows, "challenge")[2] == [10, 10]


def test_too_little_is_said_so():
    rows = simulate.answers_only(4, 0)
    with pytest.raises(StudyError, match="at least 8 rows"):
        analysis.choice_model(rows, "challenge")
    same = [{**row, "challenge": "A"} for row in simulate.answers_only(40, 0)]
    with pytest.raises(StudyError, match="both answers"):
        analysis.choice_model(same, "challenge")


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_a_model_of_any_answers_has_numbers(seed):
    dice = np.random.default_rng(seed)
    rows = [
        {**row, "challenge": "AB"[dice.integers(2)], "experience": "beginner"}
        for row in simulate.answers_only(24, seed)
    ]
    model = analysis.choice_model(rows, "challenge")
    assert analysis.choice_fit(rows, "challenge") == model.fit
    assert 0 <= model.validation.accuracy <= 1
    assert all(np.isfinite(t.coefficient) for t in model.fit.terms)


def test_firths_estimate_is_finite_for_separated_data_and_near_the_other_otherwise():
    """A two by two table: Firth's log odds are those with a half added to each cell."""
    x = np.repeat([0.0, 0.0, 1.0, 1.0], [7, 3, 2, 8])
    y = np.repeat([0.0, 1.0, 0.0, 1.0], [7, 3, 2, 8])
    constant, slope = analysis.firth(np.column_stack([np.ones(20), x]), y)
    assert constant == pytest.approx(np.log(3.5 / 7.5))
    assert slope == pytest.approx(np.log((8.5 / 2.5) / (3.5 / 7.5)))
    fitted = analysis.fit(x[:, None], y, ["x"])
    assert fitted.terms[0].firth == pytest.approx(slope)
    assert not fitted.terms[0].unstable
    apart = np.column_stack([np.ones(8), [0, 0, 0, 0, 1, 1, 1, 1]])
    found = analysis.firth(apart, apart[:, 1])
    assert found == pytest.approx([np.log(0.5 / 4.5), 2 * np.log(9)])


def test_a_nearly_separated_term_is_marked():
    x = np.repeat([0.0, 1.0], [30, 30])
    y = np.repeat([0.0, 1.0, 0.0, 1.0], [29, 1, 1, 29])
    (term,) = analysis.fit(x[:, None], y, ["x"]).terms
    assert term.odds == pytest.approx(841, rel=0.01)
    assert term.unstable
    assert term.firth_odds < term.odds


def test_a_plan_keeps_its_word_and_says_what_it_can_t():
    """The power that the information promises is about what simulated studies give."""
    from treewright.apps.study.planning import pairs_of, plan

    people, (gaps, enemies) = plan({"gaps": 2.0, "enemies": 1.8, "rewards": 1.0}, 0.8, studies=300)
    assert (gaps.participants, enemies.participants) == (34, 46)
    assert people == 46
    assert 0.75 < enemies.power < 0.93
    assert gaps.power > enemies.power
    _, (weak,) = plan({"rewards": 1.35}, 0.8, participants=16, studies=200)
    assert weak.power < 0.4, "the paper's 16 people hardly see so small an effect"
    assert abs(pairs_of(14)).mean(axis=0) == pytest.approx([16 / 28] * 3)
    for odds, why in (({"gaps": 0.0}, "from 0.01 to 100"), ({}, "name an effect")):
        with pytest.raises(StudyError, match=why):
            plan(odds, 0.8)


def test_one_person_who_decides_is_named():
    """Eleven answer at random; the twelfth has answered often, and always for the gaps."""
    from treewright.apps.study.analysis import influences

    dice = np.random.default_rng(1)
    rows = [
        {"participant": f"p{i}", "gaps": g, "challenge": "AB"[int(dice.integers(2))]}
        for i in range(11)
        for g in (-1, 1)
    ]
    calm = influences(rows, "challenge", ["gaps"])
    rows += [{"participant": "loud", "gaps": 1, "challenge": "A"}] * 20
    (one,) = influences(rows, "challenge", ["gaps"])
    assert calm == []
    assert one.participant == "loud"
    assert one.odds > 1.5 * one.without
