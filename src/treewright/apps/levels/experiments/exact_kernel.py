"""Can it be finished at all?  Every key at every tick, from the start, and no tile moves.

The judge of the checker (false_rejects.py): it shares the engine's tick with it and nothing else.
States are taken up by how far to the right they are; those that agree to a pixel or two and a
little speed count as one.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.apps.levels.physics import (
    BODY,
    GROUNDED,
    MAY_JUMP,
    RISING,
    TILE,
    VX,
    VY,
    X,
    Y,
    tick,
)

DIRECTIONS = 5
FINISHED, EXHAUSTED, UNKNOWN = range(3)


def mark(body, table):
    """Whether no state like this one was there; it is now."""
    key = (int(body[X]) * 512 + int(body[Y] * 0.5) + 64) * 256 + int(body[VX] * 4.0 + 64.0)
    key = (key * 64 + int(body[VY]) + 32) * 64
    key += int(body[RISING]) * 4 + int(body[GROUNDED]) * 2 + int(body[MAY_JUMP]) + 1
    at = (key ^ (key >> 23)) * 1103515245 & (len(table) - 1)
    while table[at] != 0 and table[at] != key:
        at = (at + 1) & (len(table) - 1)
    if table[at] == key:
        return False
    table[at] = key
    return True


def pressed(choice):
    """The keys of a choice: left or right, walked or run, with or without a jump."""
    direction = choice % DIRECTIONS
    side = 2 if direction == 1 or direction == 2 else 1 if direction > 2 else 0
    return (
        side + (4 if direction == 2 or direction == 4 else 0) + (8 if choice >= DIRECTIONS else 0)
    )


def exact(cells, seen, height, goal, bodies, following, first, last, table):
    """FINISHED, EXHAUSTED or, if there were too many states, UNKNOWN; ``bodies[0]`` begins."""
    scratch = bodies[len(bodies) - 1]
    n = 1
    column = int(bodies[0, X] // TILE)
    first[column] = 0
    last[column] = 0
    far = column
    while far >= 0:
        here = first[far]
        if here < 0:
            far -= 1
            continue
        first[far] = following[here]
        jumps = bodies[here, RISING] > 0 or (bodies[here, GROUNDED] and bodies[here, MAY_JUMP])
        for choice in range(2 * DIRECTIONS if jumps else DIRECTIONS):
            for i in range(BODY):
                scratch[i] = bodies[here, i]
            tick(scratch, pressed(choice), height, cells, seen)
            column = int(scratch[X] // TILE)
            if scratch[X] < 4.0 or column >= len(first) or scratch[Y] >= TILE * cells.shape[0]:
                continue
            if column >= goal and scratch[GROUNDED]:
                return FINISHED
            if scratch[Y] < 0.0 or not mark(scratch, table):
                continue
            if n == len(bodies) - 1:
                return UNKNOWN
            for i in range(BODY):
                bodies[n, i] = scratch[i]
            following[n] = -1
            if first[column] < 0:
                first[column] = n
            else:
                following[last[column]] = n
            last[column] = n
            far = max(far, column)
            n += 1
    return EXHAUSTED
