"""What a move looks like before it was ever tried, for MC-RAVE with priors.

Each heuristic counts as so many simulations won or lost, on top of an even start; the numbers
are those of michi and Pachi (Baudiš 2011), not tuned here.
"""

from types import SimpleNamespace
from typing import Any

from numpy import int64, uint64

from treewright.domains.go.board import BORDER, EMPTY, PASS

EVEN, SELF_ATARI, ONE_STONE, SEVERAL, PATTERN, OPEN_LINE, PASSING, NEARNESS = range(8)
WEIGHTS = (
    10.0,  # an even start
    10.0,  # self-atari, lost
    15.0,  # captures or saves one stone, won
    30.0,  # or several
    10.0,  # a 3x3 pattern fits, won
    10.0,  # far from all stones: the first two lines are bad, the third is good
    10.0,  # passing, lost
    0.0,  # by distance to the last move, along the lines: 0
    24.0,  # 1
    22.0,  # 2
    8.0,  # 3
)


def make_prior(rules: SimpleNamespace) -> Any:
    """``prior(s, t, action)`` for one board size."""
    only_liberty, self_atari = rules.only_liberty, rules.self_atari
    surroundings = rules.surroundings
    NEAR, WIDTH, SIZE = rules.near, rules.width, rules.size

    def lonely(s, row, column):
        """Whether no stone is within three steps."""
        for y in range(max(1, row - 3), min(SIZE, row + 3) + 1):
            reach = 3 - abs(y - row)
            for x in range(max(1, column - reach), min(SIZE, column + reach) + 1):
                if s.colour[uint64(y * WIDTH + x)] != EMPTY:
                    return False
        return True

    def worth(t, stones):
        return t.worth[ONE_STONE if stones == 1 else SEVERAL]

    def prior(s, t, action):
        """(mean value, number of simulations) that a move starts with."""
        if action == PASS:
            return (0.5 if s.passes > 0 else 0.0), t.worth[PASSING]
        v = int64(action)
        colour = int64(s.player) + 1
        won = 0.5 * t.worth[EVEN]
        seen = t.worth[EVEN]
        captured = 0
        saved = 0
        for d in NEAR:
            at = uint64(v + d)
            c = s.colour[at]
            if EMPTY < c < BORDER and only_liberty(s, int64(s.chain[at])) == v:
                if c == colour:
                    saved = max(saved, int64(s.stones[s.chain[at]]))
                else:
                    captured = max(captured, int64(s.stones[s.chain[at]]))
        if captured > 0:
            won += worth(t, captured)
            seen += worth(t, captured)
        elif self_atari(s, colour, v):
            seen += t.worth[SELF_ATARI]
        elif saved > 0:
            won += worth(t, saved)
            seen += worth(t, saved)
        if t.patterns[uint64(surroundings(s, v))] == 1:
            won += t.worth[PATTERN]
            seen += t.worth[PATTERN]
        row = v // WIDTH
        column = v % WIDTH
        if s.last != PASS:
            distance = abs(row - int64(s.last) // WIDTH) + abs(column - int64(s.last) % WIDTH)
            if distance < 4:
                won += t.worth[NEARNESS + distance]
                seen += t.worth[NEARNESS + distance]
        line = min(min(row, SIZE + 1 - row), min(column, SIZE + 1 - column))
        if line <= 3 and lonely(s, row, column):
            won += t.worth[OPEN_LINE] if line == 3 else 0.0
            seen += t.worth[OPEN_LINE]
        return won / seen, seen

    return prior
