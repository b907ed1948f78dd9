"""Search, commit, search again: the loop in kernel/phases.py and its rules."""

import os
import signal
import threading
from operator import getitem

import numpy as np
import pytest
from numpy import int32

import treewright as tw
from treewright.apps.games.tictactoe import TicTacToe
from treewright.kernel import layout
from treewright.kernel.choice import best_of, sure
from treewright.library.baselines import FlatMonteCarlo
from treewright.library.tree import Row
from treewright.random import below, uniform

BALLS = 40  # more than a dense node lists: sparse and dense blocks are both met
DRAWS = 5


class Urn(tw.Domain):
    """Five draws from an urn: small balls are worth more, and the rollout policy likes them."""

    players, max_actions, max_length = 1, BALLS, DRAWS
    state = tw.record(drawn=int32, sum=int32)

    def start(s, drawn=0):
        s.drawn = drawn

    def legal(s, out):
        n = BALLS if s.drawn % 2 == 0 else 5
        for i in range(n):
            out[i] = i
        return n

    def play(s, action):
        s.drawn += 1
        s.sum += action

    def ended(s):
        return s.drawn == DRAWS

    def rewards(s, out):
        out[0] = 1.0 / (1.0 + s.sum)

    def value(s, out):
        out[0] = 1.0 / (1.0 + s.sum)

    def rollout(s, rng, out):
        n = BALLS if s.drawn % 2 == 0 else 5
        u = uniform(rng)
        action = 0
        while u < 0.5 and action < n - 1:
            u *= 2.0
            action += 1
        return action


PLAIN = tw.Options(c=0.3, rollout=tw.Rollout("domain"))
DRAWN = tw.Options(
    c=1.0,
    expand="rollout",
    widening=tw.Widening(k=2.0, alpha=0.5),
    rollout=tw.Rollout("domain"),
    max_backup=0.1,
    choose="max",
)
SOLVED = tw.Options(c=0.5, solver=True, choose="value", rollout=tw.Rollout("domain"))


def search_of(options=PLAIN, seed=5, **settings):
    return tw.Search(Urn(), options, seed=seed, **{"memory": "1MiB"} | settings)


def by_hand(search, simulations, phases=DRAWS, carry=True):
    """The same with the verbs ``run`` and ``commit``."""
    for _ in range(phases):
        search.commit(search.run(simulations).best)
        if not carry:
            search.begin()
    return search


def same(one, other):
    assert one.history == other.history
    assert one.best == other.best
    assert one.simulations == other.simulations
    assert np.array_equal(one.tree.nodes, other.tree.nodes)
    assert np.array_equal(one.tree.edges, other.tree.edges)
    for a, b in zip(one.workers, other.workers, strict=True):
        for name in ("rng", "run"):
            wanted = [n for n in a.saved[name].dtype.names or () if n != "free"] or slice(None)
            assert np.array_equal(a.saved[name][wanted], b.saved[name][wanted])


@pytest.mark.parametrize("options", [PLAIN, DRAWN, SOLVED], ids=["visits", "max", "value"])
@pytest.mark.parametrize("engine", ["compiled", "python"])
def test_a_phase_commits_what_a_run_would_choose(options, engine):
    """One rule for the report and for the loop, in both engines."""
    for carry in (True, False):
        found = search_of(options, engine=engine)
        made = found.run_phases(4, simulations=50, carry=carry)
        wanted = by_hand(search_of(options, engine="python"), 50, 4, carry)
        same(found, wanted)
        assert made.actions == wanted.history
        assert (made.best_score, made.best_sequence) == wanted.best
        assert made.created == wanted.result().created - 1
        assert (found.tree.size == 1) == (not carry)


def test_two_players_keep_their_perspective():
    found, wanted = (tw.Search(TicTacToe(), seed=3, engine="python") for _ in range(2))
    found.run_phases(4, simulations=80)
    same(found, by_hand(wanted, 80, 4))
    found.run_phases(simulations=80)
    assert found.position.ended


def test_the_best_sequence_counts_from_the_first_root():
    search = search_of(DRAWN, seed=2)
    search.run_phases(1, simulations=30)
    made = search.run_phases(simulations=100)
    assert search.position.ended
    assert made.actions == search.history[1:]
    position = tw.Position(search.domain)
    for action in made.best_sequence:
        position.play(action)
    assert position.rewards()[0] == made.best_score


def test_a_run_of_an_ended_game_does_nothing():
    search = search_of(engine="python")
    search.run_phases(simulations=10)
    made = search.run_phases(simulations=10)
    assert (made.actions, made.simulations) == ([], 0)
    with pytest.raises(tw.OptionError, match="nothing to search"):
        search.run_phases(commit=False)


# ------------------------------------------------------------------------------ the budget


@pytest.mark.parametrize("engine", ["compiled", "python"])
def test_a_budget_can_be_shared_out(engine):
    for workers in (1, 2):
        search = search_of(engine=engine, workers=workers)
        made = search.run_phases(3, simulations=100, shared=True)
        assert (len(made.actions), made.simulations) == (3, 100)
    worker = search_of(engine=engine).workers[0]
    worker.plan(3, 100, 3)
    seen = []
    while worker.phases(1) == layout.DONE:
        seen.append(int(worker.progress["phase"]))
    assert [seen.count(phase) for phase in range(3)] == [32, 33, 34]  # and one more, the last


