"""What must hold in any game, with any switches: random games, given as tables.

Kernels are few (a cold one takes seconds to compile) and each has many switches on; games,
numbers, seeds and budgets are drawn by hypothesis.
"""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from bag import Bag
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference import BY_PLAYERS, below, by_path, grow, same_tree, solve

import treewright as tw

R = tw.Rave


# (players, options) of one kernel each; numbers in them are varied below
PLAIN = (2, tw.Options())
RAVE = (2, tw.Options(rave=R(k=100)))
RICH = (
    2,
    tw.Options(
        rave=R(bias=0.2),
        puct=True,
        priors=True,
        rollout=tw.Rollout("weighted", epsilon=0.25, depth=2),
    ),
)
SOLVER = (2, tw.Options(solver=True))
TABLE = (
    1,
    tw.Options(
        selection_bias=tw.SelectionBias(k=20),
        widening=tw.Widening(k=1.0, alpha=0.4),
        max_backup=0.5,
        rollout=tw.Rollout("table", floor=0.1),
    ),
)
TURN = (3, tw.Options(rave=R(k=100), horizon="turn"))
KERNELS = [PLAIN, RAVE, RICH, SOLVER, TABLE, TURN]

# switches for the interpreted engine alone: no compiler, so there can be any number of them
MORE = [
    (1, tw.Options()),
    (1, tw.Options(solver=True, max_backup=0.3)),
    (1, tw.Options(rave=R(k=10), rollout=tw.Rollout("domain"))),
    (1, tw.Options(rollout=tw.Rollout("greedy", epsilon=0.5), expand="weighted")),
    (1, tw.Options(expand="rollout", rollout=tw.Rollout("domain"))),
    (2, tw.Options(fpu=0.6, rollout=tw.Rollout(depth=0))),
    (2, tw.Options(selection_bias=tw.SelectionBias(k=3), priors=True)),
    (2, tw.Options(solver=True, rave=R(k=20))),
    (3, tw.Options(puct=True, widening=tw.Widening(k=0.5, alpha=0.7))),
    (3, tw.Options(expand="weighted", choose="value")),
]

slowly = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    database=None,
)


@st.composite
def games(draw, players, chance=True, depth=5):
    """A domain with small rational numbers, which both engines hold exactly."""
    tables = grow(
        draw(st.integers(0, 10**6)),
        players,
        depth=draw(st.integers(1, depth)),
        width=draw(st.integers(1, 4)),
        chance=draw(st.sampled_from([0.0, 0.3])) if chance else 0.0,
        reward_steps=draw(st.sampled_from([2, 8])),
        keys=draw(st.sampled_from([1, 4, 12])),
    )
    for name in ("weight", "prior"):
        tables[name] = np.ceil(tables[name] * 4) / 4
    return BY_PLAYERS[players](tables=tables)


def make(domain, options, seed, engine="compiled", **others):
    return tw.Search(domain, options, seed=seed, engine=engine, **{"memory": "1MiB"} | others)


def chance_of(options):
    return not options.solver


budgets = st.integers(1, 400)
seeds = st.integers(0, 2**40)


# ----------------------------------------------------------------------------- same tree


@pytest.mark.parametrize(("players", "options"), KERNELS)
@slowly
@given(data=st.data())
def test_both_engines_build_the_same_tree(players, options, data):
    domain = data.draw(games(players, chance_of(options)))
    seed, budget = data.draw(seeds), data.draw(budgets)
    runs = [make(domain, options, seed, engine) for engine in ("compiled", "python")]
    results = [search.run(simulations=budget) for search in runs]
    assert same_tree(*runs)
    assert [c.visits for c in results[0].children] == [c.visits for c in results[1].children]
    assert results[0].best == results[1].best
    assert results[0].best_sequence == results[1].best_sequence
    saved = [search.workers[0].saved for search in runs]
    for name in ("rng", "table_visits", "table_value"):
        assert np.array_equal(saved[0][name], saved[1][name])


@slowly
@given(data=st.data())
def test_both_engines_agree_with_many_actions(data):
    """In little memory, so that nodes are recycled too."""
    seed, budget = data.draw(seeds), data.draw(st.integers(1, 800))
    small = {"memory": data.draw(st.integers(2**14, 2**16)), "when_full": "recycle"}
    runs = [make(Bag(), None, seed, engine, **small) for engine in ("compiled", "python")]
    for search in runs:
        search.run(simulations=budget)
    assert same_tree(*runs)
    action = runs[0].result().best
    for search in runs:
        search.commit(action)
    assert same_tree(*runs)
    for search in runs:
        search.run(simulations=200)
    assert same_tree(*runs)


