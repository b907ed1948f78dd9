"""Trees from files are data: nothing in them crashes, hangs or is taken on trust."""

import importlib.util
import json
import math
from pathlib import Path

import numpy as np
import pytest
from counting import SOUND
from fuzz_files import limited
from fuzz_trees import fuzz_trees, judge

import treewright as tw
from treewright.apps.games.tictactoe import TicTacToe


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "tree.npz"
    search = tw.Search(TicTacToe(), seed=1, memory="1MiB")
    search.run(50)
    search.save(path)
    with np.load(path) as file:
        return path, {k: file[k] for k in file.files}


@pytest.mark.parametrize(
    ("array", "column", "row", "value", "said"),
    [
        ("0/nodes", "first", 0, 10**6, "out of range"),
        ("0/nodes", "tried", 0, 60000, "more children"),
        ("0/nodes", "n", 0, 60000, "more actions"),
        ("0/nodes", "value", 1, np.nan, "not finite"),
        ("0/nodes", "visits", 1, -5, "impossible visits"),
        ("0/nodes", "action", 1, 77, "rules of the domain"),
        ("0/edges", "child", 1, 1, "no parent, or two"),
        ("0/edges", "child", 1, 10**6, "before its parent"),
        ("0/run", "nodes", 0, 2**40, "number of nodes"),
        ("0/run", "best_length", 0, 2**40, "too long"),
    ],
)
def test_an_impossible_number_is_refused(saved, array, column, row, value, said):
    path, arrays = saved
    arrays[array][column][row] = value
    np.savez(path, **arrays)
    with pytest.raises(tw.TreeFileError, match=said):
        tw.load(path, TicTacToe())


@pytest.mark.parametrize("column", ["pending", "visits"])
def test_a_leaf_that_waits_for_an_evaluator(tmp_path, column):
    """Every walk that comes to it would end without a simulation, again and again."""
    path = tmp_path / "tree.npz"
    search = tw.Search(TicTacToe(), seed=1, engine="python", evaluate=judge, batch=2)
    search.run(20)
    search.save(path)
    assert tw.load(path, TicTacToe(), evaluate=judge).run(5).simulations == 25
    with np.load(path) as file:
        arrays = {k: file[k] for k in file.files}
    arrays["0/nodes"]["pending"][1:] = 1
    if column == "visits":
        arrays["0/nodes"]["visits"][1:] = 0
    np.savez(path, **arrays)
    with pytest.raises(tw.TreeFileError, match="waits for an evaluator"):
        tw.load(path, TicTacToe(), evaluate=judge)


def test_an_action_that_was_not_tried_is_no_child(tmp_path):
    """An evaluator's weights lead there, to a node of any number."""
    path = tmp_path / "tree.npz"
    search = tw.Search(TicTacToe(), seed=1, engine="python", evaluate=judge, batch=2)
    search.run(4)
    search.save(path)
    with np.load(path) as file:
        arrays = {k: file[k] for k in file.files}
    untried = arrays["0/edges"]["child"]
    at = np.flatnonzero(untried < 0)[-1]
    untried[at] = -1 - untried[at]
    np.savez(path, **arrays)
    with pytest.raises(tw.TreeFileError, match="not tried has a child"):
        tw.load(path, TicTacToe(), evaluate=judge)


def test_statistics_of_a_user_may_be_infinite(tmp_path):
    """Such as the lowest reward so far, where there was none: what was saved can be loaded."""

    def forget(node, reward):
        node.lowest = math.inf

    rules = tw.Rules(back_up=forget, statistics=("lowest",))
    search = tw.Search(TicTacToe(), tw.Options(rules=rules), engine="python", memory="1MiB")
    search.run(20)
    search.save(tmp_path / "tree.npz")
    assert tw.load(tmp_path / "tree.npz", TicTacToe(), rules).run(5).simulations == 25


def test_workers_are_those_of_the_file(saved):
    path, arrays = saved
    about = json.loads(str(arrays["about"])) | {"workers": 10**6}
    np.savez(path, **arrays | {"about": np.array(json.dumps(about))})
    with pytest.raises(tw.TreeFileError, match="arrays for each of its workers"):
        tw.load(path, TicTacToe())


def test_a_tree_from_before_an_edit_of_the_rules_is_refused(tmp_path):
    file = tmp_path / "count.py"

    def domain(text, name="count"):
        file.write_text(text)
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.Count()

    search = tw.Search(domain(SOUND), seed=1, engine="python")
    search.run(20)
    search.save(tmp_path / "tree.npz")
    commented = SOUND.replace("s.n += 1", "s.n += 1  # one more")
    assert tw.load(tmp_path / "tree.npz", domain(commented, "other")).run(20).simulations == 40
    with pytest.raises(tw.TreeFileError, match="rules of Count were edited"):
        tw.load(tmp_path / "tree.npz", domain(SOUND.replace("/ 4", "/ 8")))


def test_a_search_that_began_elsewhere_is_not_saved(tmp_path):
    search = tw.Search(TicTacToe(), seed=1, memory="1MiB")
    search.begin(search.position.state)
    with pytest.raises(tw.OptionError, match="began at a given state"):
        search.save(tmp_path / "tree.npz")


def test_changed_files(tmp_path):
    seen, wrong = fuzz_trees(300, tmp_path)
    assert not wrong, (seen, wrong[:5])
    assert seen["read"]
    assert seen["refused"]


@pytest.mark.parametrize("name", ["/dev/zero", "."])
def test_a_device_without_end_is_no_tree(name):
    if not Path(name).exists():
        pytest.skip(f"there is no {name} here")
    with limited(), pytest.raises(tw.TreeFileError, match="it is a folder or a device"):
        tw.load(name, TicTacToe())
