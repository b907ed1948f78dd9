"""Leaves valued outside the kernel, in batches, for one root and for many."""

import math

import numpy as np
import pytest
from reference import BY_PLAYERS, below, grow

import treewright as tw
from treewright.apps.games.connect_four import ConnectFour
from treewright.apps.games.tictactoe import TicTacToe
from treewright.library.root import schedule
from treewright.random import gamma, stream, uniform

PUCT = tw.Options(puct=True, c=1.25)


def judge(tables, players):
    """An evaluator that knows the tables of a game."""

    def evaluate(states):
        at = states["node"]
        return tables["reward"][at, :players], tables["weight"][at]

    return evaluate


def even(states):
    """Nothing is known: every move is as good as any."""
    return np.full(len(states), 0.5), np.ones((len(states), 9))


class Slow:
    """PUCT with an evaluator, one leaf at a time, from the equations, with dictionaries."""

    def __init__(self, tables, players, c, noise=None, seed=0):
        self.tables, self.players, self.c, self.noise = tables, players, c, noise
        self.rng = stream(seed)
        self.root = self.node(0, int(tables["who"][0]))

    def node(self, at, mover):
        return {"at": at, "mover": mover, "n": 0, "w": 0.0, "p": None, "children": {}}

    def run(self, simulations):
        for _ in range(simulations):
            node, path = self.root, [self.root]
            while node["p"] is not None:
                node = self.step(node)
                path.append(node)
            legal = below(self.tables, node["at"])
            if legal:
                weights = {a: float(self.tables["weight"][node["at"], a]) for a in legal}
                node["p"] = {a: w / sum(weights.values()) for a, w in weights.items()}
                if node is self.root and self.noise:
                    self.stir(node)
            for on_path in path:
                on_path["n"] += 1
                on_path["w"] += float(self.tables["reward"][node["at"], on_path["mover"]])
        return self.root

    def stir(self, node):
        drawn = [gamma(self.rng, self.noise.alpha) for _ in node["p"]]
        for (action, p), x in zip(list(node["p"].items()), drawn, strict=True):
            share = self.noise.share
            node["p"][action] = (1 - share) * p + share * x / sum(drawn)

    def step(self, node):
        tried = list(node["children"].values())
        seen = sum(c["n"] for c in tried)
        unknown = sum(c["w"] for c in tried) / seen if seen else 0.0
        rated = {}
        for action, p in node["p"].items():
            child = node["children"].get(action)
            n = child["n"] if child else 0
            q = child["w"] / n if n else unknown
            rated[action] = q + self.c * p * math.sqrt(node["n"]) / (1 + n)
        action = max(rated, key=lambda a: rated[a])
        at = below(self.tables, node["at"])[action]
        who = int(self.tables["who"][node["at"]])
        return node["children"].setdefault(action, self.node(at, who))


def same(slow, search, node=0):
    """Whether two trees agree, node for node."""
    nodes, edges = search.tree.nodes, search.tree.edges
    row = nodes[node]
    assert (slow["n"], pytest.approx(slow["w"])) == (row["visits"], row["value"])
    children = edges[row["first"] : row["first"] + row["tried"]]["child"]
    found = {int(nodes[c]["action"]): int(c) for c in children}
    assert found.keys() == slow["children"].keys()
    for action, child in slow["children"].items():
        same(child, search, found[action])


NOISE = tw.Noise(alpha=0.5)


# each number of players and either root compiled once, and everything interpreted
@pytest.mark.parametrize(
    ("engine", "players", "noise"),
    [("compiled", 1, None), ("compiled", 2, None), ("compiled", 3, NOISE)]
    + [("python", players, noise) for players in (1, 2, 3) for noise in (None, NOISE)],
)
def test_one_leaf_at_a_time_is_the_slow_search_node_for_node(engine, players, noise):
    options = tw.Options(puct=True, c=1.25, noise=noise)
    for seed in range(8):
        tables = grow(seed, players=players, depth=5)
        search = tw.Search(
            BY_PLAYERS[players](tables=tables),
            options,
            seed=seed,
            engine=engine,
            memory="1MiB",
            evaluate=judge(tables, players),
            batch=1,
        )
        search.run(200)
        same(Slow(tables, players, 1.25, noise, seed).run(200), search)


def test_a_batch_is_the_same_in_both_engines_and_leaves_nothing_pending():
    tables = grow(4, players=2, depth=6)
    domain, evaluate = BY_PLAYERS[2](tables=tables), judge(tables, 2)
    for batch in (2, 7, 64):
        trees = []
        for engine in ("compiled", "python"):
            search = tw.Search(
                domain, PUCT, seed=1, engine=engine, memory="1MiB", evaluate=evaluate, batch=batch
            )
            result = search.run(300)
            assert result.simulations == 300
            assert not search.tree.nodes["pending"].any()
            trees.append(search.tree.nodes)
        assert (trees[0] == trees[1]).all()