@pytest.mark.parametrize(("players", "options"), KERNELS + MORE)
@slowly
@given(data=st.data())
def test_a_resumed_run_is_the_single_run(players, options, data):
    engine = "compiled" if (players, options) in KERNELS else "python"
    domain = data.draw(games(players, chance_of(options)))
    seed, parts = data.draw(seeds), data.draw(st.lists(st.integers(1, 90), min_size=2, max_size=5))
    whole, resumed = (make(domain, options, seed, engine) for _ in range(2))
    whole.run(simulations=sum(parts))
    for part in parts:
        resumed.run(simulations=part)
    assert same_tree(whole, resumed)


@pytest.mark.parametrize(("players", "options"), KERNELS + MORE)
@slowly
@given(data=st.data())
def test_a_saved_search_goes_on_as_if_never_stopped(players, options, data):
    engine = "compiled" if (players, options) in KERNELS else "python"
    domain = data.draw(games(players, chance_of(options)))
    seed, first, second = data.draw(seeds), data.draw(budgets), data.draw(budgets)
    search = make(domain, options, seed, engine)
    search.run(simulations=first)
    with tempfile.TemporaryDirectory() as folder:
        search.save(Path(folder) / "tree.npz")
        loaded = tw.load(Path(folder) / "tree.npz", domain)
    assert loaded.options == options
    assert same_tree(search, loaded)
    one, other = (s.run(simulations=second) for s in (search, loaded))
    assert same_tree(search, loaded)
    assert one.children == other.children
    assert one.best_sequence == other.best_sequence
    assert one.best_score == other.best_score


# -------------------------------------------------------------------------------- counting


@pytest.mark.parametrize(("players", "options"), KERNELS + MORE)
@slowly
@given(data=st.data())
def test_visits_add_up(players, options, data):
    engine = "compiled" if (players, options) in KERNELS else "python"
    domain = data.draw(games(players, chance_of(options)))
    search = make(domain, options, data.draw(seeds), engine)
    result = search.run(simulations=data.draw(budgets))
    assert sum(c.visits for c in result.children) == result.simulations - 1
    assert sorted(c.action for c in result.children) == sorted(search.position.legal())
    nodes = search.tree.nodes
    for row, edges in by_path(search).values():
        children = nodes[[e["child"] for e in edges.values() if e["child"] >= 0]]
        if len(children):
            assert row["visits"] == 1 + children["visits"].sum()
        assert -1e-9 <= row["value"] <= row["visits"] + 1e-9
    assert len(nodes) == result.nodes == result.created <= result.simulations
    if result.stopped != "solved":
        assert result.simulations == nodes[0]["visits"]


@pytest.mark.parametrize(("engine", "options"), [("compiled", TABLE[1]), ("python", None)])
@slowly
@given(data=st.data())
def test_the_best_sequence_earns_the_best_score(engine, options, data):
    domain = data.draw(games(1, depth=6))
    search = make(domain, options, data.draw(seeds), engine)
    for _ in range(3):
        result = search.run(simulations=data.draw(st.integers(1, 80)))
        position = tw.Position(domain)
        for action in result.best_sequence:
            position.play(action)
        assert position.ended
        assert position.rewards()[0] == result.best_score
        search.commit(search.draw() if result.best == tw.CHANCE else result.best)
        if search.position.ended:
            break


# ---------------------------------------------------------------------------------- commit


def subtree(search, first):
    """The tree below an action, by path, without numbers that depend on where rows lie."""
    found = {}
    for path, (row, edges) in by_path(search).items():
        if path[: len(first)] == first:
            kept = {n: row[n].item() for n in row.dtype.names if n not in ("first", "action")}
            names = [n for n in search.tree.edges.dtype.names if n != "child"]
            known = {a: [e[n].item() for n in names] for a, e in edges.items()}
            found[path[len(first) :]] = (kept, known)
    return found


@pytest.mark.parametrize(("players", "options"), KERNELS)
@slowly
@given(data=st.data())
def test_commit_keeps_exactly_the_subtree(players, options, data):
    domain = data.draw(games(players, chance_of(options)))
    check_commit(domain, options, data)


