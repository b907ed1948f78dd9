"""Equal states share one node: ``Options(transpositions=True)``."""

import math

import numpy as np
import pytest
from numpy import float32, float64, int8, int32, uint64
from reference import same_tree
from reference_graph import OPTIONS, GraphSearch, agree, graph

import treewright as tw
from treewright.apps.games.connect_four import ConnectFour
from treewright.apps.games.samegame import SameGame
from treewright.apps.games.tictactoe import TicTacToe
from treewright.kernel.keys import record_key
from treewright.library.tree_picture import draw_tree

SHARED = tw.Options(transpositions=True)
SOLVER = tw.Options(transpositions=True, solver=True)


# ------------------------------------------------------------- against a slow implementation


@pytest.mark.parametrize("cycles", [False, True])
@pytest.mark.parametrize(
    ("players", "more"),
    [(1, {}), (2, {}), (3, {}), (2, {"solver": True}), (1, {"max_backup": 0.5})],
)
def test_every_node_and_edge_is_that_of_the_slow_search(players, more, cycles):
    options = tw.Options(c=0.7, **OPTIONS, **more)
    sizes = set()
    for seed in range(3):
        domain = graph(seed, players, cycles=cycles)
        search = tw.Search(domain, options, engine="python", memory="1MiB")
        if search.position.ended:
            continue
        search.run(150)
        sizes.add(agree(search, GraphSearch(domain, options).run(150)))
    assert max(sizes) > 15


@pytest.mark.parametrize("cycles", [False, True])
def test_what_can_be_reached_is_kept_by_a_commit(cycles):
    options = tw.Options(c=0.7, **OPTIONS)
    for seed in range(3):
        domain = graph(seed, 2, cycles=cycles)
        search = tw.Search(domain, options, engine="python", memory="1MiB")
        reference = GraphSearch(domain, options).run(150)
        action = search.run(150).best
        for which in (search, reference):
            which.commit(action)
        agree(search, reference)
        if not search.position.ended:
            search.run(100)
            agree(search, reference.run(100))


def test_both_engines_agree_and_so_do_commits_phases_and_recycling():
    domain = graph(1, 2, layers=7, width=6, cycles=True)
    options = tw.Options(transpositions=True, solver=True)
    for when_full in ("stop", "rollout", "recycle"):
        pair = [
            tw.Search(domain, options, engine=e, memory="16KiB", when_full=when_full, seed=4)
            for e in ("compiled", "python")
        ]
        for search in pair:
            search.run(300)
        assert same_tree(*pair)
        for search in pair:
            search.commit(search.result().best)
        assert same_tree(*pair)
        phased = [search.run_phases(2, simulations=100).actions for search in pair]
        assert phased[0] == phased[1]
        assert same_tree(*pair)


# --------------------------------------------------------------------------- the real games


class Parity(tw.Domain):
    """Take one to three of many small heaps: hardly anything but transpositions."""

    players = 2
    max_actions = 12
    max_length = 40
    state = tw.record(heap=(int8, 12), left=int8, player=int8)

    def start(s):
        for i in range(12):
            s.heap[i] = 3
        s.left = 36

    def legal(s, out):
        n = 0
        for i in range(12):
            if s.heap[i] > 0:
                out[n] = i
                n += 1
        return n

    def play(s, action):
        s.heap[action] -= 1
        s.left -= 1
        s.player = 1 - s.player

    def ended(s):
        return s.left == 0

    def rewards(s, out):
        out[1 - s.player] = 1.0


def check_graph(search):
    """What holds in every graph."""
    nodes, edges = search.tree.nodes, search.tree.edges
    assert len(set(nodes["key"].tolist())) == len(nodes)
    for row in nodes:
        block = edges[row["first"] : row["first"] + row["tried"]]
        assert len(set(block["action"].tolist())) == len(block)
        assert block["visits"].sum() <= row["visits"]
        assert ((block["child"] >= 0) & (block["child"] < len(nodes))).all()
        rest = edges[row["first"] + row["tried"] : row["first"] + row["n"]]
        assert (rest["child"] == -1 - rest["action"]).all()
    assert search.tree.nbytes <= search.memory


@pytest.mark.parametrize("when_full", ["stop", "rollout", "recycle"])
def test_memory_is_bounded_and_the_graph_stays_whole(when_full):
    search = tw.Search(Parity(), SHARED, memory="256KiB", when_full=when_full)
    result = search.run(20_000)
    assert result.full
    assert (result.stopped == "memory") == (when_full == "stop")
    check_graph(search)
    if when_full == "recycle":
        assert result.created > 2 * result.nodes
    while not search.position.ended:
        search.run(200)
        check_graph(search)
        search.commit(search.result().best)


