"""``expand="rollout"``: children are added as the domain's own policy draws them."""

import numpy as np
from numpy import int32

import treewright as tw
from treewright.random import uniform

ACTIONS = 40  # more than a dense node lists: sparse and dense blocks are both met


class Urn(tw.Domain):
    """Two draws from an urn in which ball ``i`` has probability ``2**-(i + 1)``."""

    players = 1
    max_actions = ACTIONS
    max_length = 4
    state = tw.record(drawn=int32, sum=int32)

    def start(s, balls=ACTIONS):
        s.drawn = 0

    def legal(s, out):
        n = ACTIONS if s.drawn == 0 else 5
        for i in range(n):
            out[i] = i
        return n

    def play(s, action):
        s.drawn += 1
        s.sum += action

    def ended(s):
        return s.drawn == 2

    def rewards(s, out):
        out[0] = 1.0 / (1.0 + s.sum)

    def rollout(s, rng, out):
        n = ACTIONS if s.drawn == 0 else 5
        u = uniform(rng)
        action = 0
        while u < 0.5 and action < n - 1:
            u *= 2.0
            action += 1
        return action


OPTIONS = tw.Options(expand="rollout", rollout=tw.Rollout("domain"))


def first_actions(seed, engine="python"):
    search = tw.Search(Urn(), OPTIONS, seed=seed, engine=engine, memory="1MiB")
    search.run(2)  # the root's own simulation, then its first child
    return [int(a) for a in search.tree.nodes["action"][1:2]]


def test_the_first_child_has_the_probability_of_the_policy():
    found = [first_actions(seed)[0] for seed in range(400)]
    share = np.bincount(found, minlength=4) / len(found)
    assert abs(share[0] - 0.5) < 0.08
    assert abs(share[1] - 0.25) < 0.07
    assert abs(share[2] - 0.125) < 0.06


def test_every_child_is_added_once_even_the_unlikely_ones():
    search = tw.Search(Urn(), OPTIONS, seed=1, engine="python", memory="1MiB")
    result = search.run(5000)
    assert sorted(c.action for c in result.children if c.visits) == list(range(ACTIONS))


def test_both_engines_build_the_same_tree():
    trees = []
    for engine in ("compiled", "python"):
        search = tw.Search(Urn(), OPTIONS, seed=3, engine=engine, memory="1MiB")
        search.run(700)
        trees.append(search.tree.nodes.copy())
    assert np.array_equal(*trees)
