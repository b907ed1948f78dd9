"""The tree of a search that is over, level by level, as far as somebody looks.

These functions run beside the jobs, in the process that answers questions; the trees that were
looked at last are kept there.
"""

import functools
import io
from pathlib import Path
from typing import Any

import numpy as np

from treewright.library.tree import children_of
from treewright.workshop.jobs.store import JobError, Store
from treewright.workshop.searching.job import TREE, Code, Place, at, domain_of

MOST = 60  # children that are shown of one node


@functools.lru_cache(4)
def _tree(store: str, job: str) -> tuple[np.ndarray, np.ndarray]:
    content = Store(Path(store)).file(job, TREE)
    if content is None:
        raise JobError("this job has left no tree")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return arrays["nodes"], arrays["edges"]


def children(store: str, job: str, kind: str, path: list[int]) -> list[dict[str, Any]]:
    """The children of the node that a list of actions leads to, the most visited first."""
    nodes, edges = _tree(store, job)
    row = Store(Path(store)).row(job)
    if row is None:
        raise JobError("there is no such job")
    node = 0
    for action in path:
        below = {c.action: c.node for c in children_of(nodes, edges, node)}
        if action not in below:
            raise JobError("there is no such node")
        node = below[action]
    with domain_of(_place(kind, row["settings"])) as domain:
        position, _ = at(domain, _place(kind, row["settings"]))
        for action in path:
            position.follow(action)
        return [
            _numbers(nodes, edges, node, child, position)
            for child in children_of(nodes, edges, node)[:MOST]
        ]


def _place(kind: str, settings: dict[str, Any]) -> Any:
    return (Place if kind == "search" else Code).model_validate(settings)


def _numbers(nodes: Any, edges: Any, parent: int, child: Any, position: Any) -> dict[str, Any]:
    """What the tree knows of one child; its columns depend on the switches."""
    row = nodes[child.node]
    first = int(nodes[parent]["first"])
    block = edges[first : first + int(nodes[parent]["tried"])]
    edge = next(e for e in block if int(e["child"]) == child.node)
    names = edge.dtype.names or ()
    found = {
        "action": child.action,
        "label": position.describe(child.action),
        "visits": child.visits,
        "value": float(row["value"]) / max(1, int(row["visits"])),
        "more": int(row["tried"]) > 0,
    }
    if "rave_visits" in names and edge["rave_visits"]:
        found["rave"] = float(edge["rave_value"]) / float(edge["rave_visits"])
    if "prior_value" in names:
        found["prior"] = float(edge["prior_value"])
    if "low" in (row.dtype.names or ()) and row["low"] == row["high"]:
        found["proven"] = float(row["low"])
    return found
