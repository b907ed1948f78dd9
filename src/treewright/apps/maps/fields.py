"""Distances kept up to date: one field per checkpoint, repaired where a wall comes or goes.

``s.d[k * SIZE + v]`` is the distance from checkpoint ``k`` to cell ``v`` (``NOWHERE`` if there is
no way).  Opening a cell can only shorten, by a way through it whose length the fields at its
neighbours tell; closing one that is on no shortest way changes no pair of checkpoints.  So most
proposals are judged before any field is touched (``foresee``).  Closing disturbs just the cells
that have lost their last neighbour nearer to the checkpoint, and a closed dead end disturbs none.
Every change is logged, so that a rejected proposal is undone exactly.

Cells have a border of walls: ``v = (y + 1) * P + x + 1`` with ``P = width + 2``.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

import numpy as np
from numpy import float64, int16, int32, int64, uint8, uint64

from treewright.apps.maps.flood import HEIGHT, WIDTH
from treewright.apps.maps.spec import NEAR
from treewright.library.domain import constant

FLIPS = 3  # most cells that one proposal changes; with their mirror images twice as many
WORSE, UNKNOWN, SAME, NO_BETTER = range(4)  # what is known of a proposal before it is tried
CHECKPOINTS = constant()
P = constant(lambda: WIDTH + 2)
SIZE = constant(lambda: P * (HEIGHT + 2))
NOWHERE = constant(lambda: nowhere(WIDTH, HEIGHT))
STEPS = constant(lambda: (-1, 1, -P, P))


def nowhere(width, height):
    """More than any distance: two bytes are enough for maps of up to 40,000 cells or so."""
    return 32000 if width * height < 45000 else 1 << 24


def state_fields(width: int, height: int, checkpoints: int, flips: int = FLIPS) -> dict[str, Any]:
    """The state's part that the functions below work on."""
    size = (width + 2) * (height + 2)
    distance = int16 if nowhere(width, height) < 1 << 15 else int32
    return {
        "wall": (uint8, size),
        "d": (distance, checkpoints * size),
        "queue": (int32, size),
        "again": (int32, size),
        "log_at": (int32, (flips + 1) * checkpoints * size),
        "log_old": (distance, (flips + 1) * checkpoints * size),
        "logged": int64,
        "far": int64,
        "near": int64,
        "fitness": float64,
        "tried": (int64, flips),
        "before": (int64, flips),
    }


def note(s, at, new):
    end = uint64(s.logged)
    s.log_at[end] = at
    s.log_old[end] = s.d[at]
    s.logged += 1
    s.d[at] = new


def undo(s):
    """Put back every distance since the log was empty; the walls are the caller's."""
    while s.logged > 0:
        s.logged -= 1
        end = uint64(s.logged)
        s.d[uint64(s.log_at[end])] = s.log_old[end]


def around(s, base, v):
    """The smallest distance among the four neighbours."""
    at = base + v
    best = min(s.d[uint64(at - 1)], s.d[uint64(at + 1)])
    return min(best, min(s.d[uint64(at - P)], s.d[uint64(at + P)]))


def from_scratch(walls: np.ndarray, at: list[int], never: int) -> dict[str, np.ndarray]:
    """All fields of a map with its border, as ``spread`` would find them one after the other.

    States are compared byte for byte, so the queue and the log are what it would leave there.
    """
    wall = walls.reshape(-1).tolist()
    steps = (-1, 1, -walls.shape[1], walls.shape[1])
    fields, log, queue = [], [], [0] * len(wall)
    for k, source in enumerate(at):
        found = [never] * len(wall)
        found[source] = 0
        reached = [source]
        for v in reached:  # it grows meanwhile
            for step in steps:
                if wall[v + step] == 0 and found[v + step] > found[v] + 1:
                    found[v + step] = found[v] + 1
                    reached.append(v + step)
        queue[: len(reached)] = reached
        log += [k * len(wall) + v for v in reached[1:]]
        fields += found
    return {n: np.array(x) for n, x in (("distances", fields), ("log", log), ("queue", queue))}


def spread(s, t, base, n):
    """Shorten distances outwards from the cells in the queue, which are in order."""
    head = 0
    while head < n:
        v = int64(s.queue[uint64(head)])
        head += 1
        further = s.d[uint64(base + v)] + 1
        for step in STEPS:
            u = v + step
            if s.wall[uint64(u)] == 0 and s.d[uint64(base + u)] > further:
                note(s, uint64(base + u), further)
                s.queue[uint64(n)] = u
                n += 1


def opened(s, t, k, v):
    """After ``wall[v]`` was cleared: repair field ``k``."""
    base = k * SIZE
    nearest = int64(around(s, base, v)) + 1
    if nearest < NOWHERE:
        note(s, uint64(base + v), nearest)
        s.queue[0] = v
        spread(s, t, base, 1)


def closed(s, t, k, v):
    """After ``wall[v]`` was set: repair field ``k``."""
    base = k * SIZE
    if s.d[uint64(base + v)] >= NOWHERE:
        return
    note(s, uint64(base + v), NOWHERE)
    # the cells that have lost their last support, layer by layer: each is in the queue and,
    # at the same place of the log, with its old distance; the closed cell is the first
    s.queue[0] = v
    n = 1
    head = 0
    begun = s.logged - 1
    while head < n:
        u = int64(s.queue[uint64(head)])
        further = int64(s.log_old[uint64(begun + head)]) + 1
        head += 1
        for step in STEPS:
            w = u + step
            if (
                s.wall[uint64(w)] == 0
                and s.d[uint64(base + w)] == further
                and int64(around(s, base, w)) != further - 1
            ):
                note(s, uint64(base + w), NOWHERE)
                s.queue[uint64(n)] = w
                n += 1
    if n == 1:
        return
    reattach(s, t, base, n)


