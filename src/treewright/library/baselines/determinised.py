"""Perfect-information Monte Carlo: a tree for each of several guesses of what is hidden."""

from dataclasses import replace
from typing import Any

from treewright.errors import OptionError
from treewright.library.domain import Domain
from treewright.library.options import Options
from treewright.library.phases import Phases
from treewright.library.position import Position
from treewright.library.result import Child, Children, Result
from treewright.library.search import DEFAULT_SIMULATIONS, Search


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
        if isinstance(whole, int) and whole < self.trees:
            raise OptionError(f"{whole} simulations are too few for {self.trees} trees")
        truth = self.position
        found: list[Result] = []
        try:
            for i in range(self.trees):
                guess = truth.copy()
                guess.determinise(self.workers[0].stream, truth.player)
                self._put(guess)
                found.append(super().run(whole * (i + 1) // self.trees - whole * i // self.trees))
                if found[-1].stopped == "interrupt":
                    break
        finally:
            self._put(truth)
        return _together(found)

    def run_phases(self, *arguments: Any, **keywords: Any) -> Phases:
        raise OptionError("DeterminisedUCT has no phases: commit the best action of each run")

    def _put(self, position: Position) -> None:
        for worker in self.workers:
            worker.set_root(position.state)
            worker.reset()


def _together(found: list[Result]) -> Result:
    """The results of all trees as one."""
    rows = [child for result in found for child in result.children]
    children = Children(
        sorted(
            (_sum([c for c in rows if c.action == action]) for action in {c.action for c in rows}),
            key=lambda c: (-c.visits, -(c.value or 0.0), c.action),
        )
    )
    best, last = children[0], found[-1]
    return replace(
        last,
        best=best.action,
        label=best.label,
        value=best.value if best.value is not None else last.value,
        visits=best.visits,
        children=children,
        nodes=sum(r.nodes for r in found),
        seconds=sum(r.seconds for r in found),
        variation=[(best.action, best.label)],
    )


def _sum(rows: list[Child]) -> Child:
    """One action over all trees."""
    visits = sum(c.visits for c in rows)
    total = sum(c.visits * (c.value or 0.0) for c in rows)
    return Child(rows[0].action, rows[0].label, visits, total / visits if visits else None)