def test_a_batch_has_as_many_leaves_as_wanted():
    sizes = []

    def evaluate(states):
        sizes.append(len(states))
        return np.full(len(states), 0.5), np.ones((len(states), 7))

    search = tw.Search(
        ConnectFour(), PUCT, seed=1, evaluate=evaluate, batch=32, engine="python", memory="1MiB"
    )
    search.run(1000)
    assert sizes[0] == 1  # the root
    assert max(sizes) == 32
    assert np.mean(sizes[5:]) > 25


def test_values_of_one_number_are_for_the_player_to_move():
    def pair(states):
        return np.tile([0.8, 0.2], (len(states), 1)), np.ones((len(states), 9))

    def single(states):
        mover = states["player"]
        return np.where(mover == 0, 0.8, 0.2), np.ones((len(states), 9))

    searches = [
        tw.Search(TicTacToe(), PUCT, seed=2, evaluate=f, batch=8, memory="1MiB")
        for f in (pair, single)
    ]
    for search in searches:
        search.run(200)
    assert np.allclose(searches[0].tree.nodes["value"], searches[1].tree.nodes["value"])


def test_an_evaluator_beside_rules_normalise_solver_and_commit():
    def careful(node, child, q, prior):
        return q + prior * math.sqrt(node.visits) / (1.0 + child.visits)

    for options in (
        tw.Options(rules=tw.Rules(urgency=careful)),
        tw.Options(normalise=True, puct=True),
        tw.Options(solver=True, puct=True),
        tw.Options(),
    ):
        search = tw.Search(TicTacToe(), options, seed=1, evaluate=even, batch=4, memory="1MiB")
        while not search.position.ended:
            search.commit(search.run(150).best)
        assert 5 <= len(search.history) <= 9
    solved = tw.Search(
        TicTacToe(), tw.Options(solver=True, puct=True), evaluate=even, batch=16
    ).run(200_000)
    assert solved.stopped == "solved"
    assert solved.value == 0.5


def test_the_best_sequence_of_one_player_is_one_that_was_played():
    tables = grow(7, players=1, depth=5)
    high = tables | {"reward": tables["reward"].copy()}
    leaf = tables["leaf"].astype(bool)
    high["reward"][~leaf] += 10.0  # estimates that are far too high
    domain = BY_PLAYERS[1](tables=high)
    result = tw.Search(domain, PUCT, seed=1, evaluate=judge(high, 1), batch=4).run(500)
    assert result.best_score <= tables["reward"][leaf].max()
    position = tw.Position(domain)
    for action in result.best_sequence:
        position.play(action)
    assert position.ended


def test_states_that_are_python_objects_come_as_a_list(root):
    import importlib.util

    spec = importlib.util.spec_from_file_location("any_object", root / "examples/any_object.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kind = next(
        v
        for v in vars(module).values()
        if isinstance(v, type) and issubclass(v, tw.Domain) and v is not tw.Domain
    )
    domain, seen = kind(), []

    def evaluate(states):
        seen.append(states)
        return np.full((len(states), domain.players), 0.5)

    search = tw.Search(domain, engine="python", evaluate=evaluate, batch=4, memory="1MiB")
    assert search.run(50).simulations == 50
    assert isinstance(seen[-1], list)


class OnDevice:
    """An array of CuPy's: it refuses to become NumPy's unless it is asked to."""

    __cuda_array_interface__ = {}

    def __init__(self, held):
        self._held = held

    def __array__(self, *_, **__):
        raise TypeError("implicit conversion to a NumPy array is not allowed")

    def get(self):
        return self._held


def test_answers_may_be_on_a_device():
    def there(states):
        return tuple(map(OnDevice, even(states)))

    trees = []
    for evaluate in (even, there):
        search = tw.Search(TicTacToe(), PUCT, seed=1, evaluate=evaluate, engine="python")
        search.run(30)
        trees.append(search.tree.nodes)
    assert (trees[0] == trees[1]).all()


def test_read_only_answers_need_no_other_kernel():
    def evaluate(states):
        values, weights = even(states)
        for array in (values, weights):
            array.flags.writeable = False
        return values, weights

    search = tw.Search(TicTacToe(), PUCT, seed=1, evaluate=evaluate, memory="1MiB")
    search.run(20)
    assert len(search.workers[0]._leaves._kernel._forms) == 1


# -------------------------------------------------------------------------- bad evaluators


