"""Steps that every planner of turns needs; executed in front of its own text (see agent.py).

``work`` is an array of states for scratch: its last row is free for trying out actions.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

from treewright.kernel.rng import below


def same_turn(s, t, mover):
    """Whether the game goes on and it is still this player's turn."""
    return not ended(s, t) and player(s, t) == mover


def worth(s, t, mover, out):
    """The state for a player: its reward if it has ended, else its value."""
    for i in range(len(out)):
        out[i] = 0.0
    if ended(s, t):
        rewards(s, t, out)
    else:
        value(s, t, out)
    return out[mover]


def may_play(s, t, action, buffer):
    """Whether an action is legal here."""
    if HAS_ALLOWED:
        return allowed(s, t, action)
    n = legal(s, t, buffer)
    for i in range(n):
        if buffer[i] == action:
            return True
    return False


def random_action(s, t, rng, buffer):
    n = legal(s, t, buffer)
    return int(buffer[below(rng, n)])


def greedy_action(s, t, rng, buffer, work, out):
    """Greedy Action: the action whose next state is worth most to the mover; ties at random."""
    if HAS_GREEDY:
        return greedy(s, t, rng, buffer)
    mover = player(s, t)
    n = legal(s, t, buffer)
    last = len(work) - 1
    top = -math.inf
    ties = 0
    best = 0
    for i in range(n):
        work[last] = s
        play(work[last], t, buffer[i])
        found = worth(work[last], t, mover, out)
        if found > top:
            top = found
            best = i
            ties = 1
        elif found == top:
            ties += 1
            if below(rng, ties) == 0:
                best = i
    return int(buffer[best])
