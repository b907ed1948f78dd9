"""One share of a search on many machines: a tree on a processor, or many trees on a GPU."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from treewright.kernel.rng import stream_seed
from treewright.library.cluster.likeness import Likeness, difference
from treewright.library.domain import Domain
from treewright.library.forest import Forest
from treewright.library.merged import Report
from treewright.library.options import Options
from treewright.library.position import Position
from treewright.library.search import Search
from treewright.library.tree import root_rows

ON_A_GPU = 4096  # trees; a GPU is busy from a few thousand up


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
        return replace(self._forest.report(), stopped=stopped)

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
