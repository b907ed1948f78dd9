"""The kernel against the equations.

*Shadow*: a spy domain tells which actions each simulation made and what they earned.  From
that alone a tree is kept here, in plain Python; before each simulation the tree policy of
``options.py`` says which child it may go to, at every level, and afterwards the kernel's arrays
must hold the same numbers.  *Arrays*: the compiled kernel's own numbers say where its next
simulation may go.  *Statistics*: visit shares agree with `reference.Uct`.
"""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from reference import (
    BY_PLAYERS,
    KEYS,
    Stats,
    TableTree,
    Uct,
    allowed,
    below,
    by_path,
    grow,
    tables_of,
)

import treewright as tw
from treewright.apps.games.nim import Nim
from treewright.apps.games.tictactoe import TicTacToe

# ------------------------------------------------------------------------------------- shadow


class SpyState:
    def __init__(self):
        self.node = 0
        self.history = []
        self.log = []  # one for all copies


class Spy(TableTree):
    """A game that writes down every simulation."""

    state = SpyState

    def copy(s):
        other = SpyState()
        other.node, other.history, other.log = s.node, list(s.history), s.log
        return other

    def play(s, t, action):
        s.history.append(action)
        s.node = t.child[s.node, action]

    def rewards(s, t, out):
        for p in range(len(out)):
            out[p] = t.reward[s.node, p]
        s.log.append((tuple(s.history), [out[p] for p in range(len(out))]))

    def value(s, t, out):
        for p in range(len(out)):
            out[p] = t.reward[s.node, p]
        s.log.append((tuple(s.history), [out[p] for p in range(len(out))]))


SPIES = {n: type(f"Spy{n}", (Spy,), {"players": n}) for n in (1, 2, 3)}


@dataclass
class ShadowNode:
    state: int  # the node of the game
    mover: int  # whose value it holds
    visits: int = 0
    value: float = 0.0
    best: float = -math.inf
    children: dict = field(default_factory=dict)
    rave: dict = field(default_factory=dict)  # action -> [visits, value]


class Shadow:
    """The tree as it must be, from the simulations alone."""

    def __init__(self, tables, options):
        self.tables = tables
        self.options = options
        self.root = ShadowNode(0, max(int(tables["who"][0]), 0))
        self.table = {}
        self.checked = 0

    def simulation(self, history, rewards):
        path = self._descend(history)
        for depth, node in enumerate(path):
            node.visits += 1
            node.value += rewards[node.mover]
            node.best = max(node.best, rewards[node.mover])
            who = self._who(node)
            if depth < len(path) - 1 and who >= 0:
                made = later = self._moves(node.state, history[depth:])
                if self.options.rave and self.options.rave.first:
                    later = first_uses(later)
                for action in below(self.tables, node.state):
                    use = (who, int(self.tables["key"][node.state, action]))
                    if use in later:
                        fades = self.options.rave and self.options.rave.fade
                        weight = 2 * (1 - made.index(use) / len(made)) if fades else 1
                        _add(node.rave, action, rewards[who], weight)
        for who, key in self._moves(0, history):
            if who >= 0:
                _add(self.table, (who, key), rewards[who])

    def _descend(self, history):
        """The path that the simulation took in the tree, each choice checked."""
        node, path = self.root, [self.root]
        while node.visits and below(self.tables, node.state):
            action = history[len(path) - 1]
            who = self._who(node)
            if who >= 0:
                legal = below(self.tables, node.state)
                actions = {a: self.stats(node, a) for a in legal}
                assert action in allowed(self.options, node.visits, actions, 1e-6)
                self.checked += 1
            if action not in node.children:
                state = below(self.tables, node.state)[action]
                node.children[action] = ShadowNode(state, who if who >= 0 else node.mover)
            node = node.children[action]
            path.append(node)
        return path

    def _who(self, node):
        return int(self.tables["who"][node.state])

    def _moves(self, state, actions):
        moves = []
        for action in actions:
            moves.append((int(self.tables["who"][state]), int(self.tables["key"][state, action])))
            state = below(self.tables, state)[action]
        return moves

    def stats(self, node, action):
        t, state = self.tables, node.state
        child = node.children.get(action, ShadowNode(-1, 0))
        weights = [t["weight"][state, a] for a in below(t, state)]
        low, high = self.bounds(child)
        return Stats(
            child.visits,
            child.value,
            child.best,
            *node.rave.get(action, (0, 0.0)),
            *self.table.get((self._who(node), int(t["key"][state, action])), (0, 0.0)),
            p=t["weight"][state, action] / sum(weights),
            prior=t["prior"][state, action],
            trust=t["trust"][state, action],
            proven=self.options.solver and low >= high,
        )

    def bounds(self, node):
        """The solver's bounds for whoever moved here, from scratch."""
        if not node.visits or not self.options.solver:
            return 0.0, 1.0
        legal = below(self.tables, node.state)
        if not legal:
            exact = self.tables["reward"][node.state, node.mover]
            return exact, exact
        who = self._who(node)
        if who < 0:
            return 0.0, 1.0
        of = [self.bounds(node.children[a]) if a in node.children else (0.0, 1.0) for a in legal]
        low, high = max(b[0] for b in of), max(b[1] for b in of)
        return (low, high) if who == node.mover else (1 - high, 1 - low)


