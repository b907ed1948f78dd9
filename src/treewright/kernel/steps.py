"""The four steps of Monte Carlo tree search, in the papers' words (Magnuson 2.2).

This text is executed once per domain and set of switches, with two kinds of names injected:
the domain's functions (``legal``, ``play``, ``ended`` … each with the tables as its second
argument) and the constants of ``layout.Switches`` (``RAVE``, ``PLAYERS`` …).  Numba drops
every branch that is switched off and compiles what is left together with the domain
(see specialise.py).  Interpreted, the very same functions run on Python objects.

Invariants: node 0 is the root.  A node's number is larger than its parent's, unless equal states
share one node (graph.py); then a path ends where it meets a node for the second time.  The tried
children of a node are the first ``tried`` edges of its block.  ``path[d]`` was entered by
``movers[d]`` with the action ``trace[d - 1]``.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

from numpy import int64

from treewright.kernel.graph import enter_root, node_key, repeats, share
from treewright.kernel.layout import (
    BAD_ACTION,
    BAD_BACK_UP,
    BAD_KEY,
    BAD_PLAYER,
    BAD_REWARDS,
    BAD_URGENCY,
    BAD_WEIGHT,
    DOMAIN,
    DONE,
    FULL,
    GOAL,
    GREEDY,
    NODE_LIMIT,
    NOT_FINITE,
    SOLVED,
    TABULATED,
    TOO_LONG,
    UNIFORM,
    WEIGHTED,
)
from treewright.kernel.rng import below, uniform


def search(tree, t, params, runs, rng, simulations):
    """Run up to ``simulations`` simulations and say how it ended (a code of layout.py)."""
    p = params[0]
    run = runs[0]
    if TRANSPOSE:
        own_key = node_key(key(tree.root[0], t), run.root_mover)
        enter_root(tree.nodes, tree.slots, run.nodes, own_key)
    if REWINDS:
        tree.work[0] = tree.root[0]
    for _ in range(simulations):
        if run.created >= p.max_created:
            return NODE_LIMIT
        if SOLVER and tree.nodes[0].low >= tree.nodes[0].high:
            return SOLVED
        run.replay = rng[0]
        stir_root(tree, p, run, rng)
        if REWINDS:
            rewind(tree.work[0], t, tree.root[0])
        else:
            tree.work[0] = tree.root[0]
        s = tree.work[0]
        if BOUND:
            beat(s, t, run.best_score)
        depth, status = descend(tree, t, p, run, rng, s)
        if status != DONE:
            return status
        length, status = simulate(tree, t, p, run, rng, s, depth - 1)
        if status != DONE:
            return status
        if SOLVER and not solvable(tree.rewards):
            return BAD_REWARDS
        if not finite(tree.rewards):
            return NOT_FINITE
        back_up(tree, run, depth, length)
        if OWN_BACK_UP and not sound(tree, depth):
            return BAD_BACK_UP
        run.simulations += 1
        if PLAYERS == 1 and run.best_score > p.goal:
            return GOAL
    return DONE


# ---------------------------------------------------------------- selection and expansion


def descend(tree, t, p, run, rng, s):
    """Select down the tree to a node that was never simulated, adding it if it is new.

    Returns the number of nodes on the path and a status.
    """
    nodes = tree.nodes
    edges = tree.edges
    current = 0
    depth = 1
    newest = 0  # of the nodes on the path (TRANSPOSE)
    tree.path[0] = 0
    tree.movers[0] = run.root_mover
    while nodes[current].visits > 0 and depth <= MAX_LENGTH:
        mover = player(s, t)
        if nodes[current].n == 0:  # an opened node was checked when it was opened
            if ended(s, t) or (TURN and mover >= 0 and mover != run.root_player):
                break
            # the root itself, not its copy: what the domain notes down while it lists is kept
            opened = tree.root[0] if current == 0 else s
            status = open_node(tree, t, p, run, rng, opened, current, mover)
            if status == FULL:
                run.full = 1
                if p.rollout_when_full:
                    break
            if status != DONE:
                return depth, status
        elif BOUND and ended(s, t):  # there is more to beat now than when it was opened
            break
        if CHANCE and mover < 0:
            edge = chance_edge(tree, t, run, rng, s, current)
            if edge < 0:
                return depth, BAD_ACTION
        else:
            if GUMBEL and current == 0:
                edge = halving(tree, p, mover)
            else:
                edge = select(tree, p, rng, current, mover)
            if OWN_URGENCY and edge < 0:
                return depth, BAD_URGENCY
        known = edge < nodes[current].first + nodes[current].tried
        if known:
            child = edges[edge].child
        else:
            child = expand(tree, t, p, run, rng, s, current, edge)
            if child < 0:
                run.full = 1
                if p.rollout_when_full:
                    break
                return depth, FULL
        # a whole number, as in rollouts: ``play`` is compiled once
        if TRANSPOSE:
            if not known:
                edge = nodes[current].first + nodes[current].tried - 1
            action = int64(edges[edge].action)
        else:
            action = int64(nodes[child].action)
        if TRACE and not record(tree, t, run, s, depth - 1, action, mover):
            return depth, BAD_KEY
        play(s, t, action)
        # chance moves for nobody: its outcomes count for whoever moved last
        tree.movers[depth] = mover if mover >= 0 else tree.movers[depth - 1]
        if TRANSPOSE:
            tree.path_edges[depth] = edge
            if not known:
                own_key = node_key(key(s, t), tree.movers[depth])
                child = share(nodes, edges, tree.slots, run, edge, own_key)
        tree.path[depth] = child
        depth += 1
        if TRANSPOSE:
            if child <= newest and repeats(tree.path, depth):
                break  # once around: the same choices would follow
            newest = max(newest, child)
        current = child
    return depth, DONE


def chance_edge(tree, t, run, rng, s, current):
    """The edge of a sampled chance outcome, or -1 if ``legal`` does not list it."""
    outcome = sample_chance(s, t, rng)
    node = tree.nodes[current]
    first = node.first
    for edge in range(first, first + node.n):
        child = tree.edges[edge].child
        if child < 0:
            action = -1 - child
        elif TRANSPOSE:
            action = tree.edges[edge].action
        else:
            action = tree.nodes[child].action
        if action == outcome:
            return edge
    run.culprit = outcome
    return -1


def select(tree, p, rng, current, mover):
    """The edge with the highest urgency; ties are broken at random.  -1: an urgency is nan."""
    nodes = tree.nodes
    edges = tree.edges
    node = nodes[current]
    first = int64(node.first)
    n = int64(node.n)
    tried = int64(node.tried)
    if tried < n:
        if WIDENING:
            if tried < math.ceil(p.widen_k * node.visits**p.widen_alpha):
                return untried(rng, first, n, tried)
        elif not PER_EDGE and p.fpu == math.inf:
            return untried(rng, first, n, tried)
    parent_visits = node.visits + node.pending if EVALUATED else node.visits
    c = p.c
    log = log_of(tree, parent_visits)
    explore = c * math.sqrt(log)
    bad = False
    urgencies = tree.weights
    top = -math.inf
    proven = first  # the best of what needs no more search
    surest = -1.0
    siblings = 0
    sibling_value = 0.0
    for i in range(tried):
        edge = edges[first + i]
        child = nodes[edge.child]
        if SOLVER and child.low >= child.high:
            urgencies[i] = -math.inf
            if child.low > surest:
                surest = child.low
                proven = first + i
            continue
        if PUCT or OWN_URGENCY:
            siblings += child.visits
            sibling_value += child.value
        peak = child.best if MAX_BACKUP else 0.0
        visits = child.visits + child.pending if EVALUATED else child.visits
        total = with_losses(tree, child, mover) if EVALUATED else child.value
        q, known, m, root = estimate(tree, p, edge, visits, total, peak, parent_visits, 0.0, mover)
        if TRANSPOSE:  # worth what is known of it by any way; explored as often as from here
            m = float(edge.visits)
            root = inverse_root(tree, edge.visits)
        if OWN_URGENCY:
            u = own(node, child, q, log, root, edge, c, rng)
            bad |= u != u  # without a branch: it is 5 % faster
        else:
            u = urgency(edge, q, known, m, root, parent_visits, c, explore)
        urgencies[i] = u
        top = max(top, u)
    count = tried
    if tried < n:
        if PER_EDGE and not WIDENING:
            unknown = p.fpu
            if (PUCT or OWN_URGENCY) and p.fpu == math.inf:
                unknown = sibling_value / siblings if siblings > 0 else 0.0
                if NORMALISE and siblings > 0:
                    unknown = normal(tree, unknown, mover)
            first_of_equals = -math.inf
            if ONE_UNTRIED:  # they differ by their weight only, and the heaviest comes first
                n = tried + 1
            for i in range(tried, n):
                edge = edges[first + i]
                q, known, m, root = estimate(
                    tree, p, edge, 0, 0.0, 0.0, parent_visits, unknown, mover
                )
                if OWN_URGENCY:
                    u = own(node, tree.blank[0], q, log, root, edge, c, rng)
                    bad |= u != u
                else:
                    u = urgency(edge, q, known, m, root, parent_visits, c, explore)
                if IN_ORDER and u <= first_of_equals:  # their order decides
                    u = -math.inf
                first_of_equals = max(first_of_equals, u)
                urgencies[i] = u
                top = max(top, u)
            count = n
        elif top == -math.inf or (not WIDENING and p.fpu > top):
            return untried(rng, first, n, tried)
    if OWN_URGENCY and bad:
        return -1
    if top == -math.inf:  # chance can lead into a node that is proven as a whole
        return proven
    return first + one_of(urgencies, count, top, rng)


def with_losses(tree, child, mover):
    """The sum of a child's rewards, if all that are pending are lost."""
    if NORMALISE and child.pending > 0 and tree.lows[mover] < math.inf:
        return child.value + child.pending * tree.lows[mover]
    return child.value


