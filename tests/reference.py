"""What the tests hold the kernel against: small, obvious Python, written from the equations.

`Uct` is an object-based search over :class:`treewright.Position`.  `urgency` is the tree policy
of ``options.py`` for one child.  `TableTree` is a domain whose whole game tree is given by
instance tables, so that one compiled kernel serves any number of random games; `grow` makes
such games and `solve` knows their true values.
"""

import math
import random
from dataclasses import dataclass, field

import numpy as np
from numpy import int32

import treewright as tw
from treewright.random import uniform

ACTIONS = 4
KEYS = 12


# ----------------------------------------------------------------------- games given by tables


class TableTree(tw.Domain):
    """A game tree written out: ``child[node, action]`` is a node, or -1 if it is illegal."""

    max_actions = ACTIONS
    keys = KEYS
    max_length = 12
    state = tw.record(node=int32)

    def start(s):
        s.node = 0

    def legal(s, t, out):
        n = 0
        for action in range(ACTIONS):
            if t.child[s.node, action] >= 0:
                out[n] = action
                n += 1
        return n

    def play(s, t, action):
        s.node = t.child[s.node, action]

    def ended(s, t):
        return t.leaf[s.node] == 1

    def rewards(s, t, out):
        for p in range(len(out)):
            out[p] = t.reward[s.node, p]

    def value(s, t, out):
        for p in range(len(out)):
            out[p] = t.reward[s.node, p]

    def player(s, t):
        return t.who[s.node]

    def weight(s, t, action):
        return t.weight[s.node, action]

    def prior(s, t, action):
        return t.prior[s.node, action], t.trust[s.node, action]

    def amaf_key(s, t, action):
        return t.key[s.node, action]

    def rollout(s, t, rng, out):  # the last legal action
        last = 0
        for action in range(ACTIONS):
            if t.child[s.node, action] >= 0:
                last = action
        return last

    def sample_chance(s, t, rng):  # in proportion to the weights
        total = 0.0
        for action in range(ACTIONS):
            if t.child[s.node, action] >= 0:
                total += t.weight[s.node, action]
        left = uniform(rng) * total
        last = 0
        for action in range(ACTIONS):
            if t.child[s.node, action] >= 0:
                last = action
                left -= t.weight[s.node, action]
                if left < 0.0:
                    return action
        return last


class OnePlayer(TableTree):
    players = 1


class TwoPlayers(TableTree):
    players = 2


class ThreePlayers(TableTree):
    players = 3


BY_PLAYERS = {1: OnePlayer, 2: TwoPlayers, 3: ThreePlayers}


def tables_of(children, who, rewards, **others):
    """The tables of a `TableTree` from lists; what is not given is neutral."""
    count = len(children)
    child = np.full((count, ACTIONS), -1, np.int32)
    for node, row in enumerate(children):
        for action, below in dict(row).items():
            child[node, action] = below
    reward = np.zeros((count, 3))
    for node, row in enumerate(rewards):
        reward[node, : len(row)] = row
    tables = {
        "child": child,
        "leaf": (child < 0).all(axis=1).astype(np.int8),
        "who": np.asarray(who, np.int8),
        "reward": reward,
        "weight": np.ones((count, ACTIONS)),
        "prior": np.full((count, ACTIONS), 0.5),
        "trust": np.ones((count, ACTIONS)),
        "key": np.tile(np.arange(ACTIONS, dtype=np.int32), (count, 1)),
    }
    for name, value in others.items():
        tables[name] = np.asarray(value, tables[name].dtype)
    return tables


def grow(seed, players=2, depth=4, width=3, chance=0.0, *, reward_steps=0, keys=KEYS, unequal=True):
    """Tables of a random game: turns of any length, branches that end early, chance on request.

    Rewards of two players add up to 1, as the solver wants.  ``reward_steps=2`` has wins,
    draws and losses only.
    """
    rng = random.Random(seed)
    children, who, rewards = [], [], []

    def node(left):
        here = len(children)
        children.append({})
        who.append(rng.randrange(players))
        first = rng.randint(0, reward_steps) / reward_steps if reward_steps else rng.random()
        others = [rng.random() for _ in range(players - 1)]
        rewards.append([first, 1.0 - first] if players == 2 else [first, *others])
        if left and (left == depth or rng.random() < 0.85):
            if rng.random() < chance:
                who[here] = tw.CHANCE
            for action in sorted(rng.sample(range(ACTIONS), rng.randint(1, width))):
                children[here][action] = node(left - 1)
        return here

    node(depth)
    count = len(children)
    numbers = np.random.default_rng(seed)
    return tables_of(
        children,
        who,
        rewards,
        weight=numbers.uniform(0.05, 2.0, (count, ACTIONS)) if unequal else np.ones((count, 4)),
        prior=numbers.uniform(0, 1, (count, ACTIONS)),
        trust=numbers.integers(0, 4, (count, ACTIONS)),
        key=numbers.integers(0, keys, (count, ACTIONS)),
    )


