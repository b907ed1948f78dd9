"""Random play, for the speed of the rules alone (see benchmark.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.kernel.rng import below


def wander(states, start, t, rng, buffer, actions):
    """List the legal actions, pick one, play it; from the start again when a game is over."""
    s = states[0]
    for _ in range(actions):
        if ended(s, t):
            states[0] = start[0]
        play(s, t, buffer[below(rng, legal(s, t, buffer))])