def wrong_shape(states):
    return np.zeros((len(states), 5))


def wrong_weights(states):
    return np.full(len(states), 0.5), np.ones(9)


def too_few(states):
    return np.full(len(states), 0.5), np.ones((len(states), 3))


def below_zero(states):
    return np.full(len(states), 0.5), -np.ones((len(states), 9))


def nan(states):
    return np.full(len(states), np.nan)


def words(states):
    return ["good"] * len(states)


@pytest.mark.parametrize(
    ("evaluate", "error", "said"),
    [
        (wrong_shape, tw.EvaluatorError, r"shape \(1, 5\) for 1 leaves of tictactoe-v1; wanted"),
        (wrong_weights, tw.EvaluatorError, "a row for each, by action"),
        (too_few, tw.DomainError, "no weight for action 3"),
        (below_zero, tw.EvaluatorError, "below 0"),
        (nan, tw.EvaluatorError, "infinite or nan"),
        (words, tw.EvaluatorError, "no numbers"),
    ],
)
def test_a_bad_evaluator_is_a_sentence(evaluate, error, said):
    with pytest.raises(error, match=said):
        tw.Search(TicTacToe(), PUCT, evaluate=evaluate).run(100)


def gone(states):
    raise RuntimeError("the network is gone")


@pytest.mark.parametrize(
    ("fails", "said"),
    [
        (gone, "evaluate raised RuntimeError: the network is gone"),
        (nan, "infinite or nan"),
        (below_zero, "below 0"),
        (wrong_shape, "shape"),
    ],
)
def test_an_evaluator_that_fails_leaves_the_tree_as_it_was(fails, said):
    calls = []

    def evaluate(states):
        calls.append(1)
        return fails(states) if len(calls) == 5 else even(states)

    search = tw.Search(TicTacToe(), PUCT, evaluate=evaluate, batch=8)
    with pytest.raises(tw.EvaluatorError, match=said):
        search.run(100)
    assert search.simulations > 0
    assert not search.tree.nodes["pending"].any()
    before = search.simulations
    assert search.run(100).simulations == before + 100


def test_options_that_an_evaluator_has_no_use_for():
    for options in (
        tw.Options(rollout=tw.Rollout(epsilon=0.1)),
        tw.Options(expand="weighted"),
        tw.Options(rave=tw.Rave()),
    ):
        with pytest.raises(tw.OptionError, match="no meaning with an evaluator"):
            tw.Search(TicTacToe(), options, evaluate=even)
    with pytest.raises(tw.OptionError, match="workers=1"):
        tw.Search(TicTacToe(), evaluate=even, workers=2)
    with pytest.raises(tw.OptionError, match="batch must be"):
        tw.Search(TicTacToe(), evaluate=even, batch=0)
    with pytest.raises(tw.OptionError, match="a function of states"):
        tw.Search(TicTacToe(), evaluate="net")


def test_a_saved_search_goes_on_with_its_evaluator(tmp_path):
    search = tw.Search(TicTacToe(), PUCT, seed=1, evaluate=even, batch=8, memory="1MiB")
    search.run(104)
    search.save(tmp_path / "tree.npz")
    with pytest.raises(tw.TreeFileError, match="evaluator"):
        tw.load(tmp_path / "tree.npz", TicTacToe())
    again = tw.load(tmp_path / "tree.npz", TicTacToe(), evaluate=even)
    search.run(96)
    again.run(96)
    assert (search.tree.nodes == again.tree.nodes).all()


# ------------------------------------------------------------------------------ many roots


@pytest.mark.parametrize("engine", ["compiled", "python"])
@pytest.mark.parametrize("evaluated", [True, False])
def test_each_tree_of_a_forest_is_that_of_a_search(engine, evaluated):
    domain = TicTacToe()
    position = tw.Position(domain)
    position.play(4)
    states = [tw.Position(domain), position, tw.Position(domain)]
    options, more = (PUCT, {"evaluate": even}) if evaluated else (tw.Options(), {})
    forest = tw.Forest(domain, states, options, seed=5, engine=engine, memory="4MiB", **more)
    forest.run(60).run(60)
    for i, state in enumerate(states):
        batch = {"batch": 1} if evaluated else {}
        alone = tw.Search(domain, options, seed=5 + i, engine=engine, **more, **batch)
        alone.begin(state.state)
        alone.run(120)
        assert (forest.search(i).tree.nodes == alone.tree.nodes).all()
        result = alone.result()
        assert forest.best[i] == result.best == forest.result(i).best
        visits = forest.policy(9)[i] * (result.simulations - 1)
        for child in result.children:
            assert visits[child.action] == pytest.approx(child.visits)


