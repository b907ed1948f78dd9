"""Playing on to the end, executed with the functions of a domain (see specialise.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.kernel.rng import below


def play_out(states, t, rng, buffer):
    """Play each state on to its end, in place."""
    for i in range(len(states)):
        s = states[i]
        length = 0
        while length < MAX_LENGTH and not ended(s, t):
            play(s, t, next_action(s, t, rng, buffer))
            length += 1


def next_action(s, t, rng, buffer):
    if HAS_CHANCE and player(s, t) < 0:
        return sample_chance(s, t, rng)
    if HAS_ROLLOUT:
        return rollout(s, t, rng, buffer)
    return buffer[below(rng, legal(s, t, buffer))]