def one_of(numbers, count, wanted, rng):
    """Where a number stands in an array; any of the places if there are several.

    No branch depends on the numbers: they can't be predicted, and this is the innermost loop.
    """
    at = 0
    ties = 0
    for i in range(count):
        same = numbers[i] == wanted
        at = i if same else at
        ties += 1 if same else 0
    if ties > 1:
        left = below(rng, ties)
        for i in range(count):
            if numbers[i] == wanted:
                if left == 0:
                    return i
                left -= 1
    return at


def untried(rng, first, n, tried):
    """An untried edge: the next in order, or any."""
    if IN_ORDER:
        return first + tried
    return first + tried + below(rng, n - tried)


def urgency(edge, q, known, n, root, parent_visits, c, explore):
    """How much a child deserves the next simulation: options.py has the equations."""
    if PUCT:
        return q + c * edge.p * math.sqrt(parent_visits) / (1.0 + n)
    return q + explore * root if known else q


def own(node, child, q, log, root, edge, c, rng):
    """The same by a user's own rule."""
    return float(own_urgency(node, child, q, log, root, edge.p if SHARES else 0.0, c, rng))


def estimate(tree, p, edge, visits, total, peak, parent_visits, unknown, mover):
    """What a child is worth, whether anything is known of it, n, and 1 / sqrt(n)."""
    n = float(visits)
    w = total
    if KNOWN_BEFORE:
        n += edge.prior_visits
        w += edge.prior_value * edge.prior_visits
        known = n > 0.0
        root = 1.0 / math.sqrt(n) if known else 1.0
    else:
        known = visits > 0
        root = inverse_root(tree, visits)
    q = w * root * root if known else unknown
    if MAX_BACKUP and visits > 0:
        q = (1.0 - p.max_weight) * q + p.max_weight * peak
    if RAVE:
        rave_n = float(edge.rave_visits)
        rave_w = edge.rave_value
        if KNOWN_BEFORE:
            rave_n += edge.prior_visits
            rave_w += edge.prior_value * edge.prior_visits
        if rave_n > 0.0:
            if not known:
                beta = 1.0
            elif MIN_MSE:
                beta = rave_n / (n + rave_n + 4.0 * n * rave_n * p.rave_bias * p.rave_bias)
            elif p.rave_k == math.inf:
                beta = 1.0
            else:
                beta = math.sqrt(p.rave_k / (3.0 * parent_visits + p.rave_k))
            q = rave_w / rave_n if beta == 1.0 else (1.0 - beta) * q + beta * rave_w / rave_n
            known = True
    if TABLE_SELECT:
        slot = mover * KEYS + edge.key
        table_n = tree.table_visits[slot]
        if table_n > 0:
            beta = p.table_k / (p.table_k + n) if known else 1.0
            mean = tree.table_value[slot] / table_n
            q = mean if not known else (1.0 - beta) * q + beta * mean
            known = True
    if NORMALISE and known:
        q = normal(tree, q, mover)
    return q, known, n, root


