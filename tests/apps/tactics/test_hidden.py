"""What Hero Academy hides from an agent that asks for it."""

import numpy as np

from treewright.apps.tactics.agents import agent
from treewright.apps.tactics.domain import HeroAcademy
from treewright.apps.tactics.hidden import Blind, redraw
from treewright.apps.tactics.units import CARDS
from treewright.kernel.interpreted import RecordProxy
from treewright.library.evolutionary import Agent, Budget, Plan
from treewright.random import stream


def opening(**settings):
    return np.asarray(HeroAcademy(**settings).new_state()).copy()


class Spy(Agent):
    """Keeps what it was shown."""

    def plan(self, state, budget, seed=0):
        self.seen = state.copy()
        return Plan([], 0.0, 0)


def test_a_guess_is_the_same_whatever_the_truth_is():
    """Two openings that differ in what the first player can't know."""
    one = opening(deck_seeds=(5, 17))
    other = one.copy()
    proxy = RecordProxy(other)
    redraw(proxy, stream(99), 0)
    assert one.tobytes() != other.tobytes()
    spy = Spy(HeroAcademy(), 5)
    guesses = []
    for truth in (one, other):
        before = truth.tobytes()
        Blind(spy).plan(truth, Budget(evaluations=10), seed=3)
        assert truth.tobytes() == before
        guesses.append(spy.seen)
    for name in one.dtype.names:  # not the bytes between them, which a copy leaves as they come
        assert np.array_equal(guesses[0][name], guesses[1][name]), name


def test_no_card_is_lost_and_the_own_hand_stays():
    truth = opening(seed=4)
    for seed in range(20):
        guess = truth.copy()
        redraw(RecordProxy(guess), stream(seed), 0)
        for name in truth.dtype.names:
            if name not in ("hand", "deck", "seed"):
                assert np.array_equal(guess[name], truth[name]), name
        both = [state["hand"][0] + state["deck"][0] for state in (guess, truth)]
        assert np.array_equal(*both)
        assert np.array_equal(guess["hand"][0, :CARDS], truth["hand"][0, :CARDS])
        assert guess["hand"][0, CARDS:].sum() == truth["held"][0, 1]


def test_it_is_an_agent_by_name():
    assert isinstance(agent("emcts-blind", 5), Blind)
