"""Perfect-information Monte Carlo: a tree for each of several guesses of what is hidden."""

import functools
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.kernel.interpreted import RecordProxy
from treewright.library.domain import Domain
from treewright.library.options import Options
from treewright.library.phases import Phases
from treewright.library.position import Position
from treewright.library.program import Program
from treewright.library.result import Child, Children, Result
from treewright.library.search import DEFAULT_SIMULATIONS, Search
from treewright.library.tree import children_of


class DeterminisedUCT(Search):
    """Determinised UCT: the visits of ``trees`` searches are added up, each of one guess.

    A guess is what ``determinise`` makes of the true state for the player to move; its search
    takes it for the truth, and has an equal share of the simulations.  The other arguments are
    those of :class:`treewright.Search`.  No tree is kept between runs.
    """

    def __init__(
        self, domain: Domain, options: Options | None = None, *, trees: int = 20, **keywords: Any
    ) -> None:
        if isinstance(trees, bool) or not isinstance(trees, int) or trees < 1:
            raise OptionError(f"trees must be a whole number, at least 1; not {trees!r}")
        options = replace(options or Options(), information="cheating")
        super().__init__(domain, options, **keywords)
        self.trees = trees

    def run(self, simulations: int | None = None, **limits: Any) -> Result:
        """Share out the simulations over the trees; there is no other limit."""
        if limits:
            raise OptionError(f"DeterminisedUCT counts simulations only, not {next(iter(limits))}")
        whole = DEFAULT_SIMULATIONS if simulations is None else simulations
        self._check_budget(whole, None, None)
        self._check_not_ended()
        if whole < self.trees:
            raise OptionError(f"{whole} simulations are too few for {self.trees} trees")
        self._stop.clear()
        self.compile()
        started = time.perf_counter()
        truth = self.position
        seen: dict[int, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
        nodes = 0
        try:
            with self._catch_interrupt():
                for i, guess in enumerate(self._guesses(truth)):
                    self._put(guess)
                    share = whole * (i + 1) // self.trees - whole * i // self.trees
                    self._spend(share, None, None, None, None)
                    self._add_up(seen)
                    nodes += self.tree.size
                    if self._stop.is_set():
                        break
        finally:
            self._put(truth)
        self._seconds = time.perf_counter() - started
        return self._result(truth, seen, nodes)

    def run_phases(self, *arguments: Any, **keywords: Any) -> Phases:
        raise OptionError("DeterminisedUCT has no phases: commit the best action of each run")

    def _guesses(self, truth: Position) -> list[Position]:
        """As many draws as there are trees, all at once: compiled, that is ten times faster."""
        if self.engine == "python":
            guesses = [truth.copy() for _ in range(self.trees)]
            for guess in guesses:
                guess.determinise(self.workers[0].stream, truth.player)
            return guesses
        states = np.repeat(truth.state._record, self.trees)
        program = self._program
        program.call(states, program.tables, self.workers[0].stream.array, truth.player)
        return [Position(self.domain, RecordProxy(states[i : i + 1])) for i in range(self.trees)]

    @functools.cached_property
    def _program(self) -> Program:
        return Program(self.domain, (Path(__file__).parent / "determinised_kernel.py",), "guess")

    def _put(self, position: Position) -> None:
        for worker in self.workers:
            worker.set_root(position.state)
            worker.reset()

    def _add_up(self, seen: dict[int, tuple[int, float]]) -> None:
        """Add visits and rewards of the root's children."""
        for worker in self.workers:
            for child in children_of(worker.nodes, worker.edges, 0):
                visits, value = seen[child.action]
                more = float(worker.nodes[child.node]["value"])
                seen[child.action] = visits + child.visits, value + more

    def _result(self, position: Position, seen: dict[int, tuple[int, float]], nodes: int) -> Result:
        rows = []
        for action in position.legal():
            visits, value = seen[action]
            mean = value / visits if visits else None
            rows.append(Child(action, position.describe(action), visits, mean))
        children = Children(sorted(rows, key=lambda c: (-c.visits, -(c.value or 0.0), c.action)))
        best = children[0]
        return Result(
            best=best.action,
            label=best.label,
            value=best.value if best.value is not None else float("nan"),
            visits=best.visits,
            children=children,
            simulations=self.simulations,
            nodes=nodes,
            created=self._created,
            seconds=self._seconds,
            stopped=self._stopped,
            full=any(bool(w.run["full"]) for w in self.workers),
            variation=[(best.action, best.label)],
        )
