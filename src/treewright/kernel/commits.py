"""An action at the root of each of many trees; executed behind ``phases.py`` and ``many.py``."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64

GOES_ON, OVER, UNFIT = range(3)


def commits(trees, t, runs, rngs, actions, codes, scratch, playing):
    """Play an action in each tree, or only look whether it can be played: ``commit_one``."""
    for r in range(len(runs)):
        own = runs[r : r + 1]
        dice = rngs[r : r + 1]
        row = actions[r : r + 1]
        codes[r] = commit_one(pick(trees, r), t, own, dice, row, scratch, playing)
    return 0


def commit_one(tree, t, runs, rng, actions, scratch, playing):
    """Play the one action of ``actions`` at the root, and keep what is known of what follows.

    An action below 0 is for a game that has ended, and where chance decides: it is drawn from
    ``rng``.  ``actions`` then has what was played.  The code says how it is now.
    """
    s = tree.root[0]
    over = bool(ended(s, t))
    action = int64(actions[0])
    if not playing:
        fits = action < 0 if over else playable(tree, t, s, action)
        return GOES_ON if fits else UNFIT
    if over:
        return OVER
    run = runs[0]
    mover = player(s, t)
    if CHANCE and mover < 0 and action < 0:
        action = int64(sample_chance(s, t, rng))
    move_root(tree, t, run, runs, action, child_of(tree, action), not GUMBEL, scratch)
    actions[0] = action
    if ended(s, t):
        return OVER
    run.root_player = player(s, t)
    if mover >= 0:
        run.root_mover = mover
    return GOES_ON


def playable(tree, t, s, action):
    """Whether an action can be played in a state that has not ended."""
    if CHANCE and player(s, t) < 0 and action < 0:
        return True
    found = False
    for i in range(min(int64(legal(s, t, tree.buffer)), len(tree.buffer))):
        found = found or tree.buffer[i] == action
    return found