def below(tables, node):
    """action -> node of a game's node."""
    return {a: int(c) for a, c in enumerate(tables["child"][node]) if c >= 0}


def solve(tables, node=0, players=2):
    """The true rewards under best play, by exhaustion; no chance."""
    options = [solve(tables, c, players) for c in below(tables, node).values()]
    if not options:
        return [float(r) for r in tables["reward"][node, :players]]
    return max(options, key=lambda r: r[int(tables["who"][node])])


# ------------------------------------------------------------------------------ the equations


@dataclass
class Stats:
    """All that is known of one action at a node."""

    visits: int = 0
    value: float = 0.0
    best: float = -math.inf
    rave_visits: float = 0.0
    rave_value: float = 0.0
    table_visits: float = 0.0
    table_value: float = 0.0
    p: float = 0.0
    prior: float = 0.0
    trust: float = 0.0
    proven: bool = False


def urgency(o, parent_visits, a, unknown=math.inf):
    """``options.py``, word for word; ``unknown`` is the urgency of what nothing is known about.

    An action without a visit has the estimate that it has (β = 1), and the bonus of one visit.
    """
    n, w = float(a.visits), a.value
    rave_n, rave_w = a.rave_visits, a.rave_value
    if o.priors:
        n, w = n + a.trust, w + a.trust * a.prior
        rave_n, rave_w = rave_n + a.trust, rave_w + a.trust * a.prior
    won = o.head_start * math.sqrt(a.p)
    n, w, rave_n, rave_w = n + won, w + won, rave_n + won, rave_w + won
    q = w / n if n else None
    if o.max_backup and a.visits:
        q = (1 - o.max_backup) * q + o.max_backup * a.best
    if o.rave and rave_n:
        beta = _beta(o.rave, parent_visits, n, rave_n)
        q = rave_w / rave_n if q is None else (1 - beta) * q + beta * rave_w / rave_n
    if o.selection_bias and a.table_visits:
        beta = o.selection_bias.k / (o.selection_bias.k + n)
        mean = a.table_value / a.table_visits
        q = mean if q is None else (1 - beta) * q + beta * mean
    if o.puct:
        return (unknown if q is None else q) + o.c * a.p * math.sqrt(parent_visits) / (1 + n)
    return unknown if q is None else q + o.c * math.sqrt(math.log(parent_visits) / (n or 1))


def _beta(rave, parent_visits, n, rave_n):
    if rave.bias is not None:
        return rave_n / (n + rave_n + 4 * n * rave_n * rave.bias**2)
    return 1.0 if math.isinf(rave.k) else math.sqrt(rave.k / (3 * parent_visits + rave.k))


def allowed(o, parent_visits, actions, tolerance=1e-9):
    """The actions that the tree policy may choose: one, unless there is a tie.

    ``actions`` maps every legal action to its `Stats`.
    """
    tried = {a: s for a, s in actions.items() if s.visits}
    untried = [a for a in actions if a not in tried]
    open_ = {a: s for a, s in tried.items() if not s.proven}
    if o.widening:
        if untried and len(tried) < math.ceil(o.widening.k * parent_visits**o.widening.alpha):
            return set(untried)
        rated = {a: urgency(o, parent_visits, s) for a, s in open_.items()}
        return _argmax(rated, tolerance) if rated else set(untried)
    unknown = math.inf if o.fpu is None else o.fpu
    if o.puct and o.fpu is None:
        seen = sum(s.visits for s in tried.values())
        unknown = sum(s.value for s in tried.values()) / seen if seen else 0.0
    rated = {a: urgency(o, parent_visits, s) for a, s in open_.items()}
    rated |= {a: urgency(o, parent_visits, actions[a], unknown) for a in untried}
    return _argmax(rated, tolerance)


def _argmax(rated, tolerance):
    top = max(rated.values())
    return {a for a, u in rated.items() if u == top or u >= top - tolerance * (1 + abs(top))}


# ------------------------------------------------------------------------------ the search


