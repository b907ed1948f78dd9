"""Which tiles of the newest column can be reached: bit masks, column by column.

A rightward move looks only at the columns from its start to its landing (moves.py), so what can
be reached in a column is final as soon as the column is there.  Appending one costs little: a
tile beside a reached one is walked to, and only the others are looked up among the moves.

Masks hold row ``r`` in bit ``ABOVE + r``.  Rows above the map are air, except that the first of
them counts as full where the top row is: the engine rounds towards zero.  The state's rings hold
the last 32 columns.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

from treewright.apps.levels.level import MOST_ROWS
from treewright.apps.levels.moves import ABOVE
from treewright.apps.levels.tiles import TILES

RING = 32  # columns remembered; more than any move is wide
LOWEST = 13  # rows of the deepest fall
HIGHEST = 4  # rows of the highest climb

BIT_NUMBER = np.zeros(37, np.int64)  # of a power of two, by its remainder
for _bit in range(ABOVE + MOST_ROWS):
    BIT_NUMBER[(1 << _bit) % 37] = _bit


def column_masks(column: str, tall: bool) -> tuple[int, int, int, int]:
    """What stops, what carries, where a (tall) player can stand, and where the floor is thin."""
    stops = carries = stand = thin = 0
    for row, character in enumerate(column):
        tile = TILES[character]
        stops |= int(tile.stops) << (ABOVE + row)
        carries |= int(tile.carries) << (ABOVE + row)
    stops |= (stops >> 1) & (1 << (ABOVE - 1))
    for row in range(len(column) - 1):
        head = (stops >> (ABOVE + row - 1)) & 1 if tall else 0
        if carries >> (ABOVE + row + 1) & 1 and not stops >> (ABOVE + row) & 1 and not head:
            stand |= 1 << (ABOVE + row)
            thin |= int(TILES[column[row + 1]].thin) << (ABOVE + row)
    return stops, carries, stand, thin


def append_column(s, t, stops, carries, stand, thin):
    """Add a column to the rings; ``s.n`` is its number, and ``s.far`` the last one reached."""
    x = s.n
    here = x % RING
    s.stops[here] = stops
    s.carries[here] = carries
    found = 0
    if x > 0:
        found = s.reach[(x - 1) % RING] & stand  # walked
        left = stand & ~found
        while left != 0:
            low = left & -left
            if can_land(s, t, x, BIT_NUMBER[low % 37] - ABOVE, thin & low != 0):
                found |= low
            left ^= low
    s.reach[here] = found
    if found != 0:
        s.far = x


def can_land(s, t, x, row, thin):
    """Whether any move from a reached tile ends in this row of the newest column."""
    widest = len(t.move_group) // 32 - 1
    for dx in range(1, min(widest, x) + 1):
        source = s.reach[(x - dx) % RING]
        while source != 0:
            low = source & -source
            source ^= low
            begin = BIT_NUMBER[low % 37] - ABOVE
            dy = row - begin
            if dy < -HIGHEST or dy > LOWEST:
                continue
            group = dx * 32 + dy + 16
            for move in range(t.move_group[group], t.move_group[group + 1]):
                if thin and t.move_touches[move]:
                    continue
                if fits(s, t, x - dx, dx, begin, t.move_first[move]):
                    return True
    return False


def fits(s, t, column, dx, row, first):
    """Whether the columns since ``column`` agree with every cell that a move looks at."""
    for i in range(dx + 1):
        at = (column + i) % RING
        if (t.move_empty[first + i] << row) & s.stops[at] != 0:
            return False
        if (t.move_solid[first + i] << row) & ~s.carries[at] != 0:
            return False
    return True
