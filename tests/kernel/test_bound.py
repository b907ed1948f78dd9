"""Branch and bound, weights listed with the actions, the heaviest child first, priorities."""

import math

import numpy as np
import pytest
from numpy import float64, int8

import treewright as tw
from treewright.errors import OptionError
from treewright.library.baselines import best_first
from treewright.library.options import Rollout
from treewright.library.search import Search

STEPS, WAYS = 4, 5


class Product(tw.Domain):
    """Choose a factor at each step; the reward is the product, so what is lost stays lost."""

    players = 1
    max_actions = WAYS
    max_length = STEPS
    keys = WAYS
    state = tw.record(at=int8, product=float64, beat=float64)

    def __init__(self, factors):
        super().__init__(tables={"factors": factors})

    def start(s, t):
        s.product = 1.0
        s.beat = -1.0

    def legal(s, t, out):
        n = 0
        for i in range(WAYS):
            if s.product * t.factors[s.at, i] > s.beat:
                out[n] = i
                n += 1
        if n == 0:  # nothing can beat it: any action, and the story of this branch is over
            out[0] = 0
            n = 1
        return n

    def play(s, t, action):
        s.product *= t.factors[s.at, action]
        s.at += 1

    def ended(s):
        return s.at == STEPS or s.product <= s.beat

    def rewards(s, out):
        out[0] = s.product if s.at == STEPS else 0.0

    def value(s, out):
        out[0] = s.product if s.at == STEPS else 0.0

    def weight(s, t, action):
        return t.factors[s.at, action]

    def beat(s, best):
        s.beat = max(0.0, best)

    def priority(s):
        return s.product


class Listed(Product):
    """The same with actions and weights in one call."""

    def legal_weights(s, t, out, weights):
        n = 0
        for i in range(WAYS):
            if s.product * t.factors[s.at, i] > s.beat:
                out[n] = i
                weights[n] = t.factors[s.at, i]
                n += 1
        if n == 0:
            out[0] = 0
            weights[0] = 1.0
            n = 1
        return n


@pytest.fixture(scope="module")
def factors():
    return np.random.default_rng(5).uniform(0.2, 1.0, (STEPS, WAYS))


def rows(search):
    nodes = search.tree.nodes
    return list(zip(nodes["action"].tolist(), nodes["visits"].tolist(), strict=True))


