"""A player that looks ahead with the game itself, compiled together with it (bots.py).

A plan holds a direction and a pace, and jumps after ``delay`` ticks for ``hold`` ticks.  Every
``reaction`` ticks each plan is tried in the mind, and the best is followed until the next time.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.apps.levels.game import OUTCOME, PLAYING, tick
from treewright.apps.levels.physics import X
from treewright.apps.study.lookahead import LATE, key_of, worth
from treewright.random import below, uniform


def act(game, mind, events, nothing, plans, skill, rng, keys):
    """Play one attempt to its end; the keys go into ``keys``, their number is returned.

    ``skill`` is (reaction in ticks, error rate, caution from 0 to 1).
    """
    cells, coins, seen, body, status, things = game
    chosen = 0
    since = 0
    held = 0
    stuck = 0
    farthest = body[X]
    n = 0
    while status[OUTCOME] == PLAYING and n < len(keys):
        if since % int(skill[0]) == 0:
            best = -1e18
            for i in range(len(plans)):
                value = worth(game, mind, plans[i], 0, held, nothing) + uniform(rng)
                if skill[2] > 0.0:
                    value = (1.0 - 0.5 * skill[2]) * value + 0.5 * skill[2] * worth(
                        game, mind, plans[i], LATE, held, nothing
                    )
                if value > best:
                    best = value
                    chosen = i
            # a slip, or somebody who gets nowhere and tries anything
            if uniform(rng) < skill[1] or (stuck > 90 and uniform(rng) < 0.3):
                chosen = below(rng, len(plans))
            since = 0
        held = key_of(plans[chosen], since)
        since += 1
        keys[n] = held
        n += 1
        tick(cells, coins, seen, body, status, things, events, held)
        stuck += 1
        if body[X] > farthest + 8.0:
            farthest = body[X]
            stuck = 0
    return n
