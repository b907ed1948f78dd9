"""What the tree of ``runs`` decides about: the samples, the runs, the parts and what has paid."""

import math
from collections import Counter

import numpy as np

from treewright.apps.functions.archive import Archive
from treewright.apps.functions.axes import axis_steps
from treewright.apps.functions.local import Gaussian, bfgs_steps, ridge_steps
from treewright.apps.functions.mixed import mixed_steps
from treewright.apps.functions.model import model_steps
from treewright.apps.functions.objective import Exhausted, Objective
from treewright.apps.functions.parts import Part, inside, split
from treewright.apps.functions.population import PER_DIMENSION, Population
from treewright.apps.functions.run import Run
from treewright.apps.functions.steps import Steps, within
from treewright.apps.functions.surrogate import Modelled

MODEL, BFGS, CMA, MIXED, AGAIN = "model", "bfgs", "cma-es", "mixed", "again"
LQ = "lq-cma-es"  # in place of CMA-ES where values are smooth
RIDGE, AXES, POPULATION = "ridge", "axes", "l-shade"
EVOLVING = (LQ, CMA, POPULATION)  # few steps bring something, even of good runs
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
    AXES: (0.5, 1.0),
    POPULATION: (0.6, 1.0),
}
EVEN = 0.9, 2.0  # the same of the model and of LQ, unless a point to begin with was given
MODEL_FIRST = 15  # evaluations per dimension before LQ begins
OPENING = 60  # and until when it has most of them:
LEAD = 0.85  # of all so far
MIDDLE = 100  # evaluations per dimension before a search along the axes begins
LONG = 200  # the same of the slices of CMA-ES that show what a population can do
VERY_LONG = 1000  # the same of the first population and of a ridge
FULL = 10_000  # the same of a population that has L-SHADE's size; shorter ones are smaller
LIFE = 1000  # evaluations per dimension of the first population; the next ones live twice as long
SLICES = 60  # of its life, and as long are those of the solvers at the best point from then on
PATIENT = 8  # evaluations per dimension of a slice of CMA-ES in a long search
SPLIT = 40  # samples per dimension before a part is split
YOUNG = 30  # evaluations per dimension after which a local run that still crawls counts for less
YOUNG_ODD = 100  # the same of noisy functions, and where variables are whole numbers
PROMISE = 0.7  # of the credit is what a run promises,
JUDGED = 5  # as soon as it was judged so often
AHEAD = 0.25  # of the evaluations so far: how far ahead that looks
BEHIND = 0.7  # what a successful step counts where another run is ahead
WIDE, NARROW = 0.2, 0.05  # radius of the first model: from the centre, from a point that was given
DOUBLED = 8  # times at most that a population of CMA-ES doubles
NOISY_RADIUS = 0.01  # at which a model of a noisy function ends


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
        self._opens = LQ in self.solvers and not self.warm
        self.version = objective.version
        known = (objective.known[0] - self.low) / self.width  # in the unit box
        self.samples = Archive(known, objective.known[1])
        self.finished: list[float] = []  # what the runs so far came to
        self.open: dict[tuple[int, int], Run] = {}
        self.begun = dict.fromkeys(range(len(self.solvers)), 0)
        self.doubled = 0  # how often CMA-ES has begun with twice as large a population
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
        """All places with their solvers, as far as they may be chosen."""
        return [(p, s) for p in self.actions([]) for s in self.actions([p])]

    def actions(self, chosen: list[int]) -> list[int]:
        """What there is to choose after what was chosen: places, solvers, or candidates."""
        if len(chosen) == 2:
            return list(range(self.candidates))
        if self._leads:
            return [self._lq] if chosen else [HERE]
        if not chosen:
            return self._places
        there = self._there(chosen[0])
        if self._model_leads:
            there = [i for i in there if i != self._lq] or there
        return there

    @property
    def _lq(self) -> int:
        return self.solvers.index(LQ)

    @property
    def opening(self) -> bool:
        """Whether what may be chosen is about to change with every slice."""
        return self._model_leads or self._leads

    @property
    def _model_leads(self) -> bool:
        return self._opens and self.objective.done < MODEL_FIRST * self.objective.n

    @property
    def _leads(self) -> bool:
        """Whether lq-CMA-ES alone goes on: it shows late what it can do, so its first run may."""
        done, n = self.objective.done, self.objective.n
        if not self._opens or not MODEL_FIRST * n <= done < OPENING * n:
            return False
        run = self.open.get((HERE, self._lq))
        return run.age < LEAD * done if run else not self.begun[self._lq]

    def _there(self, place: int) -> list[int]:
        """The solvers of a place, later in a search more of them."""
        if place == EVERYWHERE:
            wanted = {POPULATION} if self._beyond(VERY_LONG) else set()
        elif place == HERE:
            wanted = {name for name in self.solvers if not self._done(name)}
            wanted -= {POPULATION}
            wanted -= set() if self._beyond(VERY_LONG) else {RIDGE}
            wanted -= set() if self.finished and self._beyond(MIDDLE) else {AXES}
        else:
            wanted = set(self.solvers) - {POPULATION, AGAIN, RIDGE, AXES}
        return [i for i, name in enumerate(self.solvers) if name in wanted]

    def _done(self, name: str) -> bool:
        """Whether a solver has ended at the best point, so that it would find nothing new there."""
        if name not in self.ended_at or (HERE, self.solvers.index(name)) in self.open:
            return False
        return np.array_equal(self.ended_at[name], self.objective.best_x)

    def _beyond(self, per_dimension: int) -> bool:
        """Whether so many evaluations per dimension were made."""
        return self.objective.done >= per_dimension * self.objective.n

    @property
    def _places(self) -> list[int]:
        """More of them the longer the search: a population needs time, and parts need samples."""
        found = [HERE]
        if self._there(EVERYWHERE):
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
        even = self._opens and name in (MODEL, LQ)
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
        if self._beyond(VERY_LONG) and run.place < PARTS:
            return max(PATIENT * self.objective.n, self.life // SLICES)
        if self._beyond(LONG) and run.solver in (LQ, CMA):
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
        pairs = [(p, s) for p in self._places for s in self._there(p)]
        ranked = sorted(pairs, key=lambda pair: -self._known(*pair)[0])
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
            if self.smooth and run.place == HERE and run.solver in (MODEL, BFGS, RIDGE, AXES):
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
            again = gaussian and self.begun[solver] > 0 and place == HERE
            x = self.rng.uniform(size=self.objective.n) if again else self._begin_at(place)
            run = self.open[place, solver] = Run(
                self._steps(place, solver, x), place, self.solvers[solver]
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
        self.doubled = 0

    def _begin_at(self, place: int) -> np.ndarray:
        if place < PARTS:
            best: np.ndarray = (self.objective.best_x - self.low) / self.width
            return best
        return inside(
            self.parts[min(place - PARTS, len(self.parts) - 1)], self.objective.n, self.rng
        )

    def _steps(self, place: int, solver: int, x: np.ndarray) -> Steps:
        """A solver, begun; those that need reals, or an order, leave the other variables alone."""
        name, space = self.solvers[solver], self.objective.space
        if name == MIXED:
            return mixed_steps(self.rng, x, space.levels, space.unordered)
        free = self.ordered if name in (LQ, CMA, POPULATION) else self.real
        if name in (LQ, CMA):
            steps = self._gaussian(place, name, self.begun[solver], x[free])
        else:
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
        if name == POPULATION:
            life = self.life = LIFE * n * 2**number
            size = round(PER_DIMENSION * n * min(1.0, math.sqrt(2**number * LIFE / FULL)))
            return Population(np.zeros(n), np.ones(n), self.rng, life, size).steps()
        return axis_steps(self.rng, x)

    def _gaussian(self, place: int, name: str, number: int, x: np.ndarray) -> Steps:
        """CMA-ES: small and narrow in the parts of the box, elsewhere twice as large each time."""
        size, sigma = 4 + int(3 * math.log(len(x))), WIDE
        if number == 0:
            sigma = NARROW if self.warm else WIDE
        elif place >= PARTS:
            sigma *= 10.0 ** -(self.rng.uniform() ** 2)
        else:
            self.doubled += 1
            size *= 2 ** min(self.doubled, DOUBLED)
        kind = Modelled if name == LQ else Gaussian
        return kind(self.rng, x, sigma, size).steps()


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
        AXES: not noisy and not space.whole.any(),
        POPULATION: not noisy and not space.unordered.all(),
    }
    return tuple(name for name, there in found.items() if there)
