"""Statistics for reports: thin wrappers over SciPy and statsmodels, with our names.

Intervals are 95 % unless said otherwise.  Nothing here is computed by hand but what a match of two
players needs, which would import both for a second: a test holds that against theirs.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np

from treewright.errors import MissingExtra, OptionError

LEVEL = 0.95


def _load(module: str) -> Any:
    """SciPy and statsmodels take seconds to import, and listing experiments needs neither."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra("statistics of experiments", "experiments") from None


def _scipy() -> Any:
    return _load("scipy.stats")


def _proportion() -> Any:
    return _load("statsmodels.stats.proportion")


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval, from ``n`` runs or trials."""

    value: float
    low: float
    high: float
    n: int

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Comparison:
    """The difference between two samples, and how likely chance alone would make it."""

    difference: float
    low: float
    high: float
    p: float
    test: str

    @property
    def stars(self) -> str:
        return stars(self.p)


def rate(successes: float, trials: int, level: float = LEVEL) -> Interval:
    """A win rate with its Wilson interval.

    A draw counts as half a success; the interval is then a little wider than it need be.
    """
    if trials < 1:
        raise OptionError("a rate needs at least one trial")
    share = successes / trials
    z = NormalDist().inv_cdf((1 + level) / 2)
    shrunk = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / shrunk
    reach = z * math.sqrt((share * (1 - share) + z * z / (4 * trials)) / trials) / shrunk
    low, high = max(0.0, centre - reach), min(1.0, centre + reach)
    return Interval(share, min(low, share), max(high, share), trials)  # rounding aside, it holds it


def mean(values: Sequence[float], level: float = LEVEL) -> Interval:
    """A mean with Student's t interval; without two values there is no interval."""
    data = _array(values)
    centre = float(data.mean())
    error = float(_scipy().sem(data)) if len(data) > 1 else math.nan
    if not error > 0:
        edge = 0.0 if error == 0 else math.inf
        return Interval(centre, centre - edge, centre + edge, len(data))
    low, high = _scipy().t.interval(level, len(data) - 1, centre, error)
    return Interval(centre, float(low), float(high), len(data))


def bootstrap(
    values: Sequence[float],
    statistic: Callable[..., Any] = np.mean,
    level: float = LEVEL,
    seed: int = 0,
) -> Interval:
    """Any statistic with its bootstrap interval (BCa, 9,999 resamples)."""
    data = _array(values)
    value = float(statistic(data))
    if len(data) < 2:
        return Interval(value, -math.inf, math.inf, len(data))
    if np.ptp(data) == 0:
        return Interval(value, value, value, len(data))
    found = (
        _scipy()
        .bootstrap((data,), statistic, confidence_level=level, rng=np.random.default_rng(seed))
        .confidence_interval
    )
    return Interval(value, float(found.low), float(found.high), len(data))


def compare_paired(a: Sequence[float], b: Sequence[float], level: float = LEVEL) -> Comparison:
    """``a - b`` where both were measured on the same boards or seeds, in the same order.

    The interval is that of the paired t test; p is that of Wilcoxon's signed-rank test, which
    does not ask for normal differences.
    """
    x, y = _array(a), _array(b)
    if len(x) != len(y) or len(x) < 2:
        raise OptionError("a paired comparison needs two samples of the same length, at least 2")
    gap = mean(x - y, level)
    p = 1.0 if not np.any(x - y) else float(_scipy().wilcoxon(x, y).pvalue)
    return Comparison(gap.value, gap.low, gap.high, p, "Wilcoxon signed-rank")


def compare(a: Sequence[float], b: Sequence[float], level: float = LEVEL) -> Comparison:
    """``a - b`` for independent samples (Welch's t test)."""
    x, y = _array(a), _array(b)
    if len(x) < 2 or len(y) < 2:
        raise OptionError("a comparison needs at least 2 values on each side")
    gap = float(x.mean() - y.mean())
    if np.ptp(x) == 0 and np.ptp(y) == 0:  # no spread: equal or different for certain
        return Comparison(gap, gap, gap, 1.0 if gap == 0 else 0.0, "Welch t")
    found = _scipy().ttest_ind(x, y, equal_var=False)
    low, high = found.confidence_interval(level)
    return Comparison(gap, float(low), float(high), float(found.pvalue), "Welch t")


