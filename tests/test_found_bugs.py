"""Bugs that were found by independent tests, one minimal case each, so that they stay away."""

import collections

import numpy as np
import pytest
from bag import Bag
from reference import OnePlayer, TwoPlayers, below, grow, same_tree, solve, tables_of

import treewright as tw
from treewright.apps.games.connect_four import ConnectFour
from treewright.apps.games.tictactoe import TicTacToe

PY = {"engine": "python", "memory": "1MiB"}


def test_max_length_is_reached_by_the_tree():
    r = tw.Search(TicTacToe(), tw.Options(solver=True)).run(simulations=400_000)
    assert r.stopped == "solved"


def test_tight_max_length():
    class Tight(TwoPlayers):
        max_length = 2

    tab = tables_of(
        [{0: 1, 1: 2}, {0: 3, 1: 4}, {0: 5, 1: 6}, {}, {}, {}, {}],
        [0, 1, 1, 0, 0, 0, 0],
        [[0.5, 0.5]] * 3 + [[1, 0], [1, 0], [0, 1], [1, 0]],
    )
    s = tw.Search(Tight(tables=tab), tw.Options(solver=True), **PY)
    assert s.run(simulations=200).stopped == "solved"


def test_a_solved_root_plays_a_best_move():
    bad = []
    for seed in range(400):
        tab = grow(seed, 2, depth=4, width=4, reward_steps=2)
        r = tw.Search(TwoPlayers(tables=tab), tw.Options(solver=True), **PY).run(simulations=2000)
        who = int(tab["who"][0])
        if r.stopped == "solved" and solve(tab, below(tab, 0)[r.best])[who] != solve(tab)[who]:
            bad.append(seed)
    assert not bad


@pytest.mark.parametrize(
    "o", [tw.Options(puct=True), tw.Options(solver=True)], ids=["puct", "solver"]
)
def test_engines_agree_to_the_byte(o):
    for seed in range(10):
        d = TwoPlayers(tables=grow(seed, 2, depth=5, width=4))
        a, b = tw.Search(d, o, memory="1MiB"), tw.Search(d, o, **PY)
        a.run(simulations=500)
        b.run(simulations=500)
        assert same_tree(a, b), seed


@pytest.mark.parametrize(
    "o",
    [{}, {"rave": tw.Rave()}, {"priors": True}],
    ids=str,
)
def test_weighted_expansion(o):
    tab = tables_of(
        [{0: 1, 1: 2, 2: 3}, {}, {}, {}],
        [0] * 4,
        [[0.5]] * 4,
        weight=[[1000, 1, 1, 1]] * 4,
        trust=np.zeros((4, 4)),
    )
    c = collections.Counter()
    for seed in range(100):
        s = tw.Search(OnePlayer(tables=tab), tw.Options(expand="weighted", **o), seed=seed, **PY)
        s.run(simulations=2)
        c[int(s.tree.nodes[1]["action"])] += 1
    assert c[0] > 90, c


def test_prior_of_two_workers():
    tab = tables_of([{0: 1, 1: 2, 2: 3}, {}, {}, {}], [0] * 4, [[0.5]] * 4)
    r = tw.Search(OnePlayer(tables=tab), tw.Options(puct=True), workers=2, **PY).run(simulations=50)
    assert sum(c.prior for c in r.children) == pytest.approx(1)


def test_memory_is_full():
    for m in range(2**14, 2**14 + 80, 12):
        r = tw.Search(ConnectFour(), memory=m).run(simulations=3000)
        assert r.stopped == "memory", m
        assert r.full, m


def test_memory_budget():
    for m in range(65200, 65500, 8):
        s = tw.Search(Bag(), seed=65342, memory=m, when_full="rollout")
        s.run(simulations=4000)
        assert s.tree.nbytes <= m


def test_solver_with_chance():
    # root: 0 -> chance -> X -> {0: 0.0, 1: 1.0};  1 -> 0.6
    tab = tables_of(
        [{0: 1, 1: 5}, {0: 2}, {0: 3, 1: 4}, {}, {}, {}],
        [0, -1, 0, 0, 0, 0],
        [[0], [0], [0], [0], [1], [0.6]],
    )
    for seed in range(10):
        plain = tw.Search(OnePlayer(tables=tab), tw.Options(), seed=seed, **PY).run(
            simulations=3000
        )
        r = tw.Search(OnePlayer(tables=tab), tw.Options(solver=True), seed=seed, **PY).run(
            simulations=3000
        )
        assert plain.best == 0
        got = next(c for c in r.children if c.action == 0)
        assert got.value > 0.9, (seed, str(r.children))


def test_bounds_of_untried():
    r = [
        tw.Search(ConnectFour(), tw.Options(solver=True), memory="1MiB").run(simulations=n)
        for n in (1, 2, 3)
    ]
    r += [tw.Search(Bag(), tw.Options(solver=True), **PY).run(simulations=n) for n in (1, 2, 3)]
    print([[c.low for c in x.children] for x in r])
    assert all(c.low is not None for x in r for c in x.children)


def test_commit_of_a_chance_outcome_keeps_whose_value_it_is():
    # player 1 moves, then chance, then player 0; all rewards are 1 for player 1
    tab = tables_of([{0: 1}, {0: 2}, {0: 3, 1: 4}, {}, {}], [1, -1, 0, 0, 0], [[0, 1]] * 5)
    s = tw.Search(TwoPlayers(tables=tab), **PY)
    s.run(simulations=50)
    s.commit(0)
    s.commit(0)
    s.run(simulations=50)
    root = s.tree.nodes[0]
    assert root["value"] == root["visits"]


def test_load_another_game(tmp_path):
    s = tw.Search(
        TwoPlayers(tables=tables_of([{0: 1, 1: 2}, {}, {}], [0] * 3, [[0, 1], [1, 0], [0, 1]])),
        **PY,
    )
    s.run(simulations=20)
    s.save(tmp_path / "a.npz")
    other = TwoPlayers(tables=tables_of([{2: 1, 3: 2}, {}, {}], [0] * 3, [[0, 1], [1, 0], [0, 1]]))
    with pytest.raises(tw.TreeFileError):
        tw.load(tmp_path / "a.npz", other)


def test_proven_root_after_recycle_and_commit():
    bad = []

    class Short(Bag):
        def ended(s):
            return s.moves == 3

    for seed in range(20):
        s = tw.Search(
            Short(),
            tw.Options(solver=True),
            seed=seed,
            engine="python",
            memory=2**14,
            when_full="recycle",
        )
        r = s.run(simulations=2500)
        for c in r.children:
            if c.proven is not None:
                break
        else:
            continue
        s.commit(c.action)
        r2 = s.run(simulations=200)
        if r2.stopped == "solved" and not r2.visits:
            bad.append(seed)
    assert not bad