def normal(tree, reward, mover):
    """A reward on the scale from the lowest, 0, to the highest, 1, that its player has seen."""
    low = tree.lows[mover]
    width = tree.highs[mover] - low
    return (reward - low) / width if width > 0.0 else 0.5


def log_of(tree, n):
    return tree.logs[n] if n < TABULATED else math.log(n)


def inverse_root(tree, n):
    return tree.inverse_roots[n] if n < TABULATED else 1.0 / math.sqrt(n)


def record(tree, t, run, s, at, action, mover):
    """Write an action that is about to be played into the trace; False if its key is bad."""
    tree.trace[at] = action
    tree.trace_players[at] = mover
    if KEYED and mover >= 0:
        key = amaf_key(s, t, action)
        if key < 0 or key >= KEYS:
            run.culprit = key
            return False
        tree.trace_keys[at] = key
    return True


# ------------------------------------------------------------------------------ simulation


def simulate(tree, t, p, run, rng, s, length):
    """Play on from the leaf to an end or a cut, and fill ``tree.rewards``.

    Returns the length of the whole simulation, in actions from the root, and a status.
    """
    start = length
    run.terminal = 0
    while True:
        if ended(s, t):
            clear(tree.rewards)
            rewards(s, t, tree.rewards)
            run.terminal = 1 if length == start else 0
            return length, DONE
        mover = player(s, t)
        if mover >= PLAYERS or (mover < 0 and not CHANCE):
            run.culprit = mover
            return length, BAD_PLAYER
        if TURN and mover >= 0 and mover != run.root_player:
            run.terminal = 1 if length == start else 0
            break
        if AT_LEAF or (CUT and length - start >= p.depth):
            break
        if length >= MAX_LENGTH:
            if HAS_VALUE:
                break
            return length, TOO_LONG
        action = rollout_action(tree, t, p, run, rng, s, mover)
        if action < 0:
            return length, -action
        if TRACE and not record(tree, t, run, s, length, action, mover):
            return length, BAD_KEY
        play(s, t, action)
        length += 1
    if HAS_VALUE:
        clear(tree.rewards)
        value(s, t, tree.rewards)
    return length, DONE


