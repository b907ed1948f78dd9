"""The planners on a second game, which is small enough to know every answer."""

import functools

import numpy as np
import pytest

import treewright as tw
from treewright.apps.games.foundry import ACTIONS, Foundry
from treewright.errors import OptionError
from treewright.kernel.rng import stream_seed
from treewright.library.evolutionary import (
    Budget,
    Evolution,
    EvolutionaryMCTS,
    GreedyAction,
    GreedyTurn,
    OnlineEvolution,
    RandomActions,
    Replied,
    Turn,
    TurnMCTS,
)
from treewright.library.evolutionary.mutations import NOTHING, SHIFT, mutations

GAME = Foundry()


def positions(count, seed=0):
    """Positions at the beginning of a turn, from random games."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        position = tw.Position(GAME)
        while not position.ended:
            if position.state.left == ACTIONS:
                found.append(position.copy())
            position.play(int(rng.choice(position.legal())))
    return found[:count]


def turns(position):
    """Every turn from a position, with what the mover has after it: the exact answer."""
    mover = position.player
    stack = [(position.copy(), [])]
    while stack:
        now, plan = stack.pop()
        if now.ended or now.player != mover:
            yield plan, (now.rewards() if now.ended else now.value())[mover]
            continue
        for action in now.legal():
            after = now.copy()
            after.play(action)
            stack.append((after, [*plan, action]))


def best_value(position):
    return max(value for _, value in turns(position))


def state_of(position):
    return position.state._record.copy()


def after(goods, player, action):
    """The rules once more, on plain tuples."""
    mine, theirs = list(goods[player]), list(goods[1 - player])
    if action == 0:
        mine[0] = min(9, mine[0] + 2)
    elif action == 1:
        mine[0], mine[1] = mine[0] - 2, mine[1] + 1
    elif action == 2:
        mine[1], mine[2] = mine[1] - 1, mine[2] + 1
    elif action == 3:
        mine[3], mine[2] = mine[3] + mine[2], mine[2] - 1
    else:
        mine[2], theirs[0], mine[0] = mine[2] - 1, theirs[0] - 2, min(9, mine[0] + 2)
    pair = (tuple(mine), tuple(theirs))
    return pair if player == 0 else pair[::-1]


def affordable(goods, player):
    ore, iron, tools, _ = goods[player]
    raid = tools >= 1 and goods[1 - player][0] >= 2
    able = (ore < 9, ore >= 2, iron >= 1, tools >= 1, raid)
    return [a for a in range(5) if able[a]]


@functools.cache
def solved(goods, made):
    """Coins that the first player is ahead with perfect play, after ``made`` actions."""
    if made == 4 * 6:
        return goods[0][3] - goods[1][3]
    player = made // 4 % 2
    values = [solved(after(goods, player, a), made + 1) for a in affordable(goods, player)]
    return max(values) if player == 0 else min(values)


POSITIONS = positions(25)
AGENTS = {
    "oep": lambda: OnlineEvolution(GAME, ACTIONS),
    "oep-greedy": lambda: OnlineEvolution(GAME, ACTIONS, Evolution.greedy()),
    "emcts": lambda: EvolutionaryMCTS(GAME, ACTIONS),
    "emcts-flat": lambda: EvolutionaryMCTS(GAME, ACTIONS, flat=True),
    "greedy-turn": lambda: GreedyTurn(GAME, ACTIONS),
    "greedy-action": lambda: GreedyAction(GAME, ACTIONS),
    "random": lambda: RandomActions(GAME, ACTIONS),
}


@pytest.mark.parametrize("name", ["oep", "oep-greedy", "emcts", "greedy-turn"])
def test_planners_find_the_exact_best_turn(name):
    agent = AGENTS[name]()
    for seed, position in enumerate(POSITIONS):
        plan = agent.plan(state_of(position), Budget(evaluations=3000), seed)
        assert plan.value == pytest.approx(best_value(position)), position.render()


@pytest.mark.parametrize("name", AGENTS)
def test_plans_are_legal_complete_and_worth_what_they_say(name):
    agent = AGENTS[name]()
    for seed, position in enumerate(POSITIONS):
        state = state_of(position)
        before = state.copy()
        plan = agent.plan(state, Budget(evaluations=50), seed)
        assert np.array_equal(state, before), "the state must not change"
        after = position.copy()
        for action in plan.actions:
            assert after.player == position.player
            after.play(action)  # raises if it is illegal
        assert after.ended or after.player != position.player
        found = (after.rewards() if after.ended else after.value())[position.player]
        assert plan.value == pytest.approx(found)


def test_greedy_action_takes_the_best_next_state():
    agent = GreedyAction(GAME, ACTIONS)
    for seed, position in enumerate(POSITIONS):
        now = position.copy()
        for action in agent.plan(state_of(position), Budget(evaluations=1), seed).actions:
            worth = {}
            for other in now.legal():
                after = now.copy()
                after.play(other)
                worth[other] = (after.rewards() if after.ended else after.value())[now.player]
            assert worth[action] == max(worth.values())
            now.play(action)


def test_greedy_action_misses_turns_that_evolutionary_search_finds():
    """The game is of use: looking one action ahead is not enough."""
    greedy, emcts = AGENTS["greedy-action"](), AGENTS["emcts"]()
    one = sum(greedy.plan(state_of(p), Budget(evaluations=1), 1).value for p in POSITIONS)
    all_ = sum(emcts.plan(state_of(p), Budget(evaluations=500), 1).value for p in POSITIONS)
    assert all_ > one + 0.01


def test_the_rules_agree_with_a_second_implementation():
    rng = np.random.default_rng(5)
    for _ in range(20):
        position, goods, made = tw.Position(GAME), ((2, 0, 0, 0), (2, 0, 0, 0)), 0
        while not position.ended:
            assert position.legal() == affordable(goods, position.player)
            action = int(rng.choice(position.legal()))
            goods = after(goods, position.player, action)
            position.play(action)
            made += 1
            assert tuple(position.state.goods) == goods[0] + goods[1]
        assert made == 24


def test_in_the_last_turn_evolutionary_search_plays_perfectly():
    """The solver knows what every position is worth; in the last turn a plan is the whole game."""
    emcts = AGENTS["emcts"]()
    seen = 0
    for position in positions(60, seed=9):
        if position.state.turn == 5:
            goods = tuple(position.state.goods)
            best = solved((goods[:4], goods[4:]), 20)
            value = emcts.plan(state_of(position), Budget(evaluations=2000), 1).value
            assert value == (1.0 if best < 0 else 0.0 if best > 0 else 0.5)
            seen += 1
    assert seen >= 8


def test_equal_seeds_give_equal_plans_and_budgets_are_kept():
    for name in AGENTS:
        agent = AGENTS[name]()
        state = state_of(POSITIONS[5])
        first = agent.plan(state, Budget(evaluations=120), 7)
        assert agent.plan(state, Budget(evaluations=120), 7) == first, name
        assert first.evaluations <= 122


def test_without_a_tree_no_mutation_follows_another():
    depths = []
    for flat in (False, True):
        search = tw.Search(
            mutations(GAME, ACTIONS, flat=flat),
            tw.Options(c=0, rollout=tw.Rollout(depth=0)),
            seed=1,
            engine="python",
        )
        search.run(simulations=2)
        search.commit(search.result().best)
        search.run(simulations=60)
        depths.append(len(search.result().principal_variation(9)))
    assert depths[0] > depths[1] == 1


def test_budget_in_seconds():
    for name in ("oep", "emcts", "greedy-turn"):
        plan = AGENTS[name]().plan(state_of(POSITIONS[3]), Budget(seconds=0.02), 1)
        assert plan.evaluations >= 5


def test_tree_search_plans_whole_turns():
    for c, phases in ((2.0, 1), (0.0, 1), (2.0, ACTIONS)):
        agent = TurnMCTS(GAME, ACTIONS, c=c, phases=phases)
        for position in POSITIONS[:8]:
            few = agent.plan(state_of(position), Budget(evaluations=3), 1)
            assert len(few.actions) == ACTIONS  # completed by the rollout policy
            plan = agent.plan(state_of(position), Budget(evaluations=4000), 1)
            after = position.copy()
            for action in plan.actions:
                after.play(action)
        if phases > 1:
            assert plan.value >= best_value(POSITIONS[7]) - 0.02


# ------------------------------------------------------------------ the transformed domain


def test_mutations_are_a_domain_in_both_engines():
    space = mutations(GAME, ACTIONS)
    options = tw.Options(c=0.0, rollout=tw.Rollout(depth=0), dense=True)
    a = tw.Search(space, options, seed=3)
    b = tw.Search(space, options, seed=3, engine="python")
    a.run(60)
    b.run(60)
    assert np.array_equal(a.tree.nodes, b.tree.nodes)
    phases = a.run_phases(4, simulations=60)
    assert len(phases.actions) == 4
    assert phases.best_score == pytest.approx(best_value(tw.Position(GAME)))


def test_phases_end_with_the_turn():
    """With ``horizon="turn"`` no further action is searched, so none is committed either."""
    options = tw.Options(horizon="turn", rollout=tw.Rollout("domain"), expand="listed")
    for workers in (1, 2):
        search = tw.Search(GAME, options, seed=2, engine="python", workers=workers)
        mover = search.position.player
        made = search.run_phases(simulations=30)
        assert 1 <= len(made.actions) <= ACTIONS
        assert search.position.ended or search.position.player != mover
        position = tw.Position(GAME)
        for action in made.actions:
            assert position.player == mover
            position.play(action)


def test_every_mutation_changes_one_gene_and_keeps_what_is_before_it():
    space = mutations(GAME, ACTIONS)
    root = tw.Position(space)
    assert root.value() == [NOTHING]
    assert len(root.legal()) == 1
    root.play(root.legal()[0])
    genes = [root.state.genes[i] for i in range(ACTIONS)]
    tried = set()
    for mutation in root.legal():
        at, gene = mutation >> SHIFT, mutation & (1 << SHIFT) - 1
        after = root.copy()
        after.play(mutation)
        found = [after.state.genes[i] for i in range(ACTIONS)]
        assert found[:at] == genes[:at]
        assert found[at] == gene != genes[at]
        tried.add((at, gene))
        replay = tw.Position(GAME)
        for action in found:  # repaired: legal to the end
            replay.play(action)
        assert after.value()[0] == pytest.approx(replay.value()[0])
    assert len(tried) == len(root.legal())


def test_greedy_action_replaces_illegal_genes_where_they_are():
    """The repair once more, in plain Python; what Greedy Action chooses is checked by its worth."""
    space = mutations(GAME, ACTIONS)
    repaired = 0
    for seed, position in enumerate(positions(60, seed=4)):
        root = tw.Position(space)
        root.state.states[0] = position.state
        root.state.dice[0] = seed
        root.play(root.legal()[0])
        genes = [root.state.genes[i] for i in range(ACTIONS)]
        for mutation in root.legal():
            at, gene = mutation >> SHIFT, mutation & (1 << SHIFT) - 1
            mutated = root.copy()
            mutated.play(mutation)
            now = position.copy()
            for i in range(ACTIONS):
                found = mutated.state.genes[i]
                legal = now.legal()
                if i == at:
                    assert found == gene
                elif genes[i] in legal:
                    assert found == genes[i]
                else:
                    repaired += 1
                    assert worth_after(now, found) == max(worth_after(now, a) for a in legal)
                now.play(found)
    assert repaired > 20


def worth_after(position, action):
    after = position.copy()
    after.play(action)
    return (after.rewards() if after.ended else after.value())[position.player]


def test_what_is_kept_along_a_turn_changes_nothing(monkeypatch):
    """With room for the lists of one state only, nearly all are made anew."""
    from treewright.library.evolutionary import mutations as module

    plans = []
    for room in (module.TYPICAL, 1):
        monkeypatch.setattr(module, "TYPICAL", room)
        for phases in (None, 3):  # commits often, or deep trees
            agent = EvolutionaryMCTS(GAME, ACTIONS, phases=phases)
            plans.append(
                [agent.plan(state_of(p), Budget(evaluations=200), 5) for p in POSITIONS[:8]]
            )
    assert plans[:2] == plans[2:]


def test_a_forced_turn_is_not_searched():
    class Corridor(Foundry):
        """Nothing to choose: only mining."""

        def legal(s, out):
            out[0] = 0
            return 1

    agent = EvolutionaryMCTS(Corridor(), ACTIONS)
    plan = agent.plan(Corridor().new_state()._record.copy(), Budget(evaluations=5000), 1)
    assert plan.actions == [0] * ACTIONS
    assert plan.evaluations < 50
    timed = agent.plan(Corridor().new_state()._record.copy(), Budget(seconds=5.0), 1)
    assert timed.evaluations < 500


def test_a_reply_is_judged_after_the_opponents_turn():
    agent = EvolutionaryMCTS(GAME, ACTIONS, reply=ACTIONS)
    turn = Turn(GAME, ACTIONS)
    greedy = GreedyAction(GAME, ACTIONS)
    for position in POSITIONS[:6]:
        plan = agent.plan(state_of(position), Budget(evaluations=300), 1)
        state = state_of(position)
        turn.follow(state, plan.actions)
        if int(state[0]["turn"]) < 6:
            answer = greedy.plan(state, Budget(evaluations=1), 1)
            assert plan.value == pytest.approx(1.0 - answer.value, abs=0.02)


def greedy_ends(position, actions):
    """Every state that Greedy Action can reach in so many actions: ties are broken at random."""
    stack = [(position.copy(), actions)]
    while stack:
        now, left = stack.pop()
        if now.ended or left == 0:
            yield now
            continue
        worth = {a: worth_after(now, a) for a in now.legal()}
        for action in worth:
            if worth[action] == max(worth.values()):
                after = now.copy()
                after.play(action)
                stack.append((after, left - 1))


def value_of(position, player):
    return (position.rewards() if position.ended else position.value())[player]


@pytest.mark.parametrize(("reply", "weight", "changes"), [(ACTIONS, 1.0, 1), (2 * ACTIONS, 0.5, 0)])
def test_a_reply_decides_among_the_best_turns(reply, weight, changes):
    """The replies once more, in plain Python, with every way that ties can be broken."""
    agent = EvolutionaryMCTS(GAME, ACTIONS, reply=reply, reply_among=6, reply_weight=weight)
    plain = EvolutionaryMCTS(GAME, ACTIONS)
    second = 0
    for seed, position in enumerate(POSITIONS):
        mover = position.player
        plan = agent.plan(state_of(position), Budget(evaluations=600), seed)
        ranges = {}
        for row, score in enumerate(agent._burning.scores):
            if score == -np.inf:
                continue
            genome = agent._burning.kept[row]
            actions = [int(a) for a in genome["genes"][: genome["length"]]]
            end = position.copy()
            for action in actions:
                end.play(action)
            own = value_of(end, mover)
            assert own == pytest.approx(score)
            after = [own] if end.ended else [value_of(e, mover) for e in greedy_ends(end, reply)]
            found = [(1 - weight) * own + weight * v for v in after]
            ranges[tuple(actions)] = (min(found), max(found))
        assert ranges[tuple(plan.actions)][1] >= max(low for low, _ in ranges.values()) - 1e-9
        best = plain.plan(state_of(position), Budget(evaluations=600 - agent.set_aside), seed)
        assert best.value == max(agent._burning.scores)
        second += plan.value < best.value
    assert second >= changes  # turns that are not the best by themselves


def test_the_kept_turns_are_the_best_of_all_that_were_committed():
    """With few phases the best turn may lie deep in a tree and is kept all the same."""
    for phases in (None, 3):
        few, many = (
            EvolutionaryMCTS(GAME, ACTIONS, phases=phases, reply=ACTIONS, reply_among=k)
            for k in (2, 60)
        )
        few.set_aside = many.set_aside = 40  # the same search
        for seed, position in enumerate(POSITIONS[:8]):
            for agent in (few, many):
                agent.plan(state_of(position), Budget(evaluations=900), seed)
            scores = sorted(many._burning.scores, reverse=True)
            assert scores[-1] == -np.inf, "room for all"
            known = [s for s in scores if s > -np.inf]
            assert len(set(known)) == len(known)
            assert max(few._burning.scores) == few._burning.best_state.worth == scores[0]
            if phases is None:
                assert sorted(few._burning.scores, reverse=True) == scores[:2]


def test_replies_are_part_of_the_budget():
    agent = EvolutionaryMCTS(GAME, ACTIONS, reply=ACTIONS, reply_among=5)
    plain = EvolutionaryMCTS(GAME, ACTIONS)
    state = state_of(POSITIONS[5])
    plan = agent.plan(state, Budget(evaluations=200), 3)
    assert plan.evaluations <= 200 - agent.set_aside + 6
    assert plan == agent.plan(state, Budget(evaluations=200), 3)
    # too few evaluations for replies
    small = Budget(evaluations=199)
    assert agent.plan(state, small, 3) == plain.plan(state, small, 3)
    assert agent.plan(state, Budget(seconds=0.02), 3).evaluations >= 5


def test_the_turn_with_the_worst_reply_is_played():
    """Random plans against a replier that knows every turn: the choice is exactly checked."""
    planner, replier = RandomActions(GAME, ACTIONS), GreedyTurn(GAME, ACTIONS)
    agent = Replied(planner, replier, plans=5)
    turn = Turn(GAME, ACTIONS)
    for seed, position in enumerate(POSITIONS[:8]):
        found = agent.plan(state_of(position), Budget(evaluations=40_000), seed)
        worst = []
        for i in range(5):
            plan = planner.plan(
                state_of(position), Budget(evaluations=1), stream_seed(seed, i) >> 2
            )
            after = position.copy()
            for action in plan.actions:
                after.play(action)
            ended = after.ended
            worst.append((plan.value if ended else 1.0 - best_value(after), plan.actions))
            state = state_of(position)
            turn.follow(state, plan.actions)
            assert turn.over(state) == ended
        assert found.value == pytest.approx(max(value for value, _ in worst))
        assert found.actions in [a for value, a in worst if value == pytest.approx(found.value)]


# ------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Budget(), "either evaluations or seconds"),
        (lambda: Budget(evaluations=0), "at least 1"),
        (lambda: Budget(seconds=-1), "above 0"),
        (lambda: Evolution(population=2), "4 to 10000"),
        (lambda: Evolution(kill_rate=0.999), "must survive"),
        (lambda: Evolution(mutation_rate=2), "between 0 and 1"),
        (lambda: GreedyTurn(GAME, 4, deepest=0), "at least 1"),
        (lambda: mutations(GAME, 65), "1 to 64"),
        (lambda: EvolutionaryMCTS(GAME, 4, reply=4, reply_among=1), "0 or at least 2"),
        (lambda: EvolutionaryMCTS(GAME, 4, reply_among=4), "needs reply"),
        (
            lambda: EvolutionaryMCTS(GAME, 4, reply=4, reply_among=4, reply_weight=2),
            "between 0 and 1",
        ),
        (lambda: Replied(RandomActions(GAME, 4), RandomActions(GAME, 4), plans=0), "plans must"),
        (lambda: OnlineEvolution(tw.make("nim"), 1), "needs a record state and value"),
        (lambda: Foundry(ore=11).new_state(), "ore must be 0 to 9"),
    ],
)
def test_bad_input_is_one_sentence(make, says):
    with pytest.raises(OptionError, match=says) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_an_illegal_turn_is_refused():
    with pytest.raises(OptionError, match="number 1 of the turn"):
        Turn(GAME, ACTIONS).follow(state_of(tw.Position(GAME)), [3, 0, 0, 0])


@pytest.mark.parametrize(
    "make",
    [
        AGENTS["emcts"],
        AGENTS["emcts-flat"],
        lambda: EvolutionaryMCTS(GAME, ACTIONS, phases=3),
        lambda: Replied(EvolutionaryMCTS(GAME, ACTIONS), GreedyAction(GAME, ACTIONS)),
    ],
)
def test_who_watches_a_planner_sees_its_tree_and_changes_nothing(make):
    agent, budget = make(), Budget(evaluations=150)
    plans = [agent.plan(state_of(p), budget, 3) for p in POSITIONS[:4]]
    burning, largest, turns = agent.burning, [0], []

    def look():
        largest.append(max(largest[-1], len(burning.tree.nodes)))
        turns.append(agent.turn_so_far)

    burning.watch = look
    assert [agent.plan(state_of(p), budget, 3) for p in POSITIONS[:4]] == plans
    assert largest[-1] > 5
    assert max(map(len, turns)) == ACTIONS


def test_a_tree_of_single_actions_is_seen_whole_before_the_turn_is_played():
    agent = TurnMCTS(GAME, ACTIONS, c=1.0)
    sizes = []
    agent.burning.watch = lambda: sizes.append(int(agent.burning.tree.nodes[0]["visits"]))
    agent.plan(state_of(POSITIONS[0]), Budget(evaluations=200), 1)
    assert max(sizes) == 199, "one simulation before the commit"
    assert AGENTS["oep"]().burning is None


def test_a_planner_spends_a_large_budget_too():
    """It stopped after a thousand commits, whatever it had been given."""
    agent = EvolutionaryMCTS(GAME, ACTIONS, phases=1500)
    plan = agent.plan(state_of(POSITIONS[0]), Budget(evaluations=3000), 1)
    assert plan.evaluations == 3001, "with Greedy Action's turn"
