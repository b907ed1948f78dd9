"""Expansion: listing a node's actions and adding its children, within the memory budget.

Executed in front of steps.py, with the same injected names (see there).  How nodes and
edges lie in memory, and what sparse and dense blocks are, is said in layout.py.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

from treewright.kernel.layout import (
    BAD_ACTION,
    BAD_KEY,
    BAD_PLAYER,
    BAD_PRIOR,
    BAD_WEIGHT,
    DONE,
    DRAWS,
    FULL,
    NO_ACTION,
    SMALLEST,
    TOO_MANY,
)
from treewright.kernel.reclaim import capacity
from treewright.kernel.rng import below, uniform


def room(p, run, nodes, edges):
    """Whether so many more nodes and edges fit into the memory budget.

    Commit needs four more bytes for each node while it reclaims the rest (reclaim.py).
    """
    node_bytes = (run.nodes + nodes) * (NODE_BYTES + 4)
    return node_bytes + (run.edges + edges) * EDGE_BYTES <= p.memory


def open_node(tree, t, p, run, rng, s, current, mover):
    """List the legal actions of a node as untried edges."""
    edges = tree.edges
    buffer = tree.buffer
    if mover >= PLAYERS or (mover < 0 and not CHANCE):
        run.culprit = mover
        return BAD_PLAYER
    if LEGAL_WEIGHTS and (SHARES or (EXPAND_WEIGHTED and not OWN_ORDER)):
        n = legal_weights(s, t, buffer, tree.weights)
    else:
        n = legal(s, t, buffer)
    status = count_status(run, n)
    if status != DONE:
        return status
    node = tree.nodes[current]
    if LAZY and capacity(0, n) < n:
        first = new_block(p, run, edges, capacity(0, n), 0)
        if first < 0:
            return FULL
        node.first = first
        node.n = n
        node.tried = 0
        return DONE
    if not room(p, run, 0, n):
        return FULL
    if EXPAND_WEIGHTED and mover >= 0 and not draw_order(tree, t, run, rng, s, n):
        return BAD_WEIGHT
    first = run.edges
    total = 0.0
    even = 1.0 / n
    for i in range(n):
        action = buffer[i]
        if action < 0 or action >= 1073741824:
            run.culprit = action
            return BAD_ACTION
        edge = edges[first + i]
        edge.child = -1 - action
        if TRANSPOSE:
            edge.action = action
            edge.visits = 0
        if EDGE_KEY:
            edge.key = 0
            if mover >= 0:
                key = amaf_key(s, t, action)
                if key < 0 or key >= KEYS:
                    run.culprit = key
                    return BAD_KEY
                edge.key = key
        if GUMBEL:
            edge.gumbel = 0.0
        if RAVE:
            edge.rave_visits = 0
            edge.rave_value = 0.0
        if SHARES and not WEIGHED:  # an evaluator will say (leaves.py)
            edge.p = even
        elif SHARES and mover >= 0:
            if (EXPAND_BEST and not OWN_ORDER) or (LEGAL_WEIGHTS and not EXPAND_WEIGHTED):
                w = tree.weights[i]
            else:
                w = weight(s, t, action)
            if not -math.inf < w < math.inf:
                run.culprit = action
                return BAD_WEIGHT
            edge.p = w
            total += w
        if KNOWN_BEFORE:
            edge.prior_value = 0.0
            edge.prior_visits = 0.0
            if PRIORS and mover >= 0:
                known, visits = prior(s, t, action)
                if not (-math.inf < known < math.inf and 0.0 <= visits < math.inf):
                    run.culprit = action
                    return BAD_PRIOR
                edge.prior_value = known
                edge.prior_visits = visits
    if SHARES and (WEIGHED or HEAD_START):
        for i in range(n):
            edge = edges[first + i]
            if WEIGHED:
                edge.p = edge.p / total if total > 0.0 else even
            if HEAD_START and mover >= 0:
                won = p.head_start * math.sqrt(edge.p)
                lost = (1.0 - edge.prior_value) * edge.prior_visits
                edge.prior_visits += won
                edge.prior_value = 1.0 - lost / edge.prior_visits if won > 0.0 else edge.prior_value
    node.first = first
    node.n = n
    node.tried = 0
    run.edges += n
    return DONE


def count_status(run, n):
    """Check the number of actions that ``legal`` returned."""
    if n <= 0:
        return NO_ACTION
    if n > MAX_ACTIONS:
        run.culprit = n
        return TOO_MANY
    return DONE


def draw_order(tree, t, run, rng, s, n):
    """Put the actions in an order drawn without replacement by weight, or the heaviest first.

    Sorting by ``ln(u) / w`` is such a draw (Efraimidis & Spirakis 2006); actions of weight 0
    come last.  With the heaviest first, equal weights come in any order.  Shell's sort: with few
    actions a plain insertion, with thousands of them not quadratic.  False: a user's own order
    is nan.
    """
    for i in range(n):
        if OWN_ORDER:
            w = float(own_order(s, t, tree.buffer[i]))
            if not w >= -math.inf:
                run.culprit = tree.buffer[i]
                return False
        else:
            w = tree.weights[i] if LEGAL_WEIGHTS else weight(s, t, tree.buffer[i])
            u = 1.0 - uniform(rng)
            if EXPAND_BEST:
                w *= 1.0 - 1e-9 * u
            else:
                w = math.log(u) / w if w > 0.0 else -math.inf
        tree.weights[i] = w
    gap = 1
    while gap < n // 64:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            key = tree.weights[i]
            action = tree.buffer[i]
            j = i
            while j >= gap and tree.weights[j - gap] < key:
                tree.weights[j] = tree.weights[j - gap]
                tree.buffer[j] = tree.buffer[j - gap]
                j -= gap
            tree.weights[j] = key
            tree.buffer[j] = action
        gap //= 3
    return True


def expand(tree, t, p, run, rng, s, current, edge):
    """Add the node of an untried edge, last of the tried ones; -1 if there is no memory."""
    nodes = tree.nodes
    edges = tree.edges
    parent = nodes[current]
    tried = parent.tried
    if not room(p, run, 1, 0):
        return -1
    if LAZY and capacity(tried, parent.n) < parent.n:
        action = sparse_action(tree, t, rng, s, parent)
        if tried == capacity(tried, parent.n) and not grow(tree, t, p, run, s, parent):
            return -1
        slot = parent.first + tried
        if capacity(tried + 1, parent.n) == parent.n:  # dense now: the action has its place
            edge = slot
            while edges[edge].child != -1 - action:
                edge += 1
            exchange(edges, slot, edge)
    else:
        slot = parent.first + tried
        if EXPAND_ROLLOUT and not PER_EDGE and not (CHANCE and player(s, t) < 0):
            edge = drawn_edge(tree, t, rng, s, parent, edge)
        action = -1 - edges[edge].child
        if IN_ORDER:  # keep the order of the others
            for i in range(edge, slot, -1):
                exchange(edges, i, i - 1)
        else:
            exchange(edges, slot, edge)
    child = run.nodes
    if MORE_COLUMNS:
        nodes[child] = tree.blank[0]
    node = nodes[child]
    node.value = 0.0
    node.visits = 0
    node.action = action
    node.first = 0
    node.n = 0
    node.tried = 0
    if MAX_BACKUP:
        node.best = -math.inf
    if TRANSPOSE:
        node.key = 0
    if SOLVER:
        node.low = 0.0
        node.high = 1.0
    edges[slot].child = child
    parent.tried = tried + 1
    run.nodes += 1
    run.created += 1
    return child


def exchange(edges, i, j):
    """Swap two edges; the last one of all is scratch."""
    if i != j:
        scratch = len(edges) - 1
        edges[scratch] = edges[i]
        edges[i] = edges[j]
        edges[j] = edges[scratch]


def sparse_action(tree, t, rng, s, parent):
    """An untried action of a node that does not list them: drawn by the policy, or any."""
    if EXPAND_ROLLOUT:
        for _ in range(DRAWS):
            action = rollout(s, t, rng, tree.buffer)
            if not was_tried(tree, parent, action):
                return action
    n = legal(s, t, tree.buffer)
    while True:  # a sparse block has tried less than half of them
        action = tree.buffer[below(rng, n)]
        if not was_tried(tree, parent, action):
            return action


def drawn_edge(tree, t, rng, s, parent, edge):
    """The untried edge that the policy draws first; the given one if it draws none."""
    for _ in range(DRAWS):
        action = rollout(s, t, rng, tree.buffer)
        for i in range(parent.first + parent.tried, parent.first + parent.n):
            if tree.edges[i].child == -1 - action:
                return i
    return edge


def was_tried(tree, parent, action):
    for i in range(parent.first, parent.first + parent.tried):
        if tree.nodes[tree.edges[i].child].action == action:
            return True
    return False


def grow(tree, t, p, run, s, parent):
    """Move a full sparse block to one of the next size; False if there is no memory.

    The last size is dense and lists what is still untried.
    """
    edges = tree.edges
    tried = parent.tried
    old = parent.first
    size = capacity(tried + 1, parent.n)
    first = new_block(p, run, edges, size, 1)
    if first < 0:
        return False
    for i in range(tried):
        edges[first + i] = edges[old + i]
    if size == parent.n:
        n = legal(s, t, tree.buffer)
        at = first + tried
        for i in range(n):
            if not was_tried(tree, parent, tree.buffer[i]):
                edges[at].child = -1 - tree.buffer[i]
                at += 1
    parent.first = first
    kind = size_class(capacity(tried, parent.n))
    edges[old].child = run.free[kind]
    run.free[kind] = old + 1
    return True


def new_block(p, run, edges, size, nodes):
    """The first of ``size`` free edges, or -1; ``nodes`` will be added besides."""
    kind = size_class(size)
    if SMALLEST << kind == size and run.free[kind] > 0:
        first = run.free[kind] - 1
        run.free[kind] = edges[first].child
        return first
    if not room(p, run, nodes, size):
        return -1
    first = run.edges
    run.edges += size
    return first


def size_class(size):
    kind = 0
    while SMALLEST << kind < size:
        kind += 1
    return kind
