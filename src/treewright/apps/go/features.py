"""What a move looks like, as a few numbers that select weights (Coulom 2007).

A move's strength is the product of one factor for each thing that can be said of it: the 3x3
shape, how far the last two moves are, captures, escapes, self-atari, atari, the line; on large
boards also the line from the farther edge and how far the next stone is.  Their logarithms are
added here; ``tools/learn_go_prior.py`` fits them to games.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import functools

import numpy as np
from numpy import int64, uint64

from treewright.apps.go.board import (
    BORDER,
    EMPTY,
    NEAR,
    PASS,
    SIZE,
    WHITE,
    WIDTH,
    liberties_after,
    only_liberty,
    self_atari,
    surroundings,
    two_liberties,
)
from treewright.library.domain import constant

FAR = 17
LINES = 10
REACH = 4  # how far the board is looked over for the next stone
PHASES = 3  # of the game, by the share of the board that has stones
LARGE = 13  # boards of this size and more have weights of their own
GROUPS = {  # how many cases each group has
    "shape": 1 << 16,
    "last": FAR + 1,
    "before": FAR + 1,
    "capture": 5,
    "escape": 5,  # one stone or more, to two liberties or to three and more
    "self_atari": 3,
    "atari": 7,  # to one stone or more, that has one liberty, two or more after its escape
    "defence": 5,  # of a chain with two liberties, like an escape
    "room": 6,  # liberties after the move, of a lone stone or a chain
    "links": 3,  # own chains that it joins
    "cuts": 3,  # the opponent's chains beside it
    "line": PHASES * LINES,
    "side": PHASES * LINES,  # the line from the farther edge, on large boards
    "open": PHASES * (REACH + 1),  # how far the next stone is, on large boards
}
OFFSET = {name: sum(list(GROUPS.values())[:i]) for i, name in enumerate(GROUPS)}
COUNT = sum(GROUPS.values())
LAST, BEFORE, CAPTURE = OFFSET["last"], OFFSET["before"], OFFSET["capture"]
ESCAPE, SELF, ATARI = OFFSET["escape"], OFFSET["self_atari"], OFFSET["atari"]
DEFENCE, ROOM, LINKS = OFFSET["defence"], OFFSET["room"], OFFSET["links"]
CUTS, LINE, SIDE, OPEN = OFFSET["cuts"], OFFSET["line"], OFFSET["side"], OFFSET["open"]
WIDE = constant(lambda: SIZE >= LARGE)


@functools.cache
def shapes() -> np.ndarray:
    """The least of the eight turned and mirrored codes of each 3x3 neighbourhood."""
    codes = np.arange(1 << 16)
    cells = [(codes >> (2 * i)) & 3 for i in range(8)]
    grid = np.array([[0, 1, 2], [3, -1, 4], [5, 6, 7]])
    least = codes.copy()
    for turned in [np.rot90(g, k) for g in (grid, grid.T) for k in range(4)]:
        order = [i for i in turned.ravel() if i >= 0]
        least = np.minimum(least, sum(cells[order[i]] << (2 * i) for i in range(8)))
    return least.astype(np.int64)


def shape(s, v):
    """The code of the neighbourhood as the player to move sees it: own stones are black."""
    code = surroundings(s, v)
    if s.player == WHITE - 1:
        # 1 and 2 change places, 0 and 3 stay
        odd = (code ^ (code >> 1)) & 0x5555
        code ^= odd | (odd << 1)
    return code


def distance(a, b):
    """Coulom's: dx + dy + max(dx, dy)."""
    if b == PASS:
        return 0
    dx = abs(a % WIDTH - b % WIDTH)
    dy = abs(a // WIDTH - b // WIDTH)
    return min(FAR, dx + dy + max(dx, dy))


def tactics(s, v):
    """(capture, escape, self-atari, atari, defence, room, links, cuts) cases of a move."""
    if s.around[uint64(v)] == 4 * 256:  # nothing stands beside it
        return 0, 0, 0, 0, 0, 2, 0, 0
    colour = int64(s.player) + 1
    other = 3 - colour
    taken = 0
    saved = 0
    attacked = 0
    shelter = 0
    joined = 0
    defended = 0
    links = 0
    cuts = 0
    rescue = False
    for i in range(4):
        at = uint64(v + NEAR[i])
        c = s.colour[at]
        if not EMPTY < c < BORDER:
            continue
        head = int64(s.chain[at])
        again = False
        for j in range(i):
            near = uint64(v + NEAR[j])
            again = again or (EMPTY < s.colour[near] < BORDER and s.chain[near] == head)
        if again:
            continue
        stones = int64(s.stones[uint64(head)])
        alone = only_liberty(s, head) == v
        if c == colour:
            links += 1
            joined += stones
            if alone:
                saved = max(saved, stones)
            else:
                a, b = two_liberties(s, head)
                if a != PASS:
                    w = a + b - v
                    if liberties_after(s, colour, w, v) < 2 or liberties_after(s, colour, v, w) < 2:
                        defended = max(defended, stones)
        elif alone:
            taken = max(taken, stones)
            rescue = rescue or threatened(s, head, colour)
        else:
            cuts += 1
            a, b = two_liberties(s, head)
            if a != PASS and stones >= attacked:
                kept = liberties_after(s, other, a + b - v, v)
                shelter = min(shelter, kept) if stones == attacked else kept
                attacked = stones
    capture = 0
    if taken > 0:
        capture = (3 if taken > 1 else 1) + (1 if rescue else 0)
    left = liberties_after(s, colour, v, PASS)
    loses = left < 2 and self_atari(s, colour, v)  # a capture leaves three
    escape = 0
    if saved > 0 and not loses:
        escape = (3 if saved > 1 else 1) + (1 if left > 2 else 0)
    bad = 0
    if loses:
        bad = 2 if joined > 0 else 1
    atari = 0
    if attacked > 0 and not loses:
        atari = (4 if attacked > 1 else 1) + max(shelter, 1) - 1
    defence = 0
    if defended > 0 and not loses:
        defence = (3 if defended > 1 else 1) + (1 if left > 2 else 0)
    room = max(left, 1) - 1 + (3 if joined > 0 else 0)
    return capture, escape, bad, atari, defence, room, min(links, 2), min(cuts, 2)


def threatened(s, head, colour):
    """Whether a chain of the other colour touches one of ``colour`` in atari."""
    v = int64(head)
    while True:
        for d in NEAR:
            at = uint64(v + d)
            if s.colour[at] == colour and only_liberty(s, int64(s.chain[at])) != PASS:
                return True
        v = int64(s.following[uint64(v)])
        if v == head:
            return False


def phase(s):
    stones = SIZE * SIZE - int64(s.empties)
    return 0 if 10 * stones < SIZE * SIZE else 1 if 10 * stones < 4 * SIZE * SIZE else 2


def lines(v):
    """The line of a point from the nearer and from the farther edge, less one."""
    row = v // WIDTH
    column = v % WIDTH
    high = min(row, SIZE + 1 - row)
    wide = min(column, SIZE + 1 - column)
    return min(high, wide) - 1, max(high, wide) - 1


def room_around(s, v):
    """How far the next stone is, by rows or columns; at most ``REACH``."""
    if s.around[uint64(v)] & 255:  # it may be the border
        for d in NEAR:
            if EMPTY < s.colour[uint64(v + d)] < BORDER:
                return 1
    row = v // WIDTH
    column = v % WIDTH
    nearest = REACH
    for r in range(max(1, row - REACH + 1), min(SIZE, row + REACH - 1) + 1):
        for c in range(max(1, column - REACH + 1), min(SIZE, column + REACH - 1) + 1):
            if s.colour[uint64(r * WIDTH + c)] != EMPTY:
                nearest = min(nearest, max(abs(r - row), abs(c - column)))
    return nearest


def strength(s, weights, v):
    capture, escape, bad, atari, defence, room, links, cuts = tactics(s, v)
    near, far = lines(v)
    now = phase(s)
    total = (
        weights[uint64(shape(s, v))]
        + weights[LAST + distance(v, int64(s.last))]
        + weights[BEFORE + distance(v, int64(s.before))]
        + weights[CAPTURE + capture]
        + weights[ESCAPE + escape]
        + weights[SELF + bad]
        + weights[ATARI + atari]
        + weights[DEFENCE + defence]
        + weights[ROOM + room]
        + weights[LINKS + links]
        + weights[CUTS + cuts]
        + weights[LINE + LINES * now + near]
    )
    if WIDE:
        total += weights[SIDE + LINES * now + far]
        total += weights[OPEN + (REACH + 1) * now + room_around(s, v)]
    return total


def features(s, v, out):
    """The same as the numbers of the weights, for learning."""
    capture, escape, bad, atari, defence, room, links, cuts = tactics(s, v)
    out[0] = shape(s, v)
    out[1] = LAST + distance(v, int64(s.last))
    out[2] = BEFORE + distance(v, int64(s.before))
    out[3] = CAPTURE + capture
    out[4] = ESCAPE + escape
    out[5] = SELF + bad
    out[6] = ATARI + atari
    out[7] = DEFENCE + defence
    out[8] = ROOM + room
    out[9] = LINKS + links
    out[10] = CUTS + cuts
    near, far = lines(v)
    now = phase(s)
    out[11] = LINE + LINES * now + near
    out[12] = SIDE + (LINES * now + far if WIDE else 0)
    out[13] = OPEN + ((REACH + 1) * now + room_around(s, v) if WIDE else 0)
