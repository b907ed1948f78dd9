"""What the experiment on BBOB runs: our methods and other people's, each counted alike.

The seed of a run is the instance.
"""

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Any

from treewright.apps.functions.experiments.bbob_counted import (
    MARKS,
    STEPS,
    TARGETS,
    Counted,
    Spent,
)
from treewright.library.applications import load
from treewright.workshop.experiments.experiment import Row, Settings

OURS = ("runs", "runs-no-tree", "staged", "soo", "la-mcts")


def solver(method: str) -> Callable[[Counted, int], None]:
    """A method, found by its name: a row of other people's does not depend on code of ours."""
    module = "bbob_ours" if method in OURS else "bbob_others"
    found: Callable[[Counted, int], None] = load(f"{__package__}.{module}:METHODS")[method]
    return found


def uses(settings: Settings) -> Sequence[Any]:
    """The code that a row depends on beside what is in this file."""
    return [solver(str(settings["method"]))]


def counted(method: str, function: int, n: int, instance: int, per: int) -> tuple[Counted, float]:
    """One run of a method, and its CPU seconds beside the function."""
    solve = solver(method)
    f = Counted(function, n, instance, per * n)
    began = time.thread_time()
    with contextlib.suppress(Spent):
        solve(f, instance)
    return f, time.thread_time() - began - f.inside


def run(settings: Settings, seed: int) -> Row:
    """The errors of one run, when it reached which target, and what an evaluation cost beside f."""
    f, seconds = counted(
        str(settings["method"]),
        int(settings["function"]),  # type: ignore[arg-type]
        int(settings["dimensions"]),  # type: ignore[arg-type]
        seed,
        int(settings["per_dimension"]),  # type: ignore[arg-type]
    )
    found = f.errors()
    row: Row = {f"at_{mark}": found.get(mark) for mark in MARKS}
    reached = [sum(error <= target for target in TARGETS) for error in found.values()]
    row["targets"] = sum(reached) / (len(TARGETS) * max(1, len(reached)))
    row |= {f"to_{step:g}": hit for step, hit in zip(STEPS, f.hits, strict=False)}
    return row | {"evaluations": f.done, "overhead_ms": 1000 * seconds / f.done}
