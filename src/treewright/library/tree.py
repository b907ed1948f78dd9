"""Looking at a search tree: children, variations, graphs."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cmp_to_key
from operator import getitem
from typing import Any, NamedTuple, Protocol

import numpy as np

from treewright.errors import MissingExtra
from treewright.kernel.choice import before, best_of, sure
from treewright.kernel.layout import Switches
from treewright.kernel.trees import roots_of as columns_of_roots
from treewright.kernel.worker import Worker
from treewright.library import shown as notebook
from treewright.library.domain import Domain
from treewright.library.options import Choice, Gumbel
from treewright.library.position import Position
from treewright.library.result import Child, Children
from treewright.library.root import Roots, promises, roots_of
from treewright.library.switches import CHOICES
from treewright.random import stream


class HasTree(Protocol):
    """A search, or whatever else has a tree to look at."""

    domain: Domain

    @property
    def workers(self) -> Sequence[Worker]: ...

    @property
    def position(self) -> Position: ...


class Shown(NamedTuple):
    """One node of a drawn tree."""

    node: int
    parent: int
    depth: int
    action: int
    label: str
    visits: int
    value: float
    share: float = 1.0  # of its parent's visits


class Below(NamedTuple):
    """One visited child of a node."""

    node: int
    action: int
    visits: int  # by way of this parent


def children_of(nodes: np.ndarray, edges: np.ndarray, node: int) -> list[Below]:
    """The visited children of a node, the most visited first."""
    row = nodes[node]
    block = edges[row["first"] : row["first"] + row["tried"]]
    own = block if "visits" in (edges.dtype.names or ()) else nodes[block["child"]]
    rows = zip(block["child"].tolist(), own["action"].tolist(), own["visits"].tolist(), strict=True)
    return sorted((Below(*row) for row in rows), key=lambda child: -child.visits)


class TreeView:
    """The tree of a search's first worker; a graph, with ``Options(transpositions=True)``.

    ``size`` is the number of visited nodes of all workers, ``nbytes`` what they take.
    """

    def __init__(self, search: HasTree) -> None:
        self._search = search
        self._worker = search.workers[0]

    @property
    def size(self) -> int:
        return sum(int(w.run["nodes"]) for w in self._search.workers)

    @property
    def nbytes(self) -> int:
        return sum(w.used_bytes for w in self._search.workers)

    @property
    def nodes(self) -> np.ndarray:
        """The nodes as a structured array (see ``kernel/layout.py``); node 0 is the root."""
        return self._worker.nodes

    @property
    def edges(self) -> np.ndarray:
        return self._worker.edges

    def principal_variation(self, first: int | None = None) -> list[tuple[int, str]]:
        """The most visited line, beginning with ``first`` if given, with labels.

        It ends where it would come back to a position.
        """
        nodes, edges = self.nodes, self.edges
        position = self._search.position
        line: list[tuple[int, str]] = []
        node, met = 0, {0}
        while True:
            below = children_of(nodes, edges, node)
            if not line and first is not None:
                below = [child for child in below if child.action == first]
            if not below:
                return line
            node, action, _ = below[0]
            if not self._fits(position, action):
                return line
            line.append((action, position.describe(action)))
            if node in met:
                return line
            met.add(node)
            position.follow(action)

    def walk(self, depth: int = 3, top: int = 5) -> Iterator[Shown]:
        """The root and, level by level, each node's ``top`` most visited children.

        With transpositions a node comes once for each parent, its own children once in all.
        """
        nodes, edges = self.nodes, self.edges
        yield Shown(0, -1, 0, -1, "root", int(nodes[0]["visits"]), _mean(nodes[0]), 1.0)
        level = [(0, self._search.position)]
        met = {0}
        for d in range(1, depth + 1):
            if not level:
                return
            below = []
            for node, position in level:
                of_parent = max(1, int(nodes[node]["visits"]))
                for child, action, visits in children_of(nodes, edges, node)[:top]:
                    row = nodes[child]
                    after = position.copy()
                    fits = self._fits(after, action)
                    yield Shown(
                        child,
                        node,
                        d,
                        action,
                        after.describe(action) if fits else str(action),
                        int(row["visits"]),
                        _mean(row),
                        visits / of_parent,
                    )
                    if child in met:
                        continue
                    met.add(child)
                    if fits:
                        after.follow(action)
                        below.append((child, after))
            level = below

    def _fits(self, position: Position, action: int) -> bool:
        """Make a node's action legal: with information sets it may need another draw."""
        if not self._worker.switches.INFORMATION:
            return True
        return position.redraw(int(self._worker.run["observer"]), stream(0), action)

    def to_networkx(self, depth: int = 3, top: int = 5) -> Any:
        """The top of the tree as a ``networkx.DiGraph`` with label, visits and value."""
        try:
            import networkx as nx
        except ImportError:
            raise MissingExtra("tree.to_networkx", "tree") from None
        graph = nx.DiGraph()
        for shown in self.walk(depth, top):
            if shown.node not in graph:
                graph.add_node(
                    shown.node,
                    action=shown.action,
                    label=shown.label,
                    visits=shown.visits,
                    value=shown.value,
                    depth=shown.depth,
                )
            if shown.parent >= 0:
                graph.add_edge(shown.parent, shown.node)
        return graph

    def to_dot(self, depth: int = 3, top: int = 5) -> str:
        """The top of the tree in Graphviz' language."""
        lines = ["digraph tree {", "  node [shape=box, fontname=Helvetica];"]
        met = set()
        for shown in self.walk(depth, top):
            if shown.node not in met:
                met.add(shown.node)
                label = shown.label.replace("\\", "\\\\").replace('"', '\\"')
                text = f"{label}\\n{shown.visits} visits\\n{shown.value:.3f}"
                lines.append(f'  n{shown.node} [label="{text}"];')
            if shown.parent >= 0:
                width = 1 + math.log10(max(1, shown.visits))
                lines.append(f"  n{shown.parent} -> n{shown.node} [penwidth={width:.1f}];")
        return "\n".join([*lines, "}"])

    def __repr__(self) -> str:
        return f"<TreeView of {self._search.domain.name}: {self.size:,} nodes>"

    def _repr_svg_(self) -> str | None:
        return notebook.tree_svg(self, self._search.domain.name) if notebook.can_draw() else None

    def _repr_html_(self) -> str | None:
        """Only without a picture: a front end that has both would show this one."""
        return None if notebook.can_draw() else notebook.tree_table(self)