@dataclass
class Node:
    """A node, with what is known of its actions."""

    visits: int = 0
    value: float = 0.0  # of whoever moved here
    best: float = -math.inf
    children: dict = field(default_factory=dict)
    rave: dict = field(default_factory=dict)  # action -> [visits, value]


class Uct:
    """Monte Carlo tree search in the papers' four steps."""

    def __init__(self, domain, options=None, seed=0):
        self.domain = domain
        self.options = options or tw.Options()
        self.rng = random.Random(seed)
        self.stream = tw.random.stream(seed) if domain.function("sample_chance") else None
        self.root = Node()
        self.table = {}  # (player, key) -> [visits, value]

    def run(self, simulations):
        for _ in range(simulations):
            self._simulation()
        return self

    def shares(self):
        """action -> share of the visits below the root."""
        visits = {a: c.visits for a, c in self.root.children.items()}
        return {a: v / sum(visits.values()) for a, v in visits.items()}

    def _simulation(self):
        position = tw.Position(self.domain)
        node, mover, path, moves = self.root, position.player, [], []
        while True:
            path.append((node, mover, position.copy()))
            if node.visits == 0 or position.ended:
                break
            to_move = position.player
            action = self._select(node, position)
            node = node.children.setdefault(action, Node())
            moves.append((to_move, position.key(action)))
            position.play(action)
            mover = to_move if to_move >= 0 else mover
        while not position.ended:
            action = self._random(position)
            moves.append((position.player, position.key(action)))
            position.play(action)
        self._back_up(path, moves, position.rewards())

    def _random(self, position):
        return (
            position.chance(self.stream)
            if position.is_chance
            else self.rng.choice(position.legal())
        )

    def _select(self, node, position):
        if position.is_chance:
            return position.chance(self.stream)
        actions = {a: self._stats(node, position, a) for a in position.legal()}
        return self.rng.choice(sorted(allowed(self.options, node.visits, actions)))

    def _stats(self, node, position, action):
        child = node.children.get(action, Node())
        key = (position.player, position.key(action))
        return Stats(
            child.visits,
            child.value,
            child.best,
            *node.rave.get(action, (0, 0.0)),
            *self.table.get(key, (0, 0.0)),
        )

    def _back_up(self, path, moves, rewards):
        for depth, (node, mover, position) in enumerate(path):
            node.visits += 1
            node.value += rewards[mover]
            node.best = max(node.best, rewards[mover])
            if depth == len(path) - 1 or position.is_chance:
                continue
            left = moves[depth:]
            rave = self.options.rave
            later = {}  # key -> when it was first used
            for i, (player, key) in enumerate(left):
                if player == position.player or (rave and rave.first and player >= 0):
                    later.setdefault(key, (i, player))
            for action in position.legal():
                i, player = later.get(position.key(action), (0, None))
                if player == position.player:
                    weight = 2 * (1 - i / len(left)) if rave and rave.fade else 1
                    _add(node.rave, action, rewards[position.player], weight)
        for player, key in moves:
            if player >= 0:
                _add(self.table, (player, key), rewards[player])


def _add(where, key, reward, weight=1):
    seen = where.setdefault(key, [0, 0.0])
    seen[0] += weight
    seen[1] += weight * reward


# --------------------------------------------------------------------- reading a search's tree


def by_path(search):
    """path of actions -> (row of the node, action -> row of the edge).

    Untried actions are listed where edges hold more than the child's number.
    """
    nodes, edges = search.tree.nodes, search.tree.edges
    found = {}

    def visit(path, number):
        row = nodes[number]
        count = row["n"] if len(edges.dtype.names) > 1 else row["tried"]
        actions = {}
        for i, edge in enumerate(edges[row["first"] : row["first"] + count]):
            child = int(edge["child"])
            assert (child >= 0) == (i < row["tried"])
            action = int(nodes[child]["action"]) if child >= 0 else ~child
            actions[action] = edge
            if child >= 0:
                visit((*path, action), child)
        found[path] = (row, actions)

    visit((), 0)
    assert len(found) == len(nodes)
    return found


def same_tree(one, other):
    """Whether two searches hold the same tree, field by field (padding bytes don't count)."""
    return all(
        a.dtype == b.dtype
        and a.shape == b.shape
        and all(np.array_equal(a[n], b[n]) for n in a.dtype.names)
        for a, b in ((one.tree.nodes, other.tree.nodes), (one.tree.edges, other.tree.edges))
    )
