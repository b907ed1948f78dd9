"""Questions to a planning domain, and the classical searches, compiled with it (specialise.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64

from treewright.apps.stories.planning.domain import consented
from treewright.apps.stories.planning.motives import explained
from treewright.apps.stories.planning.relaxed import relaxed
from treewright.apps.stories.planning.tables import (
    ACTIONS,
    AUTHOR_LIMIT,
    CHARACTERS,
    GOAL,
    MADE,
    NODES,
    STRIDE,
    TROUBLE,
)
from treewright.apps.stories.planning.worlds import happens, hash_worlds, possible, utility

HAPPENS, EXPLAINED, POSSIBLE, CONSENTED, UTILITY, MEANT = range(6)
AT_ONCE, LATER = range(2)
EAGER = 6  # how much a step that is still to do counts, beside one that is done


def ask(space, t, what, x, c, a, longest, layer):
    """One question about the worlds in the pool; 1 or 0, or in ``stack`` a number."""
    if what == HAPPENS:
        happens(t, 0, x, a)
        return int64(t.own[TROUBLE])
    if what == EXPLAINED:
        return explained(t, 0, x, c, a, longest, layer, 0)
    if what == MEANT:  # the same, if need be from memory, without the plan
        return explained(t, 0, x, c, a, longest, layer, 1)
    if what == POSSIBLE:
        return int64(possible(t, 0, x, a))
    if what == CONSENTED:
        return int64(consented(t, x, a))
    if what == UTILITY:
        t.real[0] = utility(t, 0, x, c)
        return int64(0)
    return explore(space, t, x, c, a)


def explore(space, t, mode, budget, slice_):
    """Expand nodes, the nearest to the goal first.

    0: go on, 1: found, 2: nothing left, 3: budget, 4: trouble.

    Only what was expanded has its worlds; those of a node that waits are made from its parent's.
    With LATER an action is explained only when its turn comes, and only then its state counts as
    met; else before it is added.
    """
    author = t.flat[CHARACTERS]
    c = space.counts
    stop = c[1] + slice_
    while c[1] < stop:
        if full(space) or t.own[NODES] >= budget:
            return int64(3)
        if c[2] == 0:
            return int64(2)
        node = pop(space)
        depth = space.depths[node]
        above = space.rows[space.parents[node]]
        load(space, t, above)
        if node > 0:
            a = int64(space.actions[node])
            if mode == LATER and not consented(t, 0, a):
                continue
            load(space, t, above)
            happens(t, 0, 0, a)
        if mode == LATER and not new(space, t, depth):
            continue
        row = c[1]
        space.rows[node] = row
        store(space, t, row)
        c[1] += 1
        t.own[NODES] += 1
        if node > 0 and utility(t, 0, 0, author) >= t.flat[GOAL]:
            c[3] = node
            return int64(1)
        left = t.flat[AUTHOR_LIMIT] - depth - 1
        if left < 0:
            continue
        for a in range(t.flat[ACTIONS]):
            load(space, t, row)
            if not possible(t, 0, 0, a):
                continue
            if mode == AT_ONCE and not near_and_meant(space, t, row, a, left):
                continue
            load(space, t, row)
            happens(t, 0, 0, a)
            t.own[MADE] += 1
            h = 0
            if utility(t, 0, 0, author) < t.flat[GOAL]:
                h = relaxed(t, 0, 0, author, float(t.flat[GOAL]), False, left)
            if h <= left and (mode == LATER or new(space, t, depth + 1)):
                add(space, node, a, h)
            if t.own[TROUBLE]:
                return int64(4)
            if full(space):
                break
    return int64(0)


def full(space):
    """Whether there is no room for another node, or for another one's worlds."""
    made, expanded = space.counts[0], space.counts[1]
    return made >= space.parents.shape[0] - 1 or expanded >= space.worlds.shape[0]


def near_and_meant(space, t, row, a, left):
    """Whether an action leads on, and everybody in it has a reason."""
    author = t.flat[CHARACTERS]
    happens(t, 0, 0, a)
    far = 0
    if utility(t, 0, 0, author) < t.flat[GOAL]:
        far = relaxed(t, 0, 0, author, float(t.flat[GOAL]), False, left)
    load(space, t, row)
    return far <= left and consented(t, 0, a)


def load(space, t, row):
    for i in range(t.flat[STRIDE]):
        t.pool[i] = space.worlds[row, i]


def store(space, t, row):
    for i in range(t.flat[STRIDE]):
        space.worlds[row, i] = t.pool[i]


def new(space, t, depth):
    """Whether the state in the pool was not met before, after as few actions; notes it."""
    key = hash_worlds(t, 0, 0, 0) | 63
    size = space.met.shape[0]
    at = (key >> 6) % size
    while space.met[at] != 0:
        if space.met[at] | 63 == key:
            if space.met[at] & 63 <= depth:
                return False
            break
        at = (at + 1) % size
    space.met[at] = key ^ 63 | depth
    return True


def add(space, parent, action, h):
    node = space.counts[0]
    space.counts[0] += 1
    space.parents[node] = parent
    space.actions[node] = action
    space.depths[node] = space.depths[parent] + 1
    space.order[node] = (space.depths[node] + EAGER * h) * 64 + h
    push(space, node)


def push(space, node):
    at = space.counts[2]
    space.counts[2] += 1
    space.heap[at] = node
    while at > 0:
        above = (at - 1) // 2
        if not before(space, space.heap[at], space.heap[above]):
            break
        swap(space, at, above)
        at = above


def pop(space):
    top = int64(space.heap[0])
    space.counts[2] -= 1
    n = space.counts[2]
    space.heap[0] = space.heap[n]
    at = 0
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and before(space, space.heap[child + 1], space.heap[child]):
            child += 1
        if not before(space, space.heap[child], space.heap[at]):
            break
        swap(space, at, child)
        at = child
    return top


def before(space, a, b):
    if space.order[a] != space.order[b]:
        return space.order[a] < space.order[b]
    return a < b


def swap(space, i, j):
    kept = space.heap[i]
    space.heap[i] = space.heap[j]
    space.heap[j] = kept
