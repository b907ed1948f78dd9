"""Recorded keys played again, compiled together with the game (replay.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.apps.levels.game import OUTCOME, PLAYING, tick


def replay(cells, coins, seen, body, status, things, events, keys, trace):
    """Play ``keys`` until they end or the game does; where the body was goes into ``trace``."""
    for i in range(len(keys)):
        tick(cells, coins, seen, body, status, things, events, keys[i])
        if i < len(trace):
            trace[i, 0] = body[0]
            trace[i, 1] = body[1]
        if status[OUTCOME] != PLAYING:
            return i + 1
    return len(keys)
