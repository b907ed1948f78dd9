"""Many trees of one position, and rollouts in bulk for one tree."""

import numpy as np
import pytest

import treewright as tw
from treewright.apps.games.nim import Nim
from treewright.apps.games.tictactoe import TicTacToe
from treewright.apps.go.domain import Go


class Drawn(TicTacToe):
    """With chance, though it never decides."""

    def sample_chance(s, rng):
        return 0


def test_merged_trees_add_up():
    position = tw.Position(TicTacToe())
    position.play(4)
    forest = tw.Forest(TicTacToe(), [position] * 3, seed=5, memory="4MiB").run(100)
    found = forest.merged()
    alone = [forest.result(i) for i in range(3)]
    assert (found.trees, found.simulations) == (3, 300)
    assert found.nodes == sum(one.nodes for one in alone)
    for child in found.children:
        each = [c for one in alone for c in one.children if c.action == child.action]
        assert child.visits == sum(c.visits for c in each)
        total = sum((c.value or 0.0) * c.visits for c in each)
        assert child.value == pytest.approx(total / child.visits)
    assert found.visits == max(c.visits for c in found.children)
    forest.commit([found.best] * 3).run(10)
    assert found.best not in [c.action for c in forest.merged().children]


def test_a_run_that_time_has_ended_says_so_once():
    forest = tw.Forest(TicTacToe(), 2, memory="1MiB", engine="python")
    assert forest.run(10**9, seconds=0.01).merged().stopped == "seconds"
    assert forest.run(1).merged().stopped == "simulations"


def test_only_one_position_can_be_merged():
    other = tw.Position(TicTacToe())
    other.play(0)
    forest = tw.Forest(TicTacToe(), [tw.Position(TicTacToe()), other], engine="python")
    with pytest.raises(tw.OptionError, match="trees of one position"):
        forest.merged()
    options = tw.Options(puct=True, gumbel=tw.Gumbel(considered=4))
    with pytest.raises(tw.OptionError, match="looks at one tree"):
        tw.Forest(Go(5), 2, options, engine="python").merged()


def test_a_value_is_the_mean_of_its_rollouts():
    """Each is a search of one simulation; batches that are not full, and more than one."""
    domain = Nim(heap=7)
    states = np.concatenate([np.asarray(Nim(heap=h).new_state()) for h in (1, 5, 7)])
    values = tw.BulkRollouts(domain, 4, batch=2, seed=3, engine="python")(states)
    expected = []
    for i, heap in enumerate((1, 5, 7)):
        total = 0.0
        for k in range(4):
            seed = 3 + 8 * (i // 2) + 4 * (i % 2) + k
            search = tw.Search(Nim(heap=heap), seed=seed, engine="python")
            search.run(1)
            total += float(search.workers[0].nodes[0]["value"])
        expected.append(total / 4)
    assert values.tolist() == expected
    assert values[0] == 1.0  # whoever takes the last stone wins


def test_a_tree_with_rollouts_in_bulk_finds_the_move():
    rollouts = tw.BulkRollouts(TicTacToe(), 8, batch=4)
    position = tw.Position(TicTacToe())
    for action in (0, 3, 1, 4):
        position.play(action)
    search = tw.Search(TicTacToe(), seed=1, evaluate=rollouts, batch=4)
    search.begin(position.state)
    assert search.run(200).best == 2


@pytest.mark.parametrize(
    ("domain", "changes", "said"),
    [
        (TicTacToe, {"each": 0}, "each must be a whole number"),
        (TicTacToe, {"batch": True}, "batch must be a whole number"),
        (Drawn, {}, "chance may"),
    ],
)
def test_what_can_not_be_played_in_bulk(domain, changes, said):
    with pytest.raises(tw.OptionError, match=said):
        tw.BulkRollouts(domain(), **({"each": 2, "batch": 2} | changes))
