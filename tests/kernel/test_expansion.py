"""The order and the memory of expansion."""

import numpy as np
from numpy import int8, int32

import treewright as tw
from treewright.library.domain import Domain


class Descending(Domain):
    """Sixty numbers, the largest listed first; two choices; the reward is their sum."""

    max_actions = 60
    max_length = 2
    state = tw.record(total=int32, depth=int8)

    def start(s):
        pass

    def legal(s, out):
        for i in range(60):
            out[i] = 59 - i
        return 60

    def play(s, action):
        s.total += action
        s.depth += 1

    def ended(s):
        return s.depth == 2

    def rewards(s, out):
        out[0] = s.total / 118.0


def tried(search):
    """The actions below the root, in the order in which they were added."""
    nodes, edges = search.tree.nodes, search.tree.edges
    root = nodes[0]
    return [
        int(nodes[e["child"]]["action"])
        for e in edges[root["first"] : root["first"] + root["tried"]]
    ]


def test_listed_tries_children_as_they_are_listed():
    for engine in ("compiled", "python"):
        search = tw.Search(Descending(), tw.Options(expand="listed"), seed=3, engine=engine)
        search.run(21)
        assert tried(search) == list(range(59, 39, -1))


def test_listed_order_survives_estimates():
    """With a first-play urgency above every reward no child is added twice or out of order."""
    search = tw.Search(Descending(), tw.Options(expand="listed", fpu=2.0, c=0.0), seed=3)
    search.run(31)
    assert tried(search) == list(range(59, 29, -1))


def test_dense_blocks_list_everything_and_choose_uniformly():
    first = set()
    for seed in range(40):
        search = tw.Search(Descending(), tw.Options(dense=True), seed=seed)
        search.run(2)
        root = search.tree.nodes[0]
        assert len(search.tree.edges) == root["n"] == 60
        assert root["tried"] == 1
        first.update(tried(search))
    assert len(first) > 20
    sparse = tw.Search(Descending(), seed=0)
    sparse.run(2)
    assert len(sparse.tree.edges) < 60


def test_both_engines_agree():
    for options in (tw.Options(dense=True, c=0.1), tw.Options(expand="listed", c=0.1)):
        a = tw.Search(Descending(), options, seed=5)
        b = tw.Search(Descending(), options, seed=5, engine="python")
        a.run(300)
        b.run(300)
        assert np.array_equal(a.tree.nodes, b.tree.nodes)
        assert np.array_equal(a.tree.edges, b.tree.edges)


class Nested(Domain):
    """A state that holds states: a row of counters, each a record."""

    max_actions = 3
    max_length = 4
    state = np.dtype(
        [("rows", tw.record(n=int32, seen=(int8, 2)), (3,)), ("moves", np.int32)], align=True
    )

    def start(s):
        s.rows[0].n = 1

    def legal(s, out):
        for i in range(3):
            out[i] = i
        return 3

    def play(s, action):
        s.rows[2] = s.rows[action]
        s.rows[2].n += 1
        s.rows[2].seen[0] = action
        s.moves += 1

    def ended(s):
        return s.moves == 4

    def rewards(s, out):
        out[0] = s.rows[2].n / 5.0 + s.rows[2].seen[0] / 50.0


def test_states_inside_states_work_in_both_engines():
    a = tw.Search(Nested(), seed=1)
    b = tw.Search(Nested(), seed=1, engine="python")
    assert a.run(200).best_score == b.run(200).best_score
    assert np.array_equal(a.tree.nodes, b.tree.nodes)
