"""What many trees of one position say together, wherever they grew."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from treewright.library.result import Children, Result
from treewright.library.root import Roots

Rows = list[tuple[int, dict[str, float]]]


@dataclass(frozen=True)
class Report:
    """The root of one tree or of several, and their counters: a few kilobytes."""

    rows: Rows
    simulations: int = 0
    created: int = 0
    nodes: int = 0
    trees: int = 1
    stopped: str = "simulations"
    full: bool = False
    best: tuple[float, list[int]] = (float("-inf"), [])
    variation: list[tuple[int, str]] = field(default_factory=list)


def added_up(roots: Roots) -> Rows:
    """The visits and rewards of each action, over roots of the same position."""
    rows: dict[int, dict[str, float]] = {}
    for at in zip(*roots.there.nonzero(), strict=True):
        new = {"seen": 0.0, "visits": 0.0, "value": 0.0}
        row = rows.setdefault(int(roots.action[at]), new)
        row["visits"] += float(roots.visits[at])
        row["value"] += float(roots.value[at])
    return list(rows.items())


def result_of(
    reports: Sequence[Report], children: Children, seconds: float, stopped: str
) -> Result:
    """The result of a search whose root has these children, best first."""
    best = children[0]
    score, sequence = max((r.best for r in reports), default=(-math.inf, []))
    lines = [r.variation for r in reports if r.variation and r.variation[0][0] == best.action]
    value = best.proven if best.proven is not None else best.value
    return Result(
        best=best.action,
        label=best.label,
        value=math.nan if value is None else value,
        visits=best.visits,
        children=children,
        simulations=sum(r.simulations for r in reports),
        nodes=sum(r.nodes for r in reports),
        created=sum(r.created for r in reports),
        seconds=seconds,
        stopped=stopped,
        full=any(r.full for r in reports),
        best_sequence=list(sequence),
        best_score=score if score > -math.inf else None,
        variation=lines[0] if lines else [(best.action, best.label)],
        trees=sum(r.trees for r in reports),
    )
