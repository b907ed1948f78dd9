"""Statistics against numbers from the literature and from SciPy itself."""

import math

import numpy as np
import pytest

from treewright.errors import OptionError
from treewright.workshop.experiments import stats

scipy_stats = pytest.importorskip("scipy.stats", reason="the statistics need the extra experiments")


def test_wilson_interval():
    found = stats.rate(8, 10)  # the textbook's example: 49.0 % to 94.3 %
    assert (found.low, found.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert 0.5 in found
    assert 0.4 not in found
    half = stats.rate(7.5, 10)  # fifteen half points
    assert half.low < 0.75 < half.high


@pytest.mark.parametrize(
    ("won", "of"), [(0, 1), (1, 1), (0, 7), (3.5, 7), (7, 7), (52, 100), (4321, 8000)]
)
def test_what_a_match_needs_is_as_others_compute_it(won, of):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    found = stats.rate(won, of)
    theirs = proportion.proportion_confint(won, of, 0.05, method="wilson")
    assert (found.low, found.high) == pytest.approx(theirs, abs=1e-12)
    p = scipy_stats.binomtest(int(won), of, 0.5, alternative="greater").pvalue
    assert stats.better_than_even(won, of) == pytest.approx(p, rel=1e-9)


def test_wilson_interval_covers():
    """About 95 of 100 intervals hold the truth."""
    dice = np.random.default_rng(1)
    hits = sum(0.3 in stats.rate(int(w), 100) for w in dice.binomial(100, 0.3, 2000))
    assert 0.93 < hits / 2000 < 0.97


def test_mean():
    found = stats.mean([1.0, 2.0, 3.0, 4.0])
    assert found.value == 2.5
    assert found.high - 2.5 == pytest.approx(scipy_stats.t.ppf(0.975, 3) * math.sqrt(5 / 12))
    assert stats.mean([2.0]).high == math.inf
    assert stats.mean([2.0, 2.0]).high == 2.0


def test_bootstrap_is_repeatable_and_close_to_t():
    data = np.random.default_rng(0).normal(10, 2, 200)
    one, two = stats.bootstrap(data), stats.bootstrap(data)
    assert one == two
    assert one.low == pytest.approx(stats.mean(data).low, abs=0.05)
    assert stats.bootstrap([3.0, 3.0]).low == 3.0
    assert stats.bootstrap([3.0]).high == math.inf
    assert stats.bootstrap(data, np.median).value == pytest.approx(np.median(data))


def test_comparisons():
    dice = np.random.default_rng(2)
    boards = dice.normal(0, 10, 60)
    a, b = boards + dice.normal(1, 1, 60), boards + dice.normal(0, 1, 60)
    paired, unpaired = stats.compare_paired(a, b), stats.compare(a, b)
    assert paired.stars == "***"  # the boards' spread cancels out
    assert unpaired.stars == ""
    assert paired.difference == pytest.approx(unpaired.difference)
    assert stats.compare_paired([1, 2, 3], [1, 2, 3]).p == 1.0
    assert stats.compare([1, 1], [1, 1]).p == 1.0
    assert stats.compare([1, 1], [2, 2]).p == 0.0


def test_a_rate_of_all_or_nothing_is_within_its_own_interval():
    for trials in range(1, 200):
        assert 1.0 in stats.rate(trials, trials)
        assert 0.0 in stats.rate(0, trials)


def test_two_rates():
    found = stats.compare_rates(60, 100, 40, 100)
    assert found.difference == pytest.approx(0.2)
    assert found.stars == "**"
    assert found.low < 0.2 < found.high
    assert stats.compare_rates(10, 10, 10, 10).p == 1.0


def test_stars_of_a_paper():
    """Baier & Cowling's table I: 400 games a cell; 52.5 % has none, 58.8 % one, and so on."""
    shown = {0.525: "", 0.588: "***", 0.569: "**", 0.545: "*"}
    for rate, expected in shown.items():
        assert stats.stars(stats.better_than_even(400 * rate, 400)) == expected
    assert [stats.stars(p) for p in (0.05, 0.049, 0.0099, 0.0009)] == ["", "*", "**", "***"]


def test_ranks_over_functions():
    dice = np.random.default_rng(3)
    base = dice.normal(size=20)
    found = stats.rank({"good": base + 1, "fair": base, "poor": base - 1})
    assert found.mean_ranks == {"good": 1.0, "fair": 2.0, "poor": 3.0}
    assert found.p < 0.001
    assert found.pairs["good", "poor"] < 0.001
    least = stats.rank({"good": base + 1, "fair": base}, largest_best=False)
    assert least.mean_ranks["fair"] == 1.0
    same = stats.rank({"a": base, "b": base, "c": base})
    assert same.p == 1.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: stats.rate(0, 0),
        lambda: stats.mean([]),
        lambda: stats.mean([math.nan]),
        lambda: stats.compare_paired([1, 2], [1]),
        lambda: stats.compare([1], [1, 2]),
        lambda: stats.compare_rates(1, 0, 1, 1),
        lambda: stats.better_than_even(0, 0),
        lambda: stats.rank({"a": [1, 2]}),
    ],
)
def test_bad_input(call):
    with pytest.raises(OptionError):
        call()
