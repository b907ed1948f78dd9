"""One search on many machines: independent trees, merged at the root at intervals."""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Self, cast

from treewright.errors import OptionError
from treewright.library.alike import Alike
from treewright.library.cluster.connection import ClusterError, connect, ray
from treewright.library.cluster.jobs import Shared
from treewright.library.cluster.likeness import likeness
from treewright.library.cluster.trees import Remote, Wish
from treewright.library.domain import Domain
from treewright.library.merged import Report, result_of
from treewright.library.options import Options
from treewright.library.position import Position
from treewright.library.result import Result
from treewright.library.running import Progress, dealt
from treewright.library.search import DEFAULT_SIMULATIONS, Search, WhenFull
from treewright.library.shown import count_of
from treewright.library.switches import parse_memory
from treewright.library.tree import children_from

ROUNDS = 10  # in which a number of simulations is spent: as often are the roots merged
INTERVAL = 0.5  # seconds between two merges, if time is the budget
GRACE = 2.0  # seconds after which a share that has not answered is left out of a merge
FINISHED = ("simulations", "seconds")  # ends of a slice after which a share can go on


class ClusterSearch(Alike):
    """A search whose trees grow on the machines of a Ray cluster, to be used in a ``with``.

    It has the interface of ``tw.Search(…, workers=n)``: with the same seed and number of
    simulations it finds the same, unless it stops early because the choice is decided
    (``early=False`` never does).  ``memory`` is for each of the ``workers``.  A machine that is
    lost costs its share; ``result.trees`` says how many took part.  ``engine="gpu"`` asks for
    workers with a GPU and grows thousands of trees on each.
    """

    def __init__(
        self,
        domain: Domain,
        options: Options | None = None,
        *,
        workers: int,
        cluster: str = "auto",
        seed: int = 0,
        memory: str | int = "512MiB",
        when_full: WhenFull = "stop",
        engine: Literal["compiled", "python", "gpu"] | None = None,
        early: bool = True,
    ) -> None:
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise OptionError(f"workers must be a whole number, at least 1; not {workers!r}")
        here: Any = "compiled" if engine == "gpu" else engine
        size = parse_memory(memory)
        # one like those far away: it refuses what they would refuse, and knows the position
        self._like = Search(
            domain, options, seed=seed, memory=min(size, 2**20), when_full=when_full, engine=here
        )
        if workers > 1 and self._like.options.gumbel:
            raise OptionError("gumbel shares out the simulations of one tree: it needs workers=1")
        if self._like.options.rules and self._like.options.rules.choose:
            raise OptionError("a rule for the choice looks at one tree: it needs a tw.Search")
        self._early = early
        self._mine = connect(cluster, workers if cluster == "local" else None)
        kind = engine or self._like.engine
        wish = Wish(domain, self._like.options, seed, size, when_full, kind)
        self._shares: dict[int, Any] = {}
        self._reports: dict[int, Report] = {}
        self._seconds, self._stopped = 0.0, "simulations"
        try:
            self._start(wish, workers)
        except BaseException:
            self.close()
            raise

    def _start(self, wish: Wish, workers: int) -> None:
        """Spread the shares over the machines, and wait until each has its kernel."""
        resource = "GPU" if wish.engine == "gpu" else "CPU"
        there = int(ray().cluster_resources().get(resource, 0))
        if there < workers:
            raise ClusterError(
                f"workers={workers}: the cluster has {there} free {resource}s, and each needs one"
            )
        packages = frozenset({type(wish.domain).__module__.partition(".")[0]})
        placed = {"scheduling_strategy": "SPREAD", "num_cpus": 1, "max_restarts": 0}
        if wish.engine == "gpu":
            placed |= {"num_cpus": 0, "num_gpus": 1}
        kind = ray().remote(**placed)(Remote)
        given = (likeness(packages), packages, Shared(wish))
        self._shares = {i: kind.remote(*given, i) for i in range(workers)}
        for unlike in self._ask({i: s.start.remote() for i, s in self._shares.items()}).values():
            if unlike is not None:
                raise ClusterError(unlike)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Drop the trees, and leave the cluster if nobody else of this process needs it."""
        for share in self._shares.values():
            ray().kill(share)
        self._shares = {}
        if self._mine:
            ray().shutdown()

    # --------------------------------------------------------------------------- looking

    def __repr__(self) -> str:
        made, trees = count_of(self.simulations, "simulation"), count_of(self.trees, "tree")
        return f"<ClusterSearch of {self.domain.name}: {made} in {trees}>"

    @property
    def position(self) -> Position:
        return self._like.position

    @property
    def history(self) -> list[int]:
        return self._like.history

    @property
    def simulations(self) -> int:
        return sum(r.simulations for r in self._reports.values())

    @property
    def trees(self) -> int:
        """How many have reported since the root was moved."""
        return sum(r.trees for r in self._reports.values())

    # --------------------------------------------------------------------------- running

    def run(
        self,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        until: Callable[[Progress], bool] | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> Result:
        """Search until the first limit is reached; without any, 10,000 simulations in all.

        ``until`` and ``progress`` are called at each merge.  Ctrl-C ends the run with what was
        merged before.
        """
        self._like._check_budget(simulations, seconds, None)
        self._like._check_not_ended()
        if simulations is None and seconds is None:
            simulations = DEFAULT_SIMULATIONS
        began = time.perf_counter()
        try:
            self._stopped = self._spend(simulations, seconds, began, until, progress)
        except KeyboardInterrupt:
            self._stopped = "interrupt"
        self._seconds = time.perf_counter() - began
        return self.result()

    def _spend(
        self,
        simulations: int | None,
        seconds: float | None,
        began: float,
        until: Callable[[Progress], bool] | None,
        progress: Callable[[Progress], object] | None,
    ) -> str:
        """Slice after slice, with a merge after each; returns what ended it."""
        made = {i: self._made(i) for i in self._shares}
        rounds = ROUNDS if simulations is not None else 0
        deadline = math.inf if seconds is None else began + seconds
        number = 0
        while True:
            number += 1
            left = deadline - time.perf_counter()
            if left <= 0:
                return "seconds"
            slice_ = None if seconds is None else min(INTERVAL, left)
            goal = None if simulations is None else -(-simulations * min(number, rounds) // rounds)
            limits = dict(zip(made, dealt(goal, list(made.values())), strict=True))
            self._round(limits, goal is None, slice_)
            if all(r.stopped not in FINISHED for r in self._reports.values()):
                return next(iter(self._reports.values())).stopped
            spent = time.perf_counter() - began
            if number == rounds and slice_ is None:
                return "simulations"
            if simulations is not None and self._merged_now(made) >= simulations:
                return "simulations"
            if self._early and self._decided(simulations, self._merged_now(made), spent, seconds):
                return "decided"
            part = self._share(number, rounds, spent, seconds)
            seen = Progress(self.simulations, self._created, spent, cast(Search, self), part)
            if progress is not None:
                progress(seen)
            if until is not None and until(seen):
                return "until"

    def _merged_now(self, made: dict[int, int]) -> int:
        """The simulations of this run."""
        return sum(self._made(i) - before for i, before in made.items())

    def _round(self, limits: dict[int, int], free: bool, seconds: float | None) -> None:
        """Let every share that can go on grow up to its limit, or for this long."""
        calls = {
            i: share.grow.remote(None if free else limits[i], seconds)
            for i, share in self._shares.items()
            if i not in self._reports or self._reports[i].stopped in FINISHED
        }
        self._reports |= self._ask(calls, None if seconds is None else seconds + GRACE)

    def _ask(self, calls: dict[int, Any], seconds: float | None = None) -> dict[int, Any]:
        """The answers that come, in time if that is limited; shares that are lost are dropped."""
        ready, _ = ray().wait(list(calls.values()), num_returns=len(calls), timeout=seconds)
        answers = {}
        for i, ref in calls.items():
            if ref not in ready:
                continue
            try:
                answers[i] = ray().get(ref)
            except ray().exceptions.RayActorError:
                self._shares.pop(i)
            except ray().exceptions.RayTaskError as error:
                raise error.cause from None
        if not self._shares:
            raise ClusterError("every machine that took part in the search was lost")
        return answers

    def _made(self, i: int) -> int:
        return self._reports[i].simulations if i in self._reports else 0

    @property
    def _created(self) -> int:
        return sum(r.created for r in self._reports.values())

    @staticmethod
    def _share(number: int, rounds: int, spent: float, seconds: float | None) -> float:
        by_time = 0.0 if seconds is None else spent / seconds
        return min(1.0, max(by_time, number / rounds if rounds else 0.0))

    def _decided(
        self, simulations: int | None, now: int, spent: float, seconds: float | None
    ) -> bool:
        """Whether what is left of the budget can't change the choice any more."""
        if self._like.choose != "visits" or self._like.position.is_chance:
            return False
        left = math.inf if simulations is None else float(simulations - now)
        if seconds is not None:
            left = min(left, now / spent * (seconds - spent))
        first, *others = self._children()
        second = others[0].visits if others else 0
        return bool(first.visits - second > left)

    def _children(self) -> Any:
        found = [r.rows for r in self._reports.values()]
        switches = self._like.workers[0].switches
        return children_from(found, switches, self._like.choose, self._like.position)

    def result(self) -> Result:
        """What is known now, without searching."""
        reports = list(self._reports.values())
        return result_of(reports, self._children(), self._seconds, self._stopped)

    def begin(self, state: Any = None) -> None:
        """Begin again with empty trees, as :meth:`treewright.Search.begin` does."""
        self._like.begin(state)
        self._ask({i: share.begin.remote(state) for i, share in self._shares.items()})
        self._forget_roots()

    def commit(self, action: int) -> None:
        """Play an action at the root of every tree; its subtree is kept."""
        self._like.commit(action)
        self._ask({i: share.commit.remote(action) for i, share in self._shares.items()})
        self._forget_roots()

    def _forget_roots(self) -> None:
        """The counters go on; what was known of the old root does not."""
        self._reports = {
            i: replace(r, rows=[], variation=[], stopped="simulations")
            for i, r in self._reports.items()
            if i in self._shares
        }
