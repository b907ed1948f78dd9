"""What the tree looks like in memory, and which parts of the algorithm are switched on.

A node that was visited is one 24-byte record.  Its children are a block of edges: a node
number for each child that was tried, then, in a *dense* block, ``~action`` for each that was
not, four bytes each.  With many actions most nodes never try more than a few, so their block
starts *sparse*, with room for four, and doubles; untried actions are then generated again
when one is needed.  Columns of switches that are off (RAVE, priors, solver …) do not exist.
"""

import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from treewright.kernel.rules import RULES, wanted

# how `search` in steps.py ended, or `phases` in phases.py
DONE, FULL, NODE_LIMIT, SOLVED, GOAL, PHASED, REFUSED = range(7)
NO_ACTION, TOO_MANY, BAD_ACTION, BAD_KEY, TOO_LONG, BAD_PLAYER, BAD_REWARDS = range(10, 17)
NOT_FINITE, BAD_URGENCY, BAD_CHOICE, BAD_BACK_UP, BAD_WEIGHT, NO_WEIGHT = range(17, 23)
BAD_DETERMINISATION, BAD_PRIOR = 30, 31

SMALLEST = 4  # edges in the smallest sparse block
DENSE = 16  # nodes with up to so many actions list them all at once
# ``n`` of an opened node of information sets, whose actions are not known in advance, and the
# most children that it can have: with one more its block would have to be dense
ANY, MOST = 65535, 16384

SLOT_BYTES = 16  # of the table of keys, for each node at most (graph.py)

DRAWS = 32  # from the rollout policy, for an action that is new; then any untried one is taken

# ln n and 1/sqrt(n) of visit counts below this are looked up: they would cost half of a
# selection's time
TABULATED = 4096

# rollout policies
UNIFORM, DOMAIN, WEIGHTED, GREEDY, TABLE = range(5)

# what an evaluator gave: values and weights, values only, nothing
WITH_WEIGHTS, WITHOUT_WEIGHTS, WITHOUT = range(3)

# the numbers of ``Batch.state``: how many leaves, the first of them, one of the three above, and
# whether there is one value for each leaf, of the player to move
LEAVES, FROM, GIVEN, MOVERS = range(4)

# by what the child to play is chosen
VISITS, VALUE, MAX = range(3)


