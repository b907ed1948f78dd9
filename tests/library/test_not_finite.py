"""A reward that is no number ends the search with a sentence, in both engines."""

import re

import pytest
from numpy import int8

import treewright as tw

KINDS = (float("nan"), float("inf"), -float("inf"), 1e308)  # some of the last are infinite


class Odd(tw.Domain):
    """Ten outcomes, one of which is given as ``odd``."""

    players = 2
    max_actions = 10
    state = tw.record(chosen=int8, odd=int8, player=int8)

    def start(s, odd=0):
        s.odd = odd

    def legal(s, out):
        for i in range(10):
            out[i] = i
        return 10

    def play(s, action):
        s.chosen = action + 1

    def ended(s):
        return s.chosen > 0

    def rewards(s, out):
        out[0] = KINDS[s.odd] if s.chosen == 7 else 0.5
        out[1] = 0.5


class Guess(Odd):
    """The same from an evaluation in the middle of the game."""

    def ended(s):
        return False

    def value(s, out):
        out[0] = KINDS[s.odd] if s.chosen == 7 else 0.5


@pytest.mark.parametrize("engine", ["compiled", "python"])
@pytest.mark.parametrize("odd", range(4))
def test_rewards(engine, odd):
    search = tw.Search(Odd(odd=odd), seed=1, engine=engine, memory="1MiB")
    with pytest.raises(
        tw.DomainError, match=rf"finite numbers.*\[{re.escape(str(KINDS[odd]))}, 0.5\]"
    ):
        search.run(300)
    assert search.simulations < 20


@pytest.mark.parametrize("engine", ["compiled", "python"])
def test_values(engine):
    options = tw.Options(rollout=tw.Rollout(depth=1))
    search = tw.Search(Guess(), options, seed=1, engine=engine, memory="1MiB")
    with pytest.raises(tw.DomainError, match=r"finite numbers.*\[nan, 0.0\]"):
        search.run(300)


class Weighed(Odd):
    def weight(s, action):
        return KINDS[s.odd] if action == 6 else 1.0

    def prior(s, action):
        return (KINDS[s.odd], 1.0) if action == 6 else (0.5, 1.0)

    def rewards(s, out):
        out[0] = out[1] = 0.5


@pytest.mark.parametrize("engine", ["compiled", "python"])
@pytest.mark.parametrize("odd", range(3))
def test_weights(engine, odd):
    search = tw.Search(
        Weighed(odd=odd), tw.Options(puct=True), seed=1, engine=engine, memory="1MiB"
    )
    with pytest.raises(tw.DomainError, match="action 6 of Weighed has no usable weight"):
        search.run(300)


@pytest.mark.parametrize("odd", range(3))
def test_priors(odd):
    options = tw.Options(priors=True)
    search = tw.Search(Weighed(odd=odd), options, seed=1, engine="python", memory="1MiB")
    with pytest.raises(tw.DomainError, match=r"prior\(\) of action 6 must return a finite value"):
        search.run(300)


def test_in_phases():
    with pytest.raises(tw.DomainError, match="finite numbers"):
        tw.Search(Odd(), seed=1, memory="1MiB").run_phases(simulations=100)
