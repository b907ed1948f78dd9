"""The trees that jobs leave, and how they are looked at."""

import pytest

pytest.importorskip(
    "pydantic", reason="the studio is not installed: pip install 'treewright[studio]'"
)

from treewright.apps.games.tictactoe import TicTacToe
from treewright.errors import TreewrightError
from treewright.library.options import Options, Rave
from treewright.library.search import Search
from treewright.workshop.jobs.store import Store
from treewright.workshop.searching.inspector import Kept, about, children


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "jobs.sqlite")


def left(store, kept, name="job"):
    store.add(name, "search", "", {"domain": "tictactoe", "moves": []})
    store.end(name, "done", "", {}, kept.files)
    return str(store.path), name


def searched(simulations, **options):
    search = Search(TicTacToe(), Options(**options), seed=1, engine="python", memory="4MiB")
    search.run(simulations)
    return search


def test_the_tree_that_was_searched_is_the_one_that_is_shown(store):
    search = searched(300, rave=Rave(k=100))
    kept = Kept()
    kept.look(search, seconds=2.0)
    where = left(store, kept)
    found = {row["action"]: row for row in children(*where, [])}
    for child in search.result().children:
        shown = found[child.action]
        assert (shown["label"], shown["visits"]) == (child.label, child.visits)
        assert shown["value"] == pytest.approx(child.value)
        assert shown["rave"] == pytest.approx(child.rave)
    best = search.result().children[0]
    below = children(*where, [best.action])
    assert sum(row["visits"] for row in below) == best.visits - 1
    said = about(*where)
    assert said["variation"] == [label for _, label in search.tree.principal_variation()]
    assert said["took"]["simulations a second"] == 150
    assert said["took"]["nodes"] == search.tree.size
    with pytest.raises(TreewrightError, match="no such node"):
        children(*where, [best.action, best.action])


def test_the_largest_tree_stays_though_the_search_commits(store):
    search = searched(200)
    kept = Kept()
    kept.look(search)
    first = search.result().best
    for _ in range(3):
        search.commit(search.result().best)
        search.run(3)
        kept.look(search)
    where = left(store, kept)
    assert about(*where)["took"]["simulations"] == 200
    assert children(*where, [])[0]["action"] == first


def test_a_tree_below_moves_begins_where_its_root_stands(store):
    search = searched(50)
    search.commit(4)
    search.run(100)
    kept = Kept()
    kept.look(search)
    where = left(store, kept)
    assert about(*where)["root"].count("X") == 1
    assert 4 not in [row["action"] for row in children(*where, [])]


def test_a_job_without_a_tree_says_so(store):
    where = left(store, Kept())
    with pytest.raises(TreewrightError, match="left no tree"):
        about(*where)
