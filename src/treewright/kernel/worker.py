"""One tree with its random stream: what a thread of the search owns.

The compiled worker holds NumPy arrays, the interpreted one Python stand-ins with the same
names; `steps.py` can't tell them apart.
"""

import functools
import math
import operator
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import DomainError
from treewright.kernel import layout
from treewright.kernel.graph import FEWEST
from treewright.kernel.hooks import Playable
from treewright.kernel.interpreted import Cells, Objects, RecordProxy, Records, Rows
from treewright.kernel.keys import keyed
from treewright.kernel.layout import (
    PARAMS,
    PHASES,
    RUN,
    Switches,
    Tree,
    blank_node,
    edge_dtype,
    node_dtype,
)
from treewright.kernel.phases import share_of
from treewright.kernel.rebind import Rebinder
from treewright.kernel.rules import uniform
from treewright.kernel.specialise import HERE, Bound, specialise

KEPT = ("best", "table_visits", "table_value", "lows", "highs")  # of the small arrays, on disk


@functools.cache
def _tabulated() -> dict[str, np.ndarray]:
    counts = range(1, layout.TABULATED)
    return {
        "logs": np.array([0.0, *(math.log(n) for n in counts)]),
        "inverse_roots": np.array([1.0, *(1.0 / math.sqrt(n) for n in counts)]),
    }


class _Rows:
    """Reclaiming memory depends on the layout of the rows only, not on a domain."""

    name = "memory"  # for whoever waits
    functions: Mapping[str, types.FunctionType] = {}
    table_names = ()

    def __init__(self, *dtypes: np.dtype) -> None:
        self._dtypes = dtypes

    def fingerprint_parts(self) -> tuple[Any, ...]:
        return self._dtypes


