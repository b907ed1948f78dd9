"""What a saved tree must look like, checked before compiled code sees it.

A tree file is data from anywhere.  Everything that the kernel takes for granted (kernel/layout.py)
is checked here, column by column; whether the actions are those of the domain is checked by
kernel/verify.py afterwards.
"""

from typing import Any

import numpy as np

from treewright.errors import TreeFileError
from treewright.kernel.layout import ANY, DENSE, SMALLEST
from treewright.kernel.layout import MOST as MOST_CHILDREN
from treewright.kernel.worker import Worker

MOST = 2**40  # simulations, and nodes ever created: far from where 64 bits end
MOST_VISITS = 2**31 - 2**24


def check_tree(worker: Worker, saved: dict[str, np.ndarray]) -> np.ndarray:
    """The parent of each node of a saved tree; an error if anything about it is impossible."""
    for name, ours in worker.saved.items():
        same_shape = saved[name].ndim == 1 and (
            name in ("nodes", "edges") or saved[name].shape == ours.shape
        )
        _ok(same_shape and saved[name].dtype == ours.dtype, f"its {name} have another form")
    nodes, edges, run = saved["nodes"], saved["edges"], saved["run"][0]
    _check_run(worker, run, nodes, edges)
    _check_numbers(worker, saved)
    first, size = _blocks(worker, nodes)
    taken = _check_free(worker, run, edges)
    _check_apart(first, size, taken, len(edges))
    _check_untried(nodes, edges, size)
    return _parents(nodes, edges)


def _ok(fine: Any, problem: str) -> None:
    if not fine:
        raise TreeFileError(problem)


def _check_run(worker: Worker, run: Any, nodes: np.ndarray, edges: np.ndarray) -> None:
    on, room = worker.switches, worker.room
    _ok(1 <= len(nodes) <= room[0] and len(edges) <= room[1], "its tree exceeds its memory")
    _ok(run["nodes"] == len(nodes), "its number of nodes is wrong")
    _ok(run["edges"] == len(edges), "its number of edges is wrong")
    _ok(len(nodes) <= run["created"] <= MOST, "it counts its nodes wrong")
    _ok(0 <= run["simulations"] <= MOST, "it counts its simulations wrong")
    _ok(0 <= run["best_length"] <= len(worker.saved["best"]), "its best sequence is too long")
    switches = [int(run[name]) for name in ("terminal", "full", "stirred")]
    _ok(set(switches) <= {0, 1}, "a switch is neither 0 nor 1")
    best = float(run["best_score"])
    known = np.isfinite(best) or best == -np.inf
    _ok(known and (on.PLAYERS == 1 or best == -np.inf), "its best score is not a number")


def _check_numbers(worker: Worker, saved: dict[str, np.ndarray]) -> None:
    nodes, edges, on = saved["nodes"], saved["edges"], worker.switches
    visits = nodes["visits"]
    _ok(((visits >= 0) & (visits <= MOST_VISITS)).all(), "a node has impossible visits")
    for rows in (nodes, edges):
        for name in rows.dtype.names or ():
            column = rows[name]
            if column.dtype.kind == "f" and name not in on.STATISTICS:  # those are the user's
                fine = np.isfinite(column)
                if name == "best":
                    fine |= column == -np.inf
                _ok(fine.all(), f"a number in {name!r} is not finite")
            if name in ("rave_visits", "prior_visits", "p"):
                _ok((column >= 0).all(), f"a number in {name!r} is below 0")
    if on.SOLVER:
        low, high = nodes["low"], nodes["high"]
        _ok(((low >= 0) & (low <= high) & (high <= 1)).all(), "a bound is impossible")
    if on.EVALUATED:
        _ok((nodes["pending"] == 0).all(), "a node waits for an evaluator that was never asked")
    if on.INFORMATION:
        available = nodes["available"][1:]
        fine = (available >= visits[1:]) & (available <= MOST_VISITS)
        _ok(fine.all(), "a node was visited more often than it was available")
        _ok(0 <= saved["run"][0]["observer"] < on.PLAYERS, "it is the view of no player")
    if "key" in (edges.dtype.names or ()):
        used = edges["key"]
        _ok(((used >= 0) & (used < on.KEYS)).all(), "a key is out of range")
    _ok(np.isfinite(saved["table_value"]).all(), "a number in its table is not finite")
    _ok((saved["table_visits"] >= 0).all(), "its table has impossible visits")
    _ok((saved["table_visits"] <= MOST).all(), "its table has impossible visits")
    lows, highs = saved["lows"], saved["highs"]
    unseen = (lows == np.inf) & (highs == -np.inf)
    seen = np.isfinite(lows) & np.isfinite(highs) & (lows <= highs)
    _ok((unseen | seen).all(), "its range of rewards is impossible")
    _ok((saved["best"] >= 0).all(), "its best sequence has an impossible action")


