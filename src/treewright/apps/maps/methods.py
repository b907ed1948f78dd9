"""Ways to make a map, all with the same budget: evaluations of the fitness."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.apps.maps import evolution
from treewright.apps.maps.grow import Grow
from treewright.apps.maps.revise import KINDS, Revise
from treewright.apps.maps.spec import FAR, NEAR, MapSpec, load_spec
from treewright.apps.maps.style import planned, tidied
from treewright.apps.maps.walls import Walls
from treewright.apps.maps.ways import distances
from treewright.errors import OptionError, nearest
from treewright.library.multipass import MultiPass, Pass
from treewright.library.options import Options, Rave, Rollout
from treewright.library.search import Search

STEPS = {"minimum": 0.0, "0.05": 0.05, "0.1": 0.1, "0.2": 0.2}  # table I
FILL = 0.6  # where the paper's figures end
DEFAULT_EVALUATIONS = 300_000
PROPOSALS, REVISIONS = 2000, 4  # evaluations in a revision (at most), revisions in a simulation
# Of ``revisions-tree``: a second simulation in a pass forgets what the first has changed for later,
# so the tree searches in every sixteenth pass only (docs/results/notes/maps.md).
EVERY, SIMULATIONS = 16, 4
# How often a wall that changes nothing yet is kept at the start of a run, without which no way gets
# longer where each cell has few evaluations; this falls to the kinds' own ties at the end.
EAGER = 0.85


@dataclass(frozen=True)
class Point:
    """One moment of a run."""

    evaluations: int
    fill: float
    fitness: float


@dataclass(frozen=True)
class MapResult:
    """A map and how it was found."""

    spec: MapSpec
    method: str
    seed: int
    walls: np.ndarray = field(repr=False)  # [y, x], 1 is a wall
    fitness: float
    far: int  # M of equation 1
    near: int  # m
    evaluations: int
    seconds: float
    curve: list[Point] = field(repr=False)
    stopped: str = "evaluations"

    @property
    def fill(self) -> float:
        return float(self.walls.mean())

    @property
    def rows(self) -> list[str]:
        """The map as text: ``#`` wall, ``.`` floor, ``A`` … a checkpoint by its group."""
        marks = [["#" if c else "." for c in row] for row in self.walls]
        for (x, y), group in zip(self.spec.checkpoints, self.spec.groups, strict=True):
            marks[y][x] = chr(ord("A") + group % 26)
        return ["".join(row) for row in marks]

    def to_dict(self) -> dict[str, Any]:
        return {
            "spec": self.spec.name,
            "method": self.method,
            "seed": self.seed,
            "fitness": self.fitness,
            "far": self.far,
            "near": self.near,
            "fill": self.fill,
            "evaluations": self.evaluations,
            "seconds": self.seconds,
            "evaluations_per_second": self.evaluations / max(self.seconds, 1e-9),
            "stopped": self.stopped,
            "width": self.spec.width,
            "height": self.spec.height,
            "checkpoints": [list(c) for c in self.spec.checkpoints],
            "requirements": self.spec.requirements.tolist(),
            "map": self.rows,
            "curve": [[p.evaluations, p.fill, p.fitness] for p in self.curve],
        }


def fitness_of(walls: np.ndarray, spec: MapSpec) -> tuple[float, int, int]:
    """Equation 1, M and m; fitness 0 if two checkpoints are not connected."""
    fields = [distances(walls, c) for c in spec.checkpoints]
    if any(fields[0][y, x] < 0 for x, y in spec.checkpoints):
        return 0.0, 0, 0
    total = {NEAR: 0, FAR: 0}
    for i, j, required in spec.pairs:
        x, y = spec.checkpoints[j]
        total[required] += int(fields[i][y, x])
    return (total[FAR] + 1) / (total[NEAR] + 1), total[FAR], total[NEAR]


Seen = Callable[[Point, np.ndarray, Search | None], object]


