"""LA-MCTS (Wang, Fonseca & Tian 2020): a tree of regions that is learnt from all samples.

The samples of a node are put into two clusters by place and value; the line that parts the
clusters splits the node in two, and so on down to leaves.  A simulation goes down by UCB, the
mean of a node's samples being its value, and lets a local solver sample in the leaf.

Ours has a linear fit where the paper has a support vector machine, and for the local solver
CMA-ES where it has TuRBO.  It is here to be compared with: ``runs`` takes over the learnt parts.
"""

from typing import Any

import numpy as np

from treewright.apps.functions.local import Gaussian
from treewright.apps.functions.objective import Exhausted, Objective
from treewright.apps.functions.parts import Part, fitted, inside
from treewright.apps.functions.steps import evaluated
from treewright.errors import OptionError
from treewright.library.domain import Domain, constant
from treewright.library.options import Options, Rollout
from treewright.library.search import Search

PASS = 4  # simulations before the tree is learnt anew
DEEPEST = 8
LEAF = 20  # samples, as in the paper
GENERATIONS = 3  # of CMA-ES in a leaf
MOST_SAMPLES = 2000  # the latest, and the best tenth of the others
TREE = constant()


class _Node:
    """The samples of a region, by their numbers, and its two halves, the better one first."""

    def __init__(self, rows: np.ndarray, part: Part, value: float) -> None:
        self.rows, self.part, self.value = rows, part, value
        self.halves: list[_Node] = []


class _Path:
    """A state of the tree: which half at each split."""

    def __init__(self) -> None:
        self.chosen: list[int] = []


class Regions(Domain):
    """An action is a half of a region; in a leaf a local solver samples."""

    players = 1
    max_actions = 2
    max_length = DEEPEST + 1
    state = _Path

    def __init__(self, tree: "Learnt") -> None:
        super().__init__(constants={TREE: tree})

    def start(s: Any) -> None:
        s.chosen.clear()

    def legal(s: Any, out: Any) -> int:
        out[0], out[1] = 0, 1
        return 2

    def play(s: Any, action: int) -> None:
        s.chosen.append(action)

    def ended(s: Any) -> bool:
        return not TREE.at(s.chosen).halves

    def rewards(s: Any, out: Any) -> None:
        out[0] = TREE.sample(s.chosen)

    def rollout(s: Any, rng: Any, out: Any) -> int:
        return 0  # the better half

    def prior(s: Any, action: int) -> tuple[float, float]:
        found: tuple[float, float] = TREE.known(s.chosen, action)
        return found


