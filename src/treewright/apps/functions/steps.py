"""Solvers as generators: they say which points they want evaluated, and get the values.

So a solver can be left after any step and gone on with later, and several of them can have their
points evaluated at the same time.
"""

from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple

import numpy as np

Evaluate = Callable[[np.ndarray], np.ndarray]  # [k, n] points: their values


class Step(NamedTuple):
    """The end of a step: the best value of the solver so far, and where it stands."""

    value: float
    x: np.ndarray


# yields points [k, n], which it gets the values of, and steps
Steps = Generator[np.ndarray | Step, Any, None]


def evaluated(solver: Steps, evaluate: Evaluate) -> Iterator[Step]:
    """The steps of a solver whose points are evaluated as it asks for them."""
    values: np.ndarray | None = None
    while True:
        try:
            asked = solver.send(values)
        except StopIteration:
            return
        values = None
        if isinstance(asked, Step):
            yield asked
        else:
            values = evaluate(asked)


def within(solver: Steps, x: np.ndarray, free: np.ndarray) -> Steps:
    """A solver of some variables only; the others are as in ``x``."""
    values: np.ndarray | None = None
    while True:
        try:
            asked = solver.send(values)
        except StopIteration:
            return
        if isinstance(asked, Step):
            values = yield Step(asked.value, _filled(asked.x, x, free))
        else:
            values = yield _filled(asked, x, free)


def _filled(points: np.ndarray, x: np.ndarray, free: np.ndarray) -> np.ndarray:
    found = np.empty((*points.shape[:-1], len(x)))
    found[...] = x
    found[..., free] = points
    return found
