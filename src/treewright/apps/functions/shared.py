"""What the tree of ``runs`` decides about: the samples, the runs, the parts and what has paid."""

import math
from bisect import bisect_right
from collections import Counter

import numpy as np

from treewright.apps.functions.archive import Archive
from treewright.apps.functions.cells import cell_steps
from treewright.apps.functions.local import Gaussian, bfgs_steps, ridge_steps
from treewright.apps.functions.mixed import mixed_steps
from treewright.apps.functions.model import model_steps
from treewright.apps.functions.objective import Exhausted, Objective
from treewright.apps.functions.parts import Part, inside, split
from treewright.apps.functions.population import PER_DIMENSION, Population
from treewright.apps.functions.steps import Step, Steps, within
from treewright.apps.functions.surrogate import Modelled

MODEL, BFGS, CMA, MIXED, AGAIN = "model", "bfgs", "cma-es", "mixed", "again"
LQ = "lq-cma-es"  # in place of CMA-ES where values are smooth
RIDGE, POPULATION, CELLS = "ridge", "l-shade", "cells"
EVOLVING = (LQ, CMA, POPULATION, CELLS)  # few steps bring something, even of good runs
MODELLED = 30  # dimensions: in more, a step of the model takes longer than a millisecond
HERE, EVERYWHERE, PARTS = 0, 1, 2  # places: the best point, the whole box, and from there its parts
FADE = 0.85  # of what a solver has gained, with each further slice of it
PALE = 0.995  # the same of what is expected of it at first
KNOWN = 4.0  # visits that this counts as, at most
FIRST = {
    MODEL: (0.9, 3.0),
    BFGS: (0.5, 1.0),
    LQ: (0.6, 1.0),
    CMA: (0.6, 1.0),
    MIXED: (0.7, 1.0),
    AGAIN: (0.5, 1.0),
    RIDGE: (0.5, 1.0),
    POPULATION: (0.6, 1.0),
    CELLS: (0.5, 1.0),
}
EVEN = 0.9, 2.0  # the same of the model and of LQ, unless a point to begin with was given
LONG = 200  # evaluations per dimension before the first population and ridge begin
FULL = 10_000  # the same of a population that has L-SHADE's size; shorter ones are smaller
LIFE = 600  # evaluations per dimension of the first population; the next ones live twice as long
SLICES = 180  # of its life
PATIENT = 8  # evaluations per dimension of a slice of CMA-ES in a long search
SPLIT = 40  # samples per dimension before a part is split
YOUNG = 30  # evaluations per dimension after which a local run that still crawls counts for less
YOUNG_ODD = 100  # the same of noisy functions, and where variables are whole numbers
PROMISE = 0.7  # of the credit is what a run promises,
JUDGED = 5  # as soon as it was judged so often
AHEAD = 0.25  # of the evaluations so far: how far ahead that looks
BEHIND = 0.7  # what a successful step counts where another run is ahead
WIDE, NARROW = 0.2, 0.05  # radius of the first model: from the centre, from a point that was given
NOISY_RADIUS = 0.01  # at which a model of a noisy function ends


class Run:
    """One solver that was started somewhere, and how far it has come."""

    def __init__(self, steps: Steps, place: int, solver: str) -> None:
        self.steps, self.place, self.solver = steps, place, solver
        self.best = math.inf
        self.ended = False
        self.made = self.good = 0  # steps since it was last judged
        self.age = 0  # in evaluations
        self.ages: list[int] = []  # when it was judged,
        self.bests: list[float] = []  # and its best value then
        self._asked: np.ndarray | None = None
        self._got: list[float] = []  # the values of the first of them
        self._values: np.ndarray | None = None

    def judged(self) -> None:
        self.made = self.good = 0
        self.ages.append(self.age)
        self.bests.append(self.best)

    def gain(self, more: float) -> float:
        """How much lower it is expected to come with so many more evaluations.

        Of the last third of its age (or of as many evaluations) and of those before, the gains
        have a ratio: the next ones are expected to have it too.
        """
        span = min(more, self.age / 3)
        before, first = self._best_at(self.age - span), self._best_at(self.age - 2 * span)
        last, earlier = before - self.best, first - before
        if len(self.ages) < 3 or not 0 < last < math.inf:
            return 0.0
        ratio = min(1.0, last / earlier) if 0 < earlier < math.inf else 1.0
        spans = more / span
        if ratio > 0.999:
            return last * spans
        return float(last * ratio * (1 - ratio**spans) / (1 - ratio))

    def _best_at(self, age: float) -> float:
        at = bisect_right(self.ages, age)
        return self.bests[at - 1] if at else math.inf

    def ask(self) -> np.ndarray | None:
        """The points that it still wants evaluated; none at the end of a step."""
        if self._asked is not None:
            return self._asked[len(self._got) :]
        try:
            found = self.steps.send(self._values)
        except StopIteration:
            self.ended = True
            return None
        self._values = None
        if isinstance(found, Step):
            self.made += 1
            self.good += found.value < self.best
            self.best = found.value
            return None
        self._asked = found
        return found

    def tell(self, values: np.ndarray) -> None:
        """The values of the first points, or of all."""
        self.age += len(values)
        self._got.extend(values.tolist())
        if self._asked is not None and len(self._got) == len(self._asked):
            self._asked, self._values, self._got = None, np.array(self._got), []


