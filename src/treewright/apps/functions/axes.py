"""Searches along the axes, one after another (after STEP, Langerman, Seront & Bersini 1994).

Of all gaps between two neighbouring points on the line, the one is divided next in which the
straightest parabola reaches a value a little below the best.  So all of the line is looked at, and
good places more closely.  Functions that are sums over their variables are solved like this however
many minima they have, where no other solver here finds the best one.
"""

from collections.abc import Generator
from typing import Any

import numpy as np

from treewright.apps.functions.steps import Step, Steps

ALONG = 24  # evaluations along an axis
BELOW = 0.01  # how far below the best value, as a share of the distance to the middle one
NARROW = 1e-9  # a gap that is not divided
INNER = 0.1  # of a gap: nearer to its ends no point is put


def axis_steps(rng: np.random.Generator, x: np.ndarray) -> Steps:
    """Search along each axis of the unit box once, from where the one before came to."""
    x, f = x.copy(), float((yield x[None])[0])
    for i in rng.permutation(len(x)):
        x[i], f = yield from _along(x, int(i), f)
        yield Step(f, x.copy())


def _along(x: np.ndarray, i: int, f: float) -> Generator[np.ndarray, Any, tuple[float, float]]:
    """The best place along an axis, and its value."""
    places, values = [float(x[i])], [f]
    for _ in range(ALONG):
        new = _next(places, values)
        if new is None:
            break
        point = x.copy()
        point[i] = new
        places.append(new)
        values.append(float((yield point[None])[0]))
    best = int(np.argmin(values))
    return places[best], values[best]


def _next(places: list[float], values: list[float]) -> float | None:
    """Where to look next: first at both ends, then in the easiest gap."""
    for end in (0.0, 1.0):
        if end not in places:
            return end
    order = np.argsort(places)
    x, f = np.array(places)[order], np.array(values)[order]
    above = f - f.min()
    middle = float(np.sort(above)[len(above) // 2])
    root = np.sqrt(above + BELOW * max(middle, 1e-12 * (1 + abs(float(f.min())))))
    wide = np.diff(x)
    easiest = int(np.argmin((root[1:] + root[:-1]) / wide))
    if wide[easiest] < NARROW:
        return None
    share = root[easiest] / (root[easiest] + root[easiest + 1])
    return float(x[easiest] + wide[easiest] * min(1 - INNER, max(INNER, share)))
