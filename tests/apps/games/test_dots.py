"""Dots and Boxes: its rules, and the planners of turns on a second game."""

import numpy as np
import pytest

import treewright as tw
from treewright.apps.games.dots import DotsAndBoxes, lines
from treewright.library.evolutionary import (
    Agent,
    Budget,
    EvolutionaryMCTS,
    GreedyAction,
    RandomActions,
    Turn,
)

LONGEST = 17  # actions of a turn with 16 boxes


def played(*actions, **settings):
    position = tw.Position(DotsAndBoxes(**settings))
    for action in actions:
        position.play(action)
    return position


def test_the_fourth_side_is_a_box_and_another_move():
    """Lines of a board with one box: above, below, left, right."""
    position = played(0, 1, 2, width=1, height=1)
    assert position.player == 1
    assert position.value() == pytest.approx([0.0, 1.0])  # the box is within reach
    position.play(3)
    assert position.ended
    assert position.player == 1
    assert position.rewards() == [0.0, 1.0]


def test_one_line_can_close_two_boxes():
    """Two boxes side by side, all drawn but the line between them."""
    position = played(0, 1, 2, 3, 4, 6, width=2, height=1)
    assert position.legal() == [5]
    assert position.player == 0
    position.play(5)
    assert position.rewards() == [1.0, 0.0]


def test_a_chain_is_within_reach_as_a_whole():
    """Three boxes in a row, open at one end: all of them can be closed in one turn."""
    lines_drawn = [0, 1, 2, 3, 4, 5, 6]  # above and below, and the left end
    position = played(*lines_drawn, width=3, height=1)
    assert position.player == 1
    assert position.value() == pytest.approx([0.0, 1.0])
    for line in (7, 8, 9):
        position.play(line)
    assert position.rewards() == [0.0, 1.0]


def test_the_domain_conforms():
    tw.check(DotsAndBoxes(width=2, height=2))
    with pytest.raises(tw.OptionError, match="1 to 5"):
        DotsAndBoxes(width=6).new_state()
    assert lines(DotsAndBoxes().new_state()) == 40


def test_the_board_is_drawn():
    assert str(played(0, 1, 2, 3, width=1, height=1).render()) == (
        "+---+\n| # |\n+---+\nboxes 0 to 1, player 2 draws"
    )


@pytest.fixture(scope="module")
def game():
    return DotsAndBoxes()


def score(game, first: Agent, second: Agent, games: int) -> float:
    """What the first has of the games, each played both ways round."""
    total, referee, budget = 0.0, Turn(game, LONGEST), Budget(evaluations=300)
    for number in range(2 * games):
        state = np.zeros(1, game.state)
        state[0] = game.new_state()._record[0]
        turns = 0
        while not referee.over(state):
            side = int(state[0]["player"])
            mover = (first, second)[(side + number) % 2]
            plan = mover.plan(state, budget, 1000 * number + turns)
            referee.follow(state, plan.actions)
            turns += 1
        mine, theirs = state[0]["boxes"][number % 2], state[0]["boxes"][1 - number % 2]
        total += float(np.sign(int(mine) - int(theirs)) + 1) / 2
    return total / (2 * games)


def test_planners_of_turns_play_it(game):
    local = EvolutionaryMCTS(game, LONGEST, flat=True)
    assert score(game, local, RandomActions(game, LONGEST), 5) > 0.9
    assert score(game, local, GreedyAction(game, LONGEST), 10) > 0.4