@pytest.mark.parametrize("engine", ["compiled", "python"])
def test_the_loop_can_be_left_anywhere(engine):
    whole, parts = (search_of(DRAWN, engine=engine).workers[0] for _ in range(2))
    for worker in (whole, parts):
        worker.plan(4, 60, choose=layout.MAX, slack=0.05)
    assert whole.phases(10_000) == layout.PHASED
    while parts.phases(7) == layout.DONE:
        pass
    assert parts.committed == whole.committed
    assert np.array_equal(parts.nodes, whole.nodes)
    assert np.array_equal(parts.saved["rng"], whole.saved["rng"])


def test_a_long_game_gets_room_for_its_actions():
    class Long(Urn):
        max_length = 500

        def ended(s):
            return s.drawn == 300

    search = tw.Search(Long(), PLAIN, seed=1, engine="python", memory="4MiB")
    assert len(search.run_phases(simulations=2).actions) == 300


def test_seconds_nodes_and_progress():
    search = search_of(engine="python")
    made = search.run_phases(2, nodes=30)
    assert made.created == 60
    assert made.stopped == "nodes"
    seen = []
    search = search_of(engine="python")
    made = search.run_phases(2, seconds=0.3, progress=seen.append)
    assert len(made.actions) == 2
    assert made.seconds >= 0.6
    assert made.stopped == "seconds"
    assert seen
    seen.clear()
    search = search_of(engine="python")
    made = search.run_phases(2, simulations=3000, progress=lambda p: seen.append(p.simulations))
    assert made.simulations == 6000
    assert seen == sorted(seen)
    assert seen


def test_a_goal_ends_the_run():
    search = search_of(engine="python")
    made = search.run_phases(simulations=500, goal=0.3)
    assert made.stopped == "score"
    assert made.best_score > 0.3
    assert len(made.actions) < DRAWS
    assert search.run_phases(1, simulations=50).stopped == "simulations"  # it was for that run


@pytest.mark.parametrize("when_full", ["stop", "recycle", "rollout"])
def test_a_full_memory(when_full):
    settings = {"memory": 2**14, "when_full": when_full}
    found = search_of(PLAIN, engine="python", **settings)
    made = found.run_phases(simulations=900)  # twice what there is room for
    assert found.position.ended
    same(found, by_hand(search_of(PLAIN, engine="python", **settings), 900))
    assert search_of(PLAIN, engine="python", **settings).run(900).full
    if when_full != "stop":
        assert made.simulations == 900 * DRAWS


# ---------------------------------------------------------------------- what is committed

ROWS = [  # as they were added
    Row(action=7, visits=10, mean=0.4, best=0.9, low=0.0, high=1.0),
    Row(action=3, visits=30, mean=0.5, best=0.6, low=0.0, high=1.0),
    Row(action=5, visits=20, mean=0.6, best=0.8, low=0.0, high=1.0),
    Row(action=2, visits=20, mean=0.6, best=0.8, low=0.0, high=1.0),
]


def chosen(rows, choose, slack=-1.0, accept=-np.inf):
    floor = sure(getitem, rows, len(rows))
    at = best_of(getitem, rows, len(rows), choose, floor, slack, accept)
    return rows[at].action if at >= 0 else None


def test_visits_value_or_maximum_decide():
    assert chosen(ROWS, layout.VISITS) == 3
    assert chosen(ROWS, layout.VALUE) == 2  # of equals, the smaller action
    assert chosen(ROWS, layout.MAX) == 7
    more = [row._replace(visits=21) if row.action == 5 else row for row in ROWS]
    assert chosen(more, layout.VALUE) == 5  # of equal means, the more visited
    assert chosen([], layout.VALUE) is None


def test_slack_takes_the_child_that_was_added_first():
    assert chosen(ROWS, layout.VALUE, slack=0.0) == 5
    assert chosen(ROWS, layout.VALUE, slack=0.15) == 3
    assert chosen(ROWS, layout.VALUE, slack=0.25) == 7
    assert chosen(ROWS, layout.MAX, slack=0.05) == 7


def test_children_that_are_not_good_enough_are_refused():
    assert chosen(ROWS, layout.VISITS, accept=0.5) == 2  # by their mean; then visits, as ever
    assert chosen(ROWS, layout.VALUE, slack=1.0, accept=0.4) == 3
    assert chosen(ROWS, layout.MAX, accept=0.9) is None


def test_what_is_proven_comes_first_and_what_is_refuted_last():
    won = ROWS[0]._replace(low=1.0)
    assert chosen([won, *ROWS[1:]], layout.VISITS) == 7
    lost = [row._replace(high=0.3) for row in ROWS[1:]]
    assert chosen([ROWS[0]._replace(low=0.4), *lost], layout.VISITS) == 7


