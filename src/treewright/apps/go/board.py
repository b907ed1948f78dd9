"""The rules of Go as plain functions over one flat record.

The size of the board is a constant that each domain sets, so every loop and every index is cheap
in compiled code.  What is kept up to date is what a playout asks for
most: the neighbours of each point by colour, chains with their pseudo-liberties, and a list
of the empty points.  A pseudo-liberty is a pair of a stone and an empty point beside it: it
can be counted without asking which points were counted before, and it is 0 exactly when
there is no liberty.

Points are numbered on a board with a border: row r, column c (from 1) is r * (size + 1) + c,
so that a neighbour is an addition away and never outside.  Point 0 is on the border and
stands for the pass.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

from numpy import int8, int16, int64, uint8, uint16, uint64

from treewright.library.domain import constant, record

SMALLEST, LARGEST = 2, 19
PASS = 0
EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3
NO_POINT = 0
SIZE = constant()
SUICIDE = constant()  # of two or more stones: that of one would repeat the position
WIDTH = constant(lambda: SIZE + 1)
CELLS = constant(lambda: (SIZE + 1) * (SIZE + 2) + 1)
LIMIT = constant(lambda: move_limit(SIZE))
NEAR = constant(lambda: (-1, 1, -WIDTH, WIDTH))
DIAGONAL = constant(lambda: (-WIDTH - 1, -WIDTH + 1, WIDTH - 1, WIDTH + 1))
ROUND = constant(lambda: (-WIDTH - 1, -WIDTH, -WIDTH + 1, -1, 1, WIDTH - 1, WIDTH, WIDTH + 1))


def layout(size: int) -> Any:
    """The record of a state.

    Bytes are enough up to 13x13: a chain of n stones has at most 2n + 2 pseudo-liberties.
    Fields of a chain (``liberties``, ``stones``) are valid at the point that names it.
    """
    cells = (size + 1) * (size + 2) + 1
    number = uint8 if size <= 13 else uint16
    return record(
        around=(uint16, cells),  # neighbours: black + 16 * white + 256 * empty; border is both
        colour=(uint8, cells),
        chain=(number, cells),  # the point that names the stone's chain
        following=(number, cells),  # the next stone of the chain, in a ring
        liberties=(number, cells),  # pseudo-liberties of a chain
        stones=(number, cells),  # size of a chain
        place=(number, cells),  # where an empty point is in ``empty``
        empty=(number, size * size),
        empties=int16,
        balance=int16,  # black stones minus white stones on the board
        komi=int16,  # in half points
        moves=int16,  # since the position was set up
        ko=int16,  # the point that simple ko forbids, or 0
        last=int16,  # the last move, and the one before
        before=int16,
        passes=int8,
        player=int8,
    )


def move_limit(size: int) -> int:
    """Moves after which a simulation is scored as it stands: kos can go on for ever."""
    return 3 * size * size + 10


def clear(s):
    """The empty board, Black to move."""
    for v in range(CELLS):
        s.colour[v] = BORDER
    n = 0
    for row in range(1, SIZE + 1):
        for column in range(1, SIZE + 1):
            v = row * WIDTH + column
            s.colour[v] = EMPTY
            s.empty[n] = v
            s.place[v] = n
            n += 1
    s.empties = n
    for i in range(n):
        v = int64(s.empty[i])
        count = 0
        for d in NEAR:
            count += 256 if s.colour[v + d] == EMPTY else 17
        s.around[v] = count


def allowed(s, colour, v):
    """Whether the rules let a colour play at an empty point (superko apart)."""
    return sound(s, colour, v) or (SUICIDE and v != s.ko and joins(s, colour, v))


def sound(s, colour, v):
    """Whether a move at an empty point is allowed and no SUICIDE: what playouts ask."""
    if v == s.ko:
        return False
    return s.around[uint64(v)] >= 256 or breathes(s, colour, v)


def breathes(s, colour, v):
    """Whether a stone at a point without empty neighbours would have a liberty.

    It takes the point from the pseudo-liberties of all chains around, looks, and
    gives it back.
    """
    for d in NEAR:
        n = uint64(v + d)
        if s.colour[n] != BORDER:
            s.liberties[s.chain[n]] -= 1
    found = False
    for d in NEAR:
        n = uint64(v + d)
        if s.colour[n] != BORDER:
            left = s.liberties[s.chain[n]]
            if (left > 0) == (s.colour[n] == colour):
                found = True
    for d in NEAR:
        n = uint64(v + d)
        if s.colour[n] != BORDER:
            s.liberties[s.chain[n]] += 1
    return found


def joins(s, colour, v):
    """Whether a stone of a colour stands beside the point."""
    found = False
    for d in NEAR:
        found = found or s.colour[uint64(v + d)] == colour
    return found


def eye(s, colour, v):
    """Whether the point is an eye that its owner should not fill.

    All neighbours are the owner's, and of the diagonals the opponent has at most one, or
    none at the edge.
    """
    if (s.around[uint64(v)] >> (4 * colour - 4)) & 15 != 4:
        return False
    bad = 0
    edge = 0
    for d in DIAGONAL:
        c = s.colour[uint64(v + d)]
        if c == 3 - colour:
            bad += 1
        elif c == BORDER:
            edge = 1
    return bad + edge < 2


def remove(s, head):
    """Take a chain off the board; returns the number of its stones."""
    v = int64(head)
    unit = 1 << (4 * int64(s.colour[uint64(v)]) - 4)
    n = int64(s.empties)
    first = n
    while True:
        s.colour[uint64(v)] = EMPTY
        s.empty[uint64(n)] = v
        s.place[uint64(v)] = n
        n += 1
        for d in NEAR:
            w = uint64(v + d)
            s.around[w] += 256 - unit
            c = s.colour[w]
            if EMPTY < c < BORDER:
                s.liberties[s.chain[w]] += 1
        v = int64(s.following[uint64(v)])
        if v == head:
            break
    s.empties = n
    return n - first


def merge(s, a, b):
    """Join two chains under the name of the larger, which is returned."""
    if s.stones[a] < s.stones[b]:
        a, b = b, a
    s.stones[a] += s.stones[b]
    s.liberties[a] += s.liberties[b]
    v = b
    while True:
        s.chain[v] = a
        v = s.following[v]
        if v == b:
            break
    after = s.following[a]
    s.following[a] = s.following[b]
    s.following[b] = after
    return a


def place(s, v):
    """A stone of the player to move at an empty point where it is allowed."""
    at = uint64(v)
    colour = int64(s.player) + 1
    other = 3 - colour
    unit = 1 << (4 * colour - 4)
    around = int64(s.around[at])
    enclosed = (around >> (4 * other - 4)) & 15 == 4
    last = int64(s.empties) - 1
    s.empties = last
    moved = s.empty[uint64(last)]
    s.empty[s.place[at]] = moved
    s.place[moved] = s.place[at]
    s.colour[at] = colour
    s.chain[at] = v
    s.following[at] = v
    s.stones[at] = 1
    s.liberties[at] = around >> 8
    head = s.chain[at]
    taken = 0
    ko = NO_POINT
    for d in NEAR:
        n = uint64(v + d)
        s.around[n] += unit - 256
        c = s.colour[n]
        if c == colour:
            a = s.chain[n]
            s.liberties[a] -= 1
            if a != head:
                head = merge(s, a, head)
        elif c == other:
            a = s.chain[n]
            s.liberties[a] -= 1
            if s.liberties[a] == 0:
                taken += remove(s, a)
                ko = v + d
    lost = 0
    if SUICIDE and s.liberties[head] == 0:
        lost = remove(s, head)
    gain = 1 + taken - lost
    s.balance += gain if colour == BLACK else -gain
    s.ko = ko if taken == 1 and enclosed else NO_POINT
    s.passes = 0


def move(s, v):
    """Play a point or pass, and hand over to the opponent."""
    if v == PASS:
        s.ko = NO_POINT
        s.passes += 1
    else:
        place(s, v)
    s.before = s.last
    s.last = v
    s.moves += 1
    s.player = 1 - s.player


def over(s):
    return s.passes >= 2 or s.moves >= LIMIT


def area(s):
    """Black's area minus White's: stones, and empty regions that reach one colour only.

    After a playout every empty point is surrounded, and its neighbours decide.
    """
    balance = int64(s.balance)
    for i in range(s.empties):
        around = s.around[uint64(s.empty[uint64(i)])]
        if around >= 256:
            return int64(s.balance) + regions(s)
        if around & 15 == 4:
            balance += 1
        elif (around >> 4) & 15 == 4:
            balance -= 1
    return balance


def regions(s):
    """Territory when regions of several points are left.

    The colours that a point reaches spread from neighbour to neighbour until nothing
    changes; they are noted in ``chain``, which says nothing else at empty points.
    """
    for i in range(s.empties):
        s.chain[uint64(s.empty[uint64(i)])] = 0
    changed = True
    while changed:
        changed = False
        for i in range(s.empties):
            v = int64(s.empty[uint64(i)])
            seen = int64(s.chain[uint64(v)])
            reach = seen
            for d in NEAR:
                n = uint64(v + d)
                c = s.colour[n]
                if c == EMPTY:
                    reach |= int64(s.chain[n])
                elif c != BORDER:
                    reach |= int64(c)
            if reach != seen:
                s.chain[uint64(v)] = reach
                changed = True
    balance = 0
    for i in range(s.empties):
        reach = s.chain[uint64(s.empty[uint64(i)])]
        if reach == BLACK:
            balance += 1
        elif reach == WHITE:
            balance -= 1
    return balance


def only_liberty(s, head):
    """The liberty of a chain in atari; 0 if it has several.

    Most chains need no look: one liberty makes at most four pseudo-liberties, and for two,
    three or four of them it takes three, five or seven stones around it.
    """
    pairs = int64(s.liberties[uint64(head)])
    if pairs > 4 or 2 * pairs - 1 > int64(s.stones[uint64(head)]):
        return NO_POINT
    found = NO_POINT
    v = int64(head)
    while True:
        if s.around[uint64(v)] >= 256:
            for d in NEAR:
                n = v + d
                if s.colour[uint64(n)] == EMPTY and n != found:
                    if found != NO_POINT:
                        return NO_POINT
                    found = n
        v = int64(s.following[uint64(v)])
        if v == head:
            return found


def within(s, head, v, w):
    """Whether a chain has no liberties but two points."""
    if s.liberties[uint64(head)] > 8:
        return False
    x = int64(head)
    while True:
        if s.around[uint64(x)] >= 256:
            for d in NEAR:
                n = x + d
                if s.colour[uint64(n)] == EMPTY and n != v and n != w:
                    return False
        x = int64(s.following[uint64(x)])
        if x == head:
            return True


def snapback(s, colour, v, w):
    """Whether who takes a lone stone at ``v`` by its liberty ``w`` is taken in turn.

    So it is if their stone at ``w`` and all that it joins have no other liberty than ``v``.
    """
    joins = False
    for d in NEAR:
        n = w + d
        c = s.colour[uint64(n)]
        if c == EMPTY and n != v:
            return False
        if c == colour and only_liberty(s, int64(s.chain[uint64(n)])) == w:
            return False  # more is taken than the one stone
        if c == 3 - colour:
            if not within(s, int64(s.chain[uint64(n)]), v, w):
                return False
            joins = True
    return joins


def self_atari(s, colour, v):
    """Whether a stone that captures nothing would leave its chain with one liberty.

    A snapback is none.
    """
    at = uint64(v)
    if s.around[at] >= 512:
        return False
    found = NO_POINT
    alone = True
    for d in NEAR:
        n = v + d
        c = s.colour[uint64(n)]
        if c == EMPTY:
            found = n
        elif c == 3 - colour and only_liberty(s, int64(s.chain[uint64(n)])) == v:
            return False
    for d in NEAR:
        if s.colour[uint64(v + d)] == colour:
            alone = False
            head = int64(s.chain[uint64(v + d)])
            if s.liberties[uint64(head)] > 8:  # three liberties, one of them may be v
                return False
            w = head
            while True:
                if s.around[uint64(w)] >= 256:
                    for e in NEAR:
                        n = w + e
                        if s.colour[uint64(n)] == EMPTY and n != v and n != found:
                            if found != NO_POINT:
                                return False
                            found = n
                w = int64(s.following[uint64(w)])
                if w == head:
                    break
    return not (alone and found != NO_POINT and snapback(s, colour, v, found))


def two_liberties(s, head):
    """The two liberties of a chain that has exactly two; (0, 0) of any other."""
    if s.liberties[uint64(head)] > 8:
        return NO_POINT, NO_POINT
    first = NO_POINT
    second = NO_POINT
    v = int64(head)
    while True:
        if s.around[uint64(v)] >= 256:
            for d in NEAR:
                n = v + d
                if s.colour[uint64(n)] == EMPTY and n != first and n != second:
                    if first == NO_POINT:
                        first = n
                    elif second == NO_POINT:
                        second = n
                    else:
                        return NO_POINT, NO_POINT
        v = int64(s.following[uint64(v)])
        if v == head:
            break
    if second == NO_POINT:
        return NO_POINT, NO_POINT
    return first, second


def liberties_after(s, colour, v, closed):
    """How many liberties a stone at ``v`` would have, without ``closed``; 3 is three or more.

    A capture counts as three: what was taken leaves room.
    """
    first = NO_POINT
    second = NO_POINT
    for d in NEAR:
        n = v + d
        c = s.colour[uint64(n)]
        if c == EMPTY:
            if n != closed:
                if first == NO_POINT:
                    first = n
                elif second == NO_POINT:
                    second = n
                else:
                    return 3
        elif c == 3 - colour and only_liberty(s, int64(s.chain[uint64(n)])) == v:
            return 3
    for d in NEAR:
        if s.colour[uint64(v + d)] == colour:
            head = int64(s.chain[uint64(v + d)])
            if s.liberties[uint64(head)] > 16:
                return 3
            x = head
            while True:
                if s.around[uint64(x)] >= 256:
                    for e in NEAR:
                        n = x + e
                        if (
                            s.colour[uint64(n)] == EMPTY
                            and n != v
                            and n != closed
                            and n != first
                            and n != second
                        ):
                            if first == NO_POINT:
                                first = n
                            elif second == NO_POINT:
                                second = n
                            else:
                                return 3
                x = int64(s.following[uint64(x)])
                if x == head:
                    break
    return 0 if first == NO_POINT else 1 if second == NO_POINT else 2


def surroundings(s, v):
    """The eight points around one as a number of 16 bits, two for each colour."""
    code = 0
    shift = 0
    for d in ROUND:
        code |= int64(s.colour[uint64(v + d)]) << shift
        shift += 2
    return code


def hashed(s, keys):
    """The Zobrist hash of the stones on the board; not kept up to date, only superko asks."""
    total = uint64(0)
    for v in range(CELLS):  # the keys of what is no stone are 0
        total ^= keys[s.colour[v], v]
    return total


def hashed_after(s, keys, total, v):
    """The hash after an allowed move, from that of the position."""
    colour = int64(s.player) + 1
    other = 3 - colour
    total ^= keys[colour, v]
    captures = False
    for i in range(4):
        n = uint64(v + NEAR[i])
        if s.colour[n] == other and only_liberty(s, int64(s.chain[n])) == v:
            captures = True
            seen = False
            for j in range(i):
                m = uint64(v + NEAR[j])
                if s.colour[m] == other and s.chain[m] == s.chain[n]:
                    seen = True
            if not seen:
                total ^= hashed_chain(s, keys, int64(s.chain[n]))
    if SUICIDE and not captures and s.around[uint64(v)] < 256 and not breathes(s, colour, v):
        total ^= keys[colour, v]
        for i in range(4):
            n = uint64(v + NEAR[i])
            seen = s.colour[n] != colour
            for j in range(i):
                m = uint64(v + NEAR[j])
                if s.colour[m] == colour and s.chain[m] == s.chain[n]:
                    seen = True
            if not seen:
                total ^= hashed_chain(s, keys, int64(s.chain[n]))
    return total


def hashed_chain(s, keys, head):
    total = uint64(0)
    v = head
    while True:
        total ^= keys[s.colour[uint64(v)], v]
        v = int64(s.following[uint64(v)])
        if v == head:
            return total


def repeats(s, t, total, v):
    """Whether a move brings back a position of the game so far (positional superko)."""
    after = hashed_after(s, t.zobrist, total, v)
    found = False
    for i in range(len(t.history)):
        found = found or t.history[i] == after
    return found
