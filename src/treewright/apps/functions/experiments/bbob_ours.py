"""Our methods on BBOB."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from treewright.apps.functions.bbob import HIGH, LOW
from treewright.apps.functions.experiments.bbob_counted import Counted
from treewright.apps.functions.minimize import minimize


def _minimized(method: str, options: Mapping[str, Any], f: Counted, seed: int) -> None:
    box = [(LOW, HIGH)] * f.n
    minimize(f, box, budget=f.budget, method=method, seed=seed, options=dict(options))


METHODS: dict[str, Callable[[Counted, int], None]] = {
    "runs": functools.partial(_minimized, "runs", {}),
    "runs-no-tree": functools.partial(_minimized, "runs", {"tree": False}),
    "staged": functools.partial(_minimized, "staged", {}),
    "soo": functools.partial(_minimized, "soo", {}),
    "la-mcts": functools.partial(_minimized, "la-mcts", {}),
}