def _add(where, key, reward, weight=1):
    seen = where.setdefault(key, [0, 0.0])
    seen[0] += weight
    seen[1] += weight * reward


def same_numbers(shadow, search):
    """The kernel's arrays hold what the shadow has."""
    left = by_path(search)
    worker = search.workers[0]

    def compare(path, node):
        row, edges = left.pop(path)
        assert row["visits"] == node.visits
        assert row["value"] == pytest.approx(node.value, abs=1e-9)
        if "best" in row.dtype.names:
            assert row["best"] == node.best
        if "low" in row.dtype.names:
            assert (row["low"], row["high"]) == pytest.approx(shadow.bounds(node), abs=1e-6)
        if edges and "rave_visits" in search.tree.edges.dtype.names:
            for action, edge in edges.items():
                rave = node.rave.get(action, (0, 0.0))
                assert edge["rave_visits"] == pytest.approx(rave[0])
                assert edge["rave_value"] == pytest.approx(rave[1], abs=1e-9)
        for action, child in node.children.items():
            compare((*path, action), child)

    compare((), shadow.root)
    assert not left
    if search.options.selection_bias or search.options.rollout.policy == "table":
        for (who, key), (visits, value) in shadow.table.items():
            assert worker.saved["table_visits"][who * KEYS + key] == visits
            assert worker.saved["table_value"][who * KEYS + key] == pytest.approx(value)


def first_uses(moves):
    """Of (player, key) pairs in order, those whose key nobody had used before."""
    firsts = {}
    for who, key in moves:
        if who >= 0:
            firsts.setdefault(key, who)
    return [(who, key) for key, who in firsts.items()]


Opt, R = tw.Options, tw.Rave
ANY = (1, 2, 3)
SWITCHES = {
    "uct": (Opt(), ANY),
    "exploit": (Opt(c=0.0), (1, 2)),
    "explore": (Opt(c=20.0), (2,)),
    "fpu": (Opt(fpu=0.9, c=0.5), ANY),
    "low fpu": (Opt(fpu=0.3, c=0.1), (1, 2)),
    "rave": (Opt(rave=R(k=50)), ANY),
    "rave alone": (Opt(rave=R(k=math.inf)), (2,)),
    "rave never": (Opt(rave=R(k=0)), (2,)),
    "rave fpu": (Opt(rave=R(k=30), fpu=0.7), (2,)),
    "rave of the first": (Opt(rave=R(k=50, first=True)), ANY),
    "rave that fades": (Opt(rave=R(k=50, fade=True)), ANY),
    "rave of the first, fading": (Opt(rave=R(bias=0.1, first=True, fade=True)), (2,)),
    "min mse": (Opt(rave=R(bias=0.1)), ANY),
    "min mse, no bias": (Opt(rave=R(bias=0.0)), (2,)),
    "puct": (Opt(puct=True), ANY),
    "puct fpu": (Opt(puct=True, fpu=0.2), (2,)),
    "priors": (Opt(priors=True), ANY),
    "head start": (Opt(head_start=5.0), ANY),
    "head start and priors": (Opt(head_start=3.0, priors=True, rave=R(bias=0.1)), (2,)),
    "puct priors": (Opt(puct=True, priors=True), (2,)),
    "rave priors": (Opt(rave=R(k=50), priors=True), (2,)),
    "puct rave": (Opt(puct=True, rave=R(k=50)), (2,)),
    "bias": (Opt(selection_bias=tw.SelectionBias(k=20)), ANY),
    "strong bias": (Opt(selection_bias=tw.SelectionBias(k=1e6), c=0.2), (1,)),
    "table": (Opt(rollout=tw.Rollout("table"), selection_bias=tw.SelectionBias(k=5)), (1, 2)),
    "max": (Opt(max_backup=1.0, choose="max"), (1,)),
    "mixed": (Opt(max_backup=0.4), (1,)),
    "mixed priors": (Opt(max_backup=0.4, priors=True), (1,)),
    "mixed rave": (Opt(max_backup=0.4, rave=R(k=50)), (1,)),
    "widening": (Opt(widening=tw.Widening(k=1.0, alpha=0.4)), ANY),
    "wide": (Opt(widening=tw.Widening(k=0.4, alpha=0.6), expand="weighted"), (2,)),
    "widening rave": (Opt(widening=tw.Widening(k=1.0, alpha=0.3), rave=R(k=50)), (2,)),
    "drawn": (Opt(expand="rollout", rollout=tw.Rollout("domain")), ANY),
    "drawn, wide": (Opt(widening=tw.Widening(k=0.6, alpha=0.5), expand="rollout"), (2,)),
    "weighted": (Opt(expand="weighted", rollout=tw.Rollout("weighted")), (2,)),
    "solver": (Opt(solver=True), (1, 2)),
    "solver rave": (Opt(solver=True, rave=R(k=50)), (2,)),
    "solver fpu": (Opt(solver=True, fpu=0.6, c=0.3), (1, 2)),
    "leaf": (Opt(rollout=tw.Rollout(depth=0)), (2,)),
    "cut": (Opt(rollout=tw.Rollout(depth=1), rave=R(k=10)), (1, 2)),
    "domain": (Opt(rollout=tw.Rollout("domain", epsilon=0.3), rave=R(k=10)), (2,)),
}
CASES = [
    (name, players, chance)
    for name, (options, counts) in SWITCHES.items()
    for players in counts
    for chance in ((0.0,) if options.solver else (0.0, 0.3))
]


