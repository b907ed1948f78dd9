"""The agents on Hero Academy: legal, reproducible, complete turns; tournaments."""

import numpy as np
import pytest

from treewright.apps.tactics import evaluation
from treewright.apps.tactics.agents import AGENTS, agent
from treewright.apps.tactics.domain import HeroAcademy
from treewright.apps.tactics.tournament import Fixture, parse_budget, play, run, tournament
from treewright.errors import OptionError
from treewright.kernel.interpreted import RecordProxy
from treewright.kernel.rebind import Rebinder
from treewright.library.evolutionary import Budget, Turn
from treewright.library.position import Position
from treewright.workshop.experiments import runner

AP = 5


@pytest.fixture(scope="module")
def states():
    """10,000 states of random games, at the beginnings of turns and inside them."""
    found = []
    seed = 0
    while len(found) < 10_000:
        domain = HeroAcademy(ap=AP, seed=seed, turn_limit=60)
        turn = Turn(domain, 1 + seed % AP)
        state = np.zeros(1, domain.state)
        state[0] = domain.new_state()._record[0]
        while not state[0]["over"] and len(found) < 10_000:
            found.append(state.copy())
            turn.by_itself(state, 1, seed * 1000 + len(found))
        seed += 1
    return found


@pytest.mark.parametrize(
    "name",
    ["random", "greedy-action", "greedy-turn", "mcts", "bb-mcts", "oep", "oep-greedy", "emcts"],
)
def test_no_illegal_action_in_ten_thousand_states(name, states):
    """Every plan is legal to its end and fills the turn."""
    referee = Turn(HeroAcademy(ap=AP, turn_limit=60), AP)
    player = agent(name, AP, turn_limit=60)
    for seed, state in enumerate(states):
        side = int(state[0]["player"])
        plan = player.plan(state, Budget(evaluations=12), seed)
        after = state.copy()
        referee.follow(after, plan.actions)  # raises at the first illegal one
        assert after[0]["over"] or after[0]["player"] != side


def test_compiled_greedy_action_takes_the_largest_gain(states):
    """As in test_rules.py, but compiled: sets of cards and units are made there by bit tricks."""
    domain = HeroAcademy(ap=AP, turn_limit=60)
    t = domain.interpreted_tables
    gain = Rebinder(None).function(evaluation.gain)
    player = agent("greedy-action", AP, turn_limit=60)
    for seed, state in enumerate(states[::40]):
        action = player.plan(state, Budget(evaluations=1), seed).actions[0]
        here = Position(domain, RecordProxy(state.copy()))
        gains = {a: gain(here.state, t, a) for a in here.legal()}
        assert gains[action] == max(gains.values())


def test_greedy_action_breaks_ties_evenly(states):
    """All of the best actions, each about as often."""
    domain = HeroAcademy(ap=AP, turn_limit=60)
    t = domain.interpreted_tables
    gain = Rebinder(None).function(evaluation.gain)
    player = agent("greedy-action", AP, turn_limit=60)
    for state in states[:400:80]:
        here = Position(domain, RecordProxy(state.copy()))
        gains = {a: gain(here.state, t, a) for a in here.legal()}
        best = [a for a in gains if gains[a] == max(gains.values())]
        chosen = [player.plan(state, Budget(evaluations=1), n).actions[0] for n in range(600)]
        assert set(chosen) == set(best)
        for action in best:
            assert chosen.count(action) == pytest.approx(600 / len(best), rel=0.6)


@pytest.mark.parametrize("budget", ["evals:40", "evals:900"])  # without and with replies
def test_equal_seeds_give_equal_games(budget):
    fixture = Fixture("emcts", "oep-greedy", AP, budget, 3)
    assert play(fixture, 5, {}) == play(fixture, 5, {})


def test_a_reply_changes_some_turns_and_all_are_legal(states):
    """What is chosen by a reply is a whole legal turn, and never worth more than the best."""
    referee = Turn(HeroAcademy(ap=AP, turn_limit=60), AP)
    player, plain = (agent(name, AP, turn_limit=60) for name in ("emcts", "emcts-plain"))
    changed = 0
    for seed, state in enumerate(states[::200]):
        side = int(state[0]["player"])
        plan = player.plan(state, Budget(evaluations=900), seed)
        best = plain.plan(state, Budget(evaluations=900 - player.set_aside), seed)
        assert plan.value <= best.value
        assert plan.evaluations <= 900
        changed += plan.value < best.value
        after = state.copy()
        referee.follow(after, plan.actions)
        assert after[0]["over"] or after[0]["player"] != side
    assert changed > 3


