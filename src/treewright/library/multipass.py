"""Multiple Pass MCTS: search, shrink the problem to the best that was found, search again.

McGuinness 2016, section I-A: "MCTS is run multiple times with the search space reduced in size
each time".  The two parameters are the number of passes and how much progress each makes.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from treewright.errors import OptionError
from treewright.library.domain import Domain
from treewright.library.options import Options
from treewright.library.search import Search, WhenFull
from treewright.library.shown import count_of

Keep = Literal["better", "equal"]


@dataclass(frozen=True)
class Pass:
    """What one pass found: its best sequence from the pass's own start, and the score."""

    number: int
    score: float
    sequence: list[int] = field(repr=False)
    state: Any = field(repr=False)  # where the best simulation ended (``Options.keep_state``)
    simulations: int
    improved: bool  # kept as the start of the passes after it
    best: float  # over all passes so far


@dataclass(frozen=True)
class Passes:
    """Every pass's best, and the state that the last pass would have gone on from."""

    passes: list[Pass] = field(repr=False)
    best_score: float
    state: Any = field(repr=False)
    simulations: int
    seconds: float
    stopped: str  # "passes", "shrunk", "budget", "progress", "interrupt"


class MultiPass:
    """``MultiPass(domain, passes=10, simulations=1000, progress=1).run()``.

    The domain has ``shrink(s, found, progress)``, which turns ``s``, where a pass began, into the
    start of the next, and returns False if that was all.

    passes: how many at most; ``None`` goes on until the domain has nothing left to shrink.
    progress: how much each pass adds, in the domain's own unit (its ``shrink``).
    simulations: the budget of a pass, or a function from the pass's number to it.
    keep: whether a pass replaces the best so far when it is ``better``, or also when ``equal``.
    stop_at_better: a pass ends as soon as it has something better than all passes before.
    score: what the start itself is worth; a pass that is worse is not kept.

    Each pass is a :class:`treewright.Search`, all with one compiled kernel and one stream of
    random numbers, so that the seed decides everything.
    """

    def __init__(
        self,
        domain: Domain,
        options: Options | None = None,
        *,
        passes: int | None = 10,
        simulations: int | Callable[[int], int] = 1000,
        progress: float = 1.0,
        keep: Keep = "better",
        stop_at_better: bool = False,
        score: float = -math.inf,
        seed: int = 0,
        memory: str | int = "256MiB",
        when_full: WhenFull = "rollout",
        engine: Literal["compiled", "python"] = "compiled",
    ) -> None:
        if not callable(getattr(domain, "shrink", None)):
            raise OptionError(
                f"{domain.name} does not say how to shrink itself: it needs a method "
                f"shrink(self, s, found, progress)"
            )
        if passes is not None and (isinstance(passes, bool) or passes < 1):
            raise OptionError(f"passes must be a whole number, at least 1; not {passes!r}")
        if not callable(simulations) and (isinstance(simulations, bool) or simulations < 1):
            raise OptionError(
                f"simulations must be a whole number, at least 1; not {simulations!r}"
            )
        if not progress > 0:
            raise OptionError(f"progress must be above 0, not {progress!r}")
        if keep not in ("better", "equal"):
            raise OptionError(f"keep={keep!r} is unknown; there is 'better' and 'equal'")
        self.domain: Any = domain
        self.passes = passes
        self.progress = progress
        self.keep = keep
        self.stop_at_better = stop_at_better
        self.score = score
        self._simulations = simulations
        self.search = Search(
            domain, options, seed=seed, memory=memory, when_full=when_full, engine=engine
        )
        self._start = self.search.position.state

    def __repr__(self) -> str:
        passes = "passes" if self.passes is None else count_of(self.passes, "pass", "passes")
        return f"<MultiPass of {self.domain.name}: {passes}>"

    def run(
        self,
        budget: int | None = None,
        *,
        seconds: float | None = None,
        progress: Callable[[Pass], object] | None = None,
    ) -> Passes:
        """Make the passes; ``budget`` bounds the simulations of all of them together.

        ``progress`` sees every pass as it ends, and stops the run with False.  Ctrl-C ends the
        run with what was found.
        """
        started = time.perf_counter()
        state = self.domain.copy_state(self._start)
        found: list[Pass] = []
        best, spent, stopped = self.score, 0, "passes"
        while self.passes is None or len(found) < self.passes:
            size = self._simulations
            count = size(len(found)) if callable(size) else size
            if budget is not None:
                count = min(count, budget - spent)
            out_of_time = seconds is not None and time.perf_counter() - started >= seconds
            if count < 1 or out_of_time:
                stopped = "budget"
                break
            self.search.begin(state)
            goal = best if self.stop_at_better else math.inf
            made = self.search.run_phases(1, simulations=count, goal=goal, commit=False)
            done, why = made.simulations, made.stopped
            spent += done
            score, sequence = self.search.best
            improved = score > best or (self.keep == "equal" and score == best)
            best = max(best, score)
            end = self.search.best_state
            found.append(Pass(len(found), score, sequence, end, done, improved, best))
            go_on = progress is None or progress(found[-1]) is not False
            more = self.domain.shrink(state, found[-1], self.progress)
            if why == "interrupt":
                stopped = "interrupt"
                break
            if not more:
                stopped = "shrunk"
                break
            if not go_on:
                stopped = "progress"
                break
        return Passes(found, best, state, spent, time.perf_counter() - started, stopped)
