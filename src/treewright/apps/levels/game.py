"""The game: one thirtieth of a second, for a player in a level with enemies.

The player moves by the checker's own physics (domains/levels/physics.py), so what the checker
promises holds here.  Nothing is random and every number is a double or a whole number, used
with + - * / and comparisons only: the same keys give the same game, compiled, interpreted, and
in the browser, where ``static/engine.mjs`` says the same line by line (a test runs both).

Arrays: ``cells[row, column]`` is what stops a body, ``coins`` the coins in the air, ``body`` the
player (physics.py), ``status`` whole numbers (below), ``things`` one row for each enemy, cannon and
item, ``events`` the log with rows (tick, event, value, x).
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.apps.levels import physics
from treewright.apps.levels.physics import (
    BODY,
    DRAG,
    GRAVITY,
    GROUNDED,
    HALF_WIDTH,
    JUMP,
    JUMP_SPEED,
    LEFT,
    MAY_JUMP,
    RIGHT,
    RISING,
    TILE,
    VX,
    VY,
    X,
    Y,
)

DUCK, GIVE_UP = 16, 32  # keys, beside those of the physics; who gives up may start again

AIR, SOLID, BRICK, COIN_BLOCK, POWER_BLOCK, USED, PIPE, PIPE_TOP, CANNON_TOP, CANNON_BODY = range(
    10
)

# whole numbers of the state
STATUS = 14
(
    TICK,
    OUTCOME,
    CAUSE,
    IS_LARGE,
    SAFE,
    DUCKING,
    FACING,
    COINS,
    EVENTS,
    KEYS,
    GOING,
    GOAL,
    SLOT,
    STOOD,
) = range(STATUS)
PLAYING, WON, DIED = range(3)

# columns of things, after those of a body
KIND, MODE, SIDE, TIMER, HOME = range(BODY, BODY + 5)
THING = BODY + 5
GOOMBA, GREEN, RED, FLOWER, BULLET, CANNON, MUSHROOM = range(1, 8)
ASLEEP, AWAKE, SHELL, SLIDING, GONE = range(5)
BY_GAP, BY_SHELL, BY_TIME, BY_RESTART = 0, 6, 7, 8  # causes of death beside the kinds of enemy

# events
(
    E_KEYS,
    E_JUMP,
    E_LAND,
    E_BUMP,
    E_BREAK,
    E_COIN,
    E_STOMP,
    E_SHELL,
    E_KICK,
    E_HURT,
    E_DIE,
    E_WIN,
    E_POWER,
    E_GO,
    E_ITEM,
    E_DUCK,
) = range(1, 17)

LIMIT = 6000  # ticks of an attempt: 200 seconds
HURT_TICKS = 32  # after a hit, nothing hurts for a second
KICK_TICKS = 8  # a shell does not hurt who has just kicked it
WAKE = 192.0  # pixels: enemies that far from the player begin to move
WALKING, SLIDING_SPEED, FLYING = 1.75, 11.0, 4.0
STOMP_RISE = 8  # a stomp bounces a little higher than a jump
LOW = 12.0  # the height of an enemy, of an item, of the small and of the ducking player
TALL = 24.0
REACH = 12.0  # how near the middles of two bodies must be to touch
FIRE_EVERY, FIRE_FAR, FIRE_NEAR = 90, 192.0, 32.0
LOST = 320.0  # a bullet this far away is gone
FLOWER_CYCLE, FLOWER_UP, FLOWER_TOP, FLOWER_DOWN = 96, 40, 56, 80
FLOWER_RISE, FLOWER_REACH, FLOWER_SHY = 1.5, 10.0, 24.0
NEAR_ENEMY, NEAR_HEIGHT, NEAR_GAP = 80.0, 64.0, 5  # what a jump may be aimed at


def tick(cells, coins, seen, body, status, things, events, keys):
    """One step of the game with these keys held."""
    status[TICK] += 1
    if keys != status[KEYS]:
        note(status, events, body, E_KEYS, keys)
        status[KEYS] = keys
    if status[SAFE] > 0:
        status[SAFE] -= 1
    move_player(cells, coins, seen, body, status, things, events, keys)
    for i in range(things.shape[0]):
        if things[i, MODE] != GONE:
            move_thing(cells, seen, body, status, things, events, i)
        if status[OUTCOME] != PLAYING:
            return
    if body[Y] > TILE * cells.shape[0] + 32:
        die(status, events, body, BY_GAP)
    elif body[X] >= TILE * status[GOAL]:
        status[OUTCOME] = WON
        note(status, events, body, E_WIN, 0)
    elif status[TICK] >= LIMIT:
        die(status, events, body, BY_TIME)
    elif keys & GIVE_UP:
        die(status, events, body, BY_RESTART)


def note(status, events, body, event, value):
    """Write an event down; one that finds no room is only counted."""
    at = status[EVENTS]
    if at < events.shape[0]:
        events[at, 0] = status[TICK]
        events[at, 1] = event
        events[at, 2] = value
        events[at, 3] = int(body[X])
    status[EVENTS] = at + 1


def die(status, events, body, cause):
    status[OUTCOME] = DIED
    status[CAUSE] = cause
    note(status, events, body, E_DIE, cause)


# -------------------------------------------------------------------------------- the player


def player_height(status):
    return TALL if status[IS_LARGE] and not status[DUCKING] else LOW


def move_player(cells, coins, seen, body, status, things, events, keys):
    duck(cells, seen, body, status, events, keys)
    if keys & DUCK and status[DUCKING] and body[GROUNDED]:
        keys &= ~(LEFT | RIGHT)  # who ducks does not walk
    if keys & LEFT and not keys & RIGHT:
        status[FACING] = -1
    if keys & RIGHT and not keys & LEFT:
        status[FACING] = 1
    if keys & JUMP and body[RISING] <= 0 and body[GROUNDED] and body[MAY_JUMP]:
        note(status, events, body, E_JUMP, aim(cells, body, status, things))
    height = player_height(status)
    status[STOOD] = int(body[GROUNDED])
    physics.steer(body, keys)
    physics.move(body, body[VX], 0.0, height, cells, seen)
    if body[X] < 0.0:
        body[X] = 0.0
        body[VX] = 0.0
    rising = body[VY] < 0.0
    physics.move(body, 0.0, body[VY], height, cells, seen)
    if rising and body[VY] == 0.0:
        bump(cells, coins, body, status, things, events, height)
    collect(coins, body, status, events, height)
    if body[GROUNDED] and not status[STOOD]:
        note(status, events, body, E_LAND, 0)
    physics.settle(body)
    going = 1 if body[VX] > 0.0 else -1 if body[VX] < 0.0 else 0
    if going != status[GOING]:
        status[GOING] = going
        note(status, events, body, E_GO, going)


def duck(cells, seen, body, status, events, keys):
    """The large player ducks by key on the ground, and stays down where there is no room."""
    before = status[DUCKING]
    if not status[IS_LARGE]:
        status[DUCKING] = 0
    elif body[GROUNDED] and keys & DUCK:
        status[DUCKING] = 1
    elif before and (body[GROUNDED] or not keys & DUCK):
        left = physics.wall(body[X] - HALF_WIDTH, body[Y] - TALL, cells, seen)
        right = physics.wall(body[X] + HALF_WIDTH, body[Y] - TALL, cells, seen)
        status[DUCKING] = 1 if left or right else 0
    if status[DUCKING] != before:
        note(status, events, body, E_DUCK, status[DUCKING])


def aim(cells, body, status, things):
    """What is near when a jump begins: 1 an enemy, 2 a gap ahead, 3 both."""
    found = 0
    for i in range(things.shape[0]):
        kind = things[i, KIND]
        mode = things[i, MODE]
        if mode != GONE and kind <= BULLET:
            near = abs(things[i, X] - body[X]) < NEAR_ENEMY
            if near and abs(things[i, Y] - body[Y]) < NEAR_HEIGHT:
                found = 1
                break
    here = int(body[X] // TILE)
    for k in range(NEAR_GAP + 1):
        column = here + k * status[FACING]
        if 0 <= column < cells.shape[1] and cells[cells.shape[0] - 1, column] == AIR:
            return found + 2
    return found


def bump(cells, coins, body, status, things, events, height):
    """The head has hit a block: give what is in it, or break it."""
    row = int((body[Y] - height) // TILE) - 1
    if row < 0:
        return
    column = int(body[X] // TILE)
    if not solid(cells, row, column):
        column = int((body[X] - HALF_WIDTH) // TILE)
        if not solid(cells, row, column):
            column = int((body[X] + HALF_WIDTH) // TILE)
            if not solid(cells, row, column):
                return
    block = cells[row, column]
    if BRICK <= block <= POWER_BLOCK:
        note(status, events, body, E_BUMP, block)
    if block == COIN_BLOCK:
        cells[row, column] = USED
        status[COINS] += 1
        note(status, events, body, E_COIN, 1)
    elif block == POWER_BLOCK:
        cells[row, column] = USED
        spawn(status, things, MUSHROOM, TILE * column + 8.0, TILE * row - 1.0, 1)
    elif block == BRICK and status[IS_LARGE]:
        cells[row, column] = AIR
        note(status, events, body, E_BREAK, 0)
    if row > 0 and block != SOLID and coins[row - 1, column]:
        coins[row - 1, column] = 0  # a coin on a bumped block is won
        status[COINS] += 1
        note(status, events, body, E_COIN, 0)


def solid(cells, row, column):
    return 0 <= column < cells.shape[1] and cells[row, column] != AIR


def collect(coins, body, status, events, height):
    """The coins that the body covers."""
    first = int((body[X] - HALF_WIDTH) // TILE)
    last = int((body[X] + HALF_WIDTH) // TILE)
    top = int((body[Y] - height + 1) // TILE)
    bottom = int(body[Y] // TILE)
    for row in range(max(top, 0), min(bottom, coins.shape[0] - 1) + 1):
        for column in range(max(first, 0), min(last, coins.shape[1] - 1) + 1):
            if coins[row, column]:
                coins[row, column] = 0
                status[COINS] += 1
                note(status, events, body, E_COIN, 0)


def hurt(body, status, events, cause):
    """Large becomes small; small dies."""
    if status[SAFE] > 0:
        return
    if status[IS_LARGE]:
        status[IS_LARGE] = 0
        status[DUCKING] = 0
        status[SAFE] = HURT_TICKS
        note(status, events, body, E_HURT, cause)
        note(status, events, body, E_POWER, 0)
    else:
        die(status, events, body, cause)


# ------------------------------------------------------------------------ everything else


def spawn(status, things, kind, x, y, side):
    """A bullet or an item appears, if there is room for one more."""
    for i in range(status[SLOT], things.shape[0]):
        if things[i, MODE] == GONE:
            for k in range(THING):
                things[i, k] = 0.0
            things[i, X] = x
            things[i, Y] = y
            things[i, VY] = physics.RESTING
            things[i, KIND] = kind
            things[i, MODE] = AWAKE
            things[i, SIDE] = side
            return


def move_thing(cells, seen, body, status, things, events, i):
    kind = things[i, KIND]
    if kind == CANNON:
        fire(body, status, things, i)
        return
    if kind == FLOWER:
        grow(body, things, i)
    elif kind == BULLET:
        things[i, X] += FLYING * things[i, SIDE]
        if abs(things[i, X] - body[X]) > LOST:
            things[i, MODE] = GONE
            return
    else:
        if things[i, MODE] == ASLEEP:
            if abs(things[i, X] - body[X]) >= WAKE:
                return
            things[i, MODE] = AWAKE
        walk(cells, seen, things, i)
        if things[i, Y] > TILE * cells.shape[0] + 32:
            things[i, MODE] = GONE
            return
    if things[i, MODE] == SLIDING:
        knock(body, status, things, events, i)
    touch(body, status, things, events, i)


def fire(body, status, things, i):
    """A cannon shoots at a player who is neither far nor beside it."""
    distance = body[X] - things[i, X]
    if abs(distance) > FIRE_FAR:
        return
    if things[i, TIMER] > 0:
        things[i, TIMER] -= 1
    elif abs(distance) > FIRE_NEAR:
        things[i, TIMER] = FIRE_EVERY
        side = 1 if distance > 0 else -1
        spawn(status, things, BULLET, things[i, X] + 8.0 * side, things[i, Y], side)


def grow(body, things, i):
    """A flower comes out of its pipe and goes back, unless somebody stands beside it."""
    time = things[i, TIMER]
    shy = abs(things[i, X] - body[X]) < FLOWER_SHY
    if not (time == FLOWER_UP - 1 and shy):
        time = time + 1
        if time == FLOWER_CYCLE:
            time = 0.0
        things[i, TIMER] = time
    out = 0.0
    if time >= FLOWER_DOWN:
        out = FLOWER_RISE * (FLOWER_CYCLE - time)
    elif time >= FLOWER_TOP:
        out = TALL
    elif time >= FLOWER_UP:
        out = FLOWER_RISE * (time - FLOWER_UP)
    things[i, Y] = things[i, HOME] + TALL - out


def walk(cells, seen, things, i):
    """Walkers turn at walls, red ones at ledges too; shells slide; mushrooms walk."""
    one = things[i, :BODY]
    speed = WALKING
    if things[i, MODE] == SLIDING:
        speed = SLIDING_SPEED
        if things[i, TIMER] > 0:
            things[i, TIMER] -= 1
    elif things[i, MODE] == SHELL:
        speed = 0.0
    if things[i, KIND] == RED and things[i, MODE] == AWAKE and one[GROUNDED]:
        ahead = one[X] + things[i, SIDE] * (HALF_WIDTH + 2.0)
        if not physics.wall(ahead, one[Y] + 1.0, cells, seen):
            things[i, SIDE] = -things[i, SIDE]
    one[GROUNDED] = 0.0
    if speed > 0.0:
        one[VX] = speed * things[i, SIDE]
        physics.move(one, one[VX], 0.0, LOW, cells, seen)
        if one[VX] == 0.0 or one[X] < 0.0:
            one[X] = max(one[X], 0.0)
            things[i, SIDE] = -things[i, SIDE]
    physics.move(one, 0.0, one[VY], LOW, cells, seen)
    one[VY] *= DRAG
    if not one[GROUNDED]:
        one[VY] += GRAVITY


def knock(body, status, things, events, i):
    """A sliding shell kills every enemy in its way."""
    for k in range(things.shape[0]):
        kind = things[k, KIND]
        mode = things[k, MODE]
        if k == i or mode == GONE or kind > BULLET:
            continue
        near = abs(things[k, X] - things[i, X]) < REACH
        if near and abs(things[k, Y] - things[i, Y]) < LOW:
            things[k, MODE] = GONE
            note(status, events, body, E_SHELL, int(kind))


def touch(body, status, things, events, i):
    """What happens between a thing and the player, if they touch."""
    kind = things[i, KIND]
    reach = FLOWER_REACH if kind == FLOWER else REACH
    if abs(body[X] - things[i, X]) >= reach:
        return
    above = body[Y] - things[i, Y]  # negative if the player's feet are higher
    tall = TALL if kind == FLOWER else LOW
    if above <= -tall or above >= player_height(status):
        return
    if kind == MUSHROOM:
        things[i, MODE] = GONE
        note(status, events, body, E_ITEM, 0)
        if not status[IS_LARGE]:
            status[IS_LARGE] = 1
            status[DUCKING] = 1  # until there is room to stand
            note(status, events, body, E_POWER, 1)
        return
    if kind == FLOWER:
        if things[i, Y] - TALL < things[i, HOME] - 4.0:
            hurt(body, status, events, FLOWER)
        return
    if body[VY] > 0.0 and above <= 0.0 and not (body[GROUNDED] and status[STOOD]):
        stomp(body, status, things, events, i)
    elif things[i, MODE] == SHELL:
        kick(body, status, things, events, i)
    elif things[i, MODE] == SLIDING:
        if things[i, TIMER] <= 0:
            hurt(body, status, events, BY_SHELL)
    else:
        hurt(body, status, events, int(kind))


def kick(body, status, things, events, i):
    """A shell that lies still slides away from who touches it."""
    things[i, MODE] = SLIDING
    things[i, TIMER] = KICK_TICKS
    things[i, SIDE] = 1 if body[X] <= things[i, X] else -1
    note(status, events, body, E_KICK, int(things[i, KIND]))


def stomp(body, status, things, events, i):
    """Jump on an enemy: walkers and bullets die, turtles become shells, sliding shells stop."""
    kind = things[i, KIND]
    body[VY] = -JUMP_SPEED * STOMP_RISE
    body[RISING] = STOMP_RISE
    if status[SAFE] < 2:
        status[SAFE] = 2  # nothing hurts on the way off
    if things[i, MODE] == SHELL:
        kick(body, status, things, events, i)
    elif things[i, MODE] == SLIDING:
        things[i, MODE] = SHELL
        things[i, VX] = 0.0
    else:
        things[i, MODE] = SHELL if kind in (GREEN, RED) else GONE
        note(status, events, body, E_STOMP, int(kind))
