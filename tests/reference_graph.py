"""A slow search in which equal states share one node, written from the equations.

The games are `TableGraph`: a `TableTree` whose tables lead to the same node by several ways, or
even back.  Only ties are drawn, two actions that lead to the same node among them: actions are
added as they are listed, and a leaf has its own reward.
"""

import itertools
import math
import random
from dataclasses import dataclass, field

from reference import ACTIONS, BY_PLAYERS, tables_of

import treewright as tw
from treewright.random import below, stream

OPTIONS = {"expand": "listed", "rollout": tw.Rollout(depth=0), "transpositions": True}


def graph(seed, players=2, layers=5, width=4, cycles=False):
    """Tables of a random game in layers; from a layer one comes to the next, or also back."""
    rng = random.Random(seed)
    first = [0, *(1 + width * layer for layer in range(layers))]
    count = 1 + width * layers
    children, who, rewards = [], [], []
    for node in range(count):
        layer = 0 if node == 0 else 1 + (node - 1) // width
        row = {}
        ends = layer == layers or (layer > 1 and rng.random() < 0.15)
        for action in sorted(rng.sample(range(ACTIONS), rng.randint(1, ACTIONS))):
            if not ends:
                back = cycles and layer > 0 and rng.random() < 0.35
                to = rng.randrange(node) if back else first[layer + 1] + rng.randrange(width)
                row[action] = max(to, 1) if layer == 0 else to
        children.append(row)
        who.append(rng.randrange(players))
        own = [rng.random() for _ in range(players)]
        rewards.append([own[0], 1.0 - own[0]] if players == 2 else own)
    return BY_PLAYERS[players](tables=tables_of(children, who, rewards))


@dataclass(eq=False)
class Edge:
    node: "Node"
    visits: int = 0


@dataclass(eq=False)
class Node:
    visits: int = 0
    value: float = 0.0
    best: float = -math.inf
    low: float = 0.0
    high: float = 1.0
    edges: dict = field(default_factory=dict)  # action -> Edge, as they were added


class GraphSearch:
    """Monte Carlo graph search: a state and whoever moved there are one node."""

    def __init__(self, domain, options):
        self.domain, self.options = domain, options
        self.position = tw.Position(domain)
        self.mover = self.position.player
        self.nodes = {}
        self.rng = stream()
        self.root = self._node(self.position, self.mover)

    def run(self, simulations):
        for _ in range(simulations):
            if self.options.solver and self.root.low >= self.root.high:
                break
            self._simulation()
        return self

    def commit(self, action):
        self.mover = self.position.player
        self.position.play(action)
        self.root = self._node(self.position, self.mover)

    def _node(self, position, mover):
        return self.nodes.setdefault((position.state.node, mover), Node())

    def _simulation(self):
        position, node, mover = self.position.copy(), self.root, self.mover
        path = [(node, mover, None)]
        while node.visits > 0 and not position.ended and len(path) <= self.domain.max_length:
            action, mover = self._select(node, position), position.player
            position.play(action)
            node = self._node(position, mover)
            edge = path[-1][0].edges.setdefault(action, Edge(node))
            met = any(node is other for other, _, _ in path)
            path.append((node, mover, edge))
            if met:
                break
        self._back_up(path, position)

    def _select(self, node, position):
        for action in position.legal():
            if action not in node.edges:
                return action
        rated, sure = {}, {}
        for action, edge in node.edges.items():
            child = edge.node
            if self.options.solver and child.low >= child.high:
                sure[action] = child.low
                continue
            q = child.value / child.visits
            m = self.options.max_backup
            q = (1 - m) * q + m * child.best if m else q
            bonus = math.sqrt(math.log(node.visits) / edge.visits)
            rated[action] = q + self.options.c * bonus
        if not rated:
            return max(sure, key=lambda action: sure[action])
        top = [action for action in rated if rated[action] == max(rated.values())]
        return top[below(self.rng, len(top)) if len(top) > 1 else 0]

    def _back_up(self, path, position):
        rewards = position.rewards()
        for node, mover, edge in path:
            node.visits += 1
            node.value += rewards[mover]
            node.best = max(node.best, rewards[mover])
            if edge is not None:
                edge.visits += 1
        for (above, _, _), (under, _, _) in reversed(list(itertools.pairwise(path))):
            above.best = max(above.best, under.best)
        if not self.options.solver:
            return
        if position.ended:
            leaf, mover, _ = path[-1]
            leaf.low = leaf.high = rewards[mover]
        for (above, mover, _), (_, decided, _) in reversed(list(itertools.pairwise(path))):
            self._prove(above, mover, decided)

    def _prove(self, node, mover, decided):
        low = max(edge.node.low for edge in node.edges.values())
        high = max(edge.node.high for edge in node.edges.values())
        state = next(key for key, known in self.nodes.items() if known is node)[0]
        if len(node.edges) < (self.domain.tables["child"][state] >= 0).sum():
            high = 1.0
        if mover != decided:
            low, high = 1 - high, 1 - low
        node.low, node.high = max(node.low, low), min(node.high, high)


def agree(search, reference):
    """Walk through both graphs alike and compare every node and every edge."""
    nodes, edges = search.tree.nodes, search.tree.edges
    same, waiting = {0: reference.root}, [0]
    for number in waiting:
        row, node = nodes[number], same[number]
        assert row["visits"] == node.visits
        assert math.isclose(row["value"], node.value, abs_tol=1e-9)
        if reference.options.solver:
            assert math.isclose(row["low"], node.low, abs_tol=1e-6)
            assert math.isclose(row["high"], node.high, abs_tol=1e-6)
        if reference.options.max_backup:
            assert row["best"] == node.best
        block = edges[row["first"] : row["first"] + row["tried"]]
        assert block["action"].tolist() == list(node.edges)
        for edge, other in zip(block, node.edges.values(), strict=True):
            assert edge["visits"] == other.visits
            child = int(edge["child"])
            if child not in same:
                same[child] = other.node
                waiting.append(child)
            assert same[child] is other.node
    assert len(same) == len(nodes)
    return len(same)
