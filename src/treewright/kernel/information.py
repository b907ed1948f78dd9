"""Selection for players who don't see everything: information-set MCTS with a single observer.

Executed behind steps.py, in the place of whose ``descend`` and ``sparse_action`` it stands, where
a domain defines ``determinise`` (SO-ISMCTS; Cowling, Powley & Whitehouse 2012).  A node stands
for all states that the actions to it may have led to.  Each simulation draws one of those that
the player at the root, the observer, can't tell from the true one; the children whose actions are
legal there compete, and their bonus counts how often they were available.

Blocks of edges are sparse and have room for MOST children: which actions a node has is known
only for one draw at a time.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

from numpy import int64

from treewright.kernel.layout import (
    ANY,
    BAD_ACTION,
    BAD_DETERMINISATION,
    BAD_KEY,
    BAD_PLAYER,
    BAD_URGENCY,
    DONE,
    FULL,
    MOST,
    SMALLEST,
)
from treewright.kernel.reclaim import clear_tree
from treewright.kernel.rng import below


def descend(tree, t, p, run, rng, s):
    """Draw a state, and select down the tree to a node that was never simulated, adding it.

    Returns the number of nodes on the path and a status.
    """
    nodes = tree.nodes
    if not draw_state(tree, t, run, rng, s):
        return 1, BAD_DETERMINISATION
    current = 0
    depth = 1
    tree.path[0] = 0
    tree.movers[0] = run.root_mover
    while nodes[current].visits > 0 and depth <= MAX_LENGTH:
        mover = player(s, t)
        if ended(s, t) or (TURN and mover >= 0 and mover != run.root_player):
            break
        child, status = next_child(tree, t, p, run, rng, s, current, mover)
        if status == FULL:
            run.full = 1
            if p.rollout_when_full:
                break
        if status != DONE:
            return depth, status
        if child < 0:
            break
        action = int64(nodes[child].action)  # as in rollouts: ``play`` is compiled once
        if TRACE and not record(tree, t, run, s, depth - 1, action, mover):
            return depth, BAD_KEY
        play(s, t, action)
        tree.path[depth] = child
        # chance moves for nobody: its outcomes count for whoever moved last
        tree.movers[depth] = mover if mover >= 0 else tree.movers[depth - 1]
        depth += 1
        current = child
    return depth, DONE


def draw_state(tree, t, run, rng, s):
    """Redraw what the player at the root may not know; False if that changes what they can do.

    A tree that was grown for another player would tell this one what the other knows.
    """
    decides = int64(player(s, t))
    observer = decides if decides >= 0 else int64(run.root_mover)
    if tree.nodes[0].visits > 0 and run.observer != observer:
        clear_tree(tree, run)
    run.observer = observer
    before = outlook(tree, t, s)
    determinise(s, t, rng, observer)
    if player(s, t) == decides and (decides < 0 or outlook(tree, t, s) == before):
        return True
    run.culprit = observer
    return False


def outlook(tree, t, s):
    """How many actions there are, and a sum that tells one list of them from another."""
    n = int64(legal(s, t, tree.buffer))
    total = int64(0)
    for i in range(n):
        action = int64(tree.buffer[i])
        total += action * (action % 1009 + 1)
    return n, total


def next_child(tree, t, p, run, rng, s, current, mover):
    """The child that gets the simulation, and a status; -1: the root's tree was out of date."""
    nodes = tree.nodes
    buffer = tree.buffer
    by_chance = CHANCE and mover < 0
    if mover >= PLAYERS or (mover < 0 and not CHANCE):
        run.culprit = mover
        return -1, BAD_PLAYER
    n = legal(s, t, buffer)
    status = count_status(run, n)
    if status != DONE:
        return -1, status
    if by_chance:
        outcome = sample_chance(s, t, rng)
        if not first_in_buffer(buffer, n, outcome):
            run.culprit = outcome
            return -1, BAD_ACTION
        n = 1
    node = nodes[current]
    if node.n == 0:
        first = new_block(p, run, tree.edges, SMALLEST, 0)
        if first < 0:
            return -1, FULL
        node.first = first
        node.n = ANY
    known = find_available(tree, node, n)
    if current == 0 and not by_chance and known < node.tried:
        # before a commit, in other draws, this player had actions that are not legal now
        clear_tree(tree, run)
        return -1, DONE
    at = 0
    if not by_chance:
        at = select_available(tree, p, rng, node, known, n, mover)
        if at < 0:
            return -1, BAD_URGENCY
    if at < known:
        child = int64(buffer[at])
    else:
        if not by_chance:
            n = legal(s, t, buffer)
            draw_untried(tree, rng, node, n, n - known)
        action = buffer[0]
        if action < 0 or action >= 1073741824:
            run.culprit = action
            return -1, BAD_ACTION
        if node.tried == MOST:
            return -1, FULL
        child = int64(expand(tree, t, p, run, rng, s, current, 0))
        if child < 0:
            return -1, FULL
        nodes[child].available = 0
        known = find_available(tree, node, n)
    for i in range(known):
        nodes[buffer[i]].available += 1
    return child, DONE


def find_available(tree, node, n):
    """Put the children whose actions are among the ``n`` in the buffer to its front, as numbers.

    Returns how many there are; they come in the order in which they were added.
    """
    nodes = tree.nodes
    buffer = tree.buffer
    known = 0
    for edge in range(node.first, node.first + node.tried):
        child = tree.edges[edge].child
        action = nodes[child].action
        i = known
        while i < n and buffer[i] != action:
            i += 1
        if i < n:
            buffer[i] = buffer[known]
            buffer[known] = child
            known += 1
    return known


def select_available(tree, p, rng, node, known, n, mover):
    """Which of the first ``known`` children has the highest urgency; ``known``: an untried one.

    Ties are broken at random.  -1: an urgency is nan.
    """
    if known < n and p.fpu == math.inf:
        return known
    nodes = tree.nodes
    edge = tree.edges[node.first]  # nothing that is read of it is switched on
    bad = False
    top = -math.inf
    for i in range(known):
        child = nodes[tree.buffer[i]]
        q, seen, m, root = estimate(
            tree, p, edge, child.visits, child.value, 0.0, node.visits, 0.0, mover
        )
        log = log_of(tree, child.available)
        if OWN_URGENCY:
            u = own(node, child, q, log, root, edge, p.c, rng)
            bad |= u != u
        else:
            u = urgency(edge, q, seen, m, root, node.visits, p.c, p.c * math.sqrt(log))
        tree.weights[i] = u
        top = max(top, u)
    if OWN_URGENCY and bad:
        return -1
    if known < n and (p.fpu > top or top == -math.inf):
        return known
    return one_of(tree.weights, known, top, rng)


def draw_untried(tree, rng, node, n, untried):
    """Put any untried one of the ``n`` actions in the buffer to its front."""
    left = below(rng, untried)
    for i in range(n):
        if not was_tried(tree, node, tree.buffer[i]):
            if left == 0:
                first_in_buffer(tree.buffer, n, tree.buffer[i])
                return
            left -= 1


def first_in_buffer(buffer, n, action):
    """Exchange the first action in the buffer with this one; False if it is not there."""
    for i in range(n):
        if buffer[i] == action:
            buffer[i] = buffer[0]
            buffer[0] = action
            return True
    return False


def sparse_action(tree, t, rng, s, parent):
    """What ``expand`` adds: it lies first in the buffer."""
    return tree.buffer[0]