class Worker:
    """Arrays, kernel and stream of one tree."""

    texts: tuple[Path, ...] = (
        HERE / "expansion.py",
        HERE / "root.py",
        HERE / "backup.py",
        HERE / "steps.py",
    )
    entry = "search"
    until = 2**62  # simulations at which the run under way ends
    _bound: Bound | None = None  # the compiled search with its arrays
    _planned: Bound | None = None  # the compiled phases with theirs

    def __init__(
        self,
        domain: Playable,
        switches: Switches,
        params: dict[str, float],
        state: Any,
        seed: int,
        compiled: bool,
        debug: bool = False,
    ) -> None:
        self.domain = domain
        self.switches = switches
        self.compiled = compiled
        self.debug = debug
        self._params = np.zeros(1, PARAMS)
        for name, value in params.items():
            self._params[name] = value
        self._run = np.zeros(1, RUN)
        self._rng = np.array([seed], np.uint64)
        self._allocate(int(params["memory"]))
        self._root: Any = np.zeros(1, domain.state) if domain.is_record else state
        if domain.is_record:
            self._root[0] = state._record[0]
        self._params["goal"] = math.inf
        self._tree: Any = None
        self._plan = np.zeros(1, PHASES)
        self._chosen = np.zeros(0, np.int32)
        self.keep(0)
        self._load()
        self.reset()

    # ------------------------------------------------------------------ what others read

    @property
    def run(self) -> Any:
        """Counters and the best score (``layout.RUN``)."""
        return self._run[0]

    @property
    def params(self) -> Any:
        """The numbers of the options (``layout.PARAMS``)."""
        return self._params[0]

    @property
    def nodes(self) -> np.ndarray:
        """The nodes in use, in the compiled layout."""
        used = int(self._run["nodes"][0])
        return self._rows(self._tree.nodes, used)

    @property
    def edges(self) -> np.ndarray:
        used = int(self._run["edges"][0])
        return self._rows(self._tree.edges, used)

    @property
    def root(self) -> Any:
        """The root state as interpreted code sees it; writing to it changes the search."""
        return self._states(self._root)[0] if self.domain.is_record else self._tree.root[0]

    @property
    def lists_all(self) -> bool:
        """Whether blocks of edges always list untried actions too (layout.py)."""
        return not self.switches.lazy

    @property
    def best_sequence(self) -> list[int]:
        return [int(a) for a in self._small["best"][: int(self._run["best_length"][0])]]

    @property
    def stream(self) -> Any:
        """The random numbers, as interpreted code draws them."""
        return Cells(self._rng)

    @property
    def saved(self) -> dict[str, np.ndarray]:
        """Everything that makes up the worker besides the state at its root."""
        small = {k: self._small[k] for k in KEPT}
        return {
            "nodes": self.nodes,
            "edges": self.edges,
            "run": self._run,
            "rng": self._rng,
            **small,
        }

    def restore(self, saved: dict[str, np.ndarray]) -> None:
        """Put back what ``saved`` gave; nothing of it is checked here."""
        for name in KEPT:
            self._small[name][:] = saved[name]
        self._run[:] = saved["run"]
        self._rng[:] = saved["rng"]
        self._put(saved["nodes"], saved["edges"])

    # ---------------------------------------------------------------------- what it does

    def search(self, simulations: int) -> int:
        """Run simulations; the status says why fewer were made."""
        kernel = getattr(self._module, self.entry)
        if not self.compiled:
            return int(kernel(self._tree, self._tables, *self._seen, simulations))
        if self._bound is None or self._bound.fixed[0] is not self._tree:
            self._bound = kernel.bind(self._tree, self._tables, *self._seen)
        return int(self._bound(simulations))

    def plan(
        self,
        phases: int,
        simulations: int,
        over: int = 1,
        *,
        choose: int = layout.VISITS,
        carry: bool = True,
        slack: float | None = None,
        accept: float = -math.inf,
        patience: int = 0,
        full_ends: bool = False,
        length: int = 0,
    ) -> None:
        """Set the rules of the phases that follow; ``layout.PHASES`` explains each."""
        rules = (phases, simulations, over, choose, carry, patience, full_ends, length)
        slack = -1.0 if slack is None else slack
        progress = (0, 0, 0, 0, 0, 0, self._run["best_score"][0])
        self._plan[0] = (*rules, slack, accept, *progress)  # in the order of ``layout.PHASES``
        self._make_room(max(64, min(phases, 1000), length))

    def phases(self, simulations: int) -> int:
        """Go on with the phases of ``plan``; the status says whether the last one is over."""
        if self.progress["actions"] >= len(self._chosen):
            self._make_room(2 * len(self._chosen))
        kernel, scratch = self._phased
        arrays: tuple[Any, ...] = (self._plan, self._chosen, scratch, self.kept, self.scores)
        if not self.compiled:
            plan, chosen, _, kept, scores = arrays
            kept = Records(kept) if self.domain.is_record else kept
            arrays = (Records(plan), Cells(chosen), Cells(scratch), kept, Cells(scores))
            return int(kernel(self._tree, self._tables, *self._seen, *arrays, simulations))
        fixed = (self._tree, self._tables, *self._seen, *arrays)
        if self._planned is None or not all(map(operator.is_, self._planned.fixed, fixed)):
            self._planned = kernel.bind(*fixed)
        return int(self._planned(simulations))

    @property
    def progress(self) -> Any:
        """How far the phases are (``layout.PHASES``)."""
        return self._plan[0]

    @property
    def left(self) -> int:
        """The simulations before the phase under way commits."""
        return int(share_of(RecordProxy(self._plan)) - self.progress["spent"])

    @property
    def committed(self) -> list[int]:
        """The actions that the phases have committed since ``plan``."""
        actions: list[int] = self._chosen[: self._plan["actions"][0]].tolist()
        return actions

    def keep(self, count: int) -> None:
        """Keep this many of the committed states: the best, each of another value."""
        self.kept = np.zeros(count, self.domain.state if self.domain.is_record else object)
        self.scores = np.full(count, -math.inf)

    def _make_room(self, actions: int) -> None:
        if len(self._chosen) < actions:
            more = np.zeros(actions - len(self._chosen), np.int32)
            self._chosen = np.concatenate([self._chosen, more])

    @functools.cached_property
    def _phased(self) -> tuple[Any, np.ndarray]:
        """The loop of phases.py, and scratch for reclaim.py."""
        texts = (*self._texts, HERE / "phases.py")
        module = self._specialised(texts, "phases")
        # untouched pages cost nothing
        return module.phases, np.empty(self._capacity[0], np.int32)

    @property
    def best_state(self) -> Any:
        """Where the best simulation ended, as interpreted code sees it (``KEEP_STATE``)."""
        kept = self._tree.best_state
        return self._states(kept)[0] if self.compiled else kept[0]

    def set_root(self, state: Any) -> None:
        """Put a copy of another state at the root; the tree is the caller's to reset."""
        if self.domain.is_record:
            self._root[0] = state._record[0]
        else:
            self._tree.root[0] = state

    def verify(self, parents: np.ndarray) -> int:
        """The first node that does not fit the domain's rules, or -1; each node has a parent."""
        if self.switches.INFORMATION:  # an action is played only where a draw makes it legal
            return -1
        on = self.switches.constants()
        constants = {name: on[name] for name in ("LAZY", "BOUND", "MAX_ACTIONS", "MAX_LENGTH")}
        texts = (HERE / "verify.py",)
        module = specialise(self.domain, constants, texts, "verify", self.compiled, self.debug)
        given = parents if self.compiled else Cells(parents)
        return int(module.verify(self._tree, self._tables, given))

    @property
    def room(self) -> tuple[int, int]:
        """How many nodes and edges there is room for."""
        return self._capacity[0], self._capacity[1] - 1

    def set_schedule(self, schedule: np.ndarray) -> None:
        """Who is next at the root, with ``GUMBEL``."""
        given: Any = schedule if self.compiled else Cells(schedule)
        self._tree = self._tree._replace(schedule=given)

    def set_goal(self, score: float) -> None:
        """End a search at the first simulation that scores more."""
        self._params["goal"] = score

    def set_limit(self, created: int) -> None:
        self._params["max_created"] = created

    def reset(self) -> None:
        """An empty tree: the root, never simulated."""
        run = self._run[0]
        run["nodes"] = 1
        run["edges"] = 0
        run["free"][:] = 0
        run["stirred"] = 0
        run["created"] += 1
        self._tree.nodes[0] = self._tree.blank[0]
        self._tree.slots[0] = 0

    def begin(self, state: np.ndarray, seed: int, player: int) -> None:
        """An empty tree at another state, an array of one record, and another stream."""
        self._root[0] = state[0]
        self._rng[0] = seed
        self.run["simulations"] = 0
        self.reset()
        self.start()
        self.set_players(player, player)

    def start(self, score: float = -math.inf) -> None:
        self.run["best_score"] = score

    def set_players(self, root_player: int, root_mover: int) -> None:
        run = self.run
        run["root_player"] = root_player
        run["root_mover"] = root_mover

    def child(self, action: int) -> int:
        """The number of the root's child for an action, or -1."""
        root = self.nodes[0]
        for edge in self.edges[root["first"] : root["first"] + root["tried"]]:
            own = edge if self.switches.TRANSPOSE else self.nodes[edge["child"]]
            if own["action"] == action:
                return int(edge["child"])
        return -1

    def score(self, child: int) -> float:
        """What the user's own rule for the choice says of a child of the root."""
        rows = Rows(node_dtype(self.switches), 2, self.nodes[[0, child]])
        rule = self.switches.rules["choose"]
        scored = float(uniform("choose", rule, Rebinder(None).function(rule))(rows[0], rows[1]))
        if math.isnan(scored):
            raise DomainError(str(status_message(self, layout.BAD_CHOICE)))
        return scored

    def compact(self, root: int, min_visits: int = 0) -> None:
        """Keep one subtree, or its often visited part, and reclaim the rest."""
        new = np.empty(int(self._run["nodes"][0]), np.int32)
        scratch = new if self.compiled else Cells(new)
        if self.switches.TRANSPOSE:
            tree, runs = self._tree, self._seen[1]
            self._reclaim.compact_graph(
                tree.nodes, tree.edges, tree.slots, runs, root, min_visits, scratch
            )
            return
        self._reclaim.compact(
            self._tree.nodes,
            self._tree.edges,
            self._seen[1],
            root,
            min_visits,
            self.switches.lazy,
            scratch,
        )

    @functools.cached_property
    def _reclaim(self) -> types.ModuleType:
        rows = _Rows(node_dtype(self.switches), edge_dtype(self.switches))
        name, entry = (
            ("graph", "compact_graph") if self.switches.TRANSPOSE else ("reclaim", "compact")
        )
        return specialise(rows, {}, (HERE / f"{name}.py",), entry, self.compiled, self.debug)

    def recycle(self) -> None:
        """Drop rarely visited nodes until at least half of the memory is free."""
        least = 2
        while self.used_bytes * 2 > self._params["memory"][0] and least < 2**31:
            self.compact(0, least)
            least *= 2

    @property
    def used_bytes(self) -> int:
        nodes = int(self._run["nodes"][0]) * node_dtype(self.switches).itemsize
        edges = int(self._run["edges"][0]) * edge_dtype(self.switches).itemsize
        slots = int(self._tree.slots[0])  # of the table of keys (graph.py)
        return nodes + edges + 4 * slots

    def interpreted_twin(self) -> "Worker":
        """The same search, interpreted, about to repeat the last simulation that began."""
        params = {n: self._params[n][0].item() for n in PARAMS.names or ()}
        seed = int(self._run["replay"][0])
        twin = type(self)(self.domain, self.switches, params, self.root, seed, compiled=False)
        twin.restore(self.saved | {"rng": np.array([seed], np.uint64)})
        return twin

    # ------------------------------------------------------------------------- internals

    def _rows(self, kept: Any, used: int) -> np.ndarray:
        rows: np.ndarray = kept[:used] if self.compiled else kept.to_array(used)
        return rows

    def _allocate(self, memory: int) -> None:
        on = self.switches
        node, edge = node_dtype(on), edge_dtype(on)
        # both could take the whole budget; untouched pages cost nothing
        self._capacity = memory // node.itemsize + 1, memory // edge.itemsize + 2
        table = on.PLAYERS * on.KEYS if on.TABLE else 1
        length = on.MAX_LENGTH + 1
        self._small: dict[str, np.ndarray] = {
            "path": np.zeros(length, np.int32),
            "movers": np.zeros(length, np.int8),
            "buffer": np.zeros(on.MAX_ACTIONS + 1, np.int32),
            "weights": np.zeros(on.MAX_ACTIONS + 1),
            "rewards": np.zeros(on.PLAYERS),
            "trace": np.zeros(length, np.int32),
            "trace_keys": np.zeros(length if on.keyed else 1, np.int32),
            "trace_players": np.zeros(length, np.int8),
            "best": np.zeros(length if on.PLAYERS == 1 else 1, np.int32),
            "marks": np.zeros(on.PLAYERS * on.KEYS if on.RAVE else 1, np.int64),
            "table_visits": np.zeros(table, np.int64),
            "table_value": np.zeros(table),
            "schedule": np.zeros((1, 1), np.int32),
            "path_edges": np.zeros(length if on.TRANSPOSE else 1, np.int32),
            "slots": np.zeros(1 + (self._slots if on.TRANSPOSE else 0), np.int32),
            "lows": np.full(on.PLAYERS, math.inf),
            "highs": np.full(on.PLAYERS, -math.inf),
            **_tabulated(),
        }

    def _load(self) -> None:
        self._module = self._specialised(self._texts, self.entry)
        tables = self.domain.tables
        if self.compiled:
            self._put_arrays()
            self._seen: tuple[Any, ...] = (self._params, self._run, self._rng)
            self._tables = self._module.Tables(*tables.values()) if tables else ()
        else:
            self._put(None, None)
            self._seen = (Records(self._params), Records(self._run), Cells(self._rng))
            self._tables = self.domain.interpreted_tables

    @property
    def _texts(self) -> tuple[Path, ...]:
        """The texts of the kernel; with information sets the selection is another."""
        other = self.switches.INFORMATION and self.entry == "search"
        return (*self.texts, HERE / "information.py") if other else self.texts

    def _specialised(self, texts: tuple[Path, ...], entry: str) -> types.ModuleType:
        on = self.switches
        domain = keyed(self.domain) if on.TRANSPOSE else self.domain
        return specialise(domain, on.constants(), texts, entry, self.compiled, self.debug, on.rules)

    def _put_arrays(self) -> None:
        on = self.switches
        work = np.zeros(1, self.domain.state)
        try:
            nodes = np.empty(self._capacity[0], node_dtype(on))
            edges = np.zeros(self._capacity[1], edge_dtype(on))  # reclaim.py reads unused ones
        except MemoryError:
            from treewright.errors import OptionError

            raise OptionError(
                f"memory={self._params['memory'][0]} bytes can't be reserved on this machine"
            ) from None
        best_state = np.zeros(1 if on.KEEP_STATE else 0, self.domain.state)
        self._tree = Tree(
            nodes=nodes,
            edges=edges,
            root=self._root,
            work=work,
            best_state=best_state,
            blank=blank_node(on),
            **self._small,
        )

    def _put(self, nodes: Any, edges: Any) -> None:
        """Fill the tree from arrays in the compiled layout."""
        if self.compiled:
            self._tree.nodes[: len(nodes)] = nodes
            self._tree.edges[: len(edges)] = edges
            return
        on = self.switches
        root = self._states(self._root)
        work = self._states(np.zeros(1, self.domain.state) if self.domain.is_record else None)
        self._tree = Tree(
            nodes=Rows(node_dtype(on), self._capacity[0], nodes),
            edges=Rows(edge_dtype(on), self._capacity[1], edges),
            root=root,
            work=work,
            best_state=self._states(
                np.zeros(1, self.domain.state) if self.domain.is_record else None
            ),
            blank=Rows(node_dtype(on), 1, blank_node(on)),
            **{k: Cells(v) for k, v in self._small.items()},
        )

    @property
    def _slots(self) -> int:
        """The most slots that a table of keys can have (graph.py)."""
        slots = FEWEST
        while slots < 2 * self._capacity[0]:
            slots *= 2
        return slots

    def _states(self, states: Any) -> Any:
        if self.domain.is_record:
            return Records(states)
        return Objects(states, self.domain.copy_state)