@dataclass(frozen=True)
class Switches:
    """The structural switches: constants of the kernel, part of its cache key."""

    PLAYERS: int
    MAX_ACTIONS: int
    MAX_LENGTH: int
    KEYS: int
    RAVE: bool
    MIN_MSE: bool
    FIRST: bool
    FADE: bool
    TABLE_SELECT: bool
    TABLE: bool
    PUCT: bool
    PRIORS: bool
    HEAD_START: bool
    EXPAND_WEIGHTED: bool
    EXPAND_ROLLOUT: bool
    EXPAND_BEST: bool
    EXPAND_LISTED: bool
    DENSE_BLOCKS: bool
    WIDENING: bool
    POLICY: int
    EPSILON: bool
    CUT: bool
    TURN: bool
    MAX_BACKUP: bool
    SOLVER: bool
    BOUND: bool
    CHANCE: bool
    HAS_VALUE: bool
    HAS_WEIGHT: bool
    LEGAL_WEIGHTS: bool
    KEEP_STATE: bool = False
    AT_LEAF: bool = False  # no rollouts at all: nothing of them is compiled
    REWINDS: bool = False  # the domain takes back what was played, instead of a copy of the root
    NORMALISE: bool = False
    EVALUATED: bool = False  # leaves are valued outside the kernel (leaves.py)
    NOISE: bool = False
    GUMBEL: bool = False
    INFORMATION: bool = False  # nodes are information sets (information.py)
    TRANSPOSE: bool = False  # equal states share one node (graph.py)
    STATISTICS: tuple[str, ...] = ()  # numbers of a user's own in each node
    rules: Mapping[str, types.FunctionType] = field(default_factory=dict)  # of a user's own

    @property
    def per_edge(self) -> bool:
        """Untried children differ from each other, so selection looks at each of them."""
        return self.PUCT or self.GUMBEL or self.asks_prior or self.per_edge_beside_puct

    @property
    def asks_prior(self) -> bool:
        """A user's urgency looks at the share of the weight that each child has."""
        return "urgency" in self.rules and "prior" in wanted(self.rules["urgency"])

    @property
    def per_edge_beside_puct(self) -> bool:
        """Untried children differ by more than their weight."""
        return self.RAVE or self.TABLE_SELECT or self.known_before

    @property
    def known_before(self) -> bool:
        """Children start with simulations that were never made."""
        return self.PRIORS or self.HEAD_START

    @property
    def lazy(self) -> bool:
        """Untried actions need not be listed: blocks of edges may be sparse."""
        listed = self.per_edge or self.in_order or self.CHANCE or self.DENSE_BLOCKS
        listed = listed or self.BOUND  # what is legal changes with what is to beat
        listed = listed or self.TRANSPOSE
        return self.INFORMATION or (not listed and self.MAX_ACTIONS > DENSE)

    @property
    def in_order(self) -> bool:
        """Untried children are added as they lie in their block."""
        return self.EXPAND_WEIGHTED or self.EXPAND_LISTED

    @property
    def shares(self) -> bool:
        """Edges know their share of the weight."""
        return self.PUCT or self.HEAD_START or self.GUMBEL or self.asks_prior

    @property
    def keyed(self) -> bool:
        return self.RAVE or self.TABLE

    def constants(self) -> dict[str, object]:
        """The globals that steps.py is compiled with."""
        listed = self.LEGAL_WEIGHTS and not self.CHANCE  # outcomes have no weights
        plain = {name: value for name, value in vars(self).items() if name != "rules"}
        return plain | {
            **{f"OWN_{name.upper()}": name in self.rules for name in RULES},
            "MORE_COLUMNS": bool(self.STATISTICS) or self.EVALUATED,
            "LEGAL_WEIGHTS": listed,
            "ROLLOUT_LISTS": listed and "rollout_weight" not in self.rules,
            "PER_EDGE": self.per_edge,
            "LAZY": self.lazy,
            "KNOWN_BEFORE": self.known_before,
            "SHARES": self.shares,
            "IN_ORDER": self.in_order,
            "KEYED": self.keyed,
            "EDGE_KEY": self.RAVE or self.TABLE_SELECT,
            "WEIGHED": self.HAS_WEIGHT
            or (self.EXPAND_BEST and "order" not in self.rules)
            or (listed and not self.EXPAND_WEIGHTED),
            "WEIGHS": self.POLICY in (WEIGHTED, GREEDY, TABLE),
            "ONE_UNTRIED": self.EXPAND_BEST and self.PUCT and not self.per_edge_beside_puct,
            "TRACE": self.keyed or self.PLAYERS == 1 or (self.CHANCE and self.SOLVER),
            "NODE_BYTES": node_dtype(self).itemsize + (SLOT_BYTES if self.TRANSPOSE else 0),
            "EDGE_BYTES": edge_dtype(self).itemsize,
        }


def node_dtype(on: Switches) -> np.dtype:
    """One visited node."""
    columns: list[tuple[str, type]] = [
        ("value", np.float64),  # W: sum of rewards of the player who moved here
        ("visits", np.int32),  # N
        ("action", np.int32),  # that led here; with TRANSPOSE, that led here first
        ("first", np.int32),  # its edges are edges[first : first + capacity(tried, n)]
        ("n", np.uint16),  # legal actions; 0 until the node is opened
        ("tried", np.uint16),  # edges[first : first + tried] lead to nodes
    ]
    if on.MAX_BACKUP:
        columns.append(("best", np.float64))  # highest reward below
    if on.SOLVER:
        columns += [("low", np.float32), ("high", np.float32)]  # bounds for the player who moved
    if on.EVALUATED:
        columns.append(("pending", np.int32))  # visits whose value is not known yet
    if on.INFORMATION:
        columns.append(("available", np.int64))  # how often it could have been selected
    if on.TRANSPOSE:
        columns.append(("key", np.uint64))  # of the state, and who moved there
    columns += [(name, np.float64) for name in on.STATISTICS]
    return np.dtype(columns, align=True)


def blank_node(on: Switches) -> np.ndarray:
    """A node that was never visited, in an array of one."""
    blank = np.zeros(1, node_dtype(on))
    blank["action"] = -1
    if on.MAX_BACKUP:
        blank["best"] = -np.inf
    if on.SOLVER:
        blank["high"] = 1.0
    return blank


def edge_dtype(on: Switches) -> np.dtype:
    """One legal action of an opened node."""
    columns: list[tuple[str, type]] = [("child", np.int32)]  # node number, or ~action
    if on.TRANSPOSE:
        columns += [("action", np.int32), ("visits", np.int32)]  # of this edge
    if on.RAVE or on.TABLE_SELECT:
        columns.append(("key", np.int32))
    if on.RAVE:
        columns += [
            ("rave_visits", np.float64 if on.FADE else np.int32),
            ("rave_value", np.float64),
        ]
    if on.shares:
        columns.append(("p", np.float64))
    if on.GUMBEL:
        columns.append(("gumbel", np.float64))  # at the root
    if on.known_before:
        columns += [("prior_visits", np.float64), ("prior_value", np.float64)]
    return np.dtype(columns, align=True)