class Learnt:
    """The samples, and the tree of regions that they make."""

    def __init__(self, objective: Objective, rng: np.random.Generator, leaf: int) -> None:
        self.objective, self.rng, self.leaf = objective, rng, leaf
        self.low, self.width = objective.low, objective.high - objective.low
        self.points = (objective.known[0] - self.low) / self.width
        self.values = objective.known[1]
        self.over = False
        first = max(2, 2 * objective.n + 1)
        self.evaluate(rng.uniform(0.0, 1.0, (first, objective.n)))
        self.root = _Node(np.arange(len(self.values)), [], 0.5)

    def evaluate(self, unit: np.ndarray) -> np.ndarray:
        values = self.objective.evaluate(self.low + self.width * unit)
        self.points = np.concatenate([self.points, unit[: len(values)]])
        self.values = np.concatenate([self.values, values])
        return values

    def learn(self) -> None:
        """Build the tree anew."""
        if len(self.values) > 2 * MOST_SAMPLES:
            self._forget()
        ranks = np.argsort(np.argsort(-self.values, kind="stable"), kind="stable")
        self.worth = ranks / max(1, len(ranks) - 1)  # 1 is the best
        self.root = self._grown(np.arange(len(self.values)), [])

    def _forget(self) -> None:
        old = len(self.values) - MOST_SAMPLES
        best = np.argsort(self.values[:old], kind="stable")[: MOST_SAMPLES // 10]
        rows = np.concatenate([np.sort(best), np.arange(old, len(self.values))])
        self.points, self.values = self.points[rows], self.values[rows]

    def _grown(self, rows: np.ndarray, part: Part) -> _Node:
        node = _Node(rows, part, float(self.worth[rows].mean()))
        if len(rows) < 2 * self.leaf or len(part) == DEEPEST:
            return node
        good = self._clusters(rows)
        direction, threshold = fitted(self.points[rows], good)
        side = self.points[rows] @ direction > threshold
        if min(side.sum(), (~side).sum()) < self.leaf // 2:
            return node
        for better in (True, False):
            half = [*part, (direction, threshold, better)]
            node.halves.append(self._grown(rows[side == better], half))
        return node

    def _clusters(self, rows: np.ndarray) -> np.ndarray:
        """Two clusters by place and worth (Lloyd's algorithm): 1 for the better, -1."""
        features = np.column_stack([self.points[rows], self.worth[rows]])
        features = (features - features.mean(axis=0)) / (features.std(axis=0) + 1e-12)
        order = np.argsort(self.worth[rows])
        good: np.ndarray = np.zeros(len(rows), bool)
        good[order[len(order) // 2 :]] = True
        for _ in range(10):
            near = [((features - features[g].mean(axis=0)) ** 2).sum(axis=1) for g in (good, ~good)]
            after = near[0] < near[1]
            if after.all() or not after.any() or (after == good).all():
                break
            good = after
        return np.where(good, 1.0, -1.0)

    def at(self, chosen: list[int]) -> _Node:
        node = self.root
        for half in chosen:
            node = node.halves[half]
        return node

    def known(self, chosen: list[int], half: int) -> tuple[float, float]:
        node = self.at(chosen).halves[half]
        return node.value, float(len(node.rows)) / self.leaf

    def sample(self, chosen: list[int]) -> float:
        """Let CMA-ES sample in a leaf: the mean share of earlier samples that are worse."""
        if self.over:
            return 0.0
        node, before = self.at(chosen), self.values
        try:
            model = Gaussian(self.rng, self._start(node), self._spread(node))
            steps = evaluated(model.steps(), self.evaluate)
            for _ in zip(range(GENERATIONS), steps, strict=False):
                pass
        except Exhausted:
            self.over = True
        new = self.values[len(before) :]
        return float((new[:, None] < before[None]).mean()) if len(new) else 0.0

    def _start(self, node: _Node) -> np.ndarray:
        if not len(node.rows):
            return inside(node.part, self.objective.n, self.rng)
        found: np.ndarray = self.points[node.rows[int(np.argmin(self.values[node.rows]))]]
        return found

    def _spread(self, node: _Node) -> float:
        """As wide as the better half of the samples of the leaf."""
        rows = node.rows[np.argsort(self.values[node.rows])][: max(2, len(node.rows) // 2)]
        return float(np.clip(self.points[rows].std(axis=0).mean(), 1e-6, 0.3))


def la_mcts(
    objective: Objective, seed: int = 0, *, c: float = 0.1, leaf: int = LEAF, tree: bool = True
) -> None:
    """Use the whole budget.  Without the ``tree`` the box is the only region."""
    if isinstance(leaf, bool) or not isinstance(leaf, int) or leaf < 2:
        raise OptionError(f"leaf must be a whole number of samples, at least 2; not {leaf!r}")
    learnt = Learnt(objective, np.random.default_rng(seed), leaf if tree else 10**15)
    search = Search(
        Regions(learnt),
        Options(c=c, priors=True, rollout=Rollout("domain")),
        seed=seed,
        memory="1MiB",
        engine="python",
    )
    while objective.left > 0 and not learnt.over:
        learnt.learn()
        if not learnt.root.halves:  # one region: nothing to choose
            learnt.sample([])
            continue
        search.begin()
        if search.run_phases(1, simulations=PASS, commit=False).stopped == "interrupt":
            raise KeyboardInterrupt
