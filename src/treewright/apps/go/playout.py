"""How playouts choose their moves.

Light: uniform among the moves that fill no eye of one's own.  Heavy: the rules of MoGo and
its heirs, in this order, each of which can be switched off to measure what it brings:

``atari``       save stones that the last move put in atari
``nakade``      take the vital point of an eye space beside the last move
``patterns``    around the last move, a point drawn by its 3x3 shape (features.py)
``capture``     capture anything
``local``       sometimes any sound point around the last move
``self_atari``  otherwise uniform, but stones are seldom given away
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from dataclasses import astuple, dataclass
from typing import Any

from numpy import int64, uint64

from treewright.apps.go.board import (
    BLACK,
    BORDER,
    EMPTY,
    NEAR,
    PASS,
    ROUND,
    SIZE,
    WHITE,
    WIDTH,
    eye,
    only_liberty,
    self_atari,
    sound,
)
from treewright.apps.go.features import shape
from treewright.library.domain import constant
from treewright.random import below, uniform

LOCAL = 0.2  # how often ``local`` is tried
THROW_IN = 2  # a self-atari that joins more stones than this is never played: it may be a seki
REGARDLESS = 0.3  # how often a smaller one is played all the same
ELSEWHERE = 1.0  # the weight of not answering the last move at all
LEAST = 0.3  # shapes of less weight are not played next to the last move


SAVE, NAKADE, PATTERN, CAPTURE, NEARBY, REFUSE, HABIT = (constant() for _ in range(7))
FIRST = constant(lambda: WIDTH + 1)  # the first point of the board, and the last
LAST = constant(lambda: SIZE * WIDTH + SIZE)
ROOM = constant(lambda: SIZE * SIZE)


@dataclass(frozen=True)
class Switches:
    """The parts of the heavy playouts."""

    atari: bool = True
    nakade: bool = True
    patterns: bool = True
    capture: bool = True
    local: bool = False
    self_atari: bool = True
    habit: float = 0.9  # how often a rule is followed: playouts that agree are wrong together

    def constants(self) -> dict[Any, Any]:
        """The same for :func:`heavy`."""
        names = (SAVE, NAKADE, PATTERN, CAPTURE, NEARBY, REFUSE, HABIT)
        return dict(zip(names, astuple(self), strict=True))


def _hide(s, i, v, left):
    """Move an empty point that was refused to the end of the list, out of the draw."""
    w = s.empty[uint64(left)]
    s.empty[uint64(left)] = v
    s.place[uint64(v)] = left
    s.empty[i] = w
    s.place[w] = i


def light(s, t, rng, out):
    """A uniform move that is sound and fills no own eye; pass if there is none."""
    colour = int64(s.player) + 1
    left = int64(s.empties)
    while left > 0:
        i = uint64(below(rng, left))
        v = int64(s.empty[i])
        if not eye(s, colour, v) and sound(s, colour, v):
            return v
        left -= 1
        _hide(s, i, v, left)
    return PASS


def add(out, n, v):
    """Append a candidate; the buffer is never left."""
    if n < ROOM:
        out[n] = v
        n += 1
    return n


def savers(s, colour, out):
    """Moves that save own chains beside the last move from atari."""
    n = 0
    for d in NEAR:
        at = uint64(s.last + d)
        if s.colour[at] == colour:
            head = int64(s.chain[at])
            liberty = only_liberty(s, head)
            if liberty != PASS:
                n = counters(s, colour, head, out, n)
                if sound(s, colour, liberty) and not self_atari(s, colour, liberty):
                    n = add(out, n, liberty)
    return n


def counters(s, colour, head, out, n):
    """Captures of what stands around a chain."""
    v = head
    while True:
        for d in NEAR:
            at = uint64(v + d)
            if s.colour[at] == 3 - colour:
                target = only_liberty(s, int64(s.chain[at]))
                if target != PASS and sound(s, colour, target):
                    n = add(out, n, target)
        v = int64(s.following[uint64(v)])
        if v == head:
            return n


def vital(s, colour, out):
    """The vital point of an eye space beside the last move that dies by one stone, or 0."""
    for d in ROUND:
        v = int64(s.last) + d
        if s.colour[uint64(v)] == EMPTY:
            point = centre(s, v, out)
            if point != PASS and sound(s, colour, point):
                return point
    return PASS


def centre(s, v, out):
    """The centre of a nakade shape of three to six points with walls of one colour, or 0.

    The shapes that die by a stone in the centre are told by the number of neighbours: three
    in a row, the pyramid, the cross, the bulky five and the rabbity six.
    """
    wall = 0
    out[0] = v
    n = 1
    at = 0
    while at < n:
        v = int64(out[at])
        at += 1
        for d in NEAR:
            w = v + d
            c = int64(s.colour[uint64(w)])
            if c == EMPTY:
                known = False
                for i in range(n):
                    known = known or out[i] == w
                if not known:
                    if n >= 6 or n >= ROOM:
                        return PASS
                    out[n] = w
                    n += 1
            elif c != BORDER:
                wall |= c
    if n < 3 or wall == BLACK + WHITE:
        return PASS
    best = PASS
    most = 0
    total = 0
    for i in range(n):
        degree = int64(s.around[uint64(out[i])]) >> 8
        total += degree
        if degree > most:
            most = degree
            best = int64(out[i])
    if n == 3 or (n == 4 and most == 3) or (n == 5 and (most == 4 or total == 10)):
        return best
    if n == 6 and most == 4 and total == 14:
        return best
    return PASS


def shapely(s, t, rng, colour):
    """A point around the last move, drawn by the weight of its 3x3 shape, or 0."""
    total = ELSEWHERE
    chosen = PASS
    for d in ROUND:
        v = int64(s.last) + d
        if s.colour[uint64(v)] == EMPTY:
            weight = t.shapes[uint64(shape(s, v))]
            if weight > LEAST and sound(s, colour, v) and not (REFUSE and self_atari(s, colour, v)):
                total += weight
                if uniform(rng) * total < weight:
                    chosen = v
    return chosen


def captures(s, colour, out):
    """The last stones of the opponent's chains in atari, anywhere."""
    n = 0
    other = 3 - colour
    for v in range(FIRST, LAST + 1):
        at = uint64(v)
        if s.colour[at] == other and s.chain[at] == v:
            target = only_liberty(s, v)
            if target != PASS and sound(s, colour, target):
                n = add(out, n, target)
    return n