def check_commit(domain, options, data):
    search = make(domain, options, data.draw(seeds))
    played = ()
    for _ in range(3):
        search.run(simulations=data.draw(budgets))
        action = data.draw(st.sampled_from(search.position.legal()))
        before = subtree(search, (action,))
        search.commit(action)
        played = (*played, action)
        assert search.history == list(played)
        if before:
            assert subtree(search, ()) == before
            assert len(search.tree.nodes) == len(before)
        else:
            assert len(search.tree.nodes) == 1
            assert search.tree.nodes[0]["visits"] == 0
        if search.position.ended:
            break


@slowly
@given(data=st.data())
def test_commit_keeps_exactly_the_subtree_with_many_actions(data):
    check_commit(Bag(), None, data)


# ---------------------------------------------------------------------------------- memory


@pytest.mark.parametrize("when_full", ["stop", "rollout", "recycle"])
@slowly
@given(seed=seeds, memory=st.integers(2**14, 2**16))
def test_the_memory_budget_is_kept(when_full, seed, memory):
    budget = 4000
    search = make(Bag(), None, seed, memory=memory, when_full=when_full)
    result = search.run(simulations=budget)
    assert search.tree.nbytes <= memory
    by_path(search)  # the tree hangs together
    if when_full == "stop":
        assert result.stopped in ("memory", "simulations")
        if result.stopped == "memory":
            assert search.tree.nbytes > 0.8 * memory
            again = search.run(simulations=100)
            assert (again.stopped, again.simulations) == ("memory", result.simulations)
    else:
        assert result.stopped == "simulations"
        assert result.simulations == budget == search.tree.nodes[0]["visits"]
        assert result.full or result.created == result.nodes
    if when_full == "recycle" and result.full:
        assert result.created > result.nodes
    if when_full == "rollout":
        assert result.created == result.nodes


@pytest.mark.parametrize("when_full", ["rollout", "recycle"])
@slowly
@given(seed=seeds, memory=st.integers(2**14, 2**15), cut=st.integers(1, 3999))
def test_full_memory_is_resumed_alike(when_full, seed, memory, cut):
    whole, parts = (make(Bag(), None, seed, memory=memory, when_full=when_full) for _ in range(2))
    whole.run(simulations=4000)
    parts.run(simulations=cut)
    parts.run(simulations=4000 - cut)
    assert same_tree(whole, parts)


@slowly
@given(seed=seeds, nodes=st.integers(1, 500))
def test_a_budget_of_nodes_is_exact(seed, nodes):
    search = make(Bag(), None, seed)
    result = search.run(nodes=nodes)
    assert result.stopped == "nodes"
    assert result.created == result.nodes == 1 + nodes


# ---------------------------------------------------------------------------------- solver


@pytest.mark.parametrize("players", [1, 2])
@slowly
@given(data=st.data())
def test_what_is_proven_is_true(players, data):
    domain = data.draw(games(players, chance=False))
    engine = "compiled" if players == 2 else "python"
    search = make(domain, tw.Options(solver=True), data.draw(seeds), engine)
    result = search.run(simulations=data.draw(st.sampled_from([20, 100, 3000])))
    tables = domain.tables
    who = int(tables["who"][0])
    truth = {a: solve(tables, c, players)[who] for a, c in below(tables, 0).items()}
    for child in result.children:
        if child.visits:
            assert child.low - 1e-6 <= truth[child.action] <= child.high + 1e-6
    if result.stopped == "solved":
        best = max(child.low for child in result.children if child.visits)
        assert best == pytest.approx(max(truth.values()))
        assert best == pytest.approx(solve(tables, 0, players)[who])
    assert result.simulations < 3000 or result.stopped == "solved"


# --------------------------------------------------------------------------------- workers


@pytest.mark.parametrize(("players", "options"), [PLAIN, RAVE, SOLVER, TABLE])
@slowly
@given(data=st.data())
def test_two_workers_give_the_same_result_twice(players, options, data):
    domain = data.draw(games(players, chance_of(options)))
    seed, parts = data.draw(seeds), data.draw(st.lists(st.integers(2, 200), min_size=1, max_size=2))
    runs = [make(domain, options, seed, workers=2) for _ in range(2)]
    results = [[s.run(simulations=part) for part in parts][-1] for s in runs]
    assert results[0].children == results[1].children
    assert results[0].best == results[1].best
    assert results[0].simulations == results[1].simulations
    assert sum(c.visits for c in results[0].children) == results[0].simulations - 2
    trees = [[w.nodes["visits"].tolist() for w in s.workers] for s in runs]
    assert trees[0] == trees[1]
