"""Bridge burning: the kernel's phases, one turn after another (Baier & Cowling, figure 3).

The loop is that of kernel/phases.py.  An agent plans thousands of turns with it, under a clock of
CPU time, so it goes to the worker itself: what :class:`treewright.Search` does around each run
would take as long as a small turn.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.errors import DomainError
from treewright.kernel import layout
from treewright.kernel.interpreted import RecordProxy
from treewright.kernel.rng import stream_seed
from treewright.kernel.worker import Worker, status_message
from treewright.library.domain import Domain
from treewright.library.evolutionary.agent import Budget, CpuTimer
from treewright.library.options import Options
from treewright.library.position import Position
from treewright.library.switches import CHOICES, params_of, parse_memory, switches_of
from treewright.library.tree import TreeView

SLICE = 200  # simulations between looks at the clock
WATCHED = 1000  # simulations between looks at the tree, at most


class Burning:
    """One kernel, used again and again for searches in phases.

    ``watch`` is called now and then, and before each commit, which throws most of the tree away.
    """

    def __init__(self, domain: Domain, options: Options, memory: str, keep: int = 0) -> None:
        """``keep``: this many of the best committed states are kept, each of another value."""
        self.domain = domain
        self.options = options
        self.watch: Callable[[], object] | None = None
        self._worker = Worker(
            domain,
            switches_of(domain, options),
            params_of(options, parse_memory(memory), "stop"),
            RecordProxy(np.zeros(1, domain.state)),
            0,
            True,
        )
        self._worker.keep(keep)
        self._choose = CHOICES[options.choose]
        self.chosen: list[int] = []  # the committed actions

    def begin(self, state: np.ndarray, seed: int, player: int) -> None:
        """An empty tree at another state."""
        self._worker.begin(state, stream_seed(seed), player)
        self.chosen = []
        self.scores[:] = -np.inf

    @property
    def workers(self) -> list[Worker]:
        """The one worker, as a search has them."""
        return [self._worker]

    @property
    def tree(self) -> TreeView:
        """The tree of the phase under way."""
        return TreeView(self)

    @property
    def position(self) -> Position:
        """A copy of the state at the tree's root."""
        return Position(self.domain, self.domain.copy_state(self._worker.root))

    @property
    def history(self) -> list[int]:
        """What was committed since the tree was empty."""
        return [*self.chosen, *self._worker.committed]

    @property
    def kept(self) -> np.ndarray:
        """The best committed states."""
        return self._worker.kept

    @property
    def scores(self) -> np.ndarray:
        """What the kept states are worth; -inf where there is none."""
        return self._worker.scores

    @property
    def simulations(self) -> int:
        return int(self._worker.run["simulations"])

    @property
    def best_state(self) -> Any:
        """The best state that was ever evaluated, with ``Options(keep_state=True)``."""
        return self._worker.best_state

    def keep_best(self) -> None:
        """The best state that was ever evaluated is kept too, committed or not."""
        best = self.best_state
        if best.worth not in self.scores:
            worst = int(np.argmin(self.scores))
            self.kept[worst] = best._record[0]
            self.scores[worst] = best.worth

    def run(self, phases: int, budget: Budget) -> None:
        """Search and commit ``phases`` times; simulations or time are shared out equally."""
        if budget.evaluations is not None:
            self.burn(phases, budget.evaluations)
            return
        assert budget.seconds is not None
        for _ in range(phases):
            clock = CpuTimer(budget.seconds / phases)
            while clock.left > 0:
                self.search(SLICE)
            if not self.burn(1, 0):
                break

    def run_short(self, simulations: int, budget: Budget) -> None:
        """Search and commit in phases of this many simulations, as many as the budget allows."""
        if budget.evaluations is not None:
            self.burn(max(1, budget.evaluations // simulations), budget.evaluations)
            return
        assert budget.seconds is not None
        clock = CpuTimer(budget.seconds)
        phases = max(1, SLICE // simulations)
        while clock.left > 0 and self.burn(phases, phases * simulations):
            pass

    def search(self, simulations: int) -> None:
        """Search without a commit: a phase that is left before its end."""
        self._plan(1, simulations + 1)
        self._go_on(simulations)

    def burn(self, phases: int, simulations: int) -> int:
        """Search and commit with this many simulations in all; how often it has committed."""
        self._plan(phases, simulations)
        return self._go_on(simulations)

    def complete(self, length: int) -> None:
        """Follow the tree as deep as it goes, then the rollout policy, up to this many actions."""
        self._plan(0, 0, length - len(self.chosen))
        self._go_on(0)

    def _plan(self, phases: int, simulations: int, length: int = 0) -> None:
        # of children with the same mean the first one is taken
        self._worker.plan(
            phases, simulations, max(1, phases), choose=self._choose, slack=0.0, length=length
        )

    def _go_on(self, simulations: int) -> int:
        end = self.simulations + simulations
        status = self._piece(simulations)
        while status == layout.DONE and self.simulations < end:
            status = self._piece(end - self.simulations)
        made = self._worker.committed
        self.chosen += made
        if status not in (layout.DONE, layout.PHASED, layout.REFUSED):
            message = status_message(self._worker, status)
            raise DomainError(message or "the tree is full: give the agent more memory")
        return len(made)

    def _piece(self, most: int) -> int:
        """Go on by up to this many simulations; to just before a commit, while somebody watches."""
        if self.watch is None:
            return self._worker.phases(most)
        status = self._worker.phases(min(most, WATCHED, max(1, self._worker.left - 1)))
        self.watch()
        return status
