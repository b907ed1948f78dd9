"""Simultaneous Optimistic Optimization (Munos 2011; Preux, Munos & Valko 2014).

Cells are cut into three along one dimension after another; the middle third has its parent's
centre.  In each round, from the coarsest depth to the finest allowed, the best cell of a depth is
cut if it is better than all that were cut before it in the round.  Nothing is random.
"""

import heapq
import math
from collections.abc import Callable

import numpy as np

from treewright.apps.functions.objective import Objective


def square_root(expansions: int) -> float:
    """How deep the tree may be after so many expansions."""
    return math.sqrt(expansions)


def soo(
    objective: Objective, seed: int = 0, *, depth: Callable[[int], float] = square_root
) -> None:
    """Run until the budget is used up (it ends by ``Exhausted``)."""
    low, width = objective.low, objective.high - objective.low
    middle = np.full(objective.n, 0.5)
    value = float(objective.evaluate((low + width * middle)[None])[0])
    # one heap per depth: (value, order, centre in the unit box)
    heaps: list[list[tuple[float, int, np.ndarray]]] = [[(value, 0, middle)]]
    expansions = order = 0
    while True:
        best = math.inf
        h = 0
        while h <= min(len(heaps) - 1, depth(max(1, expansions))):
            if heaps[h] and heaps[h][0][0] < best:
                value, _, centre = heapq.heappop(heaps[h])
                best = value
                step = 3.0 ** -(h // objective.n + 1)
                sides = np.array([centre, centre])
                sides[0, h % objective.n] -= step
                sides[1, h % objective.n] += step
                values = objective.evaluate(low + width * sides)
                expansions += 1
                if h + 1 == len(heaps):
                    heaps.append([])
                heapq.heappush(heaps[h + 1], (value, order, centre))
                for at in range(len(values)):
                    order += 1
                    heapq.heappush(heaps[h + 1], (float(values[at]), order, sides[at]))
                order += 1
            h += 1
