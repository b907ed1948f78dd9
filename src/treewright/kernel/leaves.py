"""Leaves for an evaluator outside the kernel, from one tree or many; behind ``kernel/many.py``.

One call takes in what the evaluator says of the last batch and walks down to the next one.  A leaf
that is under way counts as *pending* visits of its path, each with the lowest reward (virtual
loss), so that the walks of one batch part.  A walk that ends a game needs no evaluator; one that
ends at a leaf under way ends the batch.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

from numpy import int64

from treewright.kernel.layout import (
    BAD_PLAYER,
    BAD_REWARDS,
    DONE,
    FROM,
    FULL,
    GIVEN,
    LEAVES,
    MOVERS,
    NO_WEIGHT,
    NODE_LIMIT,
    NOT_FINITE,
    SOLVED,
    TOO_LONG,
    WITH_WEIGHTS,
    WITHOUT,
    WITHOUT_WEIGHTS,
)


def leaves(trees, t, params, runs, rngs, batch, limits, statuses, count):
    """Take in the values of a batch, then walk to at most ``count`` leaves of each tree.

    ``batch.state`` says how many leaves there are and where, before and after; ``limits`` are the
    simulations at which each tree stops; ``statuses`` say how each ended.  The result is how many
    simulations ended without the evaluator, or -1: its answer is unfit, and nothing was done.

    The new leaves lie in the other half of the batch, so that a tree is done with, and its memory
    left alone, before the next one comes.
    """
    p = params[0]
    here = batch.state[FROM]
    end = here + batch.state[LEAVES]
    if not fit(batch, end - here):
        return -1
    start = len(batch.owner) // 2 - here
    made = start
    i = here
    ended_alone = 0
    for r in range(len(runs)):
        answered = i < end and batch.owner[i] == r
        if not answered and (statuses[r] != DONE or count == 0):
            continue
        tree = pick(trees, r)
        run = runs[r]
        rng = rngs[r : r + 1]
        while i < end and batch.owner[i] == r:
            status = take_in(tree, t, p, run, rng, batch, i, i - here)
            if status != DONE:
                statuses[r] = status
            i += 1
        if statuses[r] != DONE:
            continue
        before = run.simulations
        most = min(count, limits[r] - before)
        walked = 0
        while walked + (run.simulations - before) < most:
            status = walk(tree, t, p, run, rng, batch, made)
            if status == WALKED:
                batch.owner[made] = r
                made += 1
                walked += 1
            elif status != DONE:
                statuses[r] = status if status != PENDING else DONE
                break
        ended_alone += run.simulations - before
    batch.state[FROM] = start
    batch.state[LEAVES] = made - start
    return ended_alone


def fit(batch, count):
    """Whether all that the evaluator gave are numbers, and its weights from 0 up."""
    if batch.state[GIVEN] == WITHOUT:
        return True
    bad = 0
    for i in range(count):
        for q in range(1 if batch.state[MOVERS] else PLAYERS):
            bad += 0 if -math.inf < batch.values[i, q] < math.inf else 1
        if batch.state[GIVEN] == WITH_WEIGHTS:
            for action in range(batch.weights.shape[1]):
                bad += 0 if 0.0 <= batch.weights[i, action] < math.inf else 1
    return bad == 0


WALKED = 100  # to a leaf that is now in the batch
PENDING = 101  # to one that was there before


def walk(tree, t, p, run, rng, batch, at):
    """One simulation down to its leaf: it ends the game, or is put into the batch."""
    if run.created >= p.max_created:
        return NODE_LIMIT
    if SOLVER and tree.nodes[0].low >= tree.nodes[0].high:
        return SOLVED
    run.replay = rng[0]
    stir_root(tree, p, run, rng)
    tree.work[0] = tree.root[0]
    s = tree.work[0]
    depth, status = descend(tree, t, p, run, rng, s)
    if status != DONE:
        return status
    if ended(s, t):
        clear(tree.rewards)
        rewards(s, t, tree.rewards)
        run.terminal = 1
        return count_simulation(tree, run, depth)
    leaf = tree.nodes[tree.path[depth - 1]]
    if leaf.visits == 0 and leaf.pending > 0:
        return PENDING
    mover = player(s, t)
    if mover >= PLAYERS or (mover < 0 and not CHANCE):
        run.culprit = mover
        return BAD_PLAYER
    if depth > MAX_LENGTH:
        return TOO_LONG
    for d in range(depth):
        tree.nodes[tree.path[d]].pending += 1
        batch.paths[at, d] = tree.path[d]
        batch.movers[at, d] = tree.movers[d]
    batch.depths[at] = depth
    batch.players[at] = mover
    batch.states[at] = s
    return WALKED


def take_in(tree, t, p, run, rng, batch, i, at):
    """Count what the evaluator says of a leaf, or only forget that it was under way.

    The leaf is the i-th of the batch, and its answer lies at ``at``.
    """
    depth = int64(batch.depths[i])
    for d in range(depth):
        tree.path[d] = batch.paths[i, d]
        tree.movers[d] = batch.movers[i, d]
        tree.nodes[tree.path[d]].pending -= 1
    if batch.state[GIVEN] == WITHOUT:
        return DONE
    leaf = tree.path[depth - 1]
    if SHARES and batch.state[GIVEN] != WITHOUT_WEIGHTS and tree.nodes[leaf].n == 0:
        s = batch.states[i]
        mover = player(s, t)
        status = open_node(tree, t, p, run, rng, tree.root[0] if leaf == 0 else s, leaf, mover)
        if status == FULL:
            run.full = 1
        elif status != DONE:
            return status
        elif mover >= 0 and not weigh(tree, run, leaf, batch.weights, at):
            return NO_WEIGHT
    if batch.state[MOVERS] and PLAYERS == 2:  # together they have 1
        value = batch.values[at, 0]
        tree.rewards[0] = value if batch.players[i] == 0 else 1.0 - value
        tree.rewards[1] = 1.0 - tree.rewards[0]
    else:
        for q in range(PLAYERS):
            tree.rewards[q] = batch.values[at, q]
    run.terminal = 0
    return count_simulation(tree, run, depth)


def weigh(tree, run, at, weights, i):
    """Give the actions of a node their shares of the evaluator's weights; False: one has none.

    The node was opened just now: its actions are still in the buffer, and its edges are on their
    way to memory, so that reading them would wait.
    """
    node = tree.nodes[at]
    total = 0.0
    for j in range(node.n):
        action = tree.buffer[j]
        if action >= weights.shape[1]:
            run.culprit = action
            return False
        total += weights[i, action]
    for j in range(node.n):
        share = weights[i, tree.buffer[j]]
        tree.edges[node.first + j].p = share / total if total > 0.0 else 1.0 / node.n
    return True


def count_simulation(tree, run, depth):
    """Back up ``tree.rewards`` along the path."""
    if SOLVER and not solvable(tree.rewards) and run.terminal:
        return BAD_REWARDS
    if not finite(tree.rewards):
        return NOT_FINITE
    if TRACE:
        for d in range(1, depth):
            tree.trace[d - 1] = tree.nodes[tree.path[d]].action
            tree.trace_players[d - 1] = tree.movers[d]
    back_up(tree, run, depth, depth - 1)
    run.simulations += 1
    return DONE