def test_slack_keeps_to_the_policy_unless_it_is_worse():
    """Ball 0 is the best; with slack, whatever was drawn first and is nearly as good."""
    actions = {}
    for slack in (None, 0.1, 1.0):
        actions[slack] = []
        for seed in range(30):
            search = search_of(DRAWN, seed=seed)
            search.run(300)
            first = int(search.tree.nodes["action"][1])
            made = search.run_phases(1, simulations=1, slack=slack)
            actions[slack].append((made.actions[0], first))
    assert all(action == first for action, first in actions[1.0])
    mean = {slack: np.mean([a for a, _ in found]) for slack, found in actions.items()}
    assert mean[None] <= mean[0.1] <= mean[1.0]
    assert mean[None] < mean[1.0]


@pytest.mark.parametrize("workers", [1, 2])
def test_patience_with_a_phase_that_finds_nothing(workers):
    search = search_of(engine="python", workers=workers)
    made = search.run_phases(2, simulations=40, accept=1.0, patience=2)
    assert (made.stopped, made.actions, made.simulations) == ("refused", [], 120)
    assert search.history == []
    assert search.run_phases(2, simulations=40, accept=0.001).stopped == "simulations"
    assert len(search.history) == 2


@pytest.mark.parametrize("engine", ["compiled", "python"])
def test_the_best_committed_states_are_kept(engine):
    worker = search_of(DRAWN, engine=engine).workers[0]
    worker.keep(2)
    worker.plan(DRAWS, 40, choose=layout.MAX, slack=1.0)
    assert worker.phases(10_000) == layout.PHASED
    values, total = [], 0
    for action in worker.committed:
        total += action
        values.append(1.0 / (1.0 + total))
    best = sorted(set(values), reverse=True)[:2]
    assert sorted(worker.scores[: len(best)], reverse=True) == pytest.approx(best)
    for row, score in zip(worker.kept, worker.scores, strict=True):
        if score > -np.inf:
            assert 1.0 / (1.0 + row["sum"]) == score


class Coins(tw.Domain):
    """Chance tosses a coin that falls on 1 in three of four cases, then the player calls."""

    players, max_actions, max_length = 1, 2, 20
    state = tw.record(at=int32, coin=int32, right=int32)

    def start(s):
        s.at = 0

    def player(s):
        return -1 if s.at % 2 == 0 else 0

    def sample_chance(s, rng):
        return 1 if below(rng, 4) > 0 else 0

    def legal(s, out):
        out[0] = 0
        out[1] = 1
        return 2

    def play(s, action):
        if s.at % 2 == 0:
            s.coin = action
        elif action == s.coin:
            s.right += 1
        s.at += 1

    def ended(s):
        return s.at == 20

    def rewards(s, out):
        out[0] = s.right / 10


@pytest.mark.parametrize("workers", [1, 2])
def test_chance_is_drawn_and_not_chosen(workers):
    tosses = []
    for seed in range(8):
        search = tw.Search(Coins(), seed=seed, workers=workers, engine="python", memory="1MiB")
        made = search.run_phases(simulations=30 * workers)
        assert made.actions[0::2] == made.actions[1::2]  # each call is right
        tosses += made.actions[0::2]
    assert 0.6 < np.mean(tosses) < 0.9


# ------------------------------------------------------------- several trees, Ctrl-C, errors


def test_several_workers_commit_together():
    found, again, wanted = (search_of(DRAWN, workers=2) for _ in range(3))
    found.run_phases(4, simulations=200)
    again.run_phases(4, simulations=200)
    same(found, again)
    same(found, by_hand(wanted, 200, 4))


def test_a_baseline_commits_with_its_own_kernel():
    search = FlatMonteCarlo(Urn(), PLAIN, seed=1, engine="python")
    made = search.run_phases(simulations=200)
    assert search.position.ended
    assert made.actions[0] == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_what_was_committed(workers):
    search = search_of(workers=workers)
    search.run_phases(1, simulations=100)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    made = search.run_phases(simulations=10**9, seconds=None)
    assert made.stopped == "interrupt"
    assert made.actions == []
    assert len(search.history) == 1
    assert made.simulations > 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert search.run_phases(simulations=100).actions  # and it goes on
    assert search.position.ended


def test_stop_ends_the_whole_run():
    search = search_of(engine="python")
    made = search.run_phases(simulations=10**7, progress=lambda p: p.search.stop())
    assert (made.stopped, made.actions) == ("stop", [])


def test_an_error_in_a_domain_is_a_sentence():
    class Broken(Urn):
        def legal(s, out):
            return 0 if s.drawn == 2 else 2

    for engine in ("compiled", "python"):
        search = tw.Search(Broken(), tw.Options(), seed=1, engine=engine, memory="1MiB")
        with pytest.raises(tw.DomainError, match="listed no action"):
            search.run_phases(simulations=20)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"phases": 0}, "phases must be"),
        ({"shared": True}, "given number of phases"),
        ({"slack": -0.1}, "slack must be"),
        ({"patience": -1}, "patience must be"),
        ({"simulations": 0}, "simulations must be"),
        ({"seconds": 0}, "seconds must be"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(tw.OptionError, match=message):
        search_of(engine="python").run_phases(**arguments)
