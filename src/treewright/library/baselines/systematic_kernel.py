"""Breadth-, depth- and best-first search, compiled with the domain like the kernel itself.

Nodes are numbered in the order in which they are generated; each keeps its state, so that
expanding costs one copy per child.  ``open_nodes`` is a queue's head (breadth), a stack
(depth) or a binary heap ordered by score (best).
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

BREADTH, DEPTH, BEST = range(3)


def explore(space, t, counts, mode, budget, expansions):
    """Expand up to ``expansions`` nodes; 0: go on, 1: budget used up, 2: nothing left to expand,
    3: ``legal`` listed no action, 4: too many.
    """
    c = counts[0]
    for _ in range(expansions):
        if c.generated >= budget:
            return 1
        if mode == BREADTH:
            if c.head >= c.generated:
                return 2
            node = c.head
            c.head += 1
        elif c.waiting == 0:
            return 2
        elif mode == DEPTH:
            node = space.open_nodes[c.waiting - 1]
        else:
            node = pop(space, c)
        s = space.states[node]
        if ended(s, t) or space.depths[node] >= MAX_LENGTH:
            if mode == DEPTH:
                c.waiting -= 1
            continue
        n = legal(s, t, space.buffer)
        if n <= 0:
            return 3
        if n > MAX_ACTIONS:
            return 4
        if mode == DEPTH:  # one child at a time: its sisters wait until all below it is done
            if space.next[node] == 0:
                c.expanded += 1
            if space.next[node] == n:
                c.waiting -= 1
            else:
                space.next[node] += 1
                generate(space, t, c, mode, node, space.buffer[space.next[node] - 1])
            continue
        c.expanded += 1
        for i in range(n):
            if c.generated >= budget:
                break
            generate(space, t, c, mode, node, space.buffer[i])
    return 0


def generate(space, t, c, mode, parent, action):
    """Add one child and remember the best."""
    node = c.generated
    space.states[node] = space.states[parent]
    s = space.states[node]
    play(s, t, action)
    space.parents[node] = parent
    space.actions[node] = action
    space.depths[node] = space.depths[parent] + 1
    space.next[node] = 0
    c.generated += 1
    score = score_of(space, t, s)
    space.scores[node] = priority(s, t) if HAS_PRIORITY else score
    if score > c.best_score:
        c.best_score = score
        c.best = node
    if mode != BREADTH:
        push(space, c, mode, node)


def score_of(space, t, s):
    """An ended state has its reward, any other its value; without ``value`` it has none."""
    space.out[0] = 0.0
    if ended(s, t):
        rewards(s, t, space.out)
        return space.out[0]
    if HAS_VALUE:
        value(s, t, space.out)
        return space.out[0]
    return -math.inf


def push(space, c, mode, node):
    at = c.waiting
    c.waiting += 1
    space.open_nodes[at] = node
    if mode == BEST:
        while at > 0:
            above = (at - 1) // 2
            if not before(space, space.open_nodes[at], space.open_nodes[above]):
                break
            swap(space, at, above)
            at = above


def pop(space, c):
    c.waiting -= 1
    top = space.open_nodes[0]
    space.open_nodes[0] = space.open_nodes[c.waiting]
    at = 0
    while True:
        below_ = 2 * at + 1
        if below_ >= c.waiting:
            return top
        if below_ + 1 < c.waiting and before(
            space, space.open_nodes[below_ + 1], space.open_nodes[below_]
        ):
            below_ += 1
        if not before(space, space.open_nodes[below_], space.open_nodes[at]):
            return top
        swap(space, at, below_)
        at = below_


def before(space, a, b):
    """Higher scores first; of equal ones, the older."""
    if space.scores[a] != space.scores[b]:
        return space.scores[a] > space.scores[b]
    return a < b


def swap(space, i, j):
    kept = space.open_nodes[i]
    space.open_nodes[i] = space.open_nodes[j]
    space.open_nodes[j] = kept
