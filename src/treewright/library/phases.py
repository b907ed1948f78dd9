"""Phases: search, commit, search again (:meth:`treewright.Search.run_phases`).

The loop itself is compiled: kernel/phases.py.  It is driven here, in slices that leave room for
Ctrl-C and callbacks.  Where it can't serve, phases are made one by one from the same parts: the
search's own slices, the choice of kernel/choice.py and ``commit``.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treewright.errors import OptionError
from treewright.kernel import layout
from treewright.kernel.worker import Worker
from treewright.library import shown
from treewright.library.domain import CHANCE
from treewright.library.switches import CHOICES
from treewright.library.tree import best_action

if TYPE_CHECKING:
    from treewright.library.running import Progress
    from treewright.library.search import Search

STOPPED = {
    layout.DONE: "simulations",
    layout.FULL: "memory",
    layout.NODE_LIMIT: "nodes",
    layout.SOLVED: "solved",
    layout.GOAL: "score",
    layout.PHASED: "phases",
    layout.REFUSED: "refused",
}


@dataclass(frozen=True)
class Rules:
    """How phases share a budget, and which action each of them commits."""

    phases: int | None = None
    shared: bool = False
    carry: bool = True
    slack: float | None = None
    accept: float = -math.inf
    patience: int = 0

    def __post_init__(self) -> None:
        count = self.phases
        if count is not None and (isinstance(count, bool) or type(count) is not int or count < 1):
            raise OptionError(f"phases must be a whole number, at least 1; not {count!r}")
        if self.shared and count is None:
            raise OptionError("a budget can only be shared out over a given number of phases")
        if self.slack is not None and not self.slack >= 0:
            raise OptionError(f"slack must be at least 0, not {self.slack!r}")
        if isinstance(self.patience, bool) or type(self.patience) is not int or self.patience < 0:
            raise OptionError(f"patience must be a whole number, at least 0; not {self.patience!r}")

    @property
    def over(self) -> int:
        """Over how many phases a budget is shared out."""
        return self.phases if self.shared and self.phases is not None else 1

    def share(self, budget: int | None, phase: int) -> int | None:
        """The part of a budget that a phase gets, as ``share_of`` in kernel/phases.py has it."""
        if budget is None:
            return None
        return budget * (phase + 1) // self.over - budget * phase // self.over


@dataclass(frozen=True)
class Phases:
    """What a run of phases did.

    ``actions`` were committed.  ``best_sequence`` and ``best_score`` are those of the search, as
    in a :class:`treewright.Result`.  ``stopped`` says how the last phase ended, in the words of
    ``Result.stopped``; ``score`` is for a simulation above the goal, and ``refused`` for a phase
    that found no action to commit.
    """

    actions: list[int]
    simulations: int  # of this run
    created: int  # nodes that it added, including those that were dropped again
    seconds: float
    stopped: str
    best_sequence: list[int] = field(default_factory=list, repr=False)
    best_score: float | None = None

    def _repr_html_(self) -> str:
        return shown.phases_html(self)


def has_compiled_phases(search: "Search") -> bool:
    """Whether kernel/phases.py can run here: with one tree that it searches itself."""
    alone = len(search.workers) == 1 and search.workers[0].entry == "search"
    return alone and search.options.gumbel is None  # which needs a schedule for each phase


def in_one_call(
    search: "Search",
    rules: Rules,
    simulations: int,
    progress: "Callable[[Progress], object] | None",
) -> None:
    """All phases by the loop in kernel/phases.py, which is left every few milliseconds."""
    if search.position.ended:
        return
    worker = search.workers[0]
    before = list(search.history)

    def step(worker: Worker, count: int) -> int:
        try:
            return worker.phases(count)
        finally:
            search.history[len(before) :] = worker.committed

    worker.plan(
        2**62 if rules.phases is None else rules.phases,
        simulations,
        rules.over,
        choose=CHOICES[search.choose],
        carry=rules.carry,
        slack=rules.slack,
        accept=rules.accept,
        patience=rules.patience,
        full_ends=search.when_full == "stop",
    )
    look = search._look(time.perf_counter(), None, progress)
    search._work(worker, (2**62, 2**62), math.inf, look, step)
    if search._stopped == "phases":
        search._stopped = STOPPED[int(worker.progress["status"])]
    search._keep_best(before + worker.committed[: int(worker.progress["best_after"])])
    if not search.position.ended:
        worker.set_players(search.position.player, int(worker.run["root_mover"]))


def one_by_one(
    search: "Search",
    rules: Rules,
    simulations: int | None,
    seconds: float | None,
    nodes: int | None,
    progress: "Callable[[Progress], object] | None",
) -> None:
    """The same with several trees, a baseline's own kernel, or a clock or nodes to count."""
    if search.position.ended:
        return
    turn = search.position.player
    phase = refused = 0
    while (rules.phases is None or phase < rules.phases) and not search._stop.is_set():
        position = search.position
        turned = search.options.horizon == "turn" and position.player not in (turn, CHANCE)
        if position.ended or turned:
            return
        action: int | None
        if position.is_chance:
            action = position.chance(search.workers[0].stream)
        else:
            share, added = rules.share(simulations, phase), rules.share(nodes, phase)
            if share != 0 and added != 0:
                each = None if seconds is None else seconds / rules.over
                search._spend(share, each, added, None, progress)
            if search._stopped in ("interrupt", "stop", "score"):
                return
            if search._stopped == "seconds":  # the clock has ended this phase only
                search._stop.clear()
            action = best_action(search.workers, search.choose, rules.slack, rules.accept, position)
        if action is None:
            refused += 1
            if refused > rules.patience:
                search._stopped = "refused"
                return
            continue
        search.commit(action)
        if not rules.carry:
            search.begin()
        phase, refused = phase + 1, 0
