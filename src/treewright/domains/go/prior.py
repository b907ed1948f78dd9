"""What a move is worth before it was ever tried, for MC-RAVE with priors.

The strength of a move (features.py) becomes a value, ``1 / (1 + exp(EVEN - SLOPE · strength))``,
that counts as so many simulations (Gelly & Silver 2011, 5.1).  ``EVEN`` decides what moves that
nothing speaks for begin with.  In self-play at 1,000 simulations (EVEN, SLOPE, VISITS) of
(0.3, 0.5, 14) won 72 % of 40 games against (1, 0.6, 20); against it (-0.3, 0.5, 14) won 31 % of 48,
(0.3, 0.5, 8) 42 % and (0.3, 0.7, 14) 54 %.  What stands below lies between those and was
measured against GNU Go only.
"""

import functools
import math
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy import int64

from treewright.domains.go.board import PASS
from treewright.domains.go.features import COUNT, make_features, shapes

EVEN, SLOPE, VISITS, PASSING = 0.3, 0.6, 16.0, 10.0


@functools.cache
def weights() -> np.ndarray:
    """The learned weights: one for each 3x3 shape, then the others."""
    with files(__package__).joinpath("weights.npz").open("rb") as file:
        stored = np.load(file)
        found = np.zeros(COUNT, np.float32)
        least = shapes()
        table = np.zeros(1 << 16, np.float32)
        table[stored["shapes"]] = stored["shape_weights"]
        found[: 1 << 16] = table[least]
        found[1 << 16 :] = stored["others"]
    found.flags.writeable = False
    return found


def make_prior(rules: SimpleNamespace) -> tuple[Any, Any]:
    """``prior(s, t, action)`` and ``weight(s, t, action)`` for one board size."""
    strength = make_features(rules).strength

    def prior(s, t, action):
        """(mean value, number of simulations) that a move starts with."""
        if action == PASS:
            return (0.5 if s.passes > 0 else 0.0), PASSING
        x = EVEN - SLOPE * strength(s, t.worth, int64(action))
        return 1.0 / (1.0 + math.exp(x)), VISITS

    def weight(s, t, action):
        """The same as a probability, up to a factor: for PUCT."""
        if action == PASS:
            return 1e-3
        return math.exp(strength(s, t.worth, int64(action)))

    return prior, weight
