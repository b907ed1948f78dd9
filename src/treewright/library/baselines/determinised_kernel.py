"""Guesses of what is hidden, executed with the functions of a domain (see specialise.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs


def guess(states, t, rng, player):
    """Redraw what a player may not know in each of the states, one after another."""
    for i in range(len(states)):
        determinise(states[i], t, rng, player)
