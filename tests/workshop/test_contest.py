"""Matches in which each pair of games has a deal of its own."""

import numpy as np
import pytest

from treewright.library.registry import find
from treewright.workshop.contest import contest, contestant
from treewright.workshop.deals import dealt

DRAWN = """
import treewright as tw
from numpy import int8


class Drawn(tw.Domain):
    '''Who begins wins, or loses: it was drawn before the game.'''

    players, max_actions = 2, 1
    state = tw.record(player=int8, over=int8, luck=int8)

    def start(s, seed=0):
        s.luck = seed % 2

    def legal(s, out):
        out[0] = 0
        return 1

    def play(s, action):
        s.over = 1

    def ended(s):
        return s.over == 1

    def rewards(s, out):
        out[s.luck] = 1.0
"""


def test_each_pair_of_a_match_has_another_deal_and_both_games_of_a_pair_the_same(tmp_path):
    file = tmp_path / "drawn.py"
    file.write_text(DRAWN)
    spec = f"{file}:Drawn"
    random = contestant("--a", "random")
    played = contest(lambda seed: dealt(spec, {}, seed), random, random, games=6, seed=0)
    assert played.scores == [1.0, 0.0, 0.0, 1.0, 1.0, 0.0]  # deals 0, 1, 2, and who begins changes


@pytest.mark.parametrize(
    ("settings", "state"),
    [({}, "seed=4"), ({"seed": 2}, "seed=2"), ({"dice": 2}, "seed=4, dice=2")],
)
def test_a_deal_that_was_asked_for_is_kept(settings, state):
    asked = dict(part.split("=") for part in state.split(", "))
    domain = dealt("liars-dice", settings, 4)
    same = find("liars-dice", **{name: int(value) for name, value in asked.items()})
    assert np.asarray(domain.new_state()) == np.asarray(same.new_state())


def test_a_domain_without_deals_is_as_it_was():
    assert dealt("nim", {"heap": 9}, 4).new_state().stones == 9
