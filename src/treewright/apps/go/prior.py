"""What a move is worth before it was ever tried, for MC-RAVE with priors.

Every move starts as an even game of a few simulations (Gelly & Silver 2011, 5.1); what speaks for
it (features.py) is its ``weight``, of which ``Options(head_start=…)`` makes won simulations.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import functools
import math
from importlib.resources import files

import numpy as np
from numpy import int64

from treewright.apps.go.board import PASS
from treewright.apps.go.features import shapes, strength

EVEN, VISITS = 0.5, 10.0  # what nothing is known about
PASSING = 0.03  # the weight of a pass: where every other move loses something it must be found


@functools.cache
def weights(large: bool) -> tuple[np.ndarray, np.ndarray]:
    """What was learned: the factor of each 3x3 shape in playouts; the logarithms of all factors,
    shapes first, in the tree.
    """
    with files(__package__).joinpath("weights.npz").open("rb") as file:
        stored = np.load(file)
        known = {}
        for name in ("playout", "prior"):
            table = np.zeros(1 << 16, np.float32)
            table[stored["shapes"]] = stored[name]
            known[name] = table[shapes()]
        others = stored["large" if large else "others"]
        found = np.exp(known["playout"]), np.concatenate([known["prior"], others])
    for table in found:
        table.flags.writeable = False
    return found


def prior(s, t, action):
    """(mean value, number of simulations) that a move starts with."""
    return EVEN, VISITS


def weight(s, t, action):
    """The probability of a move, up to a factor."""
    if action == PASS:
        return PASSING
    return math.exp(strength(s, t.worth, int64(action)))