def test_visits_of_the_children_are_those_by_way_of_the_root():
    search = tw.Search(Parity(), SHARED, memory="8MiB")
    result = search.run(3000)
    assert sum(c.visits for c in result.children) == 2999
    assert search.roots().visits.sum() == 2999
    assert sum(search.policy().values()) == pytest.approx(1)
    shared = search.tree.nodes["visits"][1:].sum()
    assert shared > search.tree.edges["visits"][search.tree.nodes[0]["first"] :].sum() / 2
    line = search.tree.principal_variation()
    position = search.position
    for action, _ in line:
        position.play(action)


def test_workers_are_merged_by_what_went_by_way_of_the_root():
    search = tw.Search(Parity(), SHARED, workers=2, memory="8MiB", seed=2)
    result = search.run(2000)
    assert sum(c.visits for c in result.children) == 1998
    for worker in search.workers:
        root = worker.nodes[0]
        block = worker.edges[root["first"] : root["first"] + root["tried"]]
        assert block["visits"].sum() == root["visits"] - 1


def test_all_ways_of_the_search_know_shared_nodes():
    for more in (
        {"puct": False, "fpu": 0.6},
        {"widening": tw.Widening(2.0, 0.5)},
        {"normalise": True, "choose": "value"},
        {"dense": True, "expand": "listed"},
    ):
        pair = [
            tw.Search(TicTacToe(), tw.Options(transpositions=True, **more), engine="python", seed=s)
            for s in (1, 1)
        ]
        for search in pair:
            search.run(150)
            check_graph(search)
        assert same_tree(*pair)


def test_samegame_has_one_node_for_each_board_and_score():
    boards = {"board": "112 221 112"}
    options = tw.Options(transpositions=True, solver=True, expand="weighted", puct=True)
    search = tw.Search(SameGame(**boards), options, engine="python", memory="16MiB")
    result = search.run(4000)
    assert result.stopped == "solved"
    met = set()

    def visit(position):
        state = (tuple(position.state.colour), position.state.score)
        if state not in met:
            met.add(state)
            for action in [] if position.ended else position.legal():
                below = position.copy()
                below.play(action)
                visit(below)

    visit(tw.Position(SameGame(**boards)))
    assert result.nodes <= len(met)


# -------------------------------------------------------------------------- cycles, pictures


class Walk(tw.Domain):
    """A walk on a ring of eight places; one of them is the goal, and it may go on for ever."""

    max_actions = 2
    max_length = 60
    state = tw.record(place=int8)

    def start(s):
        s.place = 0

    def legal(s, out):
        out[0] = 1
        out[1] = 7
        return 2

    def play(s, action):
        s.place = (s.place + action) % 8

    def ended(s):
        return s.place == 4

    def rewards(s, out):
        out[0] = 1.0

    def value(s, out):
        out[0] = 0.0


def test_a_game_that_can_go_round_in_circles_ends():
    search = tw.Search(Walk(), SHARED, engine="python", memory="1MiB")
    result = search.run(500)
    assert result.nodes == 8
    assert result.simulations == 500
    assert len(search.tree.principal_variation()) <= 8
    shown = list(search.tree.walk(depth=20))
    assert len({s.node for s in shown}) == 8
    assert len(shown) > 8  # a node comes once for each parent
    dot = search.tree.to_dot(depth=20)
    assert dot.count("label=") == 8
    search.commit(1)
    assert search.result().nodes == 8  # one can come back to the old root
    phases = search.run_phases(simulations=200)
    assert search.position.ended
    assert len(phases.actions) < 20


def test_a_picture_of_circles_has_each_node_once(tmp_path):
    pytest.importorskip("matplotlib", reason="pictures need Matplotlib")
    pytest.importorskip("networkx", reason="graphs need NetworkX")
    search = tw.Search(Walk(), SHARED, engine="python", memory="1MiB")
    search.run(500)
    edges = len(list(search.tree.walk(depth=20))) - 1
    assert search.tree.to_networkx(depth=20).number_of_edges() == edges
    assert draw_tree(search, tmp_path / "walk.svg", depth=20) == 8


# ----------------------------------------------------------------------------------- the key