@pytest.mark.parametrize(("name", "players", "chance"), CASES)
def test_every_choice_of_every_simulation(name, players, chance):
    options = SWITCHES[name][0]
    checked = 0
    for seed in range(2):
        tables = grow(seed + 10 * players, players, depth=5, width=4, chance=chance)
        search = tw.Search(
            SPIES[players](tables=tables), options, seed=seed, engine="python", memory="1MiB"
        )
        shadow = Shadow(tables, options)
        search.run(simulations=150)
        log = search.workers[0].root.log
        for history, rewards in log:
            shadow.simulation(history, rewards)
        assert len(log) == search.result().simulations
        same_numbers(shadow, search)
        checked += shadow.checked
    assert checked > 60


# ------------------------------------------------------------------------------------- arrays


def stats_of(search, path, row, edges):
    """action -> `Stats` of a node's actions, from the arrays."""
    position = search.position
    for action in path:
        position.play(action)
    tables, found = search.domain.tables, {}
    state = position.state.node
    nodes, saved = search.tree.nodes, search.workers[0].saved
    legal = position.legal()
    total = sum(tables["weight"][state, a] for a in legal)
    for action in legal:
        edge = edges.get(action)
        a = Stats(p=tables["weight"][state, action] / total)
        a.prior, a.trust = tables["prior"][state, action], tables["trust"][state, action]
        if edge is not None and edge["child"] >= 0:
            child = nodes[edge["child"]]
            a.visits, a.value = int(child["visits"]), float(child["value"])
            a.best = float(child["best"]) if "best" in child.dtype.names else 0.0
            a.proven = "low" in child.dtype.names and bool(child["low"] >= child["high"])
        if edge is not None and "rave_visits" in edge.dtype.names:
            a.rave_visits, a.rave_value = int(edge["rave_visits"]), float(edge["rave_value"])
        if search.options.selection_bias:
            slot = position.player * KEYS + position.key(action)
            a.table_visits, a.table_value = saved["table_visits"][slot], saved["table_value"][slot]
        found[action] = a
    return position, found


COMPILED = {  # few kernels with many switches each: a kernel takes seconds to compile
    1: [
        Opt(
            selection_bias=tw.SelectionBias(k=20),
            widening=tw.Widening(k=1.0, alpha=0.4),
            max_backup=0.5,
            rollout=tw.Rollout("table", floor=0.1),
        ),
    ],
    2: [
        Opt(),
        Opt(fpu=0.7, c=0.3),
        Opt(rave=R(k=100)),
        Opt(rave=R(k=5), c=0.3, fpu=0.6),
        Opt(
            rave=R(bias=0.2),
            puct=True,
            priors=True,
            rollout=tw.Rollout("weighted", epsilon=0.25, depth=2),
        ),
        Opt(solver=True),
    ],
    3: [Opt(rave=R(k=100), horizon="turn")],
}


