"""What a move looks like, as a few numbers that select weights (Coulom 2007).

A move's strength is the product of one factor for each thing that can be said of it: the 3x3
shape, how far the last two moves are, captures, escapes, self-atari, atari, the line.  Their
logarithms are added here; ``tools/learn_go_prior.py`` fits them to games.
"""

import functools
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy import int64, uint64

from treewright.domains.go.board import BORDER, EMPTY, PASS, WHITE

FAR = 17
GROUPS = {  # how many cases each group has
    "shape": 1 << 16,
    "last": FAR + 1,
    "before": FAR + 1,
    "capture": 5,
    "escape": 3,
    "self_atari": 3,
    "atari": 3,
    "line": 15,
}
OFFSET = {name: sum(list(GROUPS.values())[:i]) for i, name in enumerate(GROUPS)}
COUNT = sum(GROUPS.values())


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


def make_features(rules: SimpleNamespace) -> Any:
    """``strength(s, weights, v)``: the sum of a move's weights; its parts for learning; and
    ``shape(s, v)``.
    """
    only_liberty, self_atari = rules.only_liberty, rules.self_atari
    surroundings = rules.surroundings
    NEAR, WIDTH, SIZE = rules.near, rules.width, rules.size
    LAST, BEFORE, CAPTURE = OFFSET["last"], OFFSET["before"], OFFSET["capture"]
    ESCAPE, SELF, ATARI, LINE = (
        OFFSET["escape"],
        OFFSET["self_atari"],
        OFFSET["atari"],
        OFFSET["line"],
    )

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

    def two_liberties(s, head):
        """Whether a chain has exactly two liberties."""
        if int64(s.liberties[uint64(head)]) > 8:
            return False
        first = PASS
        second = PASS
        v = int64(head)
        while True:
            if s.around[uint64(v)] >= 256:
                for d in NEAR:
                    n = v + d
                    if s.colour[uint64(n)] == EMPTY and n != first and n != second:
                        if first == PASS:
                            first = n
                        elif second == PASS:
                            second = n
                        else:
                            return False
            v = int64(s.following[uint64(v)])
            if v == head:
                return second != PASS

    def tactics(s, v):
        """(capture, escape, self-atari, atari) cases of a move."""
        colour = int64(s.player) + 1
        taken = 0
        saved = 0
        attacked = 0
        joined = 0
        rescue = False
        for d in NEAR:
            at = uint64(v + d)
            c = s.colour[at]
            if not EMPTY < c < BORDER:
                continue
            head = int64(s.chain[at])
            stones = int64(s.stones[uint64(head)])
            alone = only_liberty(s, head) == v
            if c == colour:
                joined += stones
                if alone:
                    saved = max(saved, stones)
            elif alone:
                taken = max(taken, stones)
                rescue = rescue or threatened(s, head, colour)
            elif two_liberties(s, head):
                attacked = max(attacked, stones)
        capture = 0
        if taken > 0:
            capture = (3 if taken > 1 else 1) + (1 if rescue else 0)
        loses = taken == 0 and self_atari(s, colour, v)
        escape = 0
        if saved > 0 and not loses:
            escape = 2 if saved > 1 else 1
        bad = 0
        if loses:
            bad = 2 if joined > 0 else 1
        atari = 0
        if attacked > 0 and not loses:
            atari = 2 if attacked > 1 else 1
        return capture, escape, bad, atari

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

    def line(s, v):
        """The line, one to five, in three phases of the game."""
        row = v // WIDTH
        column = v % WIDTH
        edge = min(min(row, SIZE + 1 - row), min(column, SIZE + 1 - column))
        stones = SIZE * SIZE - int64(s.empties)
        phase = 0 if 10 * stones < SIZE * SIZE else 1 if 10 * stones < 4 * SIZE * SIZE else 2
        return 5 * phase + min(edge, 5) - 1

    def strength(s, weights, v):
        capture, escape, bad, atari = tactics(s, v)
        return (
            weights[uint64(shape(s, v))]
            + weights[LAST + distance(v, int64(s.last))]
            + weights[BEFORE + distance(v, int64(s.before))]
            + weights[CAPTURE + capture]
            + weights[ESCAPE + escape]
            + weights[SELF + bad]
            + weights[ATARI + atari]
            + weights[LINE + line(s, v)]
        )

    def features(s, v, out):
        """The same as the numbers of the weights, for learning."""
        capture, escape, bad, atari = tactics(s, v)
        out[0] = shape(s, v)
        out[1] = LAST + distance(v, int64(s.last))
        out[2] = BEFORE + distance(v, int64(s.before))
        out[3] = CAPTURE + capture
        out[4] = ESCAPE + escape
        out[5] = SELF + bad
        out[6] = ATARI + atari
        out[7] = LINE + line(s, v)

    return SimpleNamespace(strength=strength, features=features, shape=shape)