PARAMS = np.dtype(
    [
        (name, np.float64)
        for name in (
            "c",
            "fpu",
            "rave_k",
            "rave_bias",
            "head_start",
            "table_k",
            "floor",
            "max_weight",
            "epsilon",
            "depth",
            "widen_k",
            "widen_alpha",
            "goal",
            "noise_alpha",
            "noise_share",
            "gumbel_visits",  # c_visit of Danihelka et al.
            "gumbel_scale",  # c_scale
        )
    ]
    + [(name, np.int64) for name in ("memory", "max_created", "rollout_when_full")],
    align=True,
)

RUN = np.dtype(
    [
        (name, np.int64)
        for name in (
            "nodes",  # in the tree now
            "edges",
            "created",  # nodes ever added
            "simulations",
            "root_player",  # who decides at the root
            "root_mover",  # who moved into the root; its value is theirs
            "terminal",  # 1: the last simulation ended at its leaf, without a rollout
            "best_length",
            "full",  # 1: an expansion was refused for lack of memory
            "stirred",  # 1: the root's actions have their noise
            "culprit",  # the number to name in an error message
            "observer",  # whose view the tree is (INFORMATION)
        )
    ]
    + [
        ("best_score", np.float64),
        ("replay", np.uint64),  # the random stream as the last simulation began
        ("free", np.int32, 16),  # free sparse blocks by size, each linked to the next; 0 is none
    ],
    align=True,
)


PHASES = np.dtype(
    [  # the rules
        (name, np.int64)
        for name in (
            "phases",  # commits at most
            "simulations",  # in every ``over`` phases together
            "over",
            "choose",  # VISITS, VALUE or MAX
            "carry",  # 1: keep the subtree of the committed action
            "patience",  # how often a phase without an acceptable child gets its share again
            "full_ends",  # 1: a full memory ends the phase; 0: it is for the caller to deal with
            "length",  # after the last phase, complete the turn to this many actions; 0: don't
        )
    ]
    + [
        ("slack", np.float64),  # below 0: none (choice.py)
        ("accept", np.float64),
    ]
    + [  # how far it is
        (name, np.int64)
        for name in (
            "phase",  # phases committed
            "spent",  # simulations of the phase under way
            "refused",  # how often it has begun again
            "status",  # how the last phase's search ended
            "actions",  # that are committed
            "best_after",  # actions that lie before the best sequence
        )
    ]
    + [("best_score", np.float64)],
    align=True,
)


class Tree(NamedTuple):
    """Every array of one worker's search, by name."""

    nodes: Any  # node_dtype
    edges: Any  # edge_dtype, one more than can be used: the last is scratch
    root: Any  # the state at the root, in an array of one
    work: Any  # the state of the simulation under way
    path: Any  # node numbers from the root to the leaf
    movers: Any  # movers[d] moved into path[d]
    buffer: Any  # legal actions
    weights: Any  # and their weights
    rewards: Any
    trace: Any  # every action of the simulation
    trace_keys: Any
    trace_players: Any
    best: Any  # the best trace so far
    best_state: Any  # and where it ended, with KEEP_STATE
    marks: Any  # marks[player * KEYS + key]: the last simulation that saw the move, and when (RAVE)
    table_visits: Any  # action-value table, by player * KEYS + key
    table_value: Any
    logs: Any  # logs[n] = ln n
    inverse_roots: Any  # inverse_roots[n] = 1 / sqrt(n)
    blank: Any  # a node that was never visited, in an array of one
    lows: Any  # the lowest reward of each player so far (NORMALISE)
    highs: Any
    schedule: Any  # schedule[m, i]: of m actions, those with so many visits are next (GUMBEL)
    path_edges: Any  # path_edges[d] led to path[d] (TRANSPOSE)
    slots: Any  # nodes by their keys (graph.py)


class Batch(NamedTuple):
    """Leaves on their way to an evaluator, and what it says of them (leaves.py).

    The leaves are in one half of the arrays, and the next ones will be in the other.
    """

    states: Any
    owner: Any  # the tree that each belongs to, in order
    players: Any  # who decides there
    paths: Any  # node numbers from its root
    movers: Any
    depths: Any  # nodes on its path
    values: Any  # each player's reward; these two have a row for each answer, from the first on
    weights: Any  # by action
    state: Any  # LEAVES, FROM, GIVEN, MOVERS