OPTIONS = {
    "bound": tw.Options(bound=True, solver=True),
    "puct": tw.Options(puct=True, c=1.0, rollout=Rollout("weighted")),
    "best": tw.Options(puct=True, c=1.0, expand="best", rollout=Rollout("greedy")),
    "all": tw.Options(
        puct=True, c=1.0, expand="best", bound=True, solver=True, rollout=Rollout("table")
    ),
    "drawn": tw.Options(expand="weighted", rollout=Rollout("weighted")),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_weights_in_one_call_build_the_same_tree(factors, name):
    one = Search(Product(factors), OPTIONS[name], seed=3, engine="python", memory="1MiB")
    other = Search(Listed(factors), OPTIONS[name], seed=3, engine="python", memory="1MiB")
    one.run(150)
    other.run(150)
    assert rows(one) == rows(other)
    assert len(rows(one)) > 10


def test_both_engines_build_the_same_tree(factors):
    for seed in (1, 2):
        searches = [
            Search(Listed(factors), OPTIONS["all"], seed=seed, engine=e, memory="1MiB")
            for e in ("python", "compiled")
        ]
        for search in searches:
            search.run(200)
        assert rows(searches[0]) == rows(searches[1])


def test_bound_proves_the_optimum_with_fewer_simulations(factors):
    best = math.prod(factors.max(axis=1))
    spent = {}
    for bound in (False, True):
        options = tw.Options(bound=bound, solver=True)
        search = Search(Product(factors), options, seed=1, engine="python", memory="4MiB")
        result = search.run(4000)
        assert result.stopped == "solved"
        assert result.best_score == pytest.approx(best)
        spent[bound] = result.simulations
    assert spent[True] < 0.5 * spent[False]


class ManyWays(Product):
    """Many factors at each step, so that a node's actions are listed again when one is added."""

    max_actions = 60
    keys = 60

    def legal(s, t, out):
        n = 0
        for i in range(t.factors.shape[1]):
            if s.product * t.factors[s.at, i] > s.beat:
                out[n] = i
                n += 1
        if n == 0:
            out[0] = 0
            n = 1
        return n


@pytest.mark.parametrize("seed", range(4))
def test_what_is_to_beat_may_grow_between_two_children_of_a_node(seed):
    """The second list is shorter then; a child once got an action that was in neither."""
    domain = ManyWays(np.random.default_rng(seed).uniform(0.2, 1.0, (STEPS, 60)))
    search = Search(domain, tw.Options(bound=True), seed=seed, engine="python", memory="1MiB")
    search.run(150)
    edges = search.tree.edges
    for node in search.tree.nodes:
        actions = search.tree.nodes[edges["child"][node["first"] : node["first"] + node["tried"]]]
        assert len(set(actions["action"].tolist())) == node["tried"]
        assert all(0 <= action < 60 for action in actions["action"])


def test_a_restarted_search_only_looks_for_something_better(factors):
    options = tw.Options(bound=True, solver=True)
    search = Search(Product(factors), options, seed=1, engine="python", memory="4MiB")
    first = search.run(4000)
    search.begin()
    again = search.run(4000)
    assert again.stopped == "solved"
    assert again.best_score == first.best_score
    assert again.simulations - first.simulations < first.simulations


def test_heaviest_first_is_the_order_that_puct_chooses(factors):
    """Without exploration values in play, children appear in the order of their weights."""
    search = Search(Listed(factors), OPTIONS["best"], seed=1, engine="python", memory="1MiB")
    search.run(400)
    root = search.workers[0].nodes[0]
    edges = search.workers[0].edges[root["first"] : root["first"] + root["n"]]
    assert list(edges["p"]) == sorted(edges["p"], reverse=True)
    assert edges["p"].sum() == pytest.approx(1.0)


def test_best_first_follows_the_priority(factors):
    """With the product as priority the first complete sequence it meets is the best one."""
    found = best_first(Product(factors), 10_000, engine="python")
    assert found.best_score == pytest.approx(math.prod(factors.max(axis=1)))


def test_bound_needs_beat_and_one_player():
    from treewright.apps.games.nim import Nim

    with pytest.raises(OptionError, match=r"bound needs .* beat"):
        Search(Nim(), tw.Options(bound=True))


class Wide(tw.Domain):
    """One choice among very many."""

    players, max_actions, max_length = 1, 2000, 1
    state = tw.record(over=int8)

    def start(s):
        pass

    def legal(s, t, out):
        for i in range(len(t.factors)):
            out[i] = i
        return len(t.factors)

    def play(s, action):
        s.over = 1

    def ended(s):
        return s.over == 1

    def rewards(s, out):
        out[0] = 0.5

    def weight(s, t, action):
        return t.factors[action]


@pytest.mark.parametrize("count", [5, 100, 2000])
def test_the_heaviest_of_many_actions_come_first(count):
    factors = np.random.default_rng(count).permutation(np.arange(1, count + 1) // 2)
    options = tw.Options(puct=True, expand="best")
    search = Search(Wide(tables={"factors": factors}), options, seed=1, engine="python")
    search.run(3)
    listed = [a if a >= 0 else -1 - a for a in search.workers[0].edges["child"].tolist()]
    tried = search.tree.nodes["action"].tolist()[1:]
    order = tried + listed[len(tried) :]
    assert sorted(order) == list(range(count))
    assert [factors[a] for a in order] == sorted(factors, reverse=True)