class _Watch:
    """Keeps the curve, tells the caller, and ends a run in time or at Ctrl-C."""

    def __init__(self, evaluations: int, seconds: float | None, progress: Seen | None) -> None:
        self.evaluations = evaluations
        self.deadline = math.inf
        self.progress = progress
        self.curve: list[Point] = []
        self.stopped = "evaluations"
        self.started = time.perf_counter()
        self._seconds = seconds

    def begin(self) -> None:
        """The clock starts when everything is compiled."""
        self.started = time.perf_counter()
        self.deadline = math.inf if self._seconds is None else self.started + self._seconds

    def __call__(
        self,
        done: int,
        fill: float,
        fitness: float,
        walls: np.ndarray,
        search: Search | None = None,
    ) -> bool:
        self.curve.append(Point(done, fill, fitness))
        if self.progress is not None:
            self.progress(self.curve[-1], walls, search)
        if time.perf_counter() > self.deadline:
            self.stopped = "seconds"
        return self.stopped == "evaluations"


def _paper(
    spec: MapSpec, watch: _Watch, seed: int, step: str = "minimum", iterations: int | None = None
) -> np.ndarray:
    """Section II-A: UCB1 with parameter 2, one more step of filling each stage."""
    if step not in STEPS:
        raise OptionError(f"step={step!r} is unknown{nearest(step, STEPS)}")
    size = max(1.0, STEPS[step] * spec.cells)
    stages = max(1, round(FILL * spec.cells / size))
    each = iterations or max(1, watch.evaluations // stages)
    domain = Walls(spec, target=round(size), limit=round(FILL * spec.cells))
    search = MultiPass(
        domain,
        Options(c=2.0, rollout=Rollout("domain"), keep_state=True),
        passes=stages,
        simulations=each,
        progress=size,
        score=fitness_of(spec.start(), spec)[0],
        seed=seed,
        memory="64MiB",
    )
    done = 0
    kept = spec.start()

    def seen(stage: Pass) -> bool:
        nonlocal done, kept
        done += stage.simulations
        if stage.improved:
            kept = domain.walls(stage.state)
        return watch(done, (stage.number + 1) * size / spec.cells, stage.best, kept, search.search)

    search.search.compile()
    watch.begin()
    found = search.run(watch.evaluations, progress=seen)
    if found.stopped == "interrupt":
        watch.stopped = "interrupt"
    return kept


def _revise(
    spec: MapSpec,
    watch: _Watch,
    seed: int,
    kinds: Any = KINDS,
    simulations: int = 1,
) -> np.ndarray:
    """Revisions of random kinds, one after the other (revise.py): no tree searches.

    With more ``simulations`` the kernel searches in every sixteenth pass for the kinds that pay.
    """
    proposals = max(1, min(PROPOSALS, watch.evaluations // (50 * REVISIONS)))
    each = proposals * REVISIONS
    domain = Revise(
        spec, kinds=kinds, proposals=proposals, revisions=REVISIONS, eager=EAGER, seed=seed + 1
    )
    search = MultiPass(
        domain,
        Options(c=0.05, rave=Rave(k=50), keep_state=True),
        passes=None,
        simulations=lambda number: simulations if number % EVERY == EVERY - 1 else 1,
        keep="equal",
        progress=EAGER * each / watch.evaluations,
        stop_at_better=True,
        score=fitness_of(spec.start(), spec)[0],
        seed=seed,
        memory="4MiB",
    )
    done = 0
    kept = spec.start()

    def seen(stage: Pass) -> bool:
        nonlocal done, kept
        done += stage.simulations * each
        if stage.improved:
            kept = domain.walls(stage.state)
        return watch(done, float(kept.mean()), stage.best, kept, search.search)

    search.search.compile()
    watch.begin()
    found = search.run(max(1, watch.evaluations // each), progress=seen)
    if found.stopped == "interrupt":
        watch.stopped = "interrupt"
    return kept


def _grow(spec: MapSpec, watch: _Watch, seed: int) -> np.ndarray:
    """Walls that grow from seeds (grow.py), a few more each pass."""
    domain = Grow(spec, target=1)
    search = MultiPass(
        domain,
        Options(c=0.1, rave=Rave(k=200), rollout=Rollout("domain"), keep_state=True),
        passes=None,
        simulations=max(1, min(2000, watch.evaluations // 20)),
        score=fitness_of(spec.start(), spec)[0],
        seed=seed,
        memory="64MiB",
    )
    search.search.compile()
    watch.begin()
    done, dry = 0, 0
    kept = spec.start()

    def seen(stage: Pass) -> bool:
        nonlocal done, kept, dry
        done += stage.simulations
        dry = 0 if stage.improved else dry + 1
        search.progress = 1.0 + dry  # as in the paper: n stages without a new best add n walls
        if stage.improved:
            kept = domain.walls(stage.state)
        return watch(done, float(kept.mean()), stage.best, kept, search.search)

    found = search.run(watch.evaluations, progress=seen)
    if found.stopped in ("interrupt", "shrunk"):
        watch.stopped = {"interrupt": "interrupt", "shrunk": "grown"}[found.stopped]
    return kept


def _revise_by_tree(spec: MapSpec, watch: _Watch, seed: int) -> np.ndarray:
    return _revise(spec, watch, seed, simulations=SIMULATIONS)


def _hill_climbing(spec: MapSpec, watch: _Watch, seed: int) -> np.ndarray:
    """Flip one random cell, keep it if the fitness is no worse: a revision of one kind."""
    return _revise(spec, watch, seed, kinds=((1, 1.0),))


def _evolution(spec: MapSpec, watch: _Watch, seed: int) -> np.ndarray:
    def seen(done: int, walls: np.ndarray, fitness: float) -> bool:
        return watch(done, float(walls.mean()), fitness, walls)

    return evolution.evolve(spec, watch.evaluations, seed, seen, watch.begin)


METHODS: dict[str, Callable[..., np.ndarray]] = {
    "revisions": _revise,
    "revisions-tree": _revise_by_tree,
    "paper": _paper,
    "evolution": _evolution,
    "hill-climbing": _hill_climbing,
    "growing": _grow,
}


SYMMETRIC = ("revisions", "revisions-tree", "hill-climbing")  # which know symmetry


def generate(
    spec: str | MapSpec = "mcguinness",
    method: str = "revisions",
    evaluations: int = DEFAULT_EVALUATIONS,
    seed: int = 0,
    *,
    seconds: float | None = None,
    progress: Seen | None = None,
    **settings: Any,
) -> MapResult:
    """Make a map; ``settings`` are ``step`` and ``iterations`` of the paper's method.

    ``progress`` is told each point of the curve, the best map so far and the search, if there is
    one.
    """
    if method not in METHODS:
        raise OptionError(f"there is no method {method!r}{nearest(method, METHODS)}")
    if isinstance(evaluations, bool) or not isinstance(evaluations, int) or evaluations < 1:
        raise OptionError(f"evaluations must be a whole number, at least 1; not {evaluations!r}")
    if settings and method != "paper":
        raise OptionError(f"the method {method!r} has no setting {next(iter(settings))!r}")
    read = load_spec(spec)
    if read.symmetry and method not in SYMMETRIC:
        raise OptionError(f"the method {method!r} knows no symmetry: take {', '.join(SYMMETRIC)}")
    if read.style and method == "growing":
        raise OptionError("the method 'growing' knows no style: its walls grow where they like")
    plan = planned(read, seed)
    watch = _Watch(evaluations, seconds, progress)
    walls = tidied(METHODS[method](plan, watch, seed, **settings), plan, read, seed)
    spent = time.perf_counter() - watch.started
    fitness, far, near = fitness_of(walls, read)
    done = watch.curve[-1].evaluations if watch.curve else 0
    return MapResult(
        read, method, seed, walls, fitness, far, near, done, spent, watch.curve, watch.stopped
    )


def seeded(spec: MapSpec, seed: int, how: dict[str, Any]) -> MapResult:
    """The same for one of many seeds, on whichever machine."""
    return generate(spec, seed=seed, **how)
