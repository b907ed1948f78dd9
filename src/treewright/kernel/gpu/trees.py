"""Many trees in the memory of a GPU, behind the interface of ``kernel/trees.py``."""

import functools
import math
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.kernel import layout
from treewright.kernel.commits import UNFIT
from treewright.kernel.gpu.pools import Blocks, Place, place, places, rest
from treewright.kernel.gpu.roots import BLANK, COUNT, GATHER
from treewright.kernel.layout import RUN, blank_node
from treewright.kernel.trees import columns_of
from treewright.kernel.worker import KEPT, Worker

FIRST = 4  # simulations of each tree in the first launches, which show how long they take
AIM = 0.1  # seconds of a launch: Ctrl-C, progress and limits of time wait so long
MOST = 2**20  # simulations of each tree in a launch, however short they are
ROWS = ("best", "marks", "table_visits", "table_value", "lows", "highs")
OTHERS = ("runs", "streams", "limits", "statuses")


class GpuTrees:
    """Trees like that of a worker, each searched by a thread of its own."""

    def __init__(self, like: Worker, count: int, device: Any) -> None:
        self._like, self.count, self._device = like, count, device
        on = like.switches
        self._memory = int(like.params["memory"])
        self.states = np.zeros(count, like.domain.state)
        self.statuses = np.zeros(count, np.int64)
        self._runs = np.zeros(count, RUN)
        self._streams = np.zeros(count, np.uint64)
        self._stale = False  # what is here is older than what the device has
        self.made = np.zeros(count, np.int64)  # simulations of each tree
        device.use()
        self._kernels = self._searching()  # all do the same
        self._paces: list[float] = []  # seconds of a simulation of each tree, by kernel
        self._at_roots = device.at_roots(like)
        self._addresses: dict[str, int] = {}
        weakref.finalize(self, _release, device, self._addresses)
        self._pools = places(on, self.states.dtype, self._memory, count, 1)
        self._blocks = Blocks(self._pools.nodes.dtype, self._pools.edges.dtype, self._memory, count)
        self._others = dict(zip(OTHERS, rest(count), strict=True))
        self._make("nodes", self._blocks.bytes)
        for name, one in (self._pools._asdict() | self._others).items():
            if name not in ("nodes", "edges"):
                self._make(name, one.dtype.itemsize * math.prod(one.shape))
        self._tables = [np.ascontiguousarray(table) for table in like.domain.tables.values()]
        for number, table in enumerate(self._tables):
            self._put(f"table {number}", table)
        self._put("params", like._params)
        self._put("blank", blank_node(on))
        self._make("counts", 8 * count)

    def _searching(self) -> list[Any]:
        return self._device.searching(self._like)  # type: ignore[no-any-return]

    # ------------------------------------------------------------------------------ memory

    def _make(self, name: str, size: int) -> None:
        if name in self._addresses:
            self._device.release(self._addresses.pop(name))
        self._addresses[name] = self._device.allocate(size)

    def _put(self, name: str, array: np.ndarray) -> None:
        """An array in the device's memory, with as many bytes as it has."""
        if name not in self._addresses or name not in (*self._pools._fields, *OTHERS):
            self._make(name, array.nbytes)
        self._device.put(self._addresses[name], array)

    def _get(self, name: str, one: Place) -> np.ndarray:
        found = np.zeros(one.shape, one.dtype)
        return self._device.get(self._addresses[name], found)  # type: ignore[no-any-return]

    def _argument(self, name: str, one: Place) -> tuple[int, Place]:
        return self._addresses.get("nodes" if name == "edges" else name, 0), one

    # --------------------------------------------------------------------- what others read

    @property
    def runs(self) -> np.ndarray:
        """The counters of each tree (``layout.RUN``)."""
        if self._stale:
            self._device.use()
            self._device.get(self._addresses["runs"], self._runs)
            self._device.get(self._addresses["streams"], self._streams)
            self._stale = False
        return self._runs

    def begin(self, seeds: np.ndarray, players: np.ndarray) -> None:
        """Empty trees at ``states``, as in ``Trees.begin``."""
        self._device.use()
        self._runs[:] = 0
        self._runs["nodes"] = self._runs["created"] = 1
        self._runs["best_score"] = -math.inf
        self._runs["root_player"] = self._runs["root_mover"] = players
        self._streams[:] = seeds
        self._stale = False
        self._put("root", self.states)
        self._put("runs", self._runs)
        self._put("streams", self._streams)
        self.made[:] = 0
        for name in ROWS:
            one: Place = getattr(self._pools, name)
            small = self._like._small[name]
            if small.any():
                self._put(name, np.broadcast_to(small, one.shape).copy())
            else:
                self._device.clear(
                    self._addresses[name], max(16, math.prod(one.shape) * small.itemsize)
                )
        if not self._like.lists_all:  # see commits_thread.py
            self._device.clear(self._addresses["nodes"], self._blocks.bytes)
        self._visit_roots(BLANK)

    def _visit_roots(
        self, what: int, nodes: Place | None = None, edges: Place | None = None
    ) -> None:
        """Do one of the works of ``roots.py``; with ``nodes`` and ``edges``, into them."""
        blocks = self._blocks
        named = {
            "nodes": blocks.nodes,
            "edges": blocks.edges,
            "blank": self._pools.blank,
            "counts": place(np.int64, self.count),
            "nodes of roots": nodes or place(blocks.node, 0, 0),
            "edges of roots": edges or place(blocks.edge, 0, 0),
        }
        arguments = [self._argument(name, one) for name, one in named.items()]
        self._device.launch(self._at_roots, self.count, [what, *arguments])

    def run(self, limits: np.ndarray, slice_: int, enough: Callable[[], bool]) -> None:
        """Search until each tree has so many simulations, or it is enough."""
        left = int((limits - self.made).max())
        most_made = int(self.made.max())
        self._device.use()
        self._put("params", self._like._params)
        self._put("limits", np.asarray(limits, np.int64))
        self._device.clear(self._addresses["statuses"], self.statuses.nbytes)  # all are DONE
        self.statuses[:] = layout.DONE
        launched = 0
        while left > launched:
            most = min(left - launched, self._slice())
            self._tabulate(most_made + launched + most + 2)
            kernel = self._kernels[len(self._paces) if len(self._kernels) > 1 else 0]
            started = time.perf_counter()
            self._device.launch(kernel, self.count, [*self._arguments(), (), most])
            self._stale = True
            launched += most
            self._learn((time.perf_counter() - started) / most)
            self._device.get(self._addresses["statuses"], self.statuses)
            if enough() or (self.statuses != layout.DONE).all():
                break
        if (self.statuses == layout.DONE).all():
            self.made = np.maximum(self.made, np.minimum(limits, self.made + launched))
        else:
            self.made = self.runs["simulations"].copy()

    def commit(self, actions: np.ndarray, draws: np.ndarray) -> np.ndarray:
        """Play an action in each tree, or in none, as in ``Trees.commit``."""
        codes, scratch = np.zeros(self.count, np.int64), self._scratch()
        self._device.use()
        for name, array in (("draws", draws), ("actions", actions), ("codes", codes)):
            self._put(name, array)
        pools, tables, *_ = self._arguments()
        kinds = zip(("runs", "draws", "actions", "codes"), rest(self.count), strict=True)
        arguments = [pools, tables, *(self._argument(*one) for one in kinds), scratch]
        for playing in (0, 1):
            self._device.launch(self._commits, self.count, [*arguments, playing])
            self._device.get(self._addresses["codes"], codes)
            if (codes == UNFIT).any():
                return codes
        self._device.get(self._addresses["actions"], actions)
        self._device.get(self._addresses["root"], self.states)
        self._stale = True
        return codes

    @functools.cached_property
    def _commits(self) -> Any:
        return self._device.committing(self._like)

    def _scratch(self) -> tuple[int, Place]:
        """Four bytes for each node, for reclaim.py; a forest that never commits has none."""
        one = place(np.int32, *self._blocks.nodes.shape)
        if "scratch" not in self._addresses:
            self._make("scratch", 4 * math.prod(one.shape))
        return self._argument("scratch", one)

    def _slice(self) -> int:
        """How many simulations the next launch shall have, of each tree."""
        known = len(self._kernels) == 1 and self._paces
        return min(MOST, max(1, int(AIM / self._paces[-1]))) if known else FIRST

    def _learn(self, pace: float) -> None:
        """Try each kernel once, and keep the fastest."""
        if len(self._kernels) == 1:
            self._paces = [pace]
            return
        self._paces.append(pace)
        if len(self._paces) == len(self._kernels):
            fastest = int(np.argmin(self._paces))
            self._kernels, self._paces = [self._kernels[fastest]], [self._paces[fastest]]

    def _arguments(self) -> list[Any]:
        """What the entry takes, in its order, without the last two: tuples stay tuples."""
        pools = tuple(self._argument(name, one) for name, one in self._pools._asdict().items())
        tables = tuple(
            self._argument(f"table {number}", place(table.dtype, *table.shape))
            for number, table in enumerate(self._tables)
        )
        others = (self._argument(name, one) for name, one in self._others.items())
        return [pools, tables, self._argument("params", place(layout.PARAMS, 1)), *others]

    def _tabulate(self, counts: int) -> None:
        """Logarithms and roots of all counts that can occur, as the CPU computes them."""
        if self._pools.logs.shape[0] >= counts:
            return
        size = max(counts, 2 * self._pools.logs.shape[0], layout.TABULATED)
        numbers = range(1, size)
        logs = np.array([0.0, *(math.log(n) for n in numbers)])
        roots = np.array([1.0, *(1.0 / math.sqrt(n) for n in numbers)])
        one = place(np.float64, size)
        self._pools = self._pools._replace(logs=one, inverse_roots=one)
        for name, array in (("logs", logs), ("inverse_roots", roots)):
            self._make(name, array.nbytes)
            self._put(name, array)

    def compile(self) -> None:
        """Load what was compiled when the trees were made, without a simulation."""
        if len(self._kernels) > 1:
            self._device.use()
            for kernel in self._kernels:
                self._device.launch(kernel, self.count, [*self._arguments(), (), 0])

    def set_schedule(self, schedule: np.ndarray) -> None:
        """Who is next at the root, with ``GUMBEL``."""
        self._device.use()
        given = np.ascontiguousarray(schedule, np.int32)
        self._pools = self._pools._replace(schedule=place(np.int32, *given.shape))
        self._make("schedule", given.nbytes)
        self._put("schedule", given)

    def ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and the highest reward of each player in each tree."""
        self._device.use()
        return self._get("lows", self._pools.lows), self._get("highs", self._pools.highs)

    def last_rewards(self, r: int) -> np.ndarray:
        """What the last simulation of a tree has brought each player."""
        self._device.use()
        return self._row("rewards", r)

    def edges_of_roots(self) -> dict[str, np.ndarray]:
        """The columns of every root's actions, as in ``Trees.edges_of_roots``."""
        self._device.use()
        self._visit_roots(COUNT)
        most = max(1, int(self._get("counts", place(np.int64, self.count)).max()))
        nodes = place(self._blocks.node, self.count, most + 1)
        edges = place(self._blocks.edge, self.count, most)
        for name, one in (("nodes of roots", nodes), ("edges of roots", edges)):
            self._make(name, one.dtype.itemsize * math.prod(one.shape))
        self._visit_roots(GATHER, nodes, edges)
        rows = self._get("nodes of roots", nodes)
        block = self._get("edges of roots", edges)
        return columns_of(rows[:, 0], block, rows[:, 1:], self._like.lists_all)

    def saved(self, r: int) -> dict[str, np.ndarray]:
        """One tree as ``Worker.restore`` takes it."""
        run = self.runs[r : r + 1]
        self._device.use()
        blocks, start = self._blocks, self._addresses["nodes"] + r * self._blocks.size
        nodes = np.zeros(int(run["nodes"][0]), blocks.node)
        edges = np.zeros(int(run["edges"][0]), blocks.edge)
        self._device.get(start + blocks.front, nodes)
        self._device.get(start + blocks.size - edges.nbytes, edges)
        small = {name: self._row(name, r) for name in KEPT}
        rows = {"nodes": nodes, "edges": edges[::-1]}
        return {**rows, **small, "run": run, "rng": self._streams[r : r + 1]}

    def _row(self, name: str, r: int) -> np.ndarray:
        one: Place = getattr(self._pools, name)
        row = np.zeros(one.shape[1:], one.dtype)
        address = self._addresses[name] + r * one.strides[0]
        return self._device.get(address, row)  # type: ignore[no-any-return]


def _release(device: Any, addresses: dict[str, int]) -> None:
    device.use()  # this may be any thread
    for address in addresses.values():
        device.release(address)
