"""A domain that takes back what was played: the same search, without a copy of the root."""

import numpy as np
import pytest

import treewright as tw


class Walk(tw.Domain):
    """Steps along a long strip; each one marks its square."""

    players, max_actions, max_length = 1, 3, 6
    state = tw.record(mark=("i1", 200), at="i4", steps="i4")

    def start(s):
        s.at = 100

    def legal(s, out):
        for i in range(3):
            out[i] = i
        return 3

    def play(s, action):
        s.at += action - 1
        s.mark[s.at] += 1 + action
        s.steps += 1

    def ended(s):
        return s.steps == 6

    def rewards(s, out):
        most = 0
        for i in range(90, 111):
            most = max(most, s.mark[i])
        out[0] = most / 20.0


class Rewound(Walk):
    def rewind(s, root):
        for at in range(root.at - 6, root.at + 7):  # no walk is longer
            s.mark[at] = root.mark[at]
        s.at = root.at
        s.steps = root.steps


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_the_tree_is_the_same_as_with_copies(engine):
    trees = []
    for domain in (Walk(), Rewound()):
        search = tw.Search(domain, tw.Options(c=0.3), seed=4, engine=engine)
        search.run(120)
        search.commit(search.run(30).best)  # the root changes; so does what is rewound to
        result = search.run(80)
        trees.append((search.tree.nodes.copy(), result.best_sequence, result.best_score))
    assert np.array_equal(trees[0][0], trees[1][0])
    assert trees[0][1:] == trees[1][1:]


class Forgetful(Walk):
    def rewind(s, root):
        s.at = root.at


def test_the_checker_finds_a_rewind_that_forgets_something():
    assert tw.check(Rewound(), games=2).ok
    found = tw.check(Forgetful(), games=2)
    assert not found.ok
    assert any("rewind()" in line for line in found.problems)