class Fields(tw.Domain):
    """Something of every kind of field."""

    max_actions = 1
    state = tw.record(
        flag=bool, small=(int8, 3), table=(int32, (2, 2)), wide=uint64, x=float64, y=(float32, 2)
    )

    def start(s):
        pass

    def legal(s, out):
        return 0

    def play(s, action):
        pass

    def ended(s):
        return True

    def rewards(s, out):
        out[0] = 0.0


def changed_records():
    blank = np.zeros(1, Fields.state)
    yield blank
    for name in Fields.state.names:
        shape = Fields.state[name].shape
        for index in np.ndindex(shape) if shape else [()]:
            for value in (1, 2, 100):
                one = blank.copy()
                one[name][(0, *index)] = value
                yield one
    for value in (-1.0, 0.5, 1e-300, 1e300, math.inf, -math.inf, math.nan):
        one = blank.copy()
        one["x"] = value
        yield one


def test_the_hash_of_a_record_sees_every_field_and_both_engines_agree():
    from numba import njit

    from treewright.kernel.interpreted import RecordProxy
    from treewright.kernel.rebind import Rebinder

    function = record_key(Fields.state)
    plain = Rebinder(None).function(function)
    compiled = Rebinder(njit).function(function)
    records = list(changed_records())
    keys = [plain(RecordProxy(r)) for r in records]
    assert keys == [int(compiled(r[0])) for r in records]
    assert all(0 <= key < 2**64 for key in keys)
    zero = records[0].copy()
    zero["x"] = -0.0
    assert plain(RecordProxy(zero)) == keys[0]
    different = {str(r) for r in records}
    assert len(set(keys)) == len(different)


class TooFew(ConnectFour):
    """A key that forgets whose stones they are."""

    def key(s):
        return s.stones[0] | s.stones[1]


class Count(TicTacToe):
    def key(s):
        return tw.count_bits(s.mine | s.theirs)


class Good(TicTacToe):
    def key(s):
        return (s.mine << 10 | s.theirs) << 1 | s.player


@pytest.mark.parametrize("domain", [TooFew(), Count()])
def test_a_key_that_collides_is_found_and_named(domain):
    report = tw.check(domain)
    [problem] = report.problems
    assert problem.startswith("key() returned ")
    assert "but these states differ: " in problem


def test_a_key_of_ones_own_gives_the_same_graph_as_the_hash():
    own, hashed = (
        tw.Search(domain, SOLVER, engine="python", seed=5).run(400)
        for domain in (Good(), TicTacToe())
    )
    assert [(c.action, c.visits) for c in own.children] == [
        (c.action, c.visits) for c in hashed.children
    ]


# ------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "more",
    [
        {"rave": tw.Rave()},
        {"selection_bias": tw.SelectionBias()},
        {"priors": True},
        {"head_start": 1.0},
        {"bound": True},
        {"gumbel": tw.Gumbel()},
        {"noise": tw.Noise(), "puct": True},
        {"rules": tw.Rules(choose=lambda child: child.visits)},
    ],
)
def test_what_does_not_go_together_is_one_sentence(more):
    name = next(iter(more))
    with pytest.raises(tw.OptionError, match=f"transpositions and {name} don't go together"):
        tw.Options(transpositions=True, **more)


def test_what_does_not_know_graphs_says_so(tmp_path):
    with pytest.raises(tw.OptionError, match="transpositions must be true or false"):
        tw.Options(transpositions=1)
    with pytest.raises(tw.OptionError, match="no meaning with an evaluator"):
        tw.Search(ConnectFour(), SHARED, evaluate=lambda states: np.zeros(len(states)))
    with pytest.raises(tw.OptionError, match="a forest does not know transpositions"):
        tw.Forest(ConnectFour(), 2, SHARED)
    with pytest.raises(tw.OptionError, match="FlatMonteCarlo has no tree"):
        tw.baselines.FlatMonteCarlo(ConnectFour(), SHARED)
    search = tw.Search(TicTacToe(), SHARED, engine="python")
    with pytest.raises(tw.OptionError, match="with transpositions is not savable"):
        search.save(tmp_path / "tree.npz")


class Nested(Fields):
    state = np.dtype([("inner", TicTacToe.state), ("player", int8)])


class Thing:
    pass


class Objects(Fields):
    state = Thing


@pytest.mark.parametrize("domain", [Nested(), Objects()])
def test_a_state_that_can_not_be_hashed_needs_a_key(domain):
    with pytest.raises(tw.OptionError, match="to define the function key: only a record"):
        tw.Search(domain, SHARED, engine="python")
