"""Distances from scratch: a bit-parallel flood fill, a whole row of cells at a time.

A row of the map is a few words of 62 bits, a set bit is floor, and one step of the flood
spreads the front of every row to its four sides with shifts and masks.  Only the rows that the
front has reached are looked at, and a flood stops when it has met all that it was sent for.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

import numpy as np
from numpy import int64

from treewright.apps.maps.spec import FAR, IGNORE, NEAR, MapSpec
from treewright.library.domain import constant

BITS = 62  # of an int64, so that a shift never meets the sign
ONE = int64(1)
REACH = 3  # a checkpoint that a flood must reach, whatever the distance
WIDTH = constant()
HEIGHT = constant()
NW = constant(lambda: words(WIDTH))
SIZE = constant(lambda: (HEIGHT + 2) * NW)
SPREAD = constant(lambda: spread_word if NW == 1 else spread_words)


def words(width):
    """How many words a row takes."""
    return (width + BITS - 1) // BITS


def slot(cell):
    return (cell // WIDTH + 1) * NW + (cell % WIDTH) // BITS


def mask(cell):
    return ONE << int64((cell % WIDTH) % BITS)


def is_open(s, cell):
    return s.open[slot(cell)] & mask(cell) != 0


def close(s, cell):
    s.open[slot(cell)] &= ~mask(cell)


def spread_word(s, lo, hi):
    """One step where a row is one word; returns the rows that the new front spans."""
    first = SIZE
    last = -1
    above = int64(0)
    here = s.front[lo]
    for r in range(lo, hi + 1):
        below = s.front[r + 1]
        new = ((here << 1) | (here >> 1) | above | below) & s.left[r]
        above = here
        here = below
        s.front[r] = new
        if new != 0:
            s.left[r] ^= new
            first = min(first, r)
            last = r
    return first, last


def spread_words(s, lo, hi):
    """The same with carries between the words of a row."""
    first = SIZE
    last = -1
    top = int64(1) << int64(BITS - 1)
    for w in range(NW):
        s.above[w] = 0
    for r in range(lo, hi + 1):
        at = r * NW
        before = int64(0)
        for w in range(NW):
            here = s.front[at + w]
            after = s.front[at + w + 1] if w + 1 < NW else int64(0)
            carried = (before >> int64(BITS - 1)) | ((after & ONE) * top)
            new = ((here << 1) | (here >> 1) | carried | s.above[w] | s.front[at + NW + w]) & (
                s.left[at + w]
            )
            before = here
            s.above[w] = here
            s.fresh[w] = new
        any_new = int64(0)
        for w in range(NW):
            new = s.fresh[w]
            s.front[at + w] = new
            s.left[at + w] ^= new
            any_new |= new
        if any_new != 0:
            first = min(first, r)
            last = r
    return first, last


def flood(s, t, source):
    """Fill ``s.reached`` with what ``t.want`` asks for; False if one is cut off."""
    for i in range(SIZE):
        s.left[i] = s.open[i]
        s.front[i] = 0
    n = len(t.slot)
    missing = 0
    for j in range(n):
        s.reached[j] = -1
        if t.want[source, j] > 0:
            missing += 1
    at = t.slot[source]
    s.front[at] = t.mask[source]
    s.left[at] &= ~t.mask[source]
    lo = at // NW
    hi = lo
    step = 0
    while missing > 0:
        lo, hi = SPREAD(s, max(1, lo - 1), min(HEIGHT, hi + 1))
        if hi < 0:
            return False
        step += 1
        for j in range(n):
            if t.want[source, j] > 0 and s.front[t.slot[j]] & t.mask[j] != 0:
                s.reached[j] = step
                missing -= 1
    return True


def fitness(s, t):
    """(M + 1) / (m + 1), equation 1; 0 if a checkpoint is cut off from another."""
    s.far = 0
    s.near = 0
    for i in range(len(t.sources)):
        source = t.sources[i]
        if not flood(s, t, source):
            return 0.0
        for j in range(len(t.slot)):
            if t.want[source, j] == NEAR:
                s.near += s.reached[j]
            elif t.want[source, j] == FAR:
                s.far += s.reached[j]
    return (s.far + 1.0) / (s.near + 1.0)


def state_fields(width: int, height: int, checkpoints: int) -> dict[str, Any]:
    """Everything a state needs for ``fitness``: floor as bits, and the flood's own."""
    size = (height + 2) * words(width)
    more = words(width)
    return {
        "open": (int64, size),
        "left": (int64, size),
        "front": (int64, size),
        "above": (int64, more),
        "fresh": (int64, more),
        "reached": (int64, checkpoints),
        "far": int64,
        "near": int64,
    }


def tables(spec: MapSpec) -> dict[str, np.ndarray]:
    """Where the checkpoints are, and what each flood is sent for."""
    nw = words(spec.width)
    sources, want = errands(spec)
    return {
        "slot": np.array([(y + 1) * nw + x // BITS for x, y in spec.checkpoints], np.int64),
        "mask": np.array([1 << x % BITS for x, _ in spec.checkpoints], np.int64),
        "sources": np.array(sources, np.int64),
        "want": want,
    }


def errands(spec: MapSpec) -> tuple[list[int], np.ndarray]:
    """As few floods as possible: each pair belongs to one source, the first reaches everybody."""
    n = len(spec.checkpoints)
    left = {(i, j): required for i, j, required in spec.pairs}
    want = np.full((n, n), IGNORE, np.int64)
    sources: list[int] = []
    while left:
        count = [sum(k in pair for pair in left) for k in range(n)]
        source = max(range(n), key=lambda k: (count[k], -k))
        for pair in [p for p in left if source in p]:
            want[source, pair[0] + pair[1] - source] = left.pop(pair)
        sources.append(source)
    first = sources[0]
    for j in range(n):
        if j != first and want[first, j] == IGNORE:
            want[first, j] = REACH
    return sources, want


def pack(walls: np.ndarray) -> np.ndarray:
    """The words of a map ([y, x], 1 is a wall), floor set."""
    height, width = walls.shape
    nw = words(width)
    packed = np.zeros((height + 2, nw), np.int64)
    ys, xs = np.nonzero(walls == 0)
    np.bitwise_or.at(packed, (ys + 1, xs // BITS), np.int64(1) << (xs % BITS).astype(np.int64))
    return packed.reshape(-1)