def status_message(worker: Worker, status: int) -> str | None:
    """The sentence for a status that means a broken domain, or None."""
    name, on, culprit = worker.domain.name, worker.switches, int(worker.run["culprit"])
    return {
        layout.NO_ACTION: f"{name}: legal() listed no action in a state that has not ended",
        layout.TOO_MANY: f"{name}: legal() returned {culprit} actions but max_actions is "
        f"{on.MAX_ACTIONS}",
        layout.BAD_ACTION: f"{name}: {culprit} is not a usable action here: actions are whole "
        f"numbers from 0, below 2**30, and a chance outcome is one that legal() lists",
        layout.BAD_KEY: f"{name}: amaf_key() returned {culprit}; keys={on.KEYS} allows 0 to "
        f"{on.KEYS - 1}",
        layout.TOO_LONG: f"{name}: a simulation was longer than max_length={on.MAX_LENGTH} "
        f"actions; raise max_length, or define value(s, out) so that it can be cut there",
        layout.BAD_PLAYER: f"{name}: player() returned {culprit}; players are 0 to "
        f"{on.PLAYERS - 1}" + ("" if on.CHANCE else " (chance, -1, needs sample_chance(s, rng))"),
        layout.BAD_REWARDS: f"{name}: the solver needs rewards between 0 and 1 that, with two "
        f"players, add up to 1; this game ended with "
        f"{[float(r) for r in worker._small['rewards']]}",
        layout.BAD_URGENCY: f"the rule urgency{_of(on, 'urgency')} returned nan",
        layout.BAD_CHOICE: f"the rule choose{_of(on, 'choose')} returned nan",
        layout.BAD_BACK_UP: f"the rule back_up{_of(on, 'back_up')} has made the value of a node "
        "infinite or nan",
        layout.NO_WEIGHT: f"evaluate gave no weight for action {culprit} of {name}: weights have a "
        "column for each action, from 0 up",
        layout.BAD_WEIGHT: f"action {culprit} of {name} has no usable weight: weight and "
        "rollout_weight must return a finite number from 0 up, and order a number",
        layout.BAD_PRIOR: f"{name}: prior() of action {culprit} must return a finite value and "
        "visits from 0 up",
        layout.BAD_DETERMINISATION: f"{name}: determinise() for player {culprit} changed who is to "
        f"move or what they can do; it may only redraw what player {culprit} does not know",
        layout.NOT_FINITE: f"{name}: rewards() and value() must give finite numbers below 1e100; a "
        f"simulation ended with {[float(r) for r in worker._small['rewards']]}",
    }.get(status)


def _of(on: Switches, rule: str) -> str:
    """The name that its author gave to a rule."""
    return f" ({on.rules[rule].__name__})" if rule in on.rules else ""
