"""Simultaneous Optimistic Optimization (Munos 2011; Preux, Munos & Valko 2014).

Cells are cut into three along one dimension after another, the whole box along the second; the
middle third keeps its parent's centre.  In each round, from the coarsest depth to the finest
allowed, the best cell of a depth is cut if it is better than all that were cut before it in the
round.  What a round has made waits for the next one.  Nothing is random.
"""

import heapq
import math

import numpy as np

from treewright.apps.functions.objective import Objective

Cell = tuple[float, int, np.ndarray]  # value, order, centre in the unit box


def finest(budget: int) -> float:
    """No cell as deep as this is cut."""
    return 10.0 * math.sqrt(math.log(max(2, budget)) ** 3)


def soo(objective: Objective, seed: int = 0) -> None:
    """Run until the budget is used up (it ends by ``Exhausted``)."""
    low, width = objective.low, objective.high - objective.low
    middle = np.full(objective.n, 0.5)
    value = float(objective.evaluate((low + width * middle)[None])[0])
    heaps: list[list[Cell]] = [[(value, 0, middle)]]  # by depth
    end, order = finest(objective.budget), 0
    while True:
        best = math.inf
        made: list[tuple[int, Cell]] = []
        for h, heap in enumerate(heaps):
            if heap and heap[0][0] < best and h < end:
                best, _, centre = heapq.heappop(heap)
                sides = _sides(centre, h)
                values = objective.evaluate(low + width * sides).tolist()
                for one, at in [*zip(values, sides, strict=False), (best, centre)]:
                    order += 1
                    made.append((h + 1, (one, order, at)))
        if made[-1][0] == len(heaps):
            heaps.append([])
        for h, cell in made:
            heapq.heappush(heaps[h], cell)


def _sides(centre: np.ndarray, h: int) -> np.ndarray:
    """The centres of the outer thirds of a cell of depth ``h``."""
    n = len(centre)
    sides = np.array([centre, centre])
    step = 3.0 ** -(h // n + 1)
    sides[0, (h + 1) % n] -= step
    sides[1, (h + 1) % n] += step
    return sides
