"""Phases: search, commit, search again.

One loop stands behind re-rooting between moves (Magnuson 2.1), Kartal's step-by-step
planning with pruning (4.5), MCMCTS's moves and bridge burning (Baier & Cowling, figure 3).
"""

from collections.abc import Callable
from dataclasses import dataclass

from treewright.errors import OptionError
from treewright.library.result import Result
from treewright.library.search import Progress, Search


@dataclass(frozen=True)
class Phases:
    """What a run of phases did: the committed actions and each phase's result."""

    actions: list[int]
    labels: list[str]
    results: list[Result]
    best_sequence: list[int]
    best_score: float | None

    @property
    def simulations(self) -> int:
        return self.results[-1].simulations if self.results else 0

    @property
    def created(self) -> int:
        """Nodes added over all phases, the pruned ones included."""
        return self.results[-1].created if self.results else 0


def run_phases(
    search: Search,
    phases: int | None = None,
    *,
    carry: bool = True,
    simulations: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Phases:
    """Search and commit the best action, ``phases`` times or to the end of the game.

    The budget is per phase.  ``carry`` keeps the subtree of the committed action; without it
    each phase begins with an empty tree.
    """
    if phases is not None and (not isinstance(phases, int) or phases < 1):
        raise OptionError(f"phases must be a whole number, at least 1; not {phases!r}")
    actions: list[int] = []
    labels: list[str] = []
    results: list[Result] = []
    while (phases is None or len(results) < phases) and not search.position.ended:
        result = search.run(simulations, seconds=seconds, nodes=nodes, progress=progress)
        results.append(result)
        if result.stopped in ("interrupt", "stop"):
            break
        actions.append(result.best)
        labels.append(result.label)
        search.commit(result.best)
        if not carry:
            search.restart()
    best = results[-1] if results else None
    return Phases(
        actions,
        labels,
        results,
        best.best_sequence if best else [],
        best.best_score if best else None,
    )
