"""One turn without search (see simple.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs

FOLLOW, RANDOM, GREEDY = range(3)


def turn(states, t, rng, mode, actions, length, buffer, work, out):
    """Play up to ``length`` actions on ``states[0]`` while the turn lasts.

    Returns how many were played, what the mover then has, who that was, and if the game is over.
    """
    s = states[0]
    mover = player(s, t)
    at = 0
    while at < length and same_turn(s, t, mover):
        if mode == RANDOM:
            actions[at] = random_action(s, t, rng, buffer)
        elif mode == GREEDY:
            actions[at] = greedy_action(s, t, rng, buffer, work, out)
        elif not may_play(s, t, actions[at], buffer):
            break
        play(s, t, actions[at])
        at += 1
    return at, worth(s, t, mover, out), mover, ended(s, t)
