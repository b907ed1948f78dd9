"""The search: budgets, workers, commit, results, files."""

import contextlib
import math
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from treewright.errors import DomainError, OptionError, nearest
from treewright.kernel import layout
from treewright.kernel.rng import stream_seed
from treewright.kernel.worker import Worker, status_message
from treewright.library.domain import Domain
from treewright.library.options import Choice, Options
from treewright.library.position import Position
from treewright.library.result import Child, Result
from treewright.library.switches import params_of, parse_memory, switches_of
from treewright.library.tree import TreeView, first_within, merge_children

SLICE = 0.01  # seconds of compiled search between looks at the clock and at Ctrl-C
DEFAULT_SIMULATIONS = 10_000
WhenFull = Literal["stop", "rollout", "recycle"]


@dataclass(frozen=True)
class Progress:
    """What a progress callback and an ``until`` predicate are given."""

    simulations: int
    created: int
    seconds: float
    search: "Search"


class Search:
    """A search of one domain from one position; it can be run again and again.

    ``seed``, budget and ``workers`` decide the result, on every machine and in both engines.
    ``workers`` trees grow in as many threads and are merged at the root.  ``memory`` bounds the
    trees; ``when_full`` says what happens then: ``stop``, go on with ``rollout`` only, or
    ``recycle`` the rarely visited nodes.  ``engine="python"`` interprets the domain;
    ``debug=True`` compiles it with every index checked.
    """

    _worker_type = Worker
    _choose: Choice | None = None  # a baseline's own way to choose the move

    def __init__(
        self,
        domain: Domain,
        options: Options | None = None,
        *,
        seed: int = 0,
        workers: int = 1,
        memory: str | int = "512MiB",
        when_full: WhenFull = "stop",
        engine: Literal["compiled", "python"] = "compiled",
        debug: bool = False,
    ) -> None:
        if not isinstance(domain, Domain):
            raise OptionError(f"Search needs an instance of a tw.Domain, not {domain!r}")
        if engine not in ("compiled", "python"):
            raise OptionError(f"engine={engine!r} is unknown; there is 'compiled' and 'python'")
        if when_full not in ("stop", "rollout", "recycle"):
            known = ("stop", "rollout", "recycle")
            raise OptionError(f"when_full={when_full!r} is unknown{nearest(when_full, known)}")
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise OptionError(f"workers must be a whole number, at least 1; not {workers!r}")
        if not isinstance(seed, int):
            raise OptionError(f"seed must be a whole number, not {seed!r}")
        if engine == "compiled" and not domain.is_record:
            raise OptionError(
                f"{domain.name} keeps its states in Python objects: use engine='python'"
            )
        self.domain = domain
        self.options = options or Options()
        self.seed = seed
        self.memory = parse_memory(memory)
        self.when_full = when_full
        self.engine = engine
        self.debug = debug
        self.history: list[int] = []
        self._stop = threading.Event()
        self._may_run = threading.Event()
        self._may_run.set()
        self._locks = [threading.Lock() for _ in range(workers)]
        self._best: tuple[float, list[int]] = (-math.inf, [])
        self._seconds = 0.0
        self._stopped = "simulations"
        switches = switches_of(domain, self.options)
        params = params_of(self.options, self.memory // workers, when_full)
        state = domain.new_state()
        self.workers = [
            self._worker_type(
                domain,
                switches,
                params,
                domain.copy_state(state),
                stream_seed(seed, i),
                engine == "compiled",
                debug,
            )
            for i in range(workers)
        ]
        for worker in self.workers:
            worker.start()
        if not self.position.ended:
            self._set_players(self.position.player)

    # --------------------------------------------------------------------------- running

    def run(
        self,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        until: Callable[[Progress], bool] | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> Result:
        """Search until the first limit is reached; without any, 10,000 simulations.

        ``nodes`` counts nodes that this run adds; given alone, it also ends a run whose tree has
        hardly any node left to add (``stopped == "exhausted"``).  ``progress`` is called
        about ten times a second.  Ctrl-C ends the run with what was found
        (``result.stopped == "interrupt"``).
        """
        self._spend(simulations, seconds, nodes, until, progress)
        return self.result()

    def advance(
        self,
        simulations: int | None = None,
        *,
        slack: float = 0.0,
        accept: Callable[[Child], bool] | None = None,
    ) -> Child | None:
        """Search, commit the best action and return it: a phase without a report.

        For generators, which commit hundreds of times: children that were never tried are not
        listed, and the action is played by the search's own engine.  ``slack``: commit the child
        that was added first among those whose value (or maximum, if that is what ``choose``
        says) is within it of the best one's; with ``expand="rollout"`` that is what the policy
        would do, unless it is worse by more.
        Children that ``accept`` refuses are not considered; if none is left, nothing is committed
        and ``None`` is returned; so it is after Ctrl-C.
        """
        self._spend(simulations, None, None, None, None)
        if self._stopped in ("interrupt", "stop"):
            return None
        position = self.position
        choose = self._choose or self.options.choose
        chosen = merge_children(self.workers, choose, position, untried=False)
        good = [child for child in chosen if accept is None or accept(child)]
        if not good:
            return None
        best = first_within(self.workers[0], good, choose, slack)
        mover = position.player
        for worker in self.workers:
            child = worker.child(best.action)
            worker.play(best.action)
            if child >= 0:
                worker.compact(child)
            else:
                worker.reset()
        self._committed(best.action, mover)
        return best

    def _spend(
        self,
        simulations: int | None,
        seconds: float | None,
        nodes: int | None,
        until: Callable[[Progress], bool] | None,
        progress: Callable[[Progress], object] | None,
    ) -> None:
        """Search until the first limit is reached."""
        for name, limit in (("simulations", simulations), ("nodes", nodes)):
            if limit is not None and (
                isinstance(limit, bool) or not isinstance(limit, int) or limit < 1
            ):
                raise OptionError(f"{name} must be a whole number, at least 1; not {limit!r}")
        if seconds is not None and not (isinstance(seconds, (int, float)) and seconds > 0):
            raise OptionError(f"seconds must be above 0, not {seconds!r}")
        if self.position.ended:
            raise OptionError("the position at the root has ended: there is nothing to search")
        if simulations is None and seconds is None and nodes is None and until is None:
            simulations = DEFAULT_SIMULATIONS
        self._stop.clear()
        self._stopped = "simulations"
        if simulations is None and nodes is not None:
            # an exhausted tree has no node to add: don't wait for it
            self._stopped = "exhausted"
            limits = self._limits(2 * nodes + 1000, nodes)
        else:
            limits = self._limits(simulations, nodes)
        # compile first: it counts against no budget, and Ctrl-C is not held back
        self._call(self.workers[0], 0)
        started = time.perf_counter()
        deadline = started + seconds if seconds is not None else math.inf
        with self._catch_interrupt():
            self._run_workers(limits, started, deadline, until, progress)
        self._seconds = time.perf_counter() - started
        self._keep_best()

    def compile(self) -> None:
        """Compile the kernel, or load it, now: the first run does it otherwise."""
        self._call(self.workers[0], 0)

    def explore(self, simulations: int, above: float | None = None) -> tuple[int, str]:
        """Search without a report: how many simulations were made, and what ended it.

        ``above``: end at the first simulation that scores more (single player).
        """
        before = sum(int(w.run["simulations"]) for w in self.workers)
        for worker in self.workers:
            worker.set_goal(math.inf if above is None else above)
        self._spend(simulations, None, None, None, None)
        for worker in self.workers:
            worker.set_goal(math.inf)
        return sum(int(w.run["simulations"]) for w in self.workers) - before, self._stopped

    def begin(self, state: Any, above: float = -math.inf) -> None:
        """Begin again from another state: an empty tree and no best sequence.

        The compiled kernel, the stream of random numbers and the action-value table go on.
        ``above``: only what scores more counts as a best sequence (single player).
        """
        for worker in self.workers:
            worker.set_root(state)
            worker.reset()
            worker.start(above)
        self.history.clear()
        self._best = (above, [])
        if not self.position.ended:
            self._set_players(self.position.player)

    @property
    def best(self) -> tuple[float, list[int]]:
        """The score and the actions of the best simulation so far (single player)."""
        return self._best[0], list(self._best[1])

    @property
    def best_state(self) -> Any:
        """Where the best simulation ended, with ``Options(keep_state=True)``; else None."""
        if not self.options.keep_state:
            return None
        best = max(self.workers, key=lambda w: float(w.run["best_score"]))
        return self.domain.copy_state(best.best_state)

    def stop(self) -> None:
        """End a running search soon, from another thread or from a callback."""
        self._end("stop")

    def result(self) -> Result:
        """What is known now, without searching."""
        tree = self.tree
        position = self.position
        if position.ended:
            raise OptionError("the position at the root has ended: there is nothing to choose")
        children = merge_children(self.workers, self._choose or self.options.choose, position)
        best = children[0]
        return Result(
            best=best.action,
            label=best.label,
            value=_value(best),
            visits=best.visits,
            children=children,
            simulations=self.simulations,
            nodes=tree.size,
            created=sum(int(w.run["created"]) for w in self.workers),
            seconds=self._seconds,
            stopped=self._stopped,
            full=any(bool(w.run["full"]) for w in self.workers),
            best_sequence=list(self._best[1]),
            best_score=self._best[0] if self._best[0] > -math.inf else None,
            variation=tree.principal_variation(best.action),
        )

    # ------------------------------------------------------------------- moving and looking

    @property
    def position(self) -> Position:
        """The position at the root; a copy, free to play with."""
        return Position(self.domain, self.domain.copy_state(self.workers[0].root))

    @property
    def simulations(self) -> int:
        """How many were made so far, by all workers."""
        return sum(int(w.run["simulations"]) for w in self.workers)

    @property
    def tree(self) -> TreeView:
        """The tree, for looking at it; with several workers, the first one's."""
        return TreeView(self)

    def commit(self, action: int) -> None:
        """Play an action at the root: keep its subtree, drop the siblings, reclaim memory."""
        position = self.position
        mover = position.player
        position.play(action)
        for worker in self.workers:
            child = worker.child(action)
            Position(self.domain, worker.root).play(action)
            if child >= 0:
                worker.compact(child)
            else:
                worker.reset()
        self._committed(action, mover)

    def _committed(self, action: int, mover: int) -> None:
        self.history.append(action)
        position = self.position
        if not position.ended:
            self._set_players(position.player, mover)

    def restart(self) -> None:
        """Drop the tree but keep the position, the tables and the best sequence."""
        for worker in self.workers:
            worker.reset()

    def save(self, path: str | Path) -> None:
        """Write the whole search to a file; :func:`treewright.load` goes on from there."""
        from treewright.library.files import save

        save(self, Path(path))

    # --------------------------------------------------------------------------- internals

    def _set_players(self, player: int, mover: int | None = None) -> None:
        """Who decides at the root, and who moved there; chance moves for whoever moved last."""
        moved = player if mover is None else mover
        for worker in self.workers:
            before = int(worker.run["root_mover"])
            worker.set_players(player, moved if moved >= 0 else before)

    def _limits(self, simulations: int | None, nodes: int | None) -> list[tuple[int, int]]:
        """Per worker: the total of simulations and of created nodes at which it stops.

        Work is dealt out in turns that go on from run to run, so that two runs of 500 are one
        run of 1,000.
        """
        count = len(self.workers)
        done = [int(w.run["simulations"]) for w in self.workers]
        made = [int(w.run["created"]) for w in self.workers]

        def limit(more: int | None, so_far: list[int], i: int) -> int:
            if more is None:
                return 2**62
            before = (sum(so_far) - i + count - 1) // count
            after = (sum(so_far) + more - i + count - 1) // count
            return so_far[i] + after - before

        return [(limit(simulations, done, i), limit(nodes, made, i)) for i in range(count)]

    def _run_workers(
        self,
        limits: list[tuple[int, int]],
        started: float,
        deadline: float,
        until: Callable[[Progress], bool] | None,
        progress: Callable[[Progress], object] | None,
    ) -> None:
        def look() -> None:
            seen = Progress(
                sum(int(w.run["simulations"]) for w in self.workers),
                sum(int(w.run["created"]) for w in self.workers),
                time.perf_counter() - started,
                self,
            )
            if progress is not None:
                progress(seen)
            if until is not None and until(seen):
                self._end("until")

        watched = progress is not None or until is not None
        if len(self.workers) == 1:
            self._work(self.workers[0], limits[0], deadline, look if watched else None)
            return
        next_look = started + SLICE
        with ThreadPoolExecutor(len(self.workers)) as pool:
            jobs = [
                pool.submit(self._work, w, limit, deadline, None)
                for w, limit in zip(self.workers, limits, strict=True)
            ]
            while wait(jobs, timeout=SLICE).not_done:
                if watched and time.perf_counter() >= next_look:
                    with self._paused():
                        look()
                    next_look = time.perf_counter() + 10 * SLICE
            for job in jobs:
                job.result()

    @contextlib.contextmanager
    def _paused(self) -> Iterator[None]:
        """Hold every worker between two slices, so that its tree can be looked at."""
        self._may_run.clear()
        with contextlib.ExitStack() as held:
            for lock in self._locks:
                held.enter_context(lock)
            try:
                yield
            finally:
                self._may_run.set()

    def _work(
        self,
        worker: Worker,
        limit: tuple[int, int],
        deadline: float,
        look: Callable[[], None] | None,
    ) -> None:
        """Run one worker slice by slice until a limit, an error or ``stop``."""
        worker.set_limit(limit[1])
        size = 1
        next_look = time.perf_counter() + SLICE
        while True:
            left = limit[0] - int(worker.run["simulations"])
            if left <= 0 or self._stop.is_set():
                return
            begun = time.perf_counter()
            if begun >= deadline:
                self._end("seconds")
                return
            self._may_run.wait()
            with self._locks[self.workers.index(worker)]:
                status = self._call(worker, min(size, left))
                now = time.perf_counter()
                if not self._go_on(worker, status):
                    return
            size = max(1, min(2 * size, int(size * SLICE / max(now - begun, 1e-7))))
            if look is not None and now >= next_look:
                look()
                next_look = now + 10 * SLICE

    def _call(self, worker: Worker, simulations: int) -> int:
        try:
            return worker.search(simulations)
        except (DomainError, KeyboardInterrupt, MemoryError):
            raise
        except Exception as error:
            raise self._explained(worker, error) from error

    def _explained(self, worker: Worker, error: Exception) -> Exception:
        """An exception from a domain function as one sentence."""
        if self.engine == "python":
            return DomainError(_from_traceback(error, self.domain))
        try:  # the interpreted engine builds the same tree, and knows its line numbers
            worker.interpreted_twin().search(1)
        except Exception as seen:
            return DomainError(_from_traceback(seen, self.domain))
        return DomainError(f"{self.domain.name}: {type(error).__name__}: {error}")

    def _go_on(self, worker: Worker, status: int) -> bool:
        if status == layout.DONE:
            return True
        if status == layout.FULL and self.when_full == "recycle":
            before = worker.used_bytes
            worker.recycle()
            if worker.used_bytes < before:
                return True
        message = status_message(worker, status)
        if message is not None:
            raise DomainError(message)
        self._stopped = {
            layout.FULL: "memory",
            layout.NODE_LIMIT: "nodes",
            layout.SOLVED: "solved",
            layout.GOAL: "score",
        }[status]
        return False

    def _end(self, why: str) -> None:
        self._stopped = why
        self._stop.set()

    @contextlib.contextmanager
    def _catch_interrupt(self) -> Iterator[None]:
        """Turn Ctrl-C into a clean end; a second one is not caught."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        previous = signal.getsignal(signal.SIGINT)
        if not callable(previous):  # ignored, or not set from Python: not ours to change
            yield
            return

        def caught(number: int, frame: Any) -> None:
            self._end("interrupt")
            signal.signal(signal.SIGINT, previous)

        signal.signal(signal.SIGINT, caught)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)

    def _keep_best(self) -> None:
        """Remember the best complete sequence, counted from the first root."""
        for worker in self.workers:
            score = float(worker.run["best_score"])
            if self.domain.players == 1 and score > self._best[0]:
                self._best = (score, self.history + worker.best_sequence)


def _value(child: Child) -> float:
    """What a child is worth: proven, or the mean of its simulations."""
    if child.proven is not None:
        return child.proven
    return child.value if child.value is not None else math.nan


def _from_traceback(error: Exception, domain: Domain) -> str:
    """Name the domain's function and line that raised."""
    frames = traceback.extract_tb(error.__traceback__)
    here = str(Path(__file__).parent / "kernel")
    own = [f for f in frames if not f.filename.startswith(here)]
    inner = [f for f in own if f.filename != __file__]
    if not inner:
        return f"{domain.name}: {type(error).__name__}: {error}"
    first, last = inner[0], inner[-1]
    called = f", called from {first.name}, line {first.lineno}" if len(inner) > 1 else ""
    return (
        f"{Path(last.filename).name}, line {last.lineno}, in {last.name}{called}: "
        f"{type(error).__name__}: {error}"
    )
