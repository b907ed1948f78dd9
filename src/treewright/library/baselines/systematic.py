"""Breadth-, depth- and best-first search with a budget of nodes (Magnuson 4.6).

They look for the best sequence of a single-player domain.  Each generated node counts
against the budget.  A node's score is its reward if it has ended, and the domain's
``value`` otherwise.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from treewright.errors import DomainError, OptionError
from treewright.kernel.interpreted import Cells, Records
from treewright.kernel.specialise import specialise
from treewright.library.domain import Domain
from treewright.library.switches import parse_memory

MODES = {"breadth-first": 0, "depth-first": 1, "best-first": 2}
SLICE = 2000  # expansions between looks at the clock and at Ctrl-C

COUNTS = np.dtype(
    [(n, np.int64) for n in ("generated", "expanded", "head", "waiting", "best")]
    + [("best_score", np.float64)]
)


class Space(NamedTuple):
    """The arrays of one search, by node number."""

    states: Any
    parents: Any
    actions: Any
    depths: Any
    scores: Any
    next: Any  # depth-first: how many children were generated
    open_nodes: Any
    buffer: Any
    out: Any


@dataclass(frozen=True)
class Found:
    """The best sequence that was generated."""

    best_sequence: list[int]
    best_score: float | None
    nodes: int
    expanded: int
    seconds: float
    stopped: str  # "nodes", "exhausted" or "interrupt"


def breadth_first(domain: Domain, nodes: int, **keywords: Any) -> Found:
    """Expand level by level."""
    return _search(domain, "breadth-first", nodes, **keywords)


def depth_first(domain: Domain, nodes: int, **keywords: Any) -> Found:
    """Follow the first action to an end, then back up to the last choice."""
    return _search(domain, "depth-first", nodes, **keywords)


def best_first(domain: Domain, nodes: int, **keywords: Any) -> Found:
    """Always expand the node with the highest ``priority``, which is ``value`` by default."""
    if domain.function("value") is None:
        raise OptionError(f"best-first search needs {domain.name} to define value(s, out)")
    return _search(domain, "best-first", nodes, **keywords)


def _search(
    domain: Domain,
    mode: str,
    nodes: int,
    *,
    memory: str | int = "4GiB",
    engine: Literal["compiled", "python"] = "compiled",
    progress: Callable[[int], object] | None = None,
) -> Found:
    if domain.players != 1:
        raise OptionError(f"{mode} search is for one player; {domain.name} has {domain.players}")
    if not isinstance(nodes, int) or nodes < 1:
        raise OptionError(f"nodes must be a whole number, at least 1; not {nodes!r}")
    if not domain.is_record:
        raise OptionError(f"{mode} search needs {domain.name} to keep its states in records")
    needed = (nodes + 1) * (domain.state.itemsize + 28)
    if needed > parse_memory(memory):
        raise OptionError(f"{nodes} nodes need {needed} bytes, more than memory={memory!r}")
    compiled = engine == "compiled"
    constants = {
        "MAX_LENGTH": domain.max_length,
        "MAX_ACTIONS": domain.max_actions,
        "HAS_VALUE": domain.function("value") is not None,
        "HAS_PRIORITY": domain.function("priority") is not None,
    }
    text = Path(__file__).parent / "systematic_kernel.py"
    module = specialise(domain, constants, (text,), "explore", compiled)
    counts = np.zeros(1, COUNTS)
    arrays = _space(domain, nodes + 1)
    counts["generated"] = counts["waiting"] = 1
    counts["best"], counts["best_score"] = -1, -math.inf
    space, seen, tables = _for_engine(domain, module, arrays, counts, compiled)
    started = time.perf_counter()
    status = 0
    try:
        while status == 0:
            status = int(module.explore(space, tables, seen, MODES[mode], nodes + 1, SLICE))
            if progress is not None:
                progress(int(counts["generated"][0]))
    except KeyboardInterrupt:
        status = -1
    if status in (3, 4):
        what = "listed no action" if status == 3 else "listed more than max_actions"
        raise DomainError(f"{domain.name}: legal() {what} in a state that has not ended")
    best = int(counts["best"][0])
    return Found(
        best_sequence=_sequence(arrays, best),
        best_score=float(counts["best_score"][0]) if best >= 0 else None,
        nodes=int(counts["generated"][0]) - 1,
        expanded=int(counts["expanded"][0]),
        seconds=time.perf_counter() - started,
        stopped={1: "nodes", 2: "exhausted", -1: "interrupt"}[status],
    )


def _space(domain: Domain, capacity: int) -> Space:
    states = np.empty(capacity, domain.state)
    states[0] = domain.new_state()._record[0]
    numbers = [np.empty(capacity, np.int32) for _ in range(5)]
    for array in numbers:
        array[0] = 0
    parents, actions, depths, open_nodes, next_child = numbers
    parents[0] = -1
    scores = np.full(1, -math.inf).repeat(capacity)
    buffer = np.zeros(domain.max_actions + 1, np.int32)
    return Space(
        states, parents, actions, depths, scores, next_child, open_nodes, buffer, np.zeros(1)
    )


def _for_engine(
    domain: Domain, module: Any, arrays: Space, counts: np.ndarray, compiled: bool
) -> tuple[Any, Any, Any]:
    if compiled:
        tables = module.Tables(*domain.tables.values()) if domain.tables else ()
        return arrays, counts, tables
    proxies = Space(Records(arrays.states), *(Cells(a) for a in arrays[1:]))
    return proxies, Records(counts), domain.interpreted_tables


def _sequence(arrays: Space, node: int) -> list[int]:
    actions: list[int] = []
    while node > 0:
        actions.append(int(arrays.actions[node]))
        node = int(arrays.parents[node])
    return actions[::-1]