def _blocks(worker: Worker, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First edge and number of edges of every opened node."""
    n, tried = nodes["n"].astype(np.int64), nodes["tried"].astype(np.int64)
    if worker.switches.INFORMATION:
        _ok(((n == 0) | (n == ANY)).all(), "a node has more actions than the domain")
        _ok((tried <= np.minimum(n, MOST_CHILDREN)).all(), "a node has too many children")
    else:
        _ok((n <= worker.switches.MAX_ACTIONS).all(), "a node has more actions than the domain")
    _ok((tried <= n).all(), "a node has more children than actions")
    action = nodes["action"]
    _ok(((action[1:] >= 0) & (action[1:] < 2**30)).all(), "a node has an impossible action")
    size = n.copy()
    if worker.switches.lazy:  # as ``capacity`` in kernel/reclaim.py has it
        block = np.full(len(n), SMALLEST)
        while (block < tried).any():
            block[block < tried] *= 2
        size = np.where((n <= DENSE) | (2 * block > n), n, block)
    opened = n > 0
    return nodes["first"][opened].astype(np.int64), size[opened]


def _check_free(worker: Worker, run: Any, edges: np.ndarray) -> list[tuple[int, int]]:
    """First edge and size of every free block."""
    taken: list[tuple[int, int]] = []
    for kind, start in enumerate(run["free"].tolist()):
        _ok(start == 0 or worker.switches.lazy, "it has free blocks where there are none")
        while start != 0:
            size = SMALLEST << kind
            inside = start > 0 and start - 1 + size <= len(edges)
            _ok(inside and len(taken) <= len(edges), "a free block is out of range")
            taken.append((start - 1, size))
            start = int(edges[start - 1]["child"])
    return taken


def _check_apart(
    first: np.ndarray, size: np.ndarray, taken: list[tuple[int, int]], edges: int
) -> None:
    """No two blocks of edges share one."""
    free = np.array(taken, np.int64).reshape(-1, 2)
    starts = np.concatenate([first, free[:, 0]])
    order = np.argsort(starts, kind="stable")
    starts = starts[order]
    ends = starts + np.concatenate([size, free[:, 1]])[order]
    inside = (starts >= 0).all() and (ends <= edges).all()
    _ok(inside, "a node's children are out of range")
    _ok((ends[:-1] <= starts[1:]).all(), "two nodes share children")


def _check_untried(nodes: np.ndarray, edges: np.ndarray, size: np.ndarray) -> None:
    """In a dense block, what was not tried is an action, not a child."""
    opened = nodes[nodes["n"] > 0]
    dense = opened[size == opened["n"]]
    first, n, tried = (dense[name].astype(np.int64) for name in ("first", "n", "tried"))
    owner = np.repeat(np.arange(len(dense)), n - tried)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(n - tried) - (n - tried), n - tried)
    untried = edges["child"][(first + tried)[owner] + within]
    _ok((untried < 0).all(), "an action that was not tried has a child")


def _parents(nodes: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The parent of each node; every one but the root has one, with a smaller number."""
    tried = np.where(nodes["n"] > 0, nodes["tried"], 0).astype(np.int64)
    owner = np.repeat(np.arange(len(nodes)), tried)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(tried) - tried, tried)
    children = edges["child"][np.repeat(nodes["first"].astype(np.int64), tried) + within]
    _ok(((children > owner) & (children < len(nodes))).all(), "a child comes before its parent")
    once = np.bincount(children, minlength=len(nodes))
    _ok(once[0] == 0 and (once[1:] == 1).all(), "a node has no parent, or two")
    parents = np.zeros(len(nodes), np.int64)
    parents[children] = owner
    below = np.bincount(owner, nodes["visits"][children], len(nodes))
    _ok((below <= nodes["visits"]).all(), "children have more visits than their parent")
    return parents
