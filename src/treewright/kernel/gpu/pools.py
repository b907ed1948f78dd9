"""What the trees of a GPU look like in its memory.

Nodes and edges of one tree share a block of as many bytes as its budget: nodes grow from the
front, edges from the end, so that nothing is set aside that neither of them uses.  In front of
the nodes is room for the edge that is only scratch (the last one by its number).
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from treewright.kernel.layout import RUN, Batch, Switches, edge_dtype, node_dtype

NEAR = 2048  # bytes of an array that a thread holds on its own
NEAR_STATE = 8192


class Own(NamedTuple):
    """The scratch of one thread, by the names of ``layout.Tree``."""

    work: Any
    path: Any
    movers: Any
    buffer: Any
    weights: Any
    rewards: Any
    trace: Any
    trace_keys: Any
    trace_players: Any
    run: Any
    rng: Any


class Pools(NamedTuple):
    """The arrays of all trees; scratch that is too large for a thread has a column for each."""

    nodes: Any
    edges: Any
    root: Any
    best: Any
    best_state: Any
    marks: Any
    table_visits: Any
    table_value: Any
    lows: Any
    highs: Any
    rewards: Any  # of the last simulation
    logs: Any
    inverse_roots: Any
    blank: Any
    schedule: Any
    none: Any
    work: Any
    path: Any
    movers: Any
    buffer: Any
    weights: Any
    trace: Any
    trace_keys: Any
    trace_players: Any


class Place(NamedTuple):
    """Where an array lies: bytes from the start of its memory, shape and strides."""

    start: int
    dtype: np.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def layout(self) -> str:
        """``C`` where the elements follow each other without gaps, else ``A``."""
        return "C" if self.strides == packed(self.dtype, self.shape) else "A"


def packed(dtype: np.dtype, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of an array without gaps."""
    sizes = (*shape[1:], 1)
    return tuple(dtype.itemsize * math.prod(sizes[i:]) for i in range(len(shape)))


def place(dtype: Any, *shape: int) -> Place:
    kind = np.dtype(dtype)
    return Place(0, kind, shape, packed(kind, shape))


@dataclass(frozen=True)
class Blocks:
    """One block for the nodes and edges of each tree."""

    node: np.dtype
    edge: np.dtype
    memory: int  # bytes for each tree
    count: int

    @property
    def front(self) -> int:
        """Bytes before the nodes."""
        return _up(2 * self.edge.itemsize, 16)

    @property
    def size(self) -> int:
        """Bytes of a block: a whole number of nodes, so that nodes of all trees are one array."""
        return _up(self.front + self.memory, math.lcm(16, self.node.itemsize))

    @property
    def nodes(self) -> Place:
        shape = self.count, self.size // self.node.itemsize
        return Place(self.front, self.node, shape, packed(self.node, shape))

    @property
    def edges(self) -> Place:
        item = self.edge.itemsize
        shape = self.count, self.size // item
        return Place(self.size - item, self.edge, shape, (self.size, -item))

    @property
    def bytes(self) -> int:
        return self.count * self.size + self.front  # the nodes' array reaches a little further


def _up(number: int, step: int) -> int:
    return -(-number // step) * step


@dataclass(frozen=True)
class Scratch:
    """Which scratch lies where, for a domain and its switches."""

    on: Switches
    state: np.dtype

    def constants(self) -> dict[str, object]:
        """What entry.py is compiled with."""
        on = self.on
        length, actions = on.MAX_LENGTH + 1, on.MAX_ACTIONS + 1
        traced = length if on.constants()["TRACE"] else 1
        return {
            "STATE": self.state,
            "LENGTH": length,
            "ACTIONS": actions,
            "TRACED": traced,
            "KEYS_TRACED": length if on.keyed else 1,
            "FAR_WORK": self.state.itemsize > NEAR_STATE,
            "FAR_PATH": 4 * length > NEAR,
            "FAR_BUFFER": 8 * actions > NEAR,
            "FAR_TRACE": 4 * traced > NEAR,
        }

    def places(self, count: int, nodes: int) -> dict[str, Place]:
        """The scratch of ``count`` threads that lies in the device's memory.

        No path is longer than its tree has nodes.
        """
        at = self.constants()
        far = {name: count if at[f"FAR_{name}"] else 0 for name in ("WORK", "PATH", "BUFFER")}
        far["TRACE"] = count if at["FAR_TRACE"] else 0
        length, actions, traced, keys = (
            int(at[name])  # type: ignore[call-overload]
            for name in ("LENGTH", "ACTIONS", "TRACED", "KEYS_TRACED")
        )
        path = min(length, nodes + 1)
        return {
            "work": place(self.state, far["WORK"]),
            "path": place(np.int32, path, far["PATH"]),
            "movers": place(np.int8, path, far["PATH"]),
            "buffer": place(np.int32, actions, far["BUFFER"]),
            "weights": place(np.float64, actions, far["BUFFER"]),
            "trace": place(np.int32, traced, far["TRACE"]),
            "trace_keys": place(np.int32, keys, far["TRACE"]),
            "trace_players": place(np.int8, traced, far["TRACE"]),
        }


def places(on: Switches, state: np.dtype, memory: int, count: int, tabulated: int) -> Pools:
    """Where each array of ``count`` trees lies."""
    blocks = Blocks(node_dtype(on), edge_dtype(on), memory, count)
    table = on.PLAYERS * on.KEYS if on.TABLE else 1
    scratch = Scratch(on, state).places(count, memory // blocks.node.itemsize)
    return Pools(
        nodes=blocks.nodes,
        edges=blocks.edges,
        root=place(state, count),
        best=place(np.int32, count, on.MAX_LENGTH + 1 if on.PLAYERS == 1 else 1),
        best_state=place(state, count if on.KEEP_STATE else 0),
        marks=place(np.int64, count, on.PLAYERS * on.KEYS if on.RAVE else 1),
        table_visits=place(np.int64, count, table),
        table_value=place(np.float64, count, table),
        lows=place(np.float64, count, on.PLAYERS),
        highs=place(np.float64, count, on.PLAYERS),
        rewards=place(np.float64, count, on.PLAYERS),
        logs=place(np.float64, tabulated),
        inverse_roots=place(np.float64, tabulated),
        blank=place(node_dtype(on), 1),
        schedule=place(np.int32, 1, 1),
        none=place(np.int32, 1),
        **scratch,
    )


def rest(count: int) -> tuple[Place, ...]:
    """What an entry takes beside the pools and tables: runs, streams, limits, statuses."""
    numbers = (place(kind, count) for kind in (np.uint64, np.int64, np.int64))
    return place(RUN, count), *numbers


def batch_places(on: Switches, state: np.dtype, rows: int, values: Place, weights: Place) -> Batch:
    """Where leaves lie; what an evaluator says of them lies where it has put it."""
    length = on.MAX_LENGTH + 2
    return Batch(
        states=place(state, rows),
        owner=place(np.int32, rows),
        players=place(np.int8, rows),
        paths=place(np.int32, rows, length),
        movers=place(np.int8, rows, length),
        depths=place(np.int32, rows),
        values=values,
        weights=weights,
        state=place(np.int64, 4),
    )
