"""Iterated Splitting: which part of the split dimension to keep (section II-B, figure 3).

The search space is a box.  An action takes one of ``splits`` equal parts of the next dimension,
cyclically; after ``moves`` actions the function is evaluated at the centre of what is left,
and the next pass begins with the box of the best point that was found.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import float64, int64

from treewright.apps.functions.objective import Compiled, Exhausted, Objective, plain
from treewright.errors import OptionError
from treewright.library.domain import Domain, constant, record
from treewright.library.multipass import MultiPass, Pass
from treewright.library.options import Options
from treewright.library.search import Search

MOST_SPLITS = 16
LONGEST = 1000
WORK = 6  # scratch numbers per dimension that a function may use
# so small beside UCB1's parameter 2 that exploration is all but uniform: with rewards of that
# kind, and no other, the paper's table IV comes out
SCALE = 1e-6
N = constant()  # dimensions
CALL = constant()  # the function


class Splitting(Domain):
    """``Splitting(compiled, bounds, splits=3, moves=10)``."""

    players = 1
    max_actions = MOST_SPLITS
    max_length = LONGEST

    def __init__(self, f: Compiled, bounds: Any, splits: int = 3, moves: int = 10) -> None:
        box = np.array(bounds, float64)
        n = len(box)
        self.state = record(
            low=(float64, n),
            high=(float64, n),
            x=(float64, n),
            work=(float64, WORK * n),
            f=float64,
            splits=int64,
            left=int64,
            dimension=int64,
        )
        super().__init__(
            tables={**f.tables, "low": box[:, 0], "high": box[:, 1]},
            constants={N: n, CALL: f.call},
            splits=splits,
            moves=moves,
        )

    def start(s, t, splits=3, moves=10):
        for i in range(N):
            s.low[i] = t.low[i]
            s.high[i] = t.high[i]
        s.splits = splits
        s.left = moves

    def legal(s, t, out):
        for i in range(s.splits):
            out[i] = i
        return s.splits

    def play(s, t, action):
        d = s.dimension
        part = (s.high[d] - s.low[d]) / s.splits
        s.low[d] += action * part
        s.high[d] = s.low[d] + part
        s.dimension = d + 1 if d + 1 < N else 0
        s.left -= 1

    def ended(s, t):
        return s.left == 0

    def value(s, t, out):
        out[0] = CALL(s.x, t, s.work)

    def rewards(s, t, out):
        for i in range(N):
            s.x[i] = 0.5 * (s.low[i] + s.high[i])
        s.f = CALL(s.x, t, s.work)
        if not -math.inf < s.f < math.inf:  # not finite: as bad as can be
            s.f = math.inf
        out[0] = SCALE * (0.5 - math.atan(s.f) / math.pi)

    def describe(s, t, action):
        return f"x{s.dimension + 1}, part {action + 1} of {s.splits}"

    def shrink(self, s: Any, found: Pass, progress: float) -> bool:
        """The next pass splits the box of the best point of this one."""
        s._record[0] = found.state._record[0]
        s.left = round(progress)
        return True


def iterated_splitting(
    objective: Objective,
    seed: int = 0,
    *,
    moves: int | None = None,
    passes: int = 10,
    splits: int = 3,
    c: float = 2.0,
    watch: Callable[[Search, Pass], object] | None = None,
) -> None:
    """The paper's method: the budget is split equally among the passes.

    ``moves`` per pass: every dimension once, unless given.  ``watch`` sees the search and what was
    found after each pass.
    """
    moves = objective.n if moves is None else moves
    for name, number, high in (
        ("moves", moves, LONGEST),
        ("passes", passes, 10**6),
        ("splits", splits, MOST_SPLITS),
    ):
        low = 2 if name == "splits" else 1
        if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
            raise OptionError(f"{name} must be a whole number from {low} to {high}, not {number!r}")
    box = list(zip(objective.low, objective.high, strict=True))
    native = objective.compiled if objective.natural else None
    f = native or Compiled(_counted(objective), {"none": np.zeros(1)})
    domain = Splitting(f, box, splits=splits, moves=moves)
    search = MultiPass(
        domain,
        Options(c=c, keep_state=True),
        passes=passes,
        simulations=max(1, objective.budget // passes),
        progress=moves,
        seed=seed,
        memory="128MiB",
        engine="compiled" if native else "python",
    )

    def seen(found: Pass) -> bool:
        x = np.array(found.state.x)
        if native:
            objective.note(x, float(found.state.f), found.simulations)
        if watch is not None:
            watch(search.search, found)
        return objective.left > 0

    if search.run(objective.budget, progress=seen).stopped == "interrupt":
        raise KeyboardInterrupt


def _counted(objective: Objective) -> Any:
    """The plain function, seen by the objective, for the interpreted kernel."""

    def one(x: np.ndarray) -> float:
        try:
            return float(objective.evaluate(x.reshape(1, -1))[0])
        except Exhausted:
            return math.inf

    return plain(one)


def splitting(number: int = 1, dim: int = 10, splits: int = 3, moves: int = 10) -> Splitting:
    """The domain of a function of CEC 2014, by its number."""
    from treewright.apps.functions.minimize import cec_bounds, cec_function

    return Splitting(cec_function(number, dim), cec_bounds(dim), splits=splits, moves=moves)