def _mean(row: Any) -> float:
    return float(row["value"]) / int(row["visits"]) if row["visits"] else math.nan


# numbers of a child that are not added up over workers
_MERGED: dict[str, Callable[[float, float], float]] = {
    "best": max,
    "low": max,
    "high": min,
    "p": max,
    "prior": max,
    "score": max,  # there is one worker only
}


RootRows = Iterable[tuple[int, dict[str, float]]]


class Row(NamedTuple):
    """A child's numbers as ``kernel/choice.py`` compares them.

    A user's own rule for the choice says what stands for the mean.
    """

    action: int
    visits: int
    mean: float
    best: float
    low: float
    high: float


def merge_children(workers: list[Worker], choose: Choice, position: Position) -> Children:
    """The root's children over all workers, in the order in which they would be played."""
    found = [list(root_rows(worker, untried=True)) for worker in workers]
    return children_from(found, workers[0].switches, choose, position)


def children_from(
    found: Iterable[RootRows], switches: Switches, choose: Choice, position: Position
) -> Children:
    """The same from the rows of the trees, wherever those are."""
    merged = _merged(found)
    if switches.INFORMATION:
        merged = _legal_only(merged, position)
    unknown = {"visits": 0.0, "value": 0.0}
    if switches.SOLVER:
        unknown |= {"low": 0.0, "high": 1.0}
    for action in position.legal():  # not every one has an edge
        merged.setdefault(action, unknown)
    rows = [_row(action, numbers) for action, numbers in merged.items()]
    by, floor = CHOICES[choose], sure(getitem, rows, len(rows))
    rows.sort(key=cmp_to_key(lambda one, other: -1 if before(by, floor, one, other) else 1))
    return Children(_child(row.action, merged[row.action], position) for row in rows)


def best_action(
    workers: list[Worker],
    choose: Choice,
    slack: float | None,
    accept: float,
    position: Position,
) -> int | None:
    """The action to commit, over all workers; None if no child is acceptable (choice.py)."""
    # those without a node, which can be thousands, are left out
    merged = _merged(root_rows(worker, untried=False) for worker in workers)
    if workers[0].switches.INFORMATION:
        merged = _legal_only(merged, position)
    rows = [_row(action, row) for action, row in merged.items()]
    floor = sure(getitem, rows, len(rows))
    slack = -1.0 if slack is None else slack
    at = best_of(getitem, rows, len(rows), CHOICES[choose], floor, slack, accept)
    return rows[at].action if at >= 0 else None