def test_positions_that_have_ended_are_left_out():
    domain = TicTacToe()
    over = tw.Position(domain)
    for action in (0, 3, 1, 4, 2):
        over.play(action)
    forest = tw.Forest(domain, [over, tw.Position(domain)], PUCT, evaluate=even, memory="1MiB")
    forest.run(40)
    assert forest.ended.tolist() == [True, False]
    assert forest.simulations.tolist() == [0, 40]
    assert forest.best[0] == forest.sample()[0] == -1
    assert forest.policy(9)[0].sum() == 0
    assert forest.policy(9)[1].sum() == pytest.approx(1)


def test_a_forest_can_begin_again():
    forest = tw.Forest(TicTacToe(), 3, PUCT, evaluate=even, memory="1MiB", seed=4)
    first = forest.run(50).policy(9)
    forest.begin(3)
    assert (forest.run(50).policy(9) == first).all()
    with pytest.raises(tw.OptionError, match="has 3 trees, not 2"):
        forest.begin(2)
    with pytest.raises(tw.OptionError, match="at least one"):
        tw.Forest(TicTacToe(), [])
    with pytest.raises(tw.OptionError, match="too little"):
        tw.Forest(TicTacToe(), 1000, memory="1MiB")


# --------------------------------------------------------------- temperature, noise, Gumbel


def test_temperature():
    search = tw.Search(TicTacToe(), PUCT, evaluate=even, batch=1, seed=3)
    result = search.run(200)
    cold, warm, hot = (search.policy(t) for t in (0, 1.0, 1e9))
    assert cold[result.best] == 1.0
    assert warm[result.best] == pytest.approx(result.visits / 199)
    assert hot[0] == pytest.approx(1 / 9)
    assert search.sample(0) == result.best
    assert search.sample() == search.sample()
    with pytest.raises(tw.OptionError, match="temperature"):
        search.policy(-1)


def test_the_schedule_halves():
    assert schedule(4, 16)[4].tolist() == [0] * 4 + [1] * 4 + [2, 2, 3, 3, 4, 4, 5, 5]
    assert schedule(1, 3)[1].tolist() == [0, 1, 2]
    for m in range(2, 17):  # each candidate is asked for visits that it can have
        row, visits = schedule(16, 200)[m], [0] * m
        for wanted in row.tolist():
            visits[visits.index(wanted)] += 1
        assert sum(visits) == 200


def test_gumbel_is_what_its_paper_says():
    """Against a root that is worked out by hand: every leaf is known to the evaluator."""
    rule = tw.Gumbel(considered=2, c_visit=10.0, c_scale=0.5)
    for seed in range(10):
        tables = grow(seed, players=1, depth=1, width=4)  # the children end the game
        legal = below(tables, 0)
        options = tw.Options(puct=True, gumbel=rule)
        search = tw.Search(
            BY_PLAYERS[1](tables=tables),
            options,
            seed=seed,
            evaluate=judge(tables, 1),
            batch=1,
            memory="1MiB",
        )
        result = search.run(9)  # the root and eight more
        rng = stream(seed)
        weights = {a: float(tables["weight"][0, a]) for a in legal}
        score = {
            a: -math.log(-math.log(1 - uniform(rng))) + math.log(w / sum(weights.values()))
            for a, w in weights.items()
        }
        two = sorted(score, key=lambda a: -score[a])[:2]
        visits = dict.fromkeys(legal, 0)
        for _ in range(8):
            most = max(visits.values())
            wanted = min(visits[a] for a in two)  # in turns, as two are left to the end
            rated = {
                a: score[a]
                + (10 + most) * 0.5 * float(tables["reward"][legal[a], 0]) * (visits[a] > 0)
                for a in two
                if visits[a] == wanted
            }
            visits[max(rated, key=lambda a: rated[a])] += 1
        assert {c.action: c.visits for c in result.children} == visits
        last = {
            a: score[a] + (10 + max(visits.values())) * 0.5 * float(tables["reward"][legal[a], 0])
            for a in two
            if visits[a] == max(visits.values())
        }
        assert result.best == max(last, key=lambda a: last[a])


def test_gumbel_needs_to_know_its_budget():
    options = tw.Options(puct=True, gumbel=tw.Gumbel())
    search = tw.Search(TicTacToe(), options, evaluate=even, engine="python", memory="1MiB")
    with pytest.raises(tw.OptionError, match="needs a number of simulations"):
        search.run(seconds=0.1)
    with pytest.raises(tw.OptionError, match="considered"):
        tw.Gumbel(considered=0)
    with pytest.raises(tw.OptionError, match="needs puct"):
        tw.Options(noise=tw.Noise())
