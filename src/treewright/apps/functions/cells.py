"""Cells of the box, split where their middles are good (after SOO, Munos 2011).

Each cell has its middle evaluated.  A sweep goes from the largest cells to the smallest and splits
the best one of each size in three along a side, if it is better than all larger ones that the sweep
has split.  So every place is looked at some time, and good ones more closely.
"""

import heapq
import itertools
import math

import numpy as np

from treewright.apps.functions.steps import Step, Steps

DEEPEST = 12  # splits of a side; what is smaller is left to local solvers


def cell_steps(rng: np.random.Generator, n: int) -> Steps:
    """Look for the minimum in the unit box; a step splits one cell."""
    number = itertools.count()  # of equal values, the cell that is older comes first
    order = rng.permutation(n)  # of the sides
    middle = np.full(n, 0.5)
    best = Step(float((yield middle[None])[0]), middle)
    sizes = [[(best.value, next(number), middle)]]  # cells by how often they were split
    while any(sizes[: DEEPEST * n]):
        least = math.inf
        for size in range(min(len(sizes), DEEPEST * n)):
            if not sizes[size] or sizes[size][0][0] >= least:
                continue
            least, _, middle = heapq.heappop(sizes[size])
            splits, side = divmod(size, n)
            points = np.array([middle, middle])
            points[:, order[side]] += np.array([-1.0, 1.0]) / 3 ** (splits + 1)
            values = yield points
            if size + 1 == len(sizes):
                sizes.append([])
            thirds = zip([least, *values.tolist()], [middle, *points], strict=True)
            for value, x in thirds:
                heapq.heappush(sizes[size + 1], (value, next(number), x))
                if value < best.value:
                    best = Step(value, x)
            yield best
