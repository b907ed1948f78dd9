"""Numbers that are none, or beyond all bounds: a sentence each."""

import math

import pytest

import treewright as tw
from treewright.apps.games.nim import Nim
from treewright.library.baselines import FlatMonteCarlo


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ({"nodes": 2**70}, "nodes must be"),
        ({"simulations": 2**70}, "simulations must be"),
        ({"seconds": 10**400}, "seconds must be"),
        ({"seconds": math.nan}, "seconds must be"),
        ({"seconds": True}, "seconds must be"),
    ],
)
def test_a_budget_beyond_all_bounds(budget, said):
    with pytest.raises(tw.OptionError, match=said):
        tw.Search(Nim()).run(**budget)


@pytest.mark.parametrize("heap", [math.nan, math.inf])
def test_a_setting_that_is_no_number(heap):
    with pytest.raises(tw.OptionError, match=r"heap.* must be a finite number"):
        tw.Search(Nim(heap=heap))


class Spoiled(tw.Domain):
    players, max_actions = 1, 2
    state = tw.record(n=int)

    def start(s):
        s.n = 0

    def legal(s, out):
        out[0] = 0
        out[1] = 1
        return 2

    def play(s, action):
        s.n += 1 + action

    def ended(s):
        return s.n >= 1

    def rewards(s, out):
        out[0] = math.nan if s.n > 1 else 0.5


def test_rewards_of_flat_monte_carlo_are_finite():
    with pytest.raises(tw.DomainError, match="must give finite numbers"):
        FlatMonteCarlo(Spoiled(), seed=1).run(100)