def nearby(s, colour, out):
    n = 0
    for d in ROUND:
        v = int64(s.last) + d
        if (
            s.colour[uint64(v)] == EMPTY
            and not eye(s, colour, v)
            and sound(s, colour, v)
            and not (REFUSE and self_atari(s, colour, v))
        ):
            n = add(out, n, v)
    return n


def joined(s, colour, v):
    """At most how many own stones a move connects."""
    n = 0
    for d in NEAR:
        at = uint64(v + d)
        if s.colour[at] == colour:
            n += int64(s.stones[s.chain[at]])
    return n


def heavy(s, t, rng, out):
    """The first rule that has a move decides."""
    colour = int64(s.player) + 1
    if s.last != PASS:
        if SAVE and uniform(rng) < HABIT:
            n = savers(s, colour, out)
            if n > 0:
                return int64(out[below(rng, n)])
        if NAKADE:
            v = vital(s, colour, out)
            if v != PASS:
                return v
        if PATTERN and uniform(rng) < HABIT:
            v = shapely(s, t, rng, colour)
            if v != PASS:
                return v
    if CAPTURE and uniform(rng) < HABIT:
        n = captures(s, colour, out)
        if n > 0:
            return int64(out[below(rng, n)])
    if NEARBY and s.last != PASS and uniform(rng) < LOCAL:
        n = nearby(s, colour, out)
        if n > 0:
            return int64(out[below(rng, n)])
    left = int64(s.empties)
    spare = PASS
    while left > 0:
        i = uint64(below(rng, left))
        v = int64(s.empty[i])
        if not eye(s, colour, v) and sound(s, colour, v):
            if not REFUSE or not self_atari(s, colour, v):
                return v
            if joined(s, colour, v) <= THROW_IN:
                if uniform(rng) < REGARDLESS:
                    return v
                spare = v
        left -= 1
        _hide(s, i, v, left)
    return spare
