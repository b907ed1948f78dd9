"""The shares of a search on many machines, here: what they report is what one machine would see."""

import pickle

import pytest

import treewright as tw
from treewright.apps.games.tictactoe import TicTacToe
from treewright.library.cluster.trees import Grove, Numbered, Wish
from treewright.library.tree import children_from


def wish(**changes):
    given = {"options": tw.Options(), "seed": 5, "memory": 2**22, "when_full": "stop"}
    return Wish(TicTacToe(), **(given | {"engine": "compiled"} | changes))


def test_numbered_trees_are_those_of_the_workers():
    near = tw.Search(TicTacToe(), seed=5, workers=2)
    found = near.run(1001)
    shares = [Numbered(wish(), i) for i in range(2)]
    reports = [shares[0].grow(501, None), shares[1].grow(500, None)]
    assert sum(r.simulations for r in reports) == found.simulations
    switches = near.workers[0].switches
    merged = children_from([r.rows for r in reports], switches, near.choose, near.position)
    assert merged == found.children
    assert shares[1].grow(500, None).rows == reports[1].rows  # nothing is left to do


def test_a_grove_adds_up_its_trees():
    """As on a GPU, where thousands of trees of one position grow in one program."""
    grove = Grove(wish(played=[4]), 0, trees=3)
    report = grove.grow(300, None)
    assert (report.simulations, report.trees) == (300, 3)
    rows: dict = {}
    for i in range(3):
        search = tw.Search(TicTacToe(), seed=grove._seed + i)
        search.commit(4)
        for child in search.run(100).children:
            total = rows.setdefault(child.action, [0, 0.0])
            total[0] += child.visits
            total[1] += (child.value or 0.0) * child.visits
    assert {a: r["visits"] for a, r in report.rows} == {a: n for a, (n, _) in rows.items()}
    for action, row in report.rows:
        assert row["value"] == pytest.approx(rows[action][1])
    grove.commit(0)
    assert 0 not in dict(grove.grow(30, None).rows)


@pytest.mark.parametrize("workers", [0, True, "two"])
def test_a_number_of_workers_is_needed(workers):
    with pytest.raises(tw.OptionError, match="workers must be a whole number"):
        tw.ClusterSearch(TicTacToe(), workers=workers)


def test_a_state_can_travel():
    """It ended in a RecursionError."""
    search = tw.Search(TicTacToe())
    search.commit(4)
    copied = pickle.loads(pickle.dumps(search.position.state))
    other = tw.Search(TicTacToe(), seed=3)
    other.begin(copied)
    assert other.position.render() == search.position.render()
