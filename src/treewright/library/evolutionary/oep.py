"""Online Evolutionary Planning (Justesen et al.), and greedy OEP (Baier & Cowling III-C)."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from treewright.errors import OptionError
from treewright.library.domain import Domain
from treewright.library.evolutionary.agent import Agent, Budget, Plan, limits, stream, turn_program


@dataclass(frozen=True)
class Evolution:
    """Settings of the evolution; the defaults are vanilla OEP.

    ``kill_rate`` is the share that dies.  ``greedy_start`` is the share of the first population
    that Greedy Action makes; ``greedy_repair`` lets it repair illegal genes.  The testbed
    evaluates survivors again in every generation (``evaluate_again``), which only costs budget.
    """

    population: int = 100
    mutation_rate: float = 0.1
    kill_rate: float = 0.5
    greedy_start: float = 0.0
    greedy_repair: bool = False
    evaluate_again: bool = False

    def __post_init__(self) -> None:
        if type(self.population) is not int or not 4 <= self.population <= 10_000:
            raise OptionError(f"population must be 4 to 10000, not {self.population!r}")
        for name in ("mutation_rate", "kill_rate", "greedy_start"):
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(f"{name} must be between 0 and 1, not {getattr(self, name)!r}")
        if not 2 <= self.survivors < self.population:
            raise OptionError(
                f"kill_rate={self.kill_rate} leaves {self.survivors} of {self.population}: at "
                f"least 2 must survive and 1 must die"
            )

    @classmethod
    def greedy(cls) -> "Evolution":
        """Greedy OEP: a fifth of the start and all repairs by Greedy Action."""
        return cls(greedy_start=0.2, greedy_repair=True)

    @property
    def survivors(self) -> int:
        return self.population - round(self.population * self.kill_rate)


class Space(NamedTuple):
    """The arrays of one evolution."""

    genes: Any  # a plan per row; the last row is scratch
    lengths: Any
    worth: Any
    rank: Any  # rows, the best first
    work: Any  # states along the plan under way
    buffer: Any
    out: Any


class OnlineEvolution(Agent):
    """A population of plans: uniform crossover, mutation, repair, survival of the better half."""

    def __init__(self, domain: Domain, length: int, settings: Evolution | None = None) -> None:
        super().__init__(domain, length)
        self.settings = settings or Evolution()
        count = self.settings.population
        self._compiled = turn_program(domain, "oep_kernel.py", "evolve")
        self._space = Space(
            genes=np.zeros((count + 1, length + 1), np.int32),
            lengths=np.zeros(count + 1, np.int32),
            worth=np.zeros(count + 1),
            rank=np.zeros(count + 1, np.int32),
            work=np.zeros(length + 3, domain.state),
            buffer=np.zeros(domain.max_actions + 1, np.int32),
            out=np.zeros(domain.players),
        )
        set_ = self.settings
        self._numbers = np.array(
            [
                count,
                set_.survivors,
                round(count * set_.greedy_start),
                set_.greedy_repair,
                set_.evaluate_again,
                length,
            ],
            np.int64,
        )

    def plan(self, state: np.ndarray, budget: Budget, seed: int = 0) -> Plan:
        rng = stream(seed)
        # evaluations made, plans in the population, whether the first population is complete
        progress = np.zeros(3, np.int64)
        for limit in limits(budget, progress):
            self._compiled.call(
                self._space,
                state,
                self._compiled.tables,
                self._numbers,
                self.settings.mutation_rate,
                rng,
                progress,
                limit,
            )
        alive = self._space.rank[: int(progress[1])]
        best = int(alive[np.argmax(self._space.worth[alive])])
        length = int(self._space.lengths[best])
        actions = [int(a) for a in self._space.genes[best, :length]]
        return Plan(actions, float(self._space.worth[best]), int(progress[0]))
