"""Local runs, and a tree that shares the evaluations out among them.

A *run* is a local solver that can be left after any step and gone on with later.  Where it began
and which solver it is are the two decisions of a tree on the kernel: a simulation goes down to
a place and a solver, lets the run there spend a few evaluations (or begins one if there is
none), and is worth what that has gained.  Nothing needs to know the budget.

Places: *here*, the best point so far, and the parts of the box.  As in LA-MCTS (Wang, Fonseca &
Tian 2020) the parts are learnt from the samples: a direction that tells the better half from the
worse splits the box in two, and each part again.

Solvers: a quadratic model (model.py) and BFGS for smooth valleys, and CMA-ES, whose population
doubles each time, for the others.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from treewright.apps.functions.local import Gaussian, bfgs_steps
from treewright.apps.functions.model import model_steps
from treewright.apps.functions.objective import Exhausted, Objective
from treewright.library.domain import Domain, constant
from treewright.library.options import Options, Rollout
from treewright.library.search import Search

SOLVERS = ("model", "bfgs", "cma-es")
MODELLED = 30  # dimensions: in more, a step of the model takes longer than a millisecond
HERE = 0
PASS = 12  # simulations before the tree is built anew, with what has been learnt as its prior
C = 0.1  # of UCB
FADE = 0.85  # of what a solver has gained, with each further slice of it
KNOWN = 4.0  # visits that this counts as, at most
FIRST = {"model": (0.9, 3.0), "bfgs": (0.5, 1.0), "cma-es": (0.6, 1.0)}
SPLIT = 40  # samples per dimension before a part is split
DEEPEST = 2
BEHIND = 0.7  # what a successful step counts where another run is ahead
MOST_SAMPLES = 4096
TREE = constant()


def runs(
    objective: Objective,
    seed: int = 0,
    *,
    tree: bool = True,
    watch: Callable[[Search, "Shared"], object] | None = None,
) -> None:
    """Use the whole budget.  Without the ``tree``, places and solvers take turns.

    ``watch`` sees the search and what its functions share after each pass.
    """
    objective.evaluate(((objective.low + objective.high) / 2)[None])
    shared = Shared(objective, np.random.default_rng(seed))
    if not tree:
        shared.take_turns()
        return
    search = Search(
        Sharing(shared),
        Options(c=C, priors=True, rollout=Rollout("domain")),
        seed=seed,
        memory="1MiB",
        engine="python",
    )
    while objective.left > 0 and not shared.over:
        search.begin()
        made = search.run_phases(1, simulations=PASS, commit=False)
        if made.stopped == "interrupt":
            raise KeyboardInterrupt
        shared.learn()
        if watch is not None:
            watch(search, shared)


class _Choice:
    """A state of the tree: the place, then the solver."""

    def __init__(self) -> None:
        self.chosen: list[int] = []


class Sharing(Domain):
    """The first action is a place, the second a solver; then the run there goes on.

    States are Python objects, for the interpreted kernel: a slice of a run is many evaluations.
    """

    players = 1
    max_actions = 8
    max_length = 2
    state = _Choice

    def __init__(self, shared: "Shared") -> None:
        super().__init__(constants={TREE: shared})

    def start(s: Any) -> None:
        s.chosen.clear()

    def legal(s: Any, out: Any) -> int:
        count = len(TREE.solvers) if s.chosen else TREE.places
        for i in range(count):
            out[i] = i
        return int(count)

    def play(s: Any, action: int) -> None:
        s.chosen.append(action)

    def ended(s: Any) -> bool:
        return len(s.chosen) == 2

    def rewards(s: Any, out: Any) -> None:
        out[0] = TREE.spend(s.chosen[0], s.chosen[1])

    def rollout(s: Any, rng: Any, out: Any) -> int:
        return int(TREE.favourite(s.chosen))

    def prior(s: Any, action: int) -> tuple[float, float]:
        found: tuple[float, float] = TREE.known(s.chosen, action)
        return found


class Run:
    """One solver that was started somewhere, and how far it has come."""

    def __init__(self, steps: Iterator[float], place: int, solver: str) -> None:
        self.steps, self.place, self.solver = steps, place, solver
        self.best = math.inf
        self.ended = False


class Shared:
    """What the tree's functions share: the samples, the runs, the parts and what has paid."""

    def __init__(self, objective: Objective, rng: np.random.Generator) -> None:
        self.objective, self.rng = objective, rng
        self.low, self.width = objective.low, objective.high - objective.low
        n = objective.n
        self.solvers = SOLVERS if n <= MODELLED else SOLVERS[1:]
        self.slice = 4 + int(3 * math.log(n)) + n // 2
        self.over = False
        self.points: list[np.ndarray] = []  # in the unit box
        self.values: list[float] = []
        self.finished: list[float] = []  # what the runs so far came to
        self.open: dict[tuple[int, int], Run] = {}
        self.begun = dict.fromkeys(range(len(self.solvers)), 0)
        self.gains: dict[tuple[int, int], tuple[float, float]] = {}  # sum and weight
        self.parts: list[list[tuple[np.ndarray, float, bool]]] = [[]]

    # ------------------------------------------------------------- for the tree

    @property
    def places(self) -> int:
        return 1 + len(self.parts) if self.finished else 1

    def known(self, chosen: list[int], action: int) -> tuple[float, float]:
        """What is known of a place or a solver before this pass: a value, and how sure."""
        if chosen:
            return self._known(chosen[0], action)
        pairs = [self._known(action, solver) for solver in range(len(self.solvers))]
        best = max(pairs)[0]
        return best, max(weight for _, weight in pairs)

    def favourite(self, chosen: list[int]) -> int:
        """The place or solver that is known to be the best."""
        count = len(self.solvers) if chosen else self.places
        return max(range(count), key=lambda action: self.known(chosen, action)[0])

    def _known(self, place: int, solver: int) -> tuple[float, float]:
        total, weight = self.gains.get((place, solver), (0.0, 0.0))
        value, sure = FIRST[self.solvers[solver]]
        if place != HERE:
            value *= 0.5
            sure = 1.0
        return (total + value * sure) / (weight + sure), min(KNOWN, weight + sure)

    def spend(self, place: int, solver: int) -> float:
        """Let a run go on for a slice: what that was worth, from 0 to 1."""
        if self.over:
            return 0.0
        before, done = self.objective.best, self.objective.done
        steps = good = 0
        try:
            run = self._run(place, solver)
            for best in run.steps:
                steps += 1
                good += best < run.best
                run.best = best
                if self.objective.done - done >= self.slice:
                    break
            else:
                run.ended = True
        except Exhausted:
            self.over = True
            return 0.0
        reward = self._worth(run, good / max(1, steps), self.objective.best < before)
        if run.ended:
            self.finished.append(run.best)
            del self.open[place, solver]
        total, weight = self.gains.get((place, solver), (0.0, 0.0))
        self.gains[place, solver] = FADE * total + reward, FADE * weight + 1.0
        return reward

    def _worth(self, run: Run, succeeded: float, new_best: bool) -> float:
        """How often a step of the slice succeeded, less where another run is ahead."""
        if run.solver == "cma-es":  # a step is a whole generation
            succeeded = float(succeeded > 0)
        reward = succeeded if new_best else BEHIND * succeeded
        if run.place != HERE:
            others = self.finished
            reward *= 0.5 * sum(run.best < other for other in others) / max(1, len(others))
        return reward if not run.ended else 0.5 * reward

    def learn(self) -> None:
        """Split the box anew by the samples so far."""
        n = self.objective.n
        points, values = np.array(self.points), np.array(self.values)
        if len(values) < SPLIT * n:
            return
        self.parts = []
        self._split(points, values, [])

    def _split(
        self, points: np.ndarray, values: np.ndarray, sides: list[tuple[np.ndarray, float, bool]]
    ) -> None:
        """The direction of a linear fit to good (1) and bad (-1) samples, through their middle."""
        if len(values) < SPLIT * points.shape[1] or len(sides) == DEEPEST:
            self.parts.append(sides)
            return
        good = np.where(values <= np.median(values), 1.0, -1.0)
        middle = points.mean(axis=0)
        offsets = points - middle
        system = offsets.T @ offsets + 1e-3 * len(values) * np.eye(points.shape[1])
        direction = np.linalg.solve(system, offsets.T @ good)
        threshold = float(direction @ middle)
        side = points @ direction > threshold
        if side.all() or not side.any():
            self.parts.append(sides)
            return
        for better in (True, False):
            chosen = side == better
            self._split(points[chosen], values[chosen], [*sides, (direction, threshold, better)])

    # ------------------------------------------------------------- runs

    def evaluate(self, unit: np.ndarray) -> np.ndarray:
        """The values of points of the unit box."""
        values = self.objective.evaluate(self.low + self.width * unit)
        if len(values) < len(unit):
            raise Exhausted
        self.points.extend(unit)
        self.values.extend(values.tolist())
        if len(self.values) > MOST_SAMPLES:  # every second one is enough to learn from
            self.points, self.values = self.points[::2], self.values[::2]
        return values

    def _run(self, place: int, solver: int) -> Run:
        run = self.open.get((place, solver))
        if run is None:
            # CMA-ES begins where the best point is only once; later runs look elsewhere
            again = self.solvers[solver] == "cma-es" and self.begun[solver] > 0
            x = self._begin_at(1 if again and place == HERE else place)
            run = self.open[place, solver] = Run(
                self._steps(solver, x), place, self.solvers[solver]
            )
            if place == HERE and self.solvers[solver] != "cma-es" and self.begun[solver]:
                run.best = self.objective.best  # begun again there, it must find better
            self.begun[solver] += 1
        return run

    def _begin_at(self, place: int) -> np.ndarray:
        if place == HERE:
            best: np.ndarray = (self.objective.best_x - self.low) / self.width
            return best
        sides = self.parts[min(place, len(self.parts)) - 1]
        for _ in range(100):
            points = self.rng.uniform(0.0, 1.0, (64, self.objective.n))
            inside = np.ones(len(points), bool)
            for direction, threshold, better in sides:
                inside &= (points @ direction > threshold) == better
            if inside.any():
                break
        found: np.ndarray = points[int(np.argmax(inside))]
        return found

    def _steps(self, solver: int, x: np.ndarray) -> Iterator[float]:
        n = self.objective.n
        number = self.begun[solver]
        if self.solvers[solver] == "model":
            radius = 0.2 if number == 0 else 10.0 ** self.rng.uniform(-1.5, -0.5)
            return model_steps(self.evaluate, self.rng, x, radius)
        if self.solvers[solver] == "bfgs":
            return (f for _, f in bfgs_steps(self.evaluate, np.zeros(n), np.ones(n), x))
        size = (4 + int(3 * math.log(n))) * 2 ** min(number, 8)
        return self._generations(x, 0.2, size)

    def _generations(self, x: np.ndarray, sigma: float, size: int) -> Iterator[float]:
        found = Gaussian(self.evaluate, self.rng, x, sigma, size)
        while not found.stuck:
            found.generation()
            yield found.best

    def take_turns(self) -> None:
        """Without a tree: each place and solver in turn gets as many evaluations."""
        spent: dict[tuple[int, int], int] = {}
        slices = 0
        while not self.over and self.objective.left > 0:
            pairs = [(p, s) for p in range(self.places) for s in range(len(self.solvers))]
            pair = min(pairs, key=lambda pair: spent.get(pair, 0))
            before = self.objective.done
            self.spend(*pair)
            spent[pair] = spent.get(pair, 0) + self.objective.done - before
            slices += 1
            if slices % PASS == 0:
                self.learn()
