"""Iterated Splitting of a small function."""

import math
from typing import Any

import numpy as np

from treewright.apps.functions.objective import Compiled
from treewright.apps.functions.splitting import Splitting
from treewright.library.options import Options
from treewright.workshop.samples import Sample


def bowl(x: Any, t: Any, work: Any) -> float:
    """A function to minimise: an ellipse with waves."""
    total = 0.0
    for i in range(len(x)):
        total += (i + 1) * (x[i] - 1.0) ** 2 + 3.0 * math.cos(2.0 * x[i])
    return total


def splitting_bowl() -> Splitting:
    return Splitting(Compiled(bowl, {"none": np.zeros(1)}), [(-5.0, 5.0)] * 3, moves=6)


SAMPLES = {"splitting": Sample(splitting_bowl, Options(c=2.0, keep_state=True))}
