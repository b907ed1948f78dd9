"""Line searches along all axes at once (STEP: Langerman, Seront & Bersini 1994).

The easiest interval of each axis is halved: the one on which a parabola through both ends that goes
down to a little below the best value needs the least curvature.  So wide intervals with good ends come
first, and an axis with many minima is searched as a whole.  What is learnt of an axis is kept
while the others move, as if the function were a sum of functions of one variable.
"""

import math
from bisect import insort
from collections.abc import Generator
from typing import Any

import numpy as np

from treewright.apps.functions.steps import Step, Steps

BELOW = 1e-8  # the best, as a share of the range of the values
NARROWEST = 1e-7  # interval


class _Axis:
    """Points along one axis, with values less that of where the search stands."""

    def __init__(self, at: float) -> None:
        self.points = [(at, 0.0)]

    def see(self, at: float, value: float) -> None:
        insort(self.points, (at, value))

    def easiest(self) -> float | None:
        """The middle of the interval that is easiest; none if it is too narrow."""
        at, value = np.array(self.points).T
        least, most = value.min(), value.max()
        roots = np.sqrt(value - least + BELOW * (most - least) + 1e-300)
        widths = np.diff(at)
        curvature = np.where(widths > NARROWEST, (roots[1:] + roots[:-1]) / widths, math.inf)
        i = int(np.argmin(curvature))
        return float(at[i] + at[i + 1]) / 2 if curvature[i] < math.inf else None


def axis_steps(x: np.ndarray) -> Steps:
    """Minimise from ``x`` in the unit box; a step evaluates a point of each axis."""
    x = x.copy()
    f = float((yield x[None])[0])
    axes = [_Axis(at) for at in x.tolist()]
    stands = [0.0] * len(x)  # the value of each axis where the search stands

    def at(i: int, t: float) -> Generator[np.ndarray, Any, None]:
        nonlocal f
        point = x.copy()
        point[i] = t
        value = float((yield point[None])[0])
        axes[i].see(t, value - f + stands[i])
        if value < f:
            stands[i] += value - f
            x[i], f = t, value

    for end in (0.0, 1.0):
        for i in range(len(x)):
            if x[i] != end:
                yield from at(i, end)
        yield Step(f, x.copy())
    while True:
        middles = [axis.easiest() for axis in axes]
        if all(middle is None for middle in middles):
            return
        for i, middle in enumerate(middles):
            if middle is not None:
                yield from at(i, middle)
        yield Step(f, x.copy())
