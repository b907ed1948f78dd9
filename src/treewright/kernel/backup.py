"""Backpropagation: what a simulation leaves in the tree; executed in front of steps.py."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

from numpy import float32


def back_up(tree, run, depth, length):
    """Carry the rewards from the leaf to the root, and into the tables."""
    nodes = tree.nodes
    out = tree.rewards
    for d in range(depth):
        node = nodes[tree.path[d]]
        reward = out[tree.movers[d]]
        node.visits += 1
        node.value += reward
        if MAX_BACKUP:
            node.best = max(node.best, reward)
        if TRANSPOSE and d > 0:
            tree.edges[tree.path_edges[d]].visits += 1
    if TRANSPOSE and MAX_BACKUP:  # what was found below by another way counts too
        for d in range(depth - 1, 0, -1):
            above = nodes[tree.path[d - 1]]
            above.best = max(above.best, nodes[tree.path[d]].best)
    if NORMALISE:
        for i in range(PLAYERS):
            tree.lows[i] = min(tree.lows[i], out[i])
            tree.highs[i] = max(tree.highs[i], out[i])
    if OWN_BACK_UP:
        below = tree.blank[0]
        for d in range(depth - 1, -1, -1):
            node = nodes[tree.path[d]]
            own_back_up(node, below, out[tree.movers[d]])
            below = node
    if RAVE:
        back_up_rave(tree, run, depth, length)
    if TABLE:
        for i in range(length):
            if tree.trace_players[i] >= 0:
                slot = tree.trace_players[i] * KEYS + tree.trace_keys[i]
                tree.table_visits[slot] += 1
                tree.table_value[slot] += out[tree.trace_players[i]]
    if SOLVER:
        prove(tree, run, depth)
    whole = run.terminal == 1 if EVALUATED else True  # an estimate is no result
    if PLAYERS == 1 and whole and out[0] > run.best_score:
        run.best_score = out[0]
        run.best_length = length
        for i in range(length):
            tree.best[i] = tree.trace[i]
        if KEEP_STATE:
            tree.best_state[0] = tree.work[0]


def sound(tree, depth):
    """Whether a user's own back-up has left numbers in the nodes of the path."""
    total = 0.0
    for d in range(depth):
        total += tree.nodes[tree.path[d]].value
    return -math.inf < total < math.inf


def back_up_rave(tree, run, depth, length):
    """AMAF: at each node of the path, credit every action its player made from there on."""
    stamp = (run.simulations + 1) * (MAX_LENGTH + 1)
    seen = length
    for d in range(depth - 1, -1, -1):
        while seen > d:
            seen -= 1
            if tree.trace_players[seen] >= 0:
                if FIRST:  # later uses by others don't count
                    for other in range(PLAYERS):
                        tree.marks[other * KEYS + tree.trace_keys[seen]] = 0
                tree.marks[tree.trace_players[seen] * KEYS + tree.trace_keys[seen]] = stamp + seen
        node = tree.nodes[tree.path[d]]
        if node.n == 0 or d >= length or tree.trace_players[d] < 0:
            continue
        mover = tree.trace_players[d]
        for i in range(node.first, node.first + node.n):
            edge = tree.edges[i]
            made = tree.marks[mover * KEYS + edge.key] - stamp
            if made >= 0:
                w = 2.0 * (length - made) / (length - d) if FADE else 1
                edge.rave_visits += w
                edge.rave_value += w * tree.rewards[mover]


def finite(out):
    """Whether all rewards are numbers; one nan would draw every later simulation to it.

    The sum of larger ones than these, over all visits, would be infinite.
    """
    total = 0.0
    for i in range(PLAYERS):
        total += abs(out[i])
    return total < 1e100


def solvable(out):
    """The solver's bounds assume rewards in [0, 1] that two players share out."""
    if PLAYERS == 1:
        return 0.0 <= out[0] <= 1.0
    return out[0] >= 0.0 and out[1] >= 0.0 and abs(out[0] + out[1] - 1.0) < 1e-6


def prove(tree, run, depth):
    """Back up bounds on the true value from a terminal leaf as far as they change.

    For the player who decides, both bounds of a node are the largest of its children's (an
    untried child has 0 and 1); for the opponent they are one minus the other bound
    (score bounded MCTS, Cazenave & Saffidine 2010).
    """
    nodes = tree.nodes
    if run.terminal:
        leaf = nodes[tree.path[depth - 1]]
        leaf.low = float32(tree.rewards[tree.movers[depth - 1]])
        leaf.high = leaf.low
    for d in range(depth - 1, 0, -1):
        if CHANCE and tree.trace_players[d - 1] < 0:
            if TRANSPOSE:
                continue
            return
        node = nodes[tree.path[d - 1]]
        low = 0.0
        high = 0.0 if node.tried == node.n else 1.0
        for i in range(node.first, node.first + node.tried):
            child = nodes[tree.edges[i].child]
            low = max(low, child.low)
            high = max(high, child.high)
        if tree.movers[d - 1] != tree.movers[d]:
            low, high = 1.0 - high, 1.0 - low
        if low <= node.low and high >= node.high:
            if TRANSPOSE:  # a proof may have come to a node above by another way
                continue
            return
        node.low = float32(low)
        node.high = float32(high)