class Shared:
    """Lets runs go on as the tree decides, and judges what that has brought."""

    def __init__(self, objective: Objective, rng: np.random.Generator) -> None:
        self.objective, self.rng = objective, rng
        self.low, self.width = objective.low, objective.high - objective.low
        n, space = objective.n, objective.space
        self.real, self.ordered = ~space.whole, ~space.unordered
        self.smooth = not space.whole.any() and objective.candidates is None
        self.solvers = _solvers(objective)
        self.slice = 4 + int(3 * math.log(n)) + n // 2
        self.life = LIFE * n  # evaluations of the population that lives, or will
        self.over = False
        self.warm = objective.warm
        self.version = objective.version
        known = (objective.known[0] - self.low) / self.width  # in the unit box
        self.samples = Archive(known, objective.known[1])
        self.finished: list[float] = []  # what the runs so far came to
        self.open: dict[tuple[int, int], Run] = {}
        self.begun = dict.fromkeys(range(len(self.solvers)), 0)
        self.gains: dict[tuple[int, ...], tuple[float, float]] = {}  # sum and weight
        self.slices: Counter[tuple[int, ...]] = Counter()
        self.ended_at: dict[str, np.ndarray] = {}  # the best point when a solver ended there
        self.parts: list[Part] = [[]]

    # ------------------------------------------------------------- for the tree

    @property
    def candidates(self) -> int:
        """How many points of a noisy function may be evaluated again."""
        found = self.objective.candidates
        return 0 if found is None else len(found.all)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All places with their solvers."""
        return [(p, s) for p in self.actions([]) for s in self.actions([p])]

    def actions(self, chosen: list[int]) -> list[int]:
        """What there is to choose after what was chosen: places, solvers, or candidates."""
        if not chosen:
            return self._places
        if len(chosen) == 2:
            return list(range(self.candidates))
        solvers = enumerate(self.solvers)
        if chosen[0] == EVERYWHERE:
            there = {CELLS, POPULATION} if self._long else {CELLS}
            return [i for i, name in solvers if name in there]
        absent = {POPULATION, CELLS}
        if chosen[0] != HERE:
            absent |= {AGAIN, RIDGE}
        else:
            absent |= {name for name in self.ended_at if self._done(name)}
            absent |= set() if self._long else {RIDGE}
        return [i for i, name in solvers if name not in absent]

    def _done(self, name: str) -> bool:
        """Whether a solver has ended at the best point, so that it would find nothing new there."""
        begun = (HERE, self.solvers.index(name)) in self.open
        return not begun and np.array_equal(self.ended_at[name], self.objective.best_x)

    @property
    def _long(self) -> bool:
        """Whether solvers that need many evaluations may begin."""
        return self.objective.done >= LONG * self.objective.n

    @property
    def _places(self) -> list[int]:
        """More of them the longer the search: a population needs time, and parts need samples."""
        found = [HERE]
        if (self.finished or self._long) and self.actions([EVERYWHERE]):
            found.append(EVERYWHERE)
        return found + [PARTS + i for i in range(len(self.parts))] if self.finished else found

    def decided(self, chosen: list[int]) -> bool:
        if len(chosen) == 2 and self.solvers[chosen[1]] == AGAIN:
            return self.candidates == 0
        return len(chosen) >= 2

    def known(self, chosen: list[int], action: int) -> tuple[float, float]:
        """What is known of a place or a solver before this pass: a value, and how sure."""
        if len(chosen) == 2:
            return self._doubt(action), 1.0
        if chosen:
            return self._known(chosen[0], action)
        pairs = [self._known(action, solver) for solver in self.actions([action])]
        best = max(pairs)[0]
        return best, max(weight for _, weight in pairs)

    def favourite(self, chosen: list[int]) -> int:
        """The place or solver that is known to be the best."""
        return max(self.actions(chosen), key=lambda action: self.known(chosen, action)[0])

    def _known(self, place: int, solver: int) -> tuple[float, float]:
        total, weight = self.gains.get((place, solver), (0.0, 0.0))
        name = self.solvers[solver]
        even = name in (MODEL, LQ) and LQ in self.solvers and not self.warm
        value, sure = EVEN if even else FIRST[name]
        if place >= PARTS:
            value *= 0.5
            sure = 1.0
        sure *= PALE ** self.slices[place, solver]
        return (total + value * sure) / (weight + sure), min(KNOWN, weight + sure)

    def spend(self, chosen: list[int]) -> float:
        """Let a run go on for a slice: what that was worth, from 0 to 1."""
        if self.over:
            return 0.0
        try:
            if len(chosen) == 3:
                return self._again(chosen)
            run = self._run(chosen[0], chosen[1])
            return self._slice(run)
        except Exhausted:
            self.over = True
            return 0.0

    def _slice(self, run: Run) -> float:
        before, spent = self.objective.best, 0
        others: list[Run] = []
        while not run.ended:
            asked = run.ask()
            if asked is None:
                if spent >= self._wanted(run):
                    break
                continue
            spent += self._advance(run, asked, others)
        for other in others:
            if other.made:
                self._judge(other, before)
        return self._judge(run, before)

    def _wanted(self, run: Run) -> int:
        """How long a slice is, in evaluations: populations show only later what they can do."""
        if run.solver == POPULATION:
            return self.life // SLICES
        if run.solver in (LQ, CMA) and self._long:
            return PATIENT * self.objective.n
        return self.slice

    def _advance(self, run: Run, asked: np.ndarray, others: list[Run]) -> int:
        """Evaluate what a run asks for; workers that it leaves idle go on with other runs."""
        batch = [(run, asked)]
        room = self.objective.at_once - len(asked)
        while room > 0 and (other := self._next([r for r, _ in batch])) is not None:
            wanted = other.ask()
            while wanted is None and not other.ended:
                wanted = other.ask()
            if wanted is None:
                self._judge(other, self.objective.best)
                continue
            batch.append((other, wanted[:room]))
            others.extend([other] if other not in others else [])
            room -= len(wanted[:room])
        values = self.evaluate(np.concatenate([points for _, points in batch]))
        at = 0
        for told, points in batch:
            told.tell(values[at : at + len(points)])
            at += len(points)
        return len(asked)

    def _next(self, busy: list[Run]) -> Run | None:
        """The most promising run that is not busy."""
        ranked = sorted(self.pairs, key=lambda pair: -self._known(*pair)[0])
        for pair in ranked:
            if self.solvers[pair[1]] != AGAIN and self.open.get(pair) not in busy:
                return self._run(*pair)
        return None

    def _judge(self, run: Run, before: float) -> float:
        """What the steps since the last time were worth; the next ones are expected to be so."""
        reward = self._worth(run, run.good / max(1, run.made), self.objective.best < before)
        run.judged()
        if self.smooth and len(run.ages) >= JUDGED:  # noise and whole numbers promise nothing
            reward = (1 - PROMISE) * reward + PROMISE * self._promise(run)
        if run.solver not in EVOLVING:
            young = YOUNG if self.smooth else YOUNG_ODD
            reward *= min(1.0, young * self.objective.n / max(1, run.age))
        pair = (run.place, self.solvers.index(run.solver))
        if run.ended and pair in self.open:
            self.finished.append(run.best)
            if self.smooth and run.place == HERE and run.solver in (MODEL, BFGS, RIDGE):
                self.ended_at[run.solver] = self.objective.best_x
            del self.open[pair]
        self._credit(pair, reward)
        return reward

    def _promise(self, run: Run) -> float:
        """How far below the best point it is expected to come, as a share of the best promise."""
        more = AHEAD * self.objective.done
        there = [*self.open.values(), run]
        least = min(self.objective.best, *(r.best for r in there))
        if least == math.inf:  # nothing is known of any
            return 0.0
        found = {r: least - r.best + r.gain(more) for r in there}
        most = max(found.values())
        return max(0.0, found[run]) / most if most > 0 else 0.0

    def _credit(self, pair: tuple[int, ...], reward: float) -> None:
        total, weight = self.gains.get(pair, (0.0, 0.0))
        self.slices[pair] += 1
        self.gains[pair] = FADE * total + reward, FADE * weight + 1.0

    def _worth(self, run: Run, succeeded: float, new_best: bool) -> float:
        """How often a step of the slice succeeded, less where another run is ahead."""
        if run.solver in EVOLVING:
            succeeded = float(succeeded > 0)
        reward = succeeded if new_best else BEHIND * succeeded
        if run.place >= PARTS:
            others = self.finished
            reward *= 0.5 * sum(run.best < other for other in others) / max(1, len(others))
        return reward if not run.ended else 0.5 * reward

    def _again(self, chosen: list[int]) -> float:
        """Evaluate a candidate again: worth something if another point is the best now."""
        candidates = self.objective.candidates
        assert candidates is not None
        before = candidates.best
        self.objective.again([candidates.all[chosen[2] % len(candidates.all)]])
        reward = float(candidates.best is not before)
        self._credit((chosen[0], chosen[1]), reward)
        return reward

    def _doubt(self, number: int) -> float:
        candidates = self.objective.candidates
        assert candidates is not None
        return candidates.doubt(candidates.all[number % len(candidates.all)])

    def learn(self) -> None:
        """Split the box anew by the samples so far."""
        least = SPLIT * self.objective.n
        if len(self.samples) >= least:
            self.parts = split(self.samples.points, self.samples.values, least)

    # ------------------------------------------------------------- runs

    def evaluate(self, unit: np.ndarray) -> np.ndarray:
        """The values of points of the unit box."""
        values = self.objective.evaluate(self.low + self.width * unit)
        if len(values) < len(unit):
            raise Exhausted
        self.samples.add(unit, values)
        return values

    def _run(self, place: int, solver: int) -> Run:
        if self.version != self.objective.version:
            self._forget()
        run = self.open.get((place, solver))
        if run is None:
            # CMA-ES begins where the best point is only once; later runs look elsewhere
            gaussian = self.solvers[solver] in (LQ, CMA)
            again = gaussian and self.begun[solver] > 0
            x = self._begin_at(PARTS if again and place == HERE else place)
            run = self.open[place, solver] = Run(
                self._steps(solver, x), place, self.solvers[solver]
            )
            if place == HERE and not gaussian and self.begun[solver]:
                run.best = self.objective.best  # begun again there, it must find better
            self.begun[solver] += 1
        return run

    def _forget(self) -> None:
        """The penalty has changed: what runs know is out of date, and all begin anew."""
        self.version = self.objective.version
        self.open.clear()
        self.finished.clear()
        self.ended_at.clear()
        self.samples.clear()
        self.begun = dict.fromkeys(self.begun, 0)

    def _begin_at(self, place: int) -> np.ndarray:
        if place < PARTS:
            best: np.ndarray = (self.objective.best_x - self.low) / self.width
            return best
        return inside(
            self.parts[min(place - PARTS, len(self.parts) - 1)], self.objective.n, self.rng
        )

    def _steps(self, solver: int, x: np.ndarray) -> Steps:
        """A solver, begun; those that need reals, or an order, leave the other variables alone."""
        name, space = self.solvers[solver], self.objective.space
        if name == MIXED:
            return mixed_steps(self.rng, x, space.levels, space.unordered)
        free = self.ordered if name in (LQ, CMA, POPULATION) else self.real
        steps = self._local(name, self.begun[solver], x[free])
        return steps if free.all() else within(steps, x, free)

    def _local(self, name: str, number: int, x: np.ndarray) -> Steps:
        n = len(x)
        if name == MODEL:
            wide = NARROW if self.warm else WIDE
            radius = wide if number == 0 else 10.0 ** self.rng.uniform(-1.5, -0.5)
            noisy = self.objective.candidates is not None
            return model_steps(self.rng, x, radius, *([NOISY_RADIUS] if noisy else []))
        if name == BFGS:
            return bfgs_steps(np.zeros(n), np.ones(n), x)
        if name == RIDGE:
            best = self.objective.best
            return ridge_steps(np.zeros(n), np.ones(n), self.rng, x, best)
        if name == CELLS:
            return cell_steps(self.rng, n)
        if name == POPULATION:
            life = self.life = LIFE * n * 2**number
            size = round(PER_DIMENSION * n * min(1.0, math.sqrt(2**number * LIFE / FULL)))
            return Population(np.zeros(n), np.ones(n), self.rng, life, size).steps()
        size = (4 + int(3 * math.log(n))) * 2 ** min(number, 8)
        if name == LQ:
            sigma = NARROW if self.warm and number == 0 else WIDE
            return Modelled(self.rng, x, sigma, size, self.samples).steps()
        return Gaussian(self.rng, x, 0.2, size).steps()


def _solvers(objective: Objective) -> tuple[str, ...]:
    """Those that have something to do in a space."""
    space, noisy = objective.space, objective.candidates is not None
    reals = int((~space.whole).sum())
    lq = not noisy and reals == len(space.whole) <= MODELLED
    found = {
        MODEL: 1 <= reals <= MODELLED,
        BFGS: reals >= 1 and not noisy,
        LQ: lq,
        CMA: not lq and not space.unordered.all(),
        MIXED: bool(space.whole.any()),
        AGAIN: noisy,
        RIDGE: reals >= 1 and not noisy,
        POPULATION: not noisy and not space.unordered.all(),
        CELLS: not noisy and not space.whole.any(),
    }
    return tuple(name for name, there in found.items() if there)
