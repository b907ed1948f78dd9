"""The player's physics: an Infinite-Mario-style engine, tick by tick.

Everything that moves the player is here and nothing else, so that a game, a checker or a
replay in another language can be held against this one page.  Pixels and ticks; a tile is
16 pixels, y grows downwards, and (x, y) is the middle of the player's feet.  The functions run
interpreted, or compiled by whoever needs speed (moves.py).

``cells[row, column]`` is 0 for air and anything else for a wall.  ``seen`` has the same shape
and gets a 1 wherever the collision code has looked: a level that agrees on those cells can't
change what happens.  Outside the array everything is air.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

TILE = 16
HALF_WIDTH = 4.0
SMALL, LARGE = 12.0, 24.0  # heights of the player
WALK, RUN = 0.6, 1.2  # horizontal acceleration; the same in the air
FRICTION = 0.89  # of the horizontal speed, each tick, on the ground and in the air
STILL = 0.5  # a slower player stands
GRAVITY, DRAG = 3.0, 0.85
JUMP_SPEED, JUMP_TICKS = 1.9, 7  # rises 7, 7, 6, 5 … 1 times 1.9 pixels while the key is held
STEP = 8.0  # longest step between two collision tests

LEFT, RIGHT, SPEED, JUMP = 1, 2, 4, 8  # keys, as bits

RESTING = 0.01  # downward speed of who stands: what is left of the last landing

BODY = 7
X, Y, VX, VY, RISING, GROUNDED, MAY_JUMP = range(BODY)


def at_rest(x: float, y: float) -> np.ndarray:
    """A player who stands still at (x, y) and may jump."""
    return np.array([x, y, 0.0, RESTING, 0.0, 1.0, 1.0])


def stand_on(row: int) -> float:
    """The y of a player whose feet are in this row, on the floor below it."""
    return TILE * (row + 1) - 1.0


def tick(body, keys, height, cells, seen):
    """One thirtieth of a second: keys, then x, then y, then friction and gravity."""
    steer(body, keys)
    move(body, body[VX], 0.0, height, cells, seen)
    move(body, 0.0, body[VY], height, cells, seen)
    settle(body)


def steer(body, keys):
    """What the keys do to the speed."""
    push = RUN if keys & SPEED else WALK
    if keys & JUMP:
        if body[RISING] > 0:
            body[VY] = -JUMP_SPEED * body[RISING]
            body[RISING] -= 1
        elif body[GROUNDED] and body[MAY_JUMP]:
            body[RISING] = JUMP_TICKS
            body[VY] = -JUMP_SPEED * JUMP_TICKS
    else:
        body[RISING] = 0
    if keys & LEFT:
        body[VX] -= push
    if keys & RIGHT:
        body[VX] += push
    if abs(body[VX]) < STILL:
        body[VX] = 0.0
    body[MAY_JUMP] = 1.0 if body[GROUNDED] and not keys & JUMP else 0.0
    body[GROUNDED] = 0.0


def settle(body):
    """Friction and gravity, after the move."""
    body[VX] *= FRICTION
    body[VY] *= DRAG
    if not body[GROUNDED]:
        body[VY] += GRAVITY


def move(body, dx, dy, height, cells, seen):
    """Go in steps of at most 8 pixels until something is hit."""
    while abs(dx) > STEP or abs(dy) > STEP:
        step_x = STEP if dx > STEP else -STEP if dx < -STEP else 0.0
        step_y = STEP if dy > STEP else -STEP if dy < -STEP else 0.0
        if not step(body, step_x, step_y, height, cells, seen):
            return
        dx -= step_x
        dy -= step_y
    step(body, dx, dy, height, cells, seen)


def step(body, dx, dy, height, cells, seen):
    """One straight step along one axis; False if something was in the way."""
    x = body[X] + dx
    y = body[Y] + dy
    hit = False
    if dy > 0:
        hit = (
            wall(x - HALF_WIDTH, y, cells, seen)
            or wall(x + HALF_WIDTH, y, cells, seen)
            or wall(x - HALF_WIDTH, y + 1, cells, seen)
            or wall(x + HALF_WIDTH, y + 1, cells, seen)
        )
    elif dy < 0:
        hit = (
            wall(x, y - height, cells, seen)
            or wall(x - HALF_WIDTH, y - height, cells, seen)
            or wall(x + HALF_WIDTH, y - height, cells, seen)
        )
    if dx != 0:
        side = x + HALF_WIDTH if dx > 0 else x - HALF_WIDTH
        head = wall(side, y - height, cells, seen)
        middle = wall(side, y - height / 2, cells, seen)
        hit = wall(side, y, cells, seen) or head or middle or hit
    if not hit:
        body[X] = x
        body[Y] = y
        return True
    if dx < 0:
        body[X] = (body[X] - HALF_WIDTH) // TILE * TILE + HALF_WIDTH
        body[VX] = 0.0
    if dx > 0:
        body[X] = ((body[X] + HALF_WIDTH) // TILE + 1) * TILE - HALF_WIDTH - 1
        body[VX] = 0.0
    if dy < 0:
        body[Y] = (body[Y] - height) // TILE * TILE + height
        body[RISING] = 0.0
        body[VY] = 0.0
    if dy > 0:
        body[Y] = ((body[Y] - 1) // TILE + 1) * TILE - 1
        body[GROUNDED] = 1.0
    return False


def wall(x, y, cells, seen):
    """Look at the cell under a pixel."""
    column = int(x // TILE)
    row = int(y // TILE)
    if row < 0 or column < 0 or row >= cells.shape[0] or column >= cells.shape[1]:
        return False
    seen[row, column] = 1
    return cells[row, column] != 0
