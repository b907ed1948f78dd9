"""What a move looks like before it was ever tried, for MC-RAVE with priors.

Each heuristic counts as so many simulations won or lost, on top of an even start; the numbers
are those of michi and Pachi (Baudiš 2011), not tuned here.
"""

from types import SimpleNamespace
from typing import Any

from numpy import int64, uint64

from treewright.domains.go.board import BORDER, EMPTY, PASS

EVEN = 10.0
SELF_ATARI = 10.0
ONE_STONE, SEVERAL = 15.0, 30.0  # captured, or saved from atari
PATTERN = 10.0
NEARNESS = (0.0, 24.0, 22.0, 8.0)  # by distance to the last move, along the lines
OPEN_LINE = 10.0  # far from all stones: the first two lines are bad, the third is good
PASSING = 10.0


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

    def worth(stones):
        return ONE_STONE if stones == 1 else SEVERAL

    def prior(s, t, action):
        """(mean value, number of simulations) that a move starts with."""
        if action == PASS:
            return (0.5 if s.passes > 0 else 0.0), PASSING
        v = int64(action)
        colour = int64(s.player) + 1
        won = 0.5 * EVEN
        seen = EVEN
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
            won += worth(captured)
            seen += worth(captured)
        elif self_atari(s, colour, v):
            seen += SELF_ATARI
        elif saved > 0:
            won += worth(saved)
            seen += worth(saved)
        if t.patterns[uint64(surroundings(s, v))] == 1:
            won += PATTERN
            seen += PATTERN
        row = v // WIDTH
        column = v % WIDTH
        if s.last != PASS:
            distance = abs(row - int64(s.last) // WIDTH) + abs(column - int64(s.last) % WIDTH)
            if distance < len(NEARNESS):
                won += NEARNESS[distance]
                seen += NEARNESS[distance]
        line = min(min(row, SIZE + 1 - row), min(column, SIZE + 1 - column))
        if line <= 3 and lonely(s, row, column):
            won += OPEN_LINE if line == 3 else 0.0
            seen += OPEN_LINE
        return won / seen, seen

    return prior