def compare_rates(
    successes_a: float, trials_a: int, successes_b: float, trials_b: int, level: float = LEVEL
) -> Comparison:
    """The difference of two independent rates (Newcombe's interval, score test)."""
    if trials_a < 1 or trials_b < 1:
        raise OptionError("a rate needs at least one trial")
    sides = (successes_a, trials_a, successes_b, trials_b)
    gap = successes_a / trials_a - successes_b / trials_b
    low, high = _proportion().confint_proportions_2indep(*sides, method="newcomb", alpha=1 - level)
    total = successes_a + successes_b
    if total in (0, trials_a + trials_b):  # nothing but wins, or none: no evidence either way
        return Comparison(gap, float(low), float(high), 1.0, "score test of two rates")
    p = _proportion().test_proportions_2indep(*sides, method="score", correction=False).pvalue
    return Comparison(gap, float(low), float(high), float(p), "score test of two rates")


def better_than_even(successes: float, trials: int) -> float:
    """One-sided p that a win rate is above a half by chance (the papers' asterisks)."""
    if trials < 1:
        raise OptionError("a rate needs at least one trial")
    as_good, ways = 0, math.comb(trials, math.floor(successes))
    for n in range(math.floor(successes), trials + 1):
        as_good += ways
        ways = ways * (trials - n) // (n + 1)
    return float(as_good / 2**trials)


def stars(p: float) -> str:
    """``*`` p < 0.05, ``**`` p < 0.01, ``***`` p < 0.001 (Baier & Cowling, table I)."""
    return "*" * sum(p < limit for limit in (0.05, 0.01, 0.001))


@dataclass(frozen=True)
class Ranking:
    """Methods ranked over functions: 1 is best; pairs hold Holm-corrected Wilcoxon p values."""

    mean_ranks: dict[str, float]
    p: float
    pairs: dict[tuple[str, str], float]


def rank(scores: Mapping[str, Sequence[float]], *, largest_best: bool = True) -> Ranking:
    """Compare methods over the same functions or boards (Friedman, then pairwise Wilcoxon)."""
    names = list(scores)
    table = np.array([_array(scores[n]) for n in names])
    if len(names) < 2 or table.shape[1] < 2:
        raise OptionError("ranks need at least two methods and two functions")
    ranks = _scipy().rankdata(-table if largest_best else table, axis=0)
    if len(names) == 2:
        p = compare_paired(table[0], table[1]).p
    elif np.all(ranks == ranks[0]):
        p = 1.0
    else:
        p = float(_scipy().friedmanchisquare(*table).pvalue)
    couples = list(combinations(range(len(names)), 2))
    raw = [compare_paired(table[i], table[j]).p for i, j in couples]
    corrected = _load("statsmodels.stats.multitest").multipletests(raw, method="holm")[1]
    pairs = {(names[i], names[j]): float(q) for (i, j), q in zip(couples, corrected, strict=True)}
    means = ranks.mean(axis=1)
    return Ranking({n: float(m) for n, m in zip(names, means, strict=True)}, p, pairs)


def _array(values: Sequence[float]) -> Any:
    data = np.asarray(values, float)
    if data.size == 0 or not np.all(np.isfinite(data)):
        raise OptionError("statistics need at least one value, all of them finite")
    return data


@dataclass(frozen=True)
class Sprt:
    """A sequential test between two differences in Elo, and where it stands.

    ``ratio`` is the logarithm of how much likelier the games are with ``high`` than with ``low``.
    Above ``bound`` the test accepts ``high``, below ``-bound`` it accepts ``low``.
    """

    low: float
    high: float
    ratio: float
    bound: float

    @property
    def decided(self) -> bool:
        return abs(self.ratio) >= self.bound


def sprt(pairs: Sequence[float], low: float, high: float, error: float = 0.05) -> Sprt:
    """Wald's test on the mean scores (0 to 1) of pairs of games with the sides exchanged.

    The likelihoods are normal, with the variance of the pairs, as engine testers do it; half a
    pair of each outcome is added, so that a few equal results don't decide.
    """
    if not -1000 <= low < high <= 1000:
        raise OptionError(f"the test needs two rising differences in Elo, not {low:g}, {high:g}")
    data = np.concatenate([_array(pairs), np.linspace(0, 1, 5)])
    weights = np.concatenate([np.ones(len(pairs)), np.full(5, 0.5)])
    centre = float(np.average(data, weights=weights))
    variance = float(np.average((data - centre) ** 2, weights=weights))
    s0, s1 = (1 / (1 + 10 ** (-elo / 400)) for elo in (low, high))
    ratio = float(weights.sum()) * (s1 - s0) * (2 * centre - s0 - s1) / (2 * variance)
    return Sprt(low, high, ratio, math.log((1 - error) / error))
