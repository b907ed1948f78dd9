"""Three stages, each on what the one before has found; most of the budget is L-SHADE's.

1. *Regions* (a tree search on the kernel): half-spaces along learned directions; a simulation
   goes down to a region, draws a point there and runs a local quadratic model from it; UCB
   shares the restarts out among the regions.  Later passes of the tree turn the directions
   to the principal axes of the best local optima.
2. *Population*: L-SHADE over the whole box, which no tree of boxes matches on hybrids.
3. *Finish*: local models from the best point so far, in turn: the quadratic one, a walk along
   curved ridges and CMA-ES (as wide as the population was, then with other step sizes).

``parts`` switches them off for the ablation; what is off leaves its budget to the others.
``tree=False`` is the first stage without its tree: local models from uniformly random points.
The tree is small: 32 simulations over eight regions at the most.
"""

import math
from typing import Any

import numpy as np

from treewright.apps.functions.local import Gaussian, quadratic, ridge
from treewright.apps.functions.objective import Exhausted, Objective
from treewright.apps.functions.population import Population
from treewright.apps.functions.steps import evaluated
from treewright.errors import OptionError, nearest
from treewright.library.domain import Domain, constant
from treewright.library.multipass import MultiPass, Pass
from treewright.library.options import Options

SHARES = {"regions": 0.11, "population": 0.79, "finish": 0.1}
DEPTH = 3  # half-spaces down to a region
LOCAL = 150  # evaluations of a local model, per dimension, at most
PASSES = 4  # of the tree, with a simulation for each region
TREE = constant()


def staged(
    objective: Objective,
    seed: int = 0,
    *,
    parts: tuple[str, ...] = tuple(SHARES),
    tree: bool = True,
) -> None:
    """Use the whole budget; the centre of the box is evaluated first."""
    for part in parts:
        if part not in SHARES:
            raise OptionError(f"there is no part {part!r}{nearest(part, SHARES)}")
    rng = np.random.default_rng(seed)
    objective.evaluate(((objective.low + objective.high) / 2)[None])
    total = sum(SHARES[p] for p in parts) or 1.0
    if "regions" in parts:
        share = int(objective.left * SHARES["regions"] / total)
        regions(objective, rng, seed, share, DEPTH if tree else 0)
        total -= SHARES["regions"]
    sigma = 0.1
    if "population" in parts:
        evaluations = math.ceil(objective.left * SHARES["population"] / total)
        population = Population(objective.low, objective.high, rng, evaluations)
        for _ in evaluated(population.steps(), objective.evaluate):
            pass
        sigma = float(np.max(population.spread / (objective.high - objective.low)))
    finish(objective, rng, min(0.2, max(1e-5, sigma)))


def finish(objective: Objective, rng: np.random.Generator, sigma: float) -> None:
    """The three local models in turn, always from the best point so far."""
    while objective.left > 0:
        quadratic(objective, objective.best_x, min(LOCAL * objective.n, objective.left // 4))
        if objective.left > 0:
            ridge(objective, rng, objective.best_x, objective.best, objective.left // 3)
        if objective.left > 0:
            gaussian(objective, rng, sigma)
        sigma = 10.0 ** rng.uniform(-3.5, -0.7)


def gaussian(objective: Objective, rng: np.random.Generator, sigma: float) -> None:
    """CMA-ES from the best point so far until nothing moves any more."""
    low, width = objective.low, objective.high - objective.low
    model = Gaussian(rng, (objective.best_x - low) / width, sigma)
    for _ in evaluated(model.steps(), lambda unit: objective.evaluate(low + width * unit)):
        if objective.left <= 0:
            break


# ---------------------------------------------------------------------- the tree of regions


class _Region:
    """A state of the tree: which side of each direction."""

    def __init__(self) -> None:
        self.sides: list[int] = []


class Regions(Domain):
    """An action is a side of the next direction; a simulation ends with a local model's run.

    States are Python objects, for the interpreted kernel: a local model takes a thousand
    evaluations, so the tree costs nothing beside it.
    """

    players = 1
    max_actions = 2
    max_length = DEPTH
    state = _Region

    def __init__(self, tree: "_Directions") -> None:
        self.tree = tree
        super().__init__(constants={TREE: tree})

    def start(s: Any) -> None:
        s.sides.clear()

    def legal(s: Any, out: Any) -> int:
        out[0], out[1] = 0, 1
        return 2

    def play(s: Any, action: int) -> None:
        s.sides.append(action)

    def ended(s: Any) -> bool:
        return bool(len(s.sides) == TREE.depth)

    def rewards(s: Any, out: Any) -> None:
        out[0] = TREE.visit(s.sides)

    def shrink(self, s: Any, found: Pass, progress: float) -> bool:
        self.tree.learn()
        return True


class _Directions:
    """What the tree's functions share: the directions, and the local optima so far."""

    def __init__(
        self, objective: Objective, rng: np.random.Generator, evaluations: int, depth: int
    ) -> None:
        n = objective.n
        self.objective, self.rng = objective, rng
        self.end = objective.done + evaluations
        self.depth = min(depth, n)
        self.middle = (objective.low + objective.high) / 2
        self.axes = np.linalg.qr(rng.standard_normal((n, n)))[0]
        self.optima: list[tuple[float, np.ndarray]] = []

    @property
    def left(self) -> int:
        return min(self.end - self.objective.done, self.objective.left)

    def draw(self, sides: list[int]) -> np.ndarray:
        """A uniform point on the right sides, by rejection."""
        o = self.objective
        signs = np.array(sides) * 2 - 1
        while True:
            points = self.rng.uniform(o.low, o.high, (16 * 2**self.depth, o.n))
            along = (points - self.middle) @ self.axes[:, : len(sides)]
            inside = (along * signs > 0).all(axis=1)
            if inside.any():
                found: np.ndarray = points[int(np.argmax(inside))]
                return found

    def visit(self, sides: list[int]) -> float:
        """Run a local model in a region: what share of the optima so far is worse."""
        n = self.objective.n
        if self.left < 2 * n + 2:
            return 0.0
        try:
            x, f = quadratic(self.objective, self.draw(sides), min(LOCAL * n, self.left))
        except Exhausted:
            return 0.0
        reward = sum(f < other for other, _ in self.optima) / max(1, len(self.optima))
        self.optima.append((f, x))
        return reward

    def learn(self) -> None:
        """Turn the directions to the principal axes of the better half of the local optima."""
        o = self.objective
        chosen = sorted(self.optima, key=lambda found: found[0])[: max(o.n, len(self.optima) // 2)]
        if len(chosen) > o.n:
            points = (np.array([x for _, x in chosen]) - self.middle) / (o.high - o.low)
            self.axes = np.linalg.eigh(np.atleast_2d(np.cov(points.T)))[1][:, ::-1]


def regions(
    objective: Objective, rng: np.random.Generator, seed: int, evaluations: int, depth: int
) -> None:
    """Spend so many evaluations on local models in regions that a bandit chooses.

    With ``depth`` 0 there is one region, the box, and nothing to choose.
    """
    tree = _Directions(objective, rng, evaluations, depth)
    for _ in range(0 if depth else PASSES * 2 ** min(DEPTH, objective.n)):
        tree.visit([])
    if not depth:
        return
    search = MultiPass(
        Regions(tree),
        Options(c=0.7),
        passes=PASSES,
        simulations=2**tree.depth,
        seed=seed,
        memory="1MiB",
        engine="python",
    )
    found = search.run(progress=lambda found: tree.left > 2 * objective.n + 2)
    if found.stopped == "interrupt":  # the search ended well, but the rest is not to begin
        raise KeyboardInterrupt