def test_the_tree_of_emcts_makes_no_difference(states):
    """Its phases end before a mutation of a mutation is tried: that is why the default has none."""
    with_tree, without = (agent(name, AP, turn_limit=60) for name in ("emcts", "local-search"))
    for seed, state in enumerate(states[::300]):
        plans = [one.plan(state, Budget(evaluations=900), seed) for one in (with_tree, without)]
        assert plans[0].actions == plans[1].actions


def test_paired_deals_swap_sides():
    a, b = (play(Fixture("greedy-action", "random", AP, "evals:1", n), 2, {}) for n in (0, 1))
    assert not a["swapped"]
    assert b["swapped"]


def test_a_tournament_goes_on_where_it_stopped(tmp_path):
    store = tmp_path / "t.sqlite"

    def of(games, seed=1):
        return tournament(["greedy-action", "random"], {AP: "evals:1"}, games, seed)

    assert run(of(4), store)[0].computed == 4
    done, again = run(of(6), store)
    assert done.computed == 2
    whole = run(of(6))[1]
    assert whole == again
    (row,) = again
    assert row.games == 6
    assert row.score > 0.8
    assert row.interval.low < row.score <= row.interval.high
    assert run(of(1, seed=2), store)[0].computed == 1  # the deals of another seed are others


def test_only_games_that_are_kept_are_told_from_those_of_other_code(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(runner, "code_of", lambda *cell: asked.append(cell) or "code")
    games = tournament(["greedy-action", "random"], {AP: "evals:1"}, games=2)
    assert run(games)[0].done == 2
    assert not asked
    assert run(games, tmp_path / "games.sqlite")[0].done == 2
    assert asked


def test_a_game_of_a_tournament_is_the_game_that_play_gives():
    games = tournament(["greedy-action", "random"], {AP: "evals:1"}, 2, 3, {"turn_limit": 9})
    cells = games.cells("smoke")
    fixture = Fixture("greedy-action", "random", AP, "evals:1", 1)
    assert games.run(cells[1].values, cells[1].seed) == play(fixture, 3, {"turn_limit": 9})


@pytest.mark.parametrize("text", ["", "20", "evals:", "evals:0", "-5ms", "5 minutes"])
def test_bad_budgets(text):
    with pytest.raises(OptionError):
        parse_budget(text)


def test_budgets():
    assert parse_budget("200ms") == Budget(seconds=0.2)
    assert parse_budget("evals:7") == Budget(evaluations=7)


def test_unknown_agents_are_named():
    with pytest.raises(OptionError, match="did you mean 'emcts'"):
        agent("emtcs", AP)
    with pytest.raises(OptionError, match="at least two agents"):
        tournament(["emcts"], {AP: "evals:1"}, 2)
    assert {"mcts", "mcts-ne", "bb-mcts", "greedy-turn", "emcts-plain", "emcts-reply"} <= set(
        AGENTS
    )


def test_the_benchmark_measures_planners(monkeypatch):
    from treewright.apps.tactics import benchmark as tactics

    monkeypatch.setattr(tactics, "CLASS", {AP: 150})
    monkeypatch.setattr(tactics, "POSITIONS", 3)
    monkeypatch.setattr(tactics, "PLANNERS", ("oep", "emcts"))
    monkeypatch.setattr(tactics, "_random_play", lambda ap: lambda: 1000)  # its own kernel
    rows = {row["what"]: row for row in tactics.run(0.01)}
    assert list(rows) == ["random play", "oep", "emcts"]
    assert all(row["per_cpu_second"] > 1000 for row in rows.values())
    wanted = rows["emcts"]["wanted"]
    assert wanted == pytest.approx(0.8 * rows["oep"]["per_cpu_second"], abs=1)
    assert f"{wanted:,}" in tactics.table(list(rows.values()))


def test_the_benchmark_plays_at_random():
    from treewright.apps.tactics.benchmark import _random_play

    assert _random_play(AP)(100) == 100
