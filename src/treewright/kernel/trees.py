"""The arrays of many trees (kernel/many.py), and the rounds in which they are searched."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.kernel import layout
from treewright.kernel.commits import UNFIT
from treewright.kernel.evaluated import ROWS, SINGLE, Evaluator, Leaves
from treewright.kernel.interpreted import Cells, Many, Objects, Records, Rows
from treewright.kernel.layout import RUN
from treewright.kernel.specialise import HERE
from treewright.kernel.worker import KEPT, Worker


class Trees:
    """Trees like that of a worker, which is a pattern for them and is not searched itself."""

    def __init__(self, like: Worker, count: int, evaluate: Evaluator | None, batch: int) -> None:
        self._like, self.count = like, count
        self.runs = np.zeros(count, RUN)
        self.streams = np.zeros(count, np.uint64)
        self.statuses = np.zeros(count, np.int64)
        domain = like.domain
        self.states: Any = np.zeros(count, domain.state) if domain.is_record else [None] * count
        self._arrays: dict[str, np.ndarray] = {}
        for name in ROWS:
            one = like._small.get(name)
            if one is not None:
                self._arrays[name] = np.repeat(one[None], count, axis=0)
        if like.compiled:
            tree = like._tree
            self._arrays["nodes"] = np.empty((count, len(tree.nodes)), tree.nodes.dtype)
            self._arrays["edges"] = np.zeros((count, len(tree.edges)), tree.edges.dtype)
            best = np.zeros(count if like.switches.KEEP_STATE else 0, domain.state)
            rows = self._arrays | {"root": self.states, "best_state": best}
            self._trees = tree._replace(**rows)
        else:
            self._rows = [
                {name: Rows(getattr(like._tree, name).dtype, size) for name in ("nodes", "edges")}
                for size, _ in [like._capacity] * count
            ]
        self._leaves = None
        if evaluate is not None:
            kernel = like._module.leaves
            self._leaves = Leaves(like, kernel, count, evaluate, batch)
        else:
            texts = (*like.texts, HERE / "many.py")
            self._searches = like._specialised(texts, "searches").searches

    def begin(self, seeds: np.ndarray, players: np.ndarray) -> None:
        """Empty trees at ``states``; a player below 0 is for a position without anything to do."""
        self.runs[:] = 0
        self.runs["nodes"] = self.runs["created"] = 1
        self.runs["best_score"] = -math.inf
        self.runs["root_player"] = self.runs["root_mover"] = players
        self.streams[:] = seeds
        for name, array in self._arrays.items():
            if name in self._like._small:
                array[:] = self._like._small[name]
        if self._like.compiled:
            self._arrays["nodes"][:, 0] = self._like._tree.blank[0]
            return
        for row in self._rows:
            row["nodes"][0] = self._like._tree.blank[0]
        self._trees = self._interpreted()

    def _interpreted(self) -> Any:
        like = self._like
        many: dict[str, Any] = {
            name: Many([Cells(one) for one in array]) for name, array in self._arrays.items()
        }
        for name in ("nodes", "edges"):
            many[name] = Many([row[name] for row in self._rows])
        domain = like.domain
        for name in SINGLE:
            if domain.is_record:
                own = self.states if name == "root" else np.zeros(self.count, domain.state)
                many[name] = Many([Records(own[r : r + 1]) for r in range(self.count)])
            else:
                many[name] = Many([Objects(s, domain.copy_state) for s in self.states])
        return like._tree._replace(**many)

    def run(self, limits: np.ndarray, slice_: int, enough: Callable[[], bool]) -> None:
        """Search until each tree has so many simulations, or it is enough.

        Without an evaluator each round has ``slice_`` simulations of each tree.
        """
        like = self._like
        runs: Any = self.runs if like.compiled else Records(self.runs)
        streams: Any = self.streams if like.compiled else Cells(self.streams)
        arrays = (self._trees, like._tables, like._seen[0], runs, streams)
        if self._leaves is not None:
            self._leaves.run(arrays, limits, enough)
            self.statuses[:] = self._leaves.statuses
            return
        self.statuses[:] = layout.DONE
        wrapped = (limits, self.statuses)
        rest: Any = wrapped if like.compiled else tuple(map(Cells, wrapped))
        while self._searches(*arrays, *rest, slice_) and not enough():
            pass

    def commit(self, actions: np.ndarray, draws: np.ndarray) -> np.ndarray:
        """Play an action in each tree, or in none if one does not fit: a code for each.

        ``actions`` then has what was played, which chance draws from ``draws`` (commits.py).
        """
        like = self._like
        codes = np.zeros(self.count, np.int64)
        if not like.domain.is_record:  # others may hold on to these objects
            self.states[:] = [like.domain.copy_state(s) for s in self.states]
            for r, s in enumerate(self.states):
                self._trees.root[r].rows[0] = s
        runs: Any = self.runs if like.compiled else Records(self.runs)
        given = (draws, actions, codes, self._scratch)
        rest: Any = given if like.compiled else tuple(map(Cells, given))
        for playing in (False, True):
            self._commits(self._trees, like._tables, runs, *rest, int(playing))
            if (codes == UNFIT).any():
                break
        return codes

    @functools.cached_property
    def _commits(self) -> Any:
        texts = (*self._like.texts, *(HERE / f"{n}.py" for n in ("phases", "many", "commits")))
        return self._like._specialised(texts, "commits").commits

    @functools.cached_property
    def _scratch(self) -> np.ndarray:
        return np.empty(self._like._capacity[0], np.int32)  # for reclaim.py

    def compile(self) -> None:
        """Compile, or load, without a simulation."""
        self.run(self.runs["simulations"].copy(), 1, lambda: True)

    def set_schedule(self, schedule: np.ndarray) -> None:
        """Who is next at the root, with ``GUMBEL``."""
        given: Any = schedule if self._like.compiled else Cells(schedule)
        self._trees = self._trees._replace(schedule=given)

    @property
    def made(self) -> np.ndarray:
        """How many simulations each tree has had."""
        made: np.ndarray = self.runs["simulations"].copy()
        return made

    def ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and the highest reward of each player in each tree."""
        return self._arrays["lows"], self._arrays["highs"]

    def last_rewards(self, r: int) -> np.ndarray:
        """What the last simulation has brought each player; the trees share this scratch."""
        return self._like._small["rewards"]

    def edges_of_roots(self) -> dict[str, np.ndarray]:
        """The columns of every root's actions, tried or not, and of their nodes.

        A row for each root; where it has fewer actions, ``action`` is -1.
        """
        if self._like.compiled:
            return roots_of(self._arrays["nodes"], self._arrays["edges"], self._like.lists_all)
        each = [self.saved(r) for r in range(self.count)]
        most = max(1, *(int(one["nodes"][0]["n"]) for one in each))
        known = [
            roots_of(o["nodes"][None], o["edges"][None], self._like.lists_all, most) for o in each
        ]
        return {name: np.concatenate([one[name] for one in known]) for name in known[0]}

    def saved(self, r: int) -> dict[str, np.ndarray]:
        """One tree as ``Worker.restore`` takes it."""
        nodes, edges = (int(self.runs[r][name]) for name in ("nodes", "edges"))
        if self._like.compiled:
            rows = {
                "nodes": self._arrays["nodes"][r, :nodes],
                "edges": self._arrays["edges"][r, :edges],
            }
        else:
            rows = {
                "nodes": self._rows[r]["nodes"].to_array(nodes),
                "edges": self._rows[r]["edges"].to_array(edges),
            }
        small = {name: self._arrays.get(name, np.zeros(0))[r] for name in KEPT}
        return {**rows, **small, "run": self.runs[r : r + 1], "rng": self.streams[r : r + 1]}