@pytest.mark.parametrize(
    ("players", "options"), [(n, o) for n, options in COMPILED.items() for o in options]
)
def test_the_next_simulation_goes_where_the_arrays_say(players, options):
    chance = 0.0 if options.solver else 0.2
    tables = grow(players + 40, players, depth=5, width=4, chance=chance, reward_steps=2)
    search = tw.Search(BY_PLAYERS[players](tables=tables), options, seed=7, memory="1MiB")
    search.run(simulations=1)
    checked = 0
    for step in range(120):
        if step % 8 == 7 and not options.solver:  # and at larger counts
            search.run(simulations=41)
        before = {p: (row.copy(), {a: e.copy() for a, e in edges.items()})
                  for p, (row, edges) in by_path(search).items()}  # fmt: skip
        known = {p: stats_of(search, p, *before[p]) for p in before}
        if search.run(simulations=1).stopped == "solved":
            break
        grew = {
            p for p, (row, _) in by_path(search).items()
            if p not in before or row["visits"] > before[p][0]["visits"]
        }  # fmt: skip
        for path in grew:
            if path and path[:-1] in known:
                position, actions = known[path[:-1]]
                if not position.is_chance:
                    n = int(before[path[:-1]][0]["visits"])
                    assert path[-1] in allowed(options, n, actions, 1e-6)
                    checked += 1
    assert checked > 20
    for row, edges in by_path(search).values():
        below_ = [e["child"] for e in edges.values() if e["child"] >= 0]
        if below_:
            assert row["visits"] == 1 + search.tree.nodes[below_]["visits"].sum()


# --------------------------------------------------------------------------------- statistics


def shares(domain, options, simulations, seeds, engine="compiled"):
    rows = []
    for seed in seeds:
        search = tw.Search(domain, options, seed=seed, engine=engine, memory="1MiB")
        result = search.run(simulations=simulations)
        rows.append([c.visits for c in sorted(result.children, key=lambda c: c.action)])
    return np.array(rows) / (simulations - 1)


def reference_shares(domain, options, simulations, seeds):
    legal = tw.Position(domain).legal()
    rows = []
    for seed in seeds:
        found = Uct(domain, options, seed).run(simulations).shares()
        rows.append([found.get(a, 0.0) for a in sorted(legal)])
    return np.array(rows)


def agree(ours, theirs):
    """Means within four standard errors of their difference (and a hair)."""
    error = np.sqrt(ours.var(0, ddof=1) / len(ours) + theirs.var(0, ddof=1) / len(theirs))
    assert (np.abs(ours.mean(0) - theirs.mean(0)) <= 4 * error + 1e-3).all(), (
        ours.mean(0),
        theirs.mean(0),
        error,
    )


@pytest.mark.parametrize("heap", [5, 10])
def test_nim_shares(heap):
    ours = shares(Nim(heap=heap), None, 150, range(24), engine="python")
    agree(ours, reference_shares(Nim(heap=heap), None, 150, range(100, 124)))


@pytest.mark.parametrize("moves", ["b2 a1 c3", "a1 b2 c1"])
def test_tictactoe_shares(moves):
    domain = TicTacToe(moves=moves)
    ours = shares(domain, None, 120, range(60))
    agree(ours, reference_shares(domain, None, 120, range(100, 112)))


@pytest.mark.parametrize(
    "options",
    [
        Opt(rave=R(k=100)),
        Opt(rave=R(bias=0.3)),
        Opt(selection_bias=tw.SelectionBias(k=20)),
        Opt(fpu=0.8),
    ],
)
def test_tictactoe_shares_of_other_policies(options):
    domain = TicTacToe(moves="b2 a1 c3 a3")
    ours = shares(domain, options, 80, range(12), engine="python")
    agree(ours, reference_shares(domain, options, 80, range(100, 112)))


MEANS = (0.2, 0.5, 0.8)


def bandit():
    """One decision, then chance: arm ``a`` pays 1 with probability ``MEANS[a]``."""
    children = [{0: 1, 1: 2, 2: 3}, *({0: 4, 1: 5} for _ in MEANS), {}, {}]
    weight = np.ones((6, 4))
    for arm, mean in enumerate(MEANS):
        weight[arm + 1, :2] = 1 - mean, mean
    return tables_of(children, [0, -1, -1, -1, 0, 0], [[0]] * 5 + [[1]], weight=weight)


def test_bandit_means_and_shares():
    domain = BY_PLAYERS[1](tables=bandit())
    ours = shares(domain, None, 200, range(24), engine="python")
    agree(ours, reference_shares(domain, None, 200, range(100, 124)))
    search = tw.Search(domain, seed=3, engine="python", memory="1MiB")
    result = search.run(simulations=12_000)
    for child in result.children:
        error = math.sqrt(MEANS[child.action] * (1 - MEANS[child.action]) / child.visits)
        assert abs(child.value - MEANS[child.action]) < 4 * error
    assert result.best == 2
    assert result.visits > 10_000


def test_max_backup_shares():
    domain = BY_PLAYERS[1](tables=bandit())
    options = Opt(max_backup=0.5)
    ours = shares(domain, options, 150, range(24), engine="python")
    agree(ours, reference_shares(domain, options, 150, range(100, 124)))
