"""What an automatic player thinks: plans tried in the mind, with the game itself (bots.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.apps.levels.game import COINS, IS_LARGE, OUTCOME, PLAYING, TICK, WON, tick
from treewright.apps.levels.physics import GROUNDED, JUMP, X, Y

HORIZON = 24  # ticks that a plan is followed in the mind
FALLING = 24  # and on, until it is clear where a jump lands
DEATH, LOSS, LATE = 2000.0, 400.0, 2
COIN_WORTH, GROWTH_WORTH = 12.0, 80.0


def restore(now, then):
    """Make one game's arrays equal to another's."""
    for row in range(now[0].shape[0]):
        for column in range(now[0].shape[1]):
            now[0][row, column] = then[0][row, column]
            now[1][row, column] = then[1][row, column]
    for i in range(len(now[3])):
        now[3][i] = then[3][i]
    for i in range(len(now[4])):
        now[4][i] = then[4][i]
    for i in range(now[5].shape[0]):
        for k in range(now[5].shape[1]):
            now[5][i, k] = then[5][i, k]


def key_of(plan, time):
    """The keys of a plan at one of its ticks."""
    keys = plan[0]
    if plan[1] <= time < plan[1] + plan[2]:
        keys |= JUMP
    return keys


def worth(game, mind, plan, late, held, nothing):
    """How far a plan gets, less what it costs; ``late`` ticks pass before it begins."""
    restore(mind, game)
    cells, coins, seen, body, status, things = mind
    start, had, large = body[X], status[COINS], status[IS_LARGE]
    for time in range(HORIZON + FALLING):
        if time >= HORIZON and body[GROUNDED]:
            break
        keys = held if time < late else key_of(plan, time - late)
        tick(cells, coins, seen, body, status, things, nothing, keys)
        if status[OUTCOME] != PLAYING:
            break
    value = body[X] - start + COIN_WORTH * (status[COINS] - had)
    value += GROWTH_WORTH * max(status[IS_LARGE] - large, 0) - LOSS * max(
        large - status[IS_LARGE], 0
    )
    if status[OUTCOME] == WON:
        return value + DEATH - (status[TICK] - game[4][TICK])
    if status[OUTCOME] != PLAYING:
        return value - DEATH + 10.0 * (status[TICK] - game[4][TICK])
    if body[GROUNDED] == 0:
        value -= 0.5 * max(body[Y] - game[3][Y], 0.0)
    return value
