"""The engine of a GPU on a device that is pretended: its trees are those of the CPU."""

import importlib.util
from pathlib import Path

import pytest

import treewright as tw
from treewright.apps.games.nim import Nim
from treewright.apps.games.samegame import SameGame
from treewright.apps.games.tictactoe import TicTacToe
from treewright.apps.go.domain import Go


@pytest.fixture
def device(monkeypatch):
    path = Path(__file__).with_name("pretended.py")
    spec = importlib.util.spec_from_file_location("pretended", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.Pretended()
    monkeypatch.setattr("treewright.library.forest.device", lambda: found)
    return found


def assert_same(mine, theirs):
    assert (mine.simulations == theirs.simulations).all()
    for i in range(len(mine)):
        a, b = mine._trees.saved(i), theirs._trees.saved(i)
        for name in a:
            for field in a[name].dtype.names or (...,):  # not the bytes between fields
                assert a[name][field].tobytes() == b[name][field].tobytes(), (i, name, field)
    a, b = mine.roots(), theirs.roots()
    for name in ("action", "visits", "value"):
        assert (getattr(a, name) == getattr(b, name)).all(), name
    assert (mine.best == theirs.best).all()


CASES = {
    "uct": (TicTacToe, tw.Options()),
    "long games, paths beside the thread": (Nim, tw.Options(solver=True)),
    "rave, sparse blocks": (lambda: SameGame(seed=1, width=6, height=6), tw.Options()),
    "tables": (lambda: Go(5), tw.Options(rave=tw.Rave(k=100))),
    "gumbel": (lambda: Go(5), tw.Options(puct=True, gumbel=tw.Gumbel(considered=4))),
}


@pytest.mark.parametrize("case", CASES)
def test_trees_are_those_of_the_cpu(device, case):
    make, options = CASES[case]
    domain = make()
    forests = [
        tw.Forest(domain, 5, options, seed=3, memory=5 * 2**15, engine=e) for e in ("gpu", None)
    ]
    for simulations in (1, 40, 150):
        for forest in forests:
            forest.run(simulations)
        assert_same(*forests)
