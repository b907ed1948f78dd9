"""What can be seen of an agent while it plans: its tree, and the best turn so far."""

import contextlib
import time
from collections.abc import Iterator
from typing import Any

from treewright.apps.tactics.telling import told
from treewright.library.evolutionary import Agent
from treewright.library.position import Position
from treewright.library.shown import count_of
from treewright.workshop.jobs.work import Report
from treewright.workshop.searching.inspector import Kept, growing


@contextlib.contextmanager
def watched(planner: Agent, start: Position, most: int, report: Report) -> Iterator[Kept]:
    """Keep the largest tree of an agent that has one, and report how far it is."""
    kept, burning = Kept(), planner.burning
    if burning is None:
        yield kept
        return
    began = time.perf_counter()

    def seen() -> dict[str, Any]:
        return {"turn": told(start, planner.turn_so_far), "search": growing(burning)}

    def look() -> None:
        kept.look(burning, time.perf_counter() - began)
        made = burning.simulations
        if len(burning.tree.nodes) > 1:  # not where a commit has just left nothing
            report(min(1.0, made / most), f"{count_of(made, 'turn')} evaluated", seen)

    burning.watch = look
    try:
        yield kept
    finally:
        burning.watch = None
