"""What to do at the root once it is searched: Gumbel's choice, policies, drawing with temperature.

Everything is for many roots at once: arrays with a row for each root and a column for each of its
actions; ``action`` is -1 where a root has fewer.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.library.options import Gumbel, Options

LEAST_TEMPERATURE = 1e-6
MOST_SHARED_OUT = 2**25  # entries of Gumbel's schedule


@dataclass(frozen=True)
class Roots:
    """The actions of many roots, tried or not."""

    action: np.ndarray
    visits: np.ndarray
    value: np.ndarray  # sum of rewards of the player who decides
    prior: np.ndarray  # shares of the weight
    gumbel: np.ndarray
    low: np.ndarray  # of each root: what counts as 0 and as 1
    high: np.ndarray
    own: np.ndarray  # of each root: the mean of all its simulations, for the player who decides

    @property
    def there(self) -> np.ndarray:
        return self.action >= 0


def roots_of(normalise: bool, columns: dict[str, np.ndarray], runs: Any, ranges: Any) -> Roots:
    """Roots from the columns of their actions (kernel/trees.py)."""
    count = len(runs)
    low, high, own = np.zeros(count), np.ones(count), np.zeros(count)
    player, mover = runs["root_player"], runs["root_mover"]
    if normalise:
        rows = np.arange(count)
        low, high = ranges[0][rows, player], ranges[1][rows, player]
        unseen = ~(low < high)
        low, high = np.where(unseen, 0.0, low), np.where(unseen, 1.0, high)
    total, visits = columns.pop("root_value"), columns.pop("root_visits")
    mean = np.divide(total, visits, out=own, where=visits > 0)
    own = np.where(player == mover, mean, 1.0 - mean)
    return Roots(low=low, high=high, own=own, **columns)


def first_by_visits(roots: Roots) -> np.ndarray:
    """Most visits, then the higher mean, then the smaller action, as kernel/choice.py has it."""
    best = np.ones(roots.visits.shape, bool)
    for column in (roots.visits, np.where(roots.visits > 0, _means(roots), -np.inf)):
        column = np.where(best, column, -np.inf)
        best &= column == column.max(axis=1, keepdims=True)
    action = np.where(best & roots.there, roots.action, 2**30)
    first: np.ndarray = action.argmin(axis=1)
    return first


def policy_of(roots: Roots, options: Options, temperature: float) -> np.ndarray:
    """Probabilities of a root's actions: those to learn from, and to draw by."""
    if options.gumbel is not None:
        return improved(roots, options.gumbel)
    return shares(roots, temperature)


def by_action(roots: Roots, numbers: np.ndarray, actions: int) -> np.ndarray:
    """The same numbers in columns by action."""
    if type(actions) is not int or not 1 <= actions <= 2**30:
        raise OptionError(f"actions must be a whole number, at least 1; not {actions!r}")
    found = np.zeros((len(numbers), actions))
    row, column = np.nonzero(roots.there)
    number = roots.action[row, column]
    if len(number) and number.max() >= actions:
        raise OptionError(f"there are more than {actions} actions: {number.max()} is one")
    found[row, number] = numbers[row, column]
    return found


