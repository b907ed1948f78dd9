"""The engine's own ticks, tried key by key from the tiles that are reached (leap.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.apps.levels.physics import (
    BODY,
    GROUNDED,
    HALF_WIDTH,
    JUMP,
    LEFT,
    MAY_JUMP,
    RIGHT,
    RISING,
    SPEED,
    TILE,
    VX,
    VY,
    X,
    Y,
    move,
    settle,
    steer,
)


def same_way(body, other, dx, dy, height, cells, without, seen):
    """Move; False if a tile mattered on which an engine need not agree with us."""
    for i in range(BODY):
        other[i] = body[i]
    move(body, dx, dy, height, cells, seen)
    move(other, dx, dy, height, without, seen)
    differs = False
    for i in range(BODY):
        differs = differs or body[i] != other[i]
    return not differs


def careful_tick(body, other, keys, height, cells, seen):
    """One tick; False if it went where nobody must rely on it.

    ``cells[0]`` has everything that stops, ``cells[1]`` only what does so from all sides, and
    ``cells[2]`` what does so from above.
    """
    steer(body, keys)
    fine = same_way(body, other, body[VX], 0.0, height, cells[0], cells[1], seen)
    without = cells[2] if body[VY] > 0.0 else cells[1]
    fine = same_way(body, other, 0.0, body[VY], height, cells[0], without, seen) and fine
    settle(body)
    inside = body[X] >= HALF_WIDTH and body[X] < TILE * cells.shape[2] and body[Y] >= TILE
    return fine and inside and body[Y] < TILE * cells.shape[1]


def new_place(body, grid, table):
    """Whether no state in the same cell of the grid was there before; one is now."""
    key = int(body[X] * grid[0])
    key = key * 1024 + int(body[Y] * grid[1])
    key = key * 256 + int(body[VX] * grid[2] + 128.0)
    key = key * 128 + int(body[VY] * grid[3] + 64.0)
    key = key * 16 + int(body[RISING])
    key = key * 4 + int(body[GROUNDED]) * 2 + int(body[MAY_JUMP])
    at = (key * 0x9E3779B97F4A7C1 >> 17) & (len(table) - 1)
    while table[at] != 0:
        if table[at] == key:
            return False
        at = (at + 1) & (len(table) - 1)
    table[at] = key
    return True


def arrived(body, far, goal, stand):
    """Whether the body rests on a tile beyond column ``far``, or stands at the goal."""
    column = int(body[X] // TILE)
    if not body[GROUNDED] or column <= far:
        return False
    row = int(body[Y] // TILE)
    rests = body[VX] == 0.0 or column == goal
    return rests and stand[row, column] != 0


def leap(cells, seen, stand, height, far, goal, grid, bodies, parent, pressed, table, state):
    """Go on until a new tile is reached; its number, or -1 if there is nothing more to try.

    ``bodies`` are all states so far, in the order of their ticks; ``state`` is how many there are,
    the next one to go on from, and the next keys to try there.
    """
    body = bodies[len(bodies) - 1]
    other = bodies[len(bodies) - 2]
    while state[1] < state[0] and state[0] < len(bodies) - 2:
        here = bodies[state[1]]
        may_rise = here[RISING] > 0 or (here[GROUNDED] and here[MAY_JUMP])
        while state[2] < (10 if may_rise else 5):
            choice = state[2]
            state[2] += 1
            side = choice % 5
            keys = JUMP if choice >= 5 else 0
            if side == 1 or side == 2:
                keys |= RIGHT
            if side == 3 or side == 4:
                keys |= LEFT
            if side == 2 or side == 4:
                keys |= SPEED
            for i in range(BODY):
                body[i] = here[i]
            if not careful_tick(body, other, keys, height, cells, seen):
                continue
            if not new_place(body, grid, table):
                continue
            at = state[0]
            for i in range(BODY):
                bodies[at, i] = body[i]
            parent[at] = state[1]
            pressed[at] = keys
            state[0] += 1
            if arrived(bodies[at], far, goal, stand):
                return at
            if state[0] >= len(bodies) - 2:
                return -1
        state[1] += 1
        state[2] = 0
    return -1