def clear(out):
    for i in range(PLAYERS):
        out[i] = 0.0


def rollout_action(tree, t, p, run, rng, s, mover):
    """The rollout policy's action, or minus a status."""
    if CHANCE and mover < 0:
        return sample_chance(s, t, rng)
    at_random = POLICY == UNIFORM
    if EPSILON:
        at_random = at_random or uniform(rng) < p.epsilon
    if POLICY == DOMAIN and not at_random:
        action = rollout(s, t, rng, tree.buffer)
        if action < 0:
            run.culprit = action
            return -BAD_ACTION
        return action
    if ROLLOUT_LISTS and WEIGHS:
        n = legal_weights(s, t, tree.buffer, tree.weights)
    else:
        n = legal(s, t, tree.buffer)
    status = count_status(run, n)
    if status != DONE:
        return -status
    if at_random:
        index = below(rng, n)
    elif POLICY == GREEDY:
        index = heaviest(tree, t, rng, s, n)
    elif POLICY == WEIGHTED:
        if not ROLLOUT_LISTS:
            for i in range(n):
                tree.weights[i] = rollout_weight(s, t, tree.buffer[i])
                if OWN_ROLLOUT_WEIGHT and not 0.0 <= tree.weights[i] < math.inf:
                    run.culprit = tree.buffer[i]
                    return -BAD_WEIGHT
        index = draw(tree.weights, rng, n)
    else:
        if not table_weights(tree, t, p, run, s, n, mover):
            return -BAD_KEY
        index = draw(tree.weights, rng, n)
    action = tree.buffer[index]
    if action < 0:
        run.culprit = action
        return -BAD_ACTION
    return action


def rollout_weight(s, t, action):
    if OWN_ROLLOUT_WEIGHT:
        return float(own_rollout_weight(s, t, action))
    return weight(s, t, action)


def heaviest(tree, t, rng, s, n):
    """The index of the largest weight; ties are broken at random."""
    top = -math.inf
    for i in range(n):
        if not ROLLOUT_LISTS:
            tree.weights[i] = rollout_weight(s, t, tree.buffer[i])
        top = max(top, tree.weights[i])
    return one_of(tree.weights, n, top, rng)


def draw(weights, rng, n):
    """An index with probability proportional to its weight; uniform if all are 0."""
    total = 0.0
    for i in range(n):
        total += weights[i]
    if not total > 0.0:
        return below(rng, n)
    left = uniform(rng) * total
    last = 0
    for i in range(n):
        if weights[i] > 0.0:
            last = i
            left -= weights[i]
            if left < 0.0:
                return i
    return last


def table_weights(tree, t, p, run, s, n, mover):
    """Rollout biasing: weight · (floor + T / max T); an action without a value counts as best."""
    top = 0.0
    for i in range(n):
        key = amaf_key(s, t, tree.buffer[i])
        if key < 0 or key >= KEYS:
            run.culprit = key
            return False
        top = max(top, table_mean(tree, mover * KEYS + key))
    for i in range(n):
        mean = table_mean(tree, mover * KEYS + amaf_key(s, t, tree.buffer[i]))
        share = mean / top if mean >= 0.0 and top > 0.0 else 1.0
        w = p.floor + share
        if ROLLOUT_LISTS:
            w *= tree.weights[i]
        elif HAS_WEIGHT or OWN_ROLLOUT_WEIGHT:
            w *= rollout_weight(s, t, tree.buffer[i])
        tree.weights[i] = w
    return True


def table_mean(tree, slot):
    """The mean reward of an action, or -1 if it was never used."""
    if tree.table_visits[slot] > 0:
        return tree.table_value[slot] / tree.table_visits[slot]
    return -1.0