def schedule(considered: int, simulations: int) -> np.ndarray:
    """Sequential halving: row ``m`` says, for a root with ``m`` candidates, which are next.

    The candidates with that many visits are the ones that compete for simulation ``i``: all of
    them in turn, then the better half, and so on; each round has the same share of the budget.
    """
    if (considered + 1) * simulations > MOST_SHARED_OUT:
        most = MOST_SHARED_OUT // (considered + 1)
        raise OptionError(
            f"gumbel shares out at most {most:,} simulations among {considered} actions, "
            f"not {simulations:,}"
        )
    table = np.zeros((considered + 1, max(1, simulations)), np.int32)
    for m in range(1, considered + 1):
        row: list[int] = []
        rounds, left, visits = max(1, math.ceil(math.log2(m))), m, 0
        while len(row) < simulations:
            for _ in range(max(1, simulations // (rounds * left))):
                row += [visits] * left
                visits += 1
            left = max(2, left // 2) if m > 1 else 1
        table[m, : len(row)] = row[: table.shape[1]]
    return table


def promises(roots: Roots, rule: Gumbel) -> np.ndarray:
    """What Gumbel's choice compares: ``g + ln P + (c_visit + max N) c_scale Q``."""
    score = roots.gumbel + _logits(roots)
    score += np.where(roots.visits > 0, _scaled(roots, rule, _means(roots)), 0.0)
    behind = roots.visits.max(axis=1, keepdims=True) - roots.visits
    return np.where(roots.there, score - 1e12 * behind, -np.inf)


def improved(roots: Roots, rule: Gumbel) -> np.ndarray:
    """The policy to learn from: ``softmax(ln P + (c_visit + max N) c_scale Q)``.

    An action without a visit has the mean of the visited ones, weighted by ``P``, mixed with that
    of the root (Danihelka et al. 2022, appendix D; the root's own value is here the mean of all
    its simulations).
    """
    visited = roots.visits > 0
    shares = np.where(visited, roots.prior, 0.0)
    total = shares.sum(axis=1, keepdims=True)
    means = _means(roots)
    count = roots.visits.sum(axis=1, keepdims=True)
    weighted = (shares * np.where(visited, means, 0.0)).sum(axis=1, keepdims=True)
    mixed = np.divide(weighted, total, out=np.zeros_like(total), where=total > 0)
    mixed = (roots.own[:, None] + count * mixed) / (1 + count)
    logits = _logits(roots) + _scaled(roots, rule, np.where(visited, means, mixed))
    return _softmax(np.where(roots.there, logits, -np.inf))


def shares(roots: Roots, temperature: float) -> np.ndarray:
    """Visits to the power of one over the temperature, as probabilities; 0 is the most visited."""
    number = isinstance(temperature, (int, float)) and not isinstance(temperature, bool)
    if not number or not (temperature == 0 or LEAST_TEMPERATURE <= temperature < math.inf):
        raise OptionError(
            f"temperature must be 0, or a number from {LEAST_TEMPERATURE} up; not {temperature!r}"
        )
    visits = np.where(roots.there, roots.visits, 0)
    if temperature == 0:
        top = visits == visits.max(axis=1, keepdims=True)
        first = np.zeros(visits.shape)
        first[np.arange(len(visits)), top.argmax(axis=1)] = 1.0
        return first
    with np.errstate(divide="ignore"):
        logits: np.ndarray = np.log(visits.astype(float)) / temperature
    return _softmax(logits)


def _means(roots: Roots) -> np.ndarray:
    visits = roots.visits
    means: np.ndarray = np.divide(roots.value, visits, out=np.zeros(visits.shape), where=visits > 0)
    return means


def _scaled(roots: Roots, rule: Gumbel, q: np.ndarray) -> np.ndarray:
    width = (roots.high - roots.low)[:, None]
    normal = np.divide(q - roots.low[:, None], width, out=np.full(q.shape, 0.5), where=width > 0)
    most = roots.visits.max(axis=1, keepdims=True)
    scaled: np.ndarray = (rule.c_visit + most) * rule.c_scale * normal
    return scaled


def _logits(roots: Roots) -> np.ndarray:
    logits: np.ndarray = np.log(np.maximum(roots.prior, 1e-300))
    return logits


def _softmax(logits: np.ndarray) -> np.ndarray:
    top = logits.max(axis=1, keepdims=True)
    powers = np.exp(logits - np.where(np.isfinite(top), top, 0.0))
    total = powers.sum(axis=1, keepdims=True)
    found: np.ndarray = np.divide(powers, total, out=np.zeros(powers.shape), where=total > 0)
    return found
