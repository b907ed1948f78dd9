"""The engine of a GPU on a device that is pretended: its trees are those of the CPU."""

import gc
import os

import numpy as np
import pytest
from numpy import int32

import treewright as tw
from treewright.apps.games.nim import Nim
from treewright.apps.games.samegame import SameGame
from treewright.apps.go.domain import Go


class Uneven(tw.Domain):
    """A game that is wrong after 7 has been played."""

    players = 2
    max_actions = 3
    max_length = 8
    state = tw.record(last=int32, moves=int32)

    def start(s, last=0):
        s.last = last

    def legal(s, out):
        for i in range(3):
            out[i] = i
        return 4 if s.last == 7 else 3

    def play(s, action):
        s.last = action
        s.moves += 1

    def ended(s):
        return s.moves == 8

    def player(s):
        return s.moves % 2

    def rewards(s, out):
        out[s.last % 2] = 1.0


CASES = {
    "long games, so that paths lie far away": (Nim, tw.Options(solver=True)),
}
if os.environ.get("TREEWRIGHT_GPU_SEEDS"):  # these take longer to compile
    CASES |= {
        "sparse blocks, one player": (lambda: SameGame(seed=1, width=6, height=6), tw.Options()),
        "tables": (lambda: Go(5), tw.Options(rave=tw.Rave(k=100))),
        "gumbel": (lambda: Go(5), tw.Options(puct=True, gumbel=tw.Gumbel(considered=4))),
    }


def assert_same(mine, theirs):
    assert (mine.simulations == theirs.simulations).all()
    for i in range(len(mine)):
        a, b = mine._trees.saved(i), theirs._trees.saved(i)
        for name in a:
            for field in a[name].dtype.names or (...,):  # not the bytes between fields
                assert a[name][field].tobytes() == b[name][field].tobytes(), (i, name, field)
    a, b = mine.roots(), theirs.roots()
    for name in ("action", "visits", "value"):
        width = a.action.shape[1]
        assert (getattr(a, name) == getattr(b, name)[:, :width]).all(), name
    assert (mine.best == theirs.best).all()


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
    for forest in forests:
        forest.begin(5, seed=8)
        forest.run(20)
    assert_same(*forests)
    for _ in range(3):  # moves of games side by side
        for forest in forests:
            forest.commit().run(40)
        assert_same(*forests)
        mine, theirs = forests
        assert (mine.ended == theirs.ended).all()
        for i in range(5):
            assert mine.history(i) == theirs.history(i)
            a, b = (np.asarray(f.position(i).state) for f in forests)
            assert (a == b).all()
    with pytest.raises(tw.OptionError, match=r"position 0: action 99999 can't be played"):
        forests[0].commit([99999] * 5)
    assert_same(*forests)


def test_one_position_is_all_of_the_device(device):
    """Its trees merged, and its rollouts for a tree on the CPU, are those of the CPU."""
    mine, theirs = (tw.Forest(Uneven(), 6, memory="1MiB", engine=e).run(30) for e in ("gpu", None))
    assert mine.merged().children == theirs.merged().children
    assert mine.merged().simulations == 180
    found = []
    for engine in ("gpu", None):
        rollouts = tw.BulkRollouts(Uneven(), 3, batch=4, engine=engine)
        search = tw.Search(Uneven(), seed=1, memory="1MiB", evaluate=rollouts, batch=4)
        found.append(search.run(40).children)
    assert found[0] == found[1]
    assert device.launches > 20


def test_memory_is_given_back_and_nothing_beside_it_was_written(device):
    forest = tw.Forest(Uneven(), 3, memory=3 * 2**14, engine="gpu").run(500)
    assert forest._trees.runs["full"].all()
    kept = list(device.memory.values())
    sizes = sum(len(data) for data in kept)
    assert sizes < 3 * 2**14 + 2 * 8 * 4096 + 2**14  # the trees, the two tables and small things
    del forest
    gc.collect()
    assert not device.memory


def test_an_error_names_its_position_and_leaves_the_others_alone(device):
    domain = Uneven()
    states = [Uneven(last=last).new_state() for last in (0, 1, 7, 2)]
    forest = tw.Forest(domain, states, memory="1MiB", engine="gpu")
    with pytest.raises(
        tw.DomainError, match=r"position 2: .*Uneven.* 4 actions .*max_actions is 3"
    ):
        forest.run(30)
    assert (forest.simulations[[0, 1, 3]] == 30).all()
    assert forest.simulations[2] < 30


def test_launches_are_short_and_time_ends_them(device):
    forest = tw.Forest(Uneven(), 2, memory="64MiB", engine="gpu")
    forest.run(10**9, seconds=0.3)
    assert device.launches > 4
    assert 0 < forest.simulations[0] < 10**8
    assert forest.simulations[0] == forest.simulations[1]


def test_trees_that_are_all_full_end_the_run(device):
    forest = tw.Forest(Uneven(), 2, memory=2**15, engine="gpu").run(10**12)
    assert forest._trees.runs["full"].all()
    assert device.launches < 20


def test_what_a_gpu_can_not_do_is_said_at_once():
    with pytest.raises(tw.OptionError, match=r"use a tw\.Forest"):
        tw.Search(Uneven(), engine="gpu")
    with pytest.raises(tw.OptionError, match="does not know transpositions"):
        tw.Forest(Uneven(), 2, tw.Options(transpositions=True), engine="gpu")
