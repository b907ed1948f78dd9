"""The tree that a job has left, level by level, as far as somebody looks.

These functions run beside the jobs, in the process that answers questions; the trees that were
looked at last are kept there.
"""

import functools
import heapq
import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from treewright.kernel.interpreted import RecordProxy
from treewright.library.applications import load
from treewright.library.domain import Domain
from treewright.library.position import Position
from treewright.library.tree import HasTree, TreeView, children_of
from treewright.workshop.jobs.store import JobError, Store
from treewright.workshop.jobs.work import places

TREE = "tree.npz"
MOST = 60  # children that are shown of one node
LONGEST = 20  # moves of the principal variation
LARGEST = 500_000  # nodes of a tree that is kept
SMALL = 5_000  # nodes of a tree that is copied at every look
GROWING, WIDEST = 20, 4  # nodes that are shown while a tree grows, and children of one
PAUSE = 0.5  # seconds between two copies of a larger one


Label = Callable[[Position, int], str]


class Searched(HasTree, Protocol):
    """A search whose tree is looked at; a planner of turns has one too."""

    @property
    def simulations(self) -> int: ...

    @property
    def history(self) -> list[int]: ...

    @property
    def tree(self) -> TreeView: ...


class Kept:
    """The largest tree of a job's searches, as it stood when the job last looked at it.

    Searches that commit throw their trees away move by move, so it is kept on the way.
    """

    def __init__(self) -> None:
        self._arrays: dict[str, np.ndarray] = {}
        self._copied = 0.0
        self._last: tuple[int, float] | None = None  # simulations, and when

    def look(self, search: Searched, seconds: float | None = None) -> None:
        """Keep the search's tree if it is the largest so far.

        ``seconds`` is what it took; without them the speed is measured from look to look.
        """
        now = time.perf_counter()
        speed = self._speed(search.simulations, now)
        if seconds is not None:
            speed = search.simulations / max(seconds, 1e-6)
        nodes = int(search.workers[0].run["nodes"])
        rested = nodes < SMALL or now - self._copied > PAUSE
        if len(self._arrays.get("nodes", ())) <= nodes <= LARGEST and rested:
            self._arrays = arrays_of(search, speed)
            self._copied = now

    def _speed(self, simulations: int, now: float) -> float:
        before, self._last = self._last, (simulations, now)
        if before is None:
            return 0.0
        made = simulations - before[0] if simulations >= before[0] else simulations
        return made / max(now - before[1], 1e-6)

    @property
    def files(self) -> dict[str, bytes]:
        """What the job leaves of it, if there is anything."""
        if not self._arrays:
            return {}
        out = io.BytesIO()
        np.savez_compressed(out, allow_pickle=False, **self._arrays)
        return {TREE: out.getvalue()}


def arrays_of(search: Searched, speed: float) -> dict[str, np.ndarray]:
    """The tree, where its root stands, and what it took.

    Of the edges only those are kept that were tried, which is most of the room in wide trees.
    """
    view = search.tree
    nodes = view.nodes[: int(search.workers[0].run["nodes"])].copy()
    tried = nodes["tried"].astype(np.int64)
    first = np.cumsum(tried) - tried
    rows = np.repeat(nodes["first"].astype(np.int64) - first, tried) + np.arange(tried.sum())
    nodes["first"] = first
    found = {
        "nodes": nodes,
        "edges": view.edges[rows],
        "history": np.array(search.history, np.int64),
        "took": np.array([search.simulations, speed, view.nbytes]),
    }
    if search.domain.is_record:
        found["state"] = np.asarray(search.position.state).copy()
    return found


def opened(store: str, job: str) -> tuple[dict[str, np.ndarray], Position, Label]:
    """The tree, the position at its root, and what says an action in words."""
    kept = Store(Path(store))
    content, row = kept.file(job, TREE), kept.row(job)
    if content is None or row is None:
        raise JobError("this job has left no tree")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        arrays = dict(file)
    work = load(places()[row["kind"]])
    domain: Domain = work.domain(work.settings.model_validate(row["settings"]))
    label = Position.describe if work.label is None else lambda p, a: work.label(p.domain, a)
    if "state" in arrays:
        return arrays, Position(domain, RecordProxy(arrays["state"])), label
    root = Position(domain)
    for action in arrays["history"].tolist():
        root.follow(action)
    return arrays, root, label


