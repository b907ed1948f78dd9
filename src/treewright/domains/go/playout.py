"""How playouts choose their moves.

Light: uniform among the moves that fill no eye of one's own.  Heavy: the rules of MoGo and
its heirs, in this order, each of which can be switched off to measure what it brings:

``atari``       save stones that the last move put in atari
``nakade``      take the vital point of an eye space beside the last move
``patterns``    a 3x3 pattern (hane, cut, side) around the last move
``capture``     capture anything
``local``       sometimes any sound point around the last move
``self_atari``  otherwise uniform, but no stones are given away
"""

import functools
from dataclasses import astuple, dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy import int64, uint64

from treewright.domains.go.board import BLACK, BORDER, EMPTY, PASS, WHITE
from treewright.random import below, uniform

HABIT = 0.9  # how often a rule is followed: playouts that all go one way are wrong together
LOCAL = 0.2  # how often ``local`` is tried
THROW_IN = 2  # a self-atari that joins more stones than this is never played: it may be a seki

PATTERNS = """
XOX ... ???   XO. ... ?.?   XO? X.. x.?   .O. X.. ...
XO? O.o ?o?   XO? O.X ???   ?X? O.O ooo   OX? o.O ???
X.? O.? ---   OX? X.O ---   ?X? x.O ---   ?XO x.x ---   ?OX X.O ---
"""
"""Hane, magari, cut and side patterns of MoGo (Gelly et al. 2006), for either side to move.

X and O are stones, x is anything but X, o anything but O, - the edge, ? anything at all.
"""
MATCHES = {
    ".": (EMPTY,),
    "X": (BLACK,),
    "O": (WHITE,),
    "-": (BORDER,),
    "x": (EMPTY, WHITE, BORDER),
    "o": (EMPTY, BLACK, BORDER),
    "?": (EMPTY, BLACK, WHITE, BORDER),
}


@dataclass(frozen=True)
class Switches:
    """The parts of the heavy playouts."""

    atari: bool = True
    nakade: bool = True
    patterns: bool = True
    capture: bool = True
    local: bool = False
    self_atari: bool = True


@functools.cache
def pattern_table() -> np.ndarray:
    """For each 3x3 neighbourhood (two bits a point, see ``surroundings``) whether it matches."""
    codes = np.arange(1 << 16)
    cells = [(codes >> (2 * i)) & 3 for i in range(8)]
    fits = {k: [np.isin(c, v) for c in cells] for k, v in MATCHES.items()}
    found = np.zeros(1 << 16, bool)
    words = PATTERNS.split()
    for rows in zip(words[::3], words[1::3], words[2::3], strict=True):
        grid = np.array([list(row) for row in rows])
        for turned in [np.rot90(g, k) for g in (grid, grid.T) for k in range(4)]:
            marks = "".join(turned.ravel())
            for text in (marks, marks.translate(str.maketrans("XOxo", "OXox"))):
                each = [fits[m][i] for i, m in enumerate(text[:4] + text[5:])]
                found |= np.logical_and.reduce(each)
    return found.astype(np.uint8)


def light(rules: SimpleNamespace) -> Any:
    """The uniform policy."""
    eye = rules.eye
    sound = rules.sound

    def rollout(s, rng, out):
        """A uniform move that is sound and fills no own eye; pass if there is none.

        What was refused goes to the end of the list of empty points, out of the draw.
        """
        colour = int64(s.player) + 1
        left = int64(s.empties)
        while left > 0:
            i = uint64(below(rng, left))
            v = int64(s.empty[i])
            if not eye(s, colour, v) and sound(s, colour, v):
                return v
            left -= 1
            w = s.empty[uint64(left)]
            s.empty[uint64(left)] = v
            s.place[uint64(v)] = left
            s.empty[i] = w
            s.place[w] = i
        return PASS

    return rollout


def heavy(rules: SimpleNamespace, switches: Switches) -> Any:
    """The policy with the given rules; all of them off is ``light``."""
    SAVE, NAKADE, PATTERN, CAPTURE, NEARBY, REFUSE = astuple(switches)
    eye, sound, only_liberty = rules.eye, rules.sound, rules.only_liberty
    self_atari, surroundings = rules.self_atari, rules.surroundings
    NEAR, ROUND = rules.near, rules.round
    FIRST, LAST = rules.width + 1, rules.size * rules.width + rules.size
    ROOM = rules.size * rules.size

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

    def shapely(s, t, colour, out):
        """Points around the last move where a pattern fits."""
        n = 0
        for d in ROUND:
            v = int64(s.last) + d
            if (
                s.colour[uint64(v)] == EMPTY
                and t.patterns[uint64(surroundings(s, v))] == 1
                and sound(s, colour, v)
                and not (REFUSE and self_atari(s, colour, v))
            ):
                n = add(out, n, v)
        return n

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

    def rollout(s, t, rng, out):
        """The first rule that has a move decides."""
        colour = int64(s.player) + 1
        if s.last != PASS:
            if SAVE and uniform(rng) < HABIT:
                n = savers(s, colour, out)
                if n > 0:
                    return int64(out[below(rng, n)])
            if NAKADE and uniform(rng) < HABIT:
                v = vital(s, colour, out)
                if v != PASS:
                    return v
            if PATTERN and uniform(rng) < HABIT:
                n = shapely(s, t, colour, out)
                if n > 0:
                    return int64(out[below(rng, n)])
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
                    spare = v
            left -= 1
            w = s.empty[uint64(left)]
            s.empty[uint64(left)] = v
            s.place[uint64(v)] = left
            s.empty[i] = w
            s.place[w] = i
        return spare

    return rollout
