"""One share of a search on many machines: a tree on a processor, or many trees on a GPU."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from treewright.kernel.rng import stream_seed
from treewright.library.cluster.likeness import Likeness, difference
from treewright.library.domain import Domain
from treewright.library.forest import Forest
from treewright.library.options import Options
from treewright.library.position import Position
from treewright.library.search import Search
from treewright.library.tree import root_rows

ON_A_GPU = 4096  # trees; a GPU is busy from a few thousand up


@dataclass(frozen=True)
class Report:
    """What the driver merges: the root of a share and its counters, a few kilobytes."""

    rows: list[tuple[int, dict[str, float]]]
    simulations: int = 0
    created: int = 0
    nodes: int = 0
    trees: int = 1
    stopped: str = "simulations"
    full: bool = False
    best: tuple[float, list[int]] = (float("-inf"), [])
    variation: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Wish:
    """What every share is made of."""

    domain: Domain
    options: Options
    seed: int
    memory: int
    when_full: Literal["stop", "rollout", "recycle"]
    engine: str
    played: Sequence[int] = ()


class Share(Protocol):
    def compile(self) -> None: ...

    def grow(self, simulations: int | None, seconds: float | None) -> Report: ...

    def commit(self, action: int) -> None: ...

    def begin(self, state: Any = None) -> None: ...


class Numbered(Search):
    """The tree that the worker with this number would grow in a search of one machine."""

    def __init__(self, wish: Wish, number: int) -> None:
        self._first_stream = number
        engine: Any = wish.engine
        super().__init__(
            wish.domain,
            wish.options,
            seed=wish.seed,
            memory=wish.memory,
            when_full=wish.when_full,
            engine=engine,
        )
        for action in wish.played:
            self.commit(action)

    def grow(self, simulations: int | None, seconds: float | None) -> Report:
        """Search on, up to this total of simulations or for this long."""
        if simulations is not None and simulations <= self.simulations:
            return self.report("simulations")
        more = None if simulations is None else simulations - self.simulations
        return self.report(self.run(more, seconds=seconds).stopped)

    def report(self, stopped: str) -> Report:
        worker = self.workers[0]
        return Report(
            rows=list(root_rows(worker, untried=True)),
            simulations=self.simulations,
            created=self._created,
            nodes=self.tree.size,
            stopped=stopped,
            full=bool(worker.run["full"]),
            best=self.best,
            variation=self.tree.principal_variation(),
        )


class Grove:
    """Many trees of the same position in one program, as a GPU wants them."""

    def __init__(self, wish: Wish, number: int, trees: int = ON_A_GPU) -> None:
        self._wish = wish
        self._position = Position(wish.domain)
        for action in wish.played:
            self._position.play(action)
        self._seed = stream_seed(wish.seed, number) % 2**62
        engine: Any = wish.engine
        self._forest = Forest(
            wish.domain,
            [self._position] * trees,
            wish.options,
            seed=self._seed,
            memory=wish.memory,
            engine=engine,
        )

    @property
    def simulations(self) -> int:
        return int(self._forest.simulations.sum())

    def compile(self) -> None:
        self._forest._trees.compile()

    def grow(self, simulations: int | None, seconds: float | None) -> Report:
        count = len(self._forest)
        more = 2**40 if simulations is None else simulations - self.simulations
        if more > 0:
            limit = float("inf") if seconds is None else seconds
            self._forest.run(-(-more // count), seconds=limit)
        return self.report("seconds" if simulations is None else "simulations")

    def report(self, stopped: str) -> Report:
        roots = self._forest.roots()
        rows: dict[int, dict[str, float]] = {}
        for at in zip(*roots.there.nonzero(), strict=True):
            new = {"seen": 0.0, "visits": 0.0, "value": 0.0}
            row = rows.setdefault(int(roots.action[at]), new)
            row["visits"] += float(roots.visits[at])
            row["value"] += float(roots.value[at])
        return Report(
            rows=list(rows.items()),
            simulations=self.simulations,
            trees=len(self._forest),
            stopped=stopped,
        )

    def commit(self, action: int) -> None:
        self._position.play(action)
        if not self._position.ended:
            self._seed += len(self._forest)
            self._forest.begin([self._position] * len(self._forest), self._seed)

    def begin(self, state: Any = None) -> None:
        if state is not None:
            self._position = Position(self._wish.domain, self._wish.domain.copy_state(state))
        self._seed += len(self._forest)
        self._forest.begin([self._position] * len(self._forest), self._seed)


class Remote:
    """What an actor of Ray's is: a share, once its machine was found to run the same code."""

    def __init__(self, driver: Likeness, packages: frozenset[str], wish: Any, number: int) -> None:
        self._unlike = difference(driver, packages)
        self._share: Share | None = None
        self._made = (wish, number)

    def start(self) -> str | None:
        """Compile, or load what this machine has compiled; a sentence if the code is another."""
        if self._unlike is None:
            wish, number = self._made
            known: Wish = wish.get()
            self._share = Grove(known, number) if known.engine == "gpu" else Numbered(known, number)
            self._share.compile()
        return self._unlike

    def grow(self, simulations: int | None, seconds: float | None) -> Report:
        assert self._share is not None
        return self._share.grow(simulations, seconds)

    def commit(self, action: int) -> None:
        assert self._share is not None
        self._share.commit(action)

    def begin(self, state: Any) -> None:
        assert self._share is not None
        self._share.begin(state)
