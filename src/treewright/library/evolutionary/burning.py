"""Bridge burning: the kernel in phases, each ending with a commit (Baier & Cowling, figure 3).

The same as :func:`treewright.run_phases`, in one compiled call: an agent plans thousands of turns,
and at a few hundred simulations a phase the way through Python would cost more than the search.
"""

from typing import Any

import numpy as np

from treewright.errors import DomainError
from treewright.kernel.interpreted import RecordProxy
from treewright.kernel.rng import stream_seed
from treewright.kernel.worker import Worker, status_message
from treewright.library.domain import Domain
from treewright.library.evolutionary.agent import HERE, Budget, Clock
from treewright.library.options import Options
from treewright.library.switches import params_of, parse_memory, switches_of

SLICE = 200  # simulations between looks at the clock


class _BurningWorker(Worker):
    texts = (*Worker.texts, HERE / "burning_kernel.py")
    entry = "burn"

    def burn(self, *arguments: Any) -> int:
        return int(self._module.burn(self._tree, self._tables, *self._seen, *arguments))

    def begin(self, state: np.ndarray, seed: int, player: int) -> None:
        """An empty tree at another state."""
        self._root[0] = state[0]
        self._rng[0] = stream_seed(seed)
        self._run["simulations"] = 0
        self.reset()
        self.start()
        self.set_players(player, player)


class Burning:
    """One kernel, used again and again for searches in phases."""

    def __init__(self, domain: Domain, options: Options, memory: str, keep: int = 0) -> None:
        """``keep``: so many of the best committed states are kept, each of another value."""
        size = parse_memory(memory)
        self._worker = _BurningWorker(
            domain,
            switches_of(domain, options),
            params_of(options, size, "stop"),
            RecordProxy(np.zeros(1, domain.state)),
            0,
            True,
        )
        self._scratch = np.empty(size // 24, np.int32)
        self._chosen = np.zeros(0, np.int32)
        self._done = 0
        self.kept = np.zeros(keep, domain.state)
        self.scores = np.zeros(keep)  # of the kept states; -inf where there is none

    def begin(self, state: np.ndarray, seed: int, player: int) -> None:
        self._worker.begin(state, seed, player)
        self._done = 0
        self.scores[:] = -np.inf

    @property
    def chosen(self) -> list[int]:
        """The committed actions."""
        return [int(a) for a in self._chosen[: self._done]]

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
            clock = Clock(budget.seconds / phases)
            while clock.left > 0:
                self.burn(0, SLICE)
            before = self._done
            self.burn(1, 0)
            if self._done == before:
                break

    def run_short(self, simulations: int, budget: Budget) -> None:
        """Search and commit in phases of so many simulations, as many as the budget allows."""
        if budget.evaluations is not None:
            self.burn(max(1, budget.evaluations // simulations), budget.evaluations)
            return
        assert budget.seconds is not None
        clock = Clock(budget.seconds)
        phases = max(1, SLICE // simulations)
        before = -1
        while clock.left > 0 and self._done > before:
            before = self._done
            self.burn(phases, phases * simulations)

    def burn(self, phases: int, simulations: int, length: int = 0) -> None:
        """``phases`` (0: no commit) with simulations in all; then complete a turn to ``length``."""
        most = self._done + max(phases, length) + 1
        if len(self._chosen) < most:
            self._chosen = np.concatenate([self._chosen, np.zeros(2 * most, np.int32)])
        found = self._worker.burn(
            phases,
            simulations,
            self._scratch,
            self._chosen,
            self._done,
            length,
            self.kept,
            self.scores,
        )
        if found < 0:
            message = status_message(self._worker, -found)
            raise DomainError(message or "the tree is full: give the agent more memory")
        self._done = found