def roots_of(
    nodes: np.ndarray, edges: np.ndarray, lists_all: bool, most: int = 0
) -> dict[str, np.ndarray]:
    """The columns of the actions of node 0 of many trees; ``most`` columns at least."""
    root = nodes[:, 0]
    first, tried = root["first"].astype(np.int64), root["tried"].astype(np.int64)
    listed = root["n"].astype(np.int64) if lists_all else tried
    column = np.arange(max(1, most, int(listed.max())))
    there, known = column < listed[:, None], column < tried[:, None]
    rows = np.arange(len(nodes))[:, None]
    if not edges.shape[1]:
        edges = np.zeros((len(nodes), 1), edges.dtype)
    block = edges[rows, np.where(there, first[:, None] + column, 0)]
    child = nodes[rows, np.where(known, block["child"], 0)]
    return columns_of(root, block, child, lists_all)


def columns_of(
    root: np.ndarray, block: np.ndarray, child: np.ndarray, lists_all: bool
) -> dict[str, np.ndarray]:
    """The columns of roots, from their edges and the nodes that tried ones lead to."""
    column, tried = np.arange(block.shape[1]), root["tried"][:, None]
    there, known = column < (root["n"][:, None] if lists_all else tried), column < tried
    names = block.dtype.names or ()
    action, visits = child["action"], child["visits"]
    value = child["value"]
    if "visits" in names:  # of a node that others lead to as well (graph.py)
        action, visits = block["action"], block["visits"]
        value = value / np.maximum(child["visits"], 1) * visits
    action = np.where(known, action, -1 - block["child"].astype(np.int64))
    return {
        "action": np.where(there, action, -1),
        "root_value": root["value"],
        "root_visits": root["visits"],
        "visits": np.where(known, visits, 0).astype(np.int64),
        "value": np.where(known, value, 0.0),
        "prior": np.where(there, block["p"], 0.0) if "p" in names else there * 1.0,
        "gumbel": np.where(there, block["gumbel"], 0.0) if "gumbel" in names else there * 0.0,
    }
