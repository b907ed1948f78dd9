"""The choice among turns by quick replies, compiled with the domain (see reply.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math


def choose(ends, values, t, rng, actions, weight, mover, work, buffer, out):
    """Which of the turns that end in ``ends`` is best, and how many replies that took.

    ``values`` are the ends' worth to the mover; -inf marks a row that holds no turn.
    """
    best = 0
    replies = 0
    top = -math.inf
    for row in range(len(ends)):
        score = values[row]
        work[0] = ends[row]
        s = work[0]
        if score > -math.inf and not ended(s, t):
            made = 0
            while made < actions and not ended(s, t):
                play(s, t, greedy_action(s, t, rng, buffer, work, out))
                made += 1
            replies += 1
            score = (1.0 - weight) * score + weight * worth(s, t, mover, out)
        if score > top:
            top = score
            best = row
    return best, replies