def _legal_only(
    merged: dict[int, dict[str, float]], position: Position
) -> dict[int, dict[str, float]]:
    """Without what was legal in other draws only: a commit may have made such a node the root."""
    legal = position.legal()
    return {action: row for action, row in merged.items() if action in legal}


def _merged(found: Iterable[RootRows]) -> dict[int, dict[str, float]]:
    """The numbers of the root's children over all trees, in the order they were added."""
    merged: dict[int, dict[str, float]] = {}
    for rows in found:
        for action, row in rows:
            into = merged.setdefault(action, dict.fromkeys(row, 0.0))
            for name, value in row.items():
                pick = _MERGED.get(name)
                if pick is None:
                    into[name] += value
                elif not into["seen"]:
                    into[name] = value
                else:
                    into[name] = pick(into[name], value)
            into["seen"] = 1.0
    return merged


def _row(action: int, numbers: dict[str, float]) -> Row:
    visits = numbers["visits"]
    return Row(
        action=action,
        visits=int(visits),
        mean=numbers.get("score", numbers["value"] / visits if visits else -math.inf),
        best=numbers.get("best", -math.inf),
        low=numbers.get("low", 0.0),
        high=numbers.get("high", 1.0),
    )


def root_rows(worker: Worker, untried: bool) -> Iterator[tuple[int, dict[str, float]]]:
    """(action, numbers) of every edge at the root of one worker, or of the tried ones."""
    nodes, edges = worker.nodes, worker.edges
    root = nodes[0]
    promised = _promised(worker) if worker.switches.GUMBEL else {}
    listed = root["n"] if untried and worker.lists_all else root["tried"]
    for edge in edges[root["first"] : root["first"] + listed]:
        child = int(edge["child"])
        row = {"seen": 0.0, "visits": 0.0, "value": 0.0}
        names = edge.dtype.names or ()
        shared = "visits" in names  # others lead to its node as well (kernel/graph.py)
        if "choose" in worker.switches.rules:
            row["score"] = worker.score(child) if child >= 0 else -math.inf
        if worker.switches.GUMBEL:
            row["score"] = promised[int(nodes[child]["action"]) if child >= 0 else ~child]
        if child >= 0:
            node = nodes[child]
            row |= {"visits": float(node["visits"]), "value": float(node["value"])}
        if child >= 0 and shared:
            visits = float(edge["visits"])
            row |= {"visits": visits, "value": row["value"] / max(1.0, row["visits"]) * visits}
        if "rave_visits" in names:
            row |= {"rave_n": float(edge["rave_visits"]), "rave_w": float(edge["rave_value"])}
        if "p" in names:
            row["p"] = float(edge["p"])
        if "prior_value" in names:
            row["prior"] = float(edge["prior_value"])
        if "best" in (nodes.dtype.names or ()):
            row["best"] = float(nodes[child]["best"]) if child >= 0 else -math.inf
        if "low" in (nodes.dtype.names or ()):
            row |= {"low": 0.0, "high": 1.0}
            if child >= 0:
                row |= {"low": float(nodes[child]["low"]), "high": float(nodes[child]["high"])}
        yield (int((edge if shared else nodes[child])["action"]) if child >= 0 else ~child), row


def root_of(worker: Worker) -> Roots:
    """The actions at the root of one worker with their statistics, as arrays of one row."""
    columns = columns_of_roots(worker.nodes[None], worker.edges[None], worker.lists_all)
    saved = worker.saved
    ranges = saved["lows"][None], saved["highs"][None]
    return roots_of(worker.switches.NORMALISE, columns, saved["run"], ranges)


def _promised(worker: Worker) -> dict[int, float]:
    """What Gumbel's choice compares, by action."""
    visits, scale = worker.params["gumbel_visits"], worker.params["gumbel_scale"]
    roots = root_of(worker)
    scores = promises(roots, Gumbel(c_visit=float(visits), c_scale=float(scale)))
    return dict(zip(roots.action[0].tolist(), scores[0].tolist(), strict=True))


def _child(action: int, row: dict[str, float], position: Position) -> Child:
    visits = row["visits"]
    best = row.get("best")
    return Child(
        action=action,
        label=position.describe(action),
        visits=int(visits),
        value=row["value"] / visits if visits else None,
        rave=row["rave_w"] / row["rave_n"] if row.get("rave_n") else None,
        prior=row.get("p", row.get("prior")),
        maximum=best if best is not None and best > -math.inf else None,
        low=row.get("low"),
        high=row.get("high"),
    )