def reattach(s, t, base, n):
    """Give the cells in the queue, but the first, their distances from the rim inwards."""
    m = 0
    for i in range(1, n):
        u = int64(s.queue[uint64(i)])
        near = int64(around(s, base, u))
        if near < NOWHERE:
            s.again[uint64(m)] = u
            m += 1
    # the rim in order of distance: insertion sort, it is short
    for i in range(m):
        u = s.again[uint64(i)]
        key = around(s, base, int64(u))
        j = i
        while j > 0 and around(s, base, int64(s.again[uint64(j - 1)])) > key:
            s.again[uint64(j)] = s.again[uint64(j - 1)]
            j -= 1
        s.again[uint64(j)] = u
    # two queues in order: the rim, and what was reached from it
    head = 0
    tail = 0
    rim = 0
    while rim < m or head < tail:
        u = int64(s.again[uint64(rim)]) if rim < m else int64(0)
        nearest = int64(around(s, base, u)) + 1 if rim < m else NOWHERE
        if head < tail and s.d[uint64(base + s.queue[uint64(head)])] <= nearest:
            u = int64(s.queue[uint64(head)])
            nearest = int64(s.d[uint64(base + u)])
            head += 1
        else:
            rim += 1
            if s.d[uint64(base + u)] <= nearest:
                continue
            s.d[uint64(base + u)] = nearest  # it was logged when it lost its support
        for step in STEPS:
            w = u + step
            if s.wall[uint64(w)] == 0 and s.d[uint64(base + w)] > nearest + 1:
                s.d[uint64(base + w)] = nearest + 1
                s.queue[uint64(tail)] = w
                tail += 1


def measure(s, t):
    """The fitness from the fields of connected checkpoints."""
    s.far = 0
    s.near = 0
    for i in range(len(t.pair_need)):
        distance = s.d[t.pair_i[i] * SIZE + t.at[t.pair_j[i]]]
        if t.pair_need[i] == NEAR:
            s.near += distance
        else:
            s.far += distance
    return (s.far + 1.0) / (s.near + 1.0)


def foresee(s, t, n):
    """What flipping the ``n`` cells in ``s.tried`` can do at best, before it is done.

    ``SAME``: no distance between two checkpoints changes.  ``WORSE``: the fitness falls.
    ``NO_BETTER``: it can't rise.  Else ``UNKNOWN``.
    """
    far = 0
    near = 0
    same = True
    for i in range(len(t.pair_need)):
        a = t.pair_i[i] * SIZE
        b = t.pair_j[i] * SIZE
        distance = int64(s.d[a + t.at[t.pair_j[i]]])
        least, most = bounds(s, n, a, b, distance)
        same = same and least == distance and most == distance
        if t.pair_need[i] == NEAR:
            near += least
        else:
            far += most
    if same:
        return SAME
    best = (far + 1.0) / (near + 1.0)
    return WORSE if best < s.fitness else NO_BETTER if best == s.fitness else UNKNOWN


def bounds(s, n, a, b, distance):
    """The least and the most that the distance of two checkpoints can be after the flips.

    A way through opened cells is at least as long as the ways to the first and from the last
    of them.  It is at most as long as one through a single cell, and the old way remains, if
    what closes is not on them.
    """
    to_first = distance
    from_last = distance
    most = distance
    for j in range(n):
        v = s.tried[j]
        if (
            s.wall[uint64(v)] == 0
            and int64(s.d[uint64(a + v)]) + int64(s.d[uint64(b + v)]) == distance
        ):
            most = NOWHERE
    for j in range(n):
        v = s.tried[j]
        if s.wall[uint64(v)]:
            here = int64(around(s, a, v)) + 1
            there = int64(around(s, b, v)) + 1
            to_first = min(to_first, here)
            from_last = min(from_last, there)
            stays = True
            for k in range(n):
                w = s.tried[k]
                nearer = int64(s.d[uint64(a + w)]) < here or int64(s.d[uint64(b + w)]) < there
                stays = stays and (s.wall[uint64(w)] == 1 or not nearer)
            if stays:
                most = min(most, here + there)
    return min(distance, to_first + from_last), most


def reaches_all(s, t, k):
    """Whether checkpoint ``k`` has a way to every other."""
    missing = 0
    for j in range(CHECKPOINTS):
        missing += s.d[k * SIZE + t.at[j]] >= NOWHERE
    return missing == 0


def flip(s, t, n):
    """Flip the ``n`` cells in ``s.tried`` and return the fitness, or -1 if it is worse.

    Fields do not depend on each other, so they are repaired one after another: the first
    tells whether all are connected, and the first ``t.sources`` what the fitness is, so
    that most bad proposals are found out before the others are touched.
    """
    new = 0.0
    for i in range(n):
        s.before[i] = s.wall[s.tried[i]]
    for at in range(CHECKPOINTS):
        k = t.order[at]
        for i in range(n):
            s.wall[s.tried[i]] = s.before[i]
        for i in range(n):  # opening first: closing could cut a way that the others restore
            if s.before[i]:
                s.wall[s.tried[i]] = 0
                opened(s, t, k, s.tried[i])
        for i in range(n):
            if not s.before[i]:
                s.wall[s.tried[i]] = 1
                closed(s, t, k, s.tried[i])
        if at == 0 and not reaches_all(s, t, k):
            return -1.0
        if at == t.sources[0] - 1:
            new = measure(s, t)
            if new < s.fitness:
                return -1.0
    return new


def unflip(s, n):
    """Take back the last flip."""
    undo(s)
    for i in range(n):
        s.wall[s.tried[i]] = s.before[i]