_opened = functools.lru_cache(4)(opened)


def growing(search: Searched, label: Label = Position.describe) -> dict[str, Any]:
    """A look at a search while it runs: the nodes that were visited most, and where they hang."""
    view = search.tree
    nodes, edges = view.nodes, view.edges
    root = nodes[0]
    visits = max(1, int(root["visits"]))
    found = [{"parent": -1, "label": "root", "visits": visits}]
    found[0]["value"] = float(root["value"]) / visits
    queue: list[Any] = [(-visits, 0, 0, search.position)]
    while queue and len(found) < GROWING:
        _, at, node, position = heapq.heappop(queue)
        for child in children_of(nodes, edges, node)[:WIDEST]:
            value = float(nodes[child.node]["value"]) / max(1, child.visits)
            found.append({"parent": at, "label": label(position, child.action)} | {
                "visits": child.visits, "value": value})  # fmt: skip
            below = position.copy()
            below.follow(child.action)
            heapq.heappush(queue, (-child.visits, len(found) - 1, child.node, below))
    took = {"simulations": search.simulations, "nodes": int(search.workers[0].run["nodes"])}
    return {"tree": found, "took": took}


def about(store: str, job: str) -> dict[str, Any]:
    """What a search took, and the line that it expects."""
    arrays, root, label = _opened(store, job)
    nodes, edges = arrays["nodes"], arrays["edges"]
    position, node = root.copy(), 0
    line: list[str] = []
    while len(line) < LONGEST and (below := children_of(nodes, edges, node)):
        node = below[0].node
        line.append(label(position, below[0].action))
        position.follow(below[0].action)
    simulations, speed, memory = arrays["took"].tolist()
    return {
        "variation": line,
        "root": "" if root.domain.function("render") is None else root.render(),
        "took": {
            "simulations": round(simulations),
            "nodes": len(nodes),
            **({"simulations a second": round(speed)} if speed else {}),
            "memory of the tree, kB": round(memory / 1024),
        },
    }


def children(store: str, job: str, path: list[int]) -> list[dict[str, Any]]:
    """The children of the node that a list of actions leads to, the most visited first."""
    arrays, root, label = _opened(store, job)
    nodes, edges = arrays["nodes"], arrays["edges"]
    node, position = 0, root.copy()
    for action in path:
        below = {c.action: c.node for c in children_of(nodes, edges, node)}
        if action not in below:
            raise JobError("there is no such node")
        node = below[action]
        position.follow(action)
    return [
        {"label": label(position, child.action)} | _numbers(nodes, edges, node, child)
        for child in children_of(nodes, edges, node)[:MOST]
    ]


def _numbers(nodes: Any, edges: Any, parent: int, child: Any) -> dict[str, Any]:
    """What the tree knows of one child; its columns depend on the switches."""
    row = nodes[child.node]
    first = int(nodes[parent]["first"])
    block = edges[first : first + int(nodes[parent]["tried"])]
    edge = next(e for e in block if int(e["child"]) == child.node)
    names = edge.dtype.names or ()
    found = {
        "action": child.action,
        "visits": child.visits,
        "value": float(row["value"]) / max(1, int(row["visits"])),
        "more": int(row["tried"]) > 0,
    }
    if "rave_visits" in names and edge["rave_visits"]:
        found["rave"] = float(edge["rave_value"]) / float(edge["rave_visits"])
    if "p" in names:  # of PUCT
        found["prior"] = float(edge["p"])
    elif "prior_value" in names:
        found["prior"] = float(edge["prior_value"])
    if "low" in (row.dtype.names or ()) and row["low"] == row["high"]:
        found["proven"] = float(row["low"])
    return found
