"""How a search spends its budget: slices, threads, limits, callbacks, Ctrl-C."""

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from treewright.errors import DomainError, EvaluatorError, OptionError
from treewright.kernel import layout
from treewright.kernel.worker import Worker, status_message
from treewright.library.blame import from_traceback
from treewright.library.domain import Domain
from treewright.library.interrupt import ends_at_second_interrupt
from treewright.library.phases import STOPPED

if TYPE_CHECKING:
    from treewright.library.search import Search

NO_LIMIT = 2**61  # more simulations, nodes or seconds than there will ever be
SLICE = 0.01  # seconds of compiled search between looks at the clock and at Ctrl-C


@dataclass(frozen=True)
class Progress:
    """What a progress callback and an ``until`` predicate are given.

    ``share`` is how much of its budget the run has spent, from 0 to 1, where that is known.
    """

    simulations: int
    created: int
    seconds: float
    search: "Search"
    share: float | None = None


class Running:
    """What runs the workers of a :class:`treewright.Search`."""

    domain: Domain
    engine: Literal["compiled", "python"]
    when_full: str
    workers: list[Worker]
    _stopped: str

    def __init__(self, workers: int) -> None:
        self._stop = threading.Event()
        self._may_run = threading.Event()
        self._may_run.set()
        self._locks = [threading.Lock() for _ in range(workers)]
        self._under_way = threading.Lock()  # held by the run under way
        self._inside: set[int] = set()  # threads that are within a slice
        self._holder: int | None = None  # the thread that holds all workers

    @property
    def simulations(self) -> int:
        """How many were made so far, by all workers."""
        return sum(int(w.run["simulations"]) for w in self.workers)

    @property
    def _created(self) -> int:
        """Nodes ever added, by all workers."""
        return sum(int(w.run["created"]) for w in self.workers)

    def _limits(self, simulations: int | None, nodes: int | None) -> list[tuple[int, int]]:
        """Per worker: the total of simulations and of created nodes at which it stops."""
        done = [int(w.run["simulations"]) for w in self.workers]
        made = [int(w.run["created"]) for w in self.workers]

        return list(zip(dealt(simulations, done), dealt(nodes, made), strict=True))

    def _run_workers(
        self,
        limits: list[tuple[int, int]],
        started: float,
        deadline: float,
        until: Callable[[Progress], bool] | None,
        progress: Callable[[Progress], object] | None,
    ) -> None:
        look = self._look(started, until, progress, self._spent(limits, deadline - started))
        if len(self.workers) == 1:
            self._work(self.workers[0], limits[0], deadline, look, search_step)
            return
        next_look = started + SLICE
        with ThreadPoolExecutor(len(self.workers)) as pool:
            jobs = [
                pool.submit(self._work, w, limit, deadline, None, search_step)
                for w, limit in zip(self.workers, limits, strict=True)
            ]
            while wait(jobs, timeout=SLICE).not_done:
                if look is not None and time.perf_counter() >= next_look:
                    with self._paused():
                        look()
                    next_look = time.perf_counter() + 10 * SLICE
            for job in jobs:
                job.result()

    def _spent(
        self, limits: list[tuple[int, int]], seconds: float
    ) -> Callable[[float], float | None]:
        """What says, after this many seconds, how much of a budget is spent."""
        begun = self.simulations, self._created
        totals = [sum(limit) for limit in zip(*limits, strict=True)]
        budget = (totals[0] - begun[0], totals[1] - begun[1], seconds)
        limited = min(budget) < NO_LIMIT

        def spent(now: float) -> float | None:
            used = (self.simulations - begun[0], self._created - begun[1], now)
            share = max(part / whole for part, whole in zip(used, budget, strict=True))
            return min(1.0, share) if limited else None

        return spent

    def _look(
        self,
        started: float,
        until: Callable[[Progress], bool] | None,
        progress: Callable[[Progress], object] | None,
        spent: Callable[[float], float | None] = lambda seconds: None,
    ) -> Callable[[], None] | None:
        """What tells the callbacks where the search is, if there are any."""
        if progress is None and until is None:
            return None

        def look() -> None:
            now = time.perf_counter() - started
            search = cast("Search", self)
            seen = Progress(self.simulations, self._created, now, search, spent(now))
            if progress is not None:
                progress(seen)
            if until is not None and until(seen):
                self._end("until")

        return look

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """One run at a time."""
        if not self._under_way.acquire(blocking=False):
            raise OptionError(
                "the search is already running: stop() it, and let that run end first"
            )
        try:
            yield
        finally:
            self._under_way.release()

    @contextlib.contextmanager
    def _paused(self, reading: bool = False) -> Iterator[None]:
        """Hold every worker between two slices, so that its tree can be looked at or changed."""
        me = threading.get_ident()
        if me == self._holder or (reading and me in self._inside):  # it is held already
            yield
            return
        if me in self._inside:
            raise OptionError("what a search asks in the middle of a simulation can't change it")
        self._may_run.clear()
        with contextlib.ExitStack() as held:
            for lock in self._locks:
                held.enter_context(lock)
            self._holder = me
            try:
                yield
            finally:
                self._holder = None
                self._may_run.set()

    def _work(
        self,
        worker: Worker,
        limit: tuple[int, int],
        deadline: float,
        look: Callable[[], None] | None,
        step: Callable[[Worker, int], int],
    ) -> None:
        """Run one worker slice by slice until a limit, an error or ``stop``."""
        worker.set_limit(limit[1])
        worker.until = limit[0]
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
                status = self._call(worker, min(size, left), step)
                now = time.perf_counter()
                if not self._go_on(worker, status):
                    return
            size = max(1, min(2 * size, int(size * SLICE / max(now - begun, 1e-7))))
            if look is not None and now >= next_look:
                look()
                next_look = now + 10 * SLICE

    def _call(self, worker: Worker, simulations: int, step: Callable[[Worker, int], int]) -> int:
        me = threading.get_ident()
        self._inside.add(me)
        try:
            return step(worker, simulations)
        except (DomainError, EvaluatorError, KeyboardInterrupt, MemoryError):
            raise
        except Exception as error:
            raise self._explained(worker, error) from error
        finally:
            self._inside.discard(me)

    def _explained(self, worker: Worker, error: Exception) -> Exception:
        """An exception from a domain function as one sentence."""
        if self.engine == "python":
            return DomainError(from_traceback(error, self.domain))
        try:  # the interpreted engine builds the same tree, and knows its line numbers
            worker.interpreted_twin().search(1)
        except Exception as seen:
            return DomainError(from_traceback(seen, self.domain))
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
        self._stopped = STOPPED[status]
        return False

    def _end(self, why: str) -> None:
        self._stopped = why
        self._stop.set()

    @contextlib.contextmanager
    def _catch_interrupt(self) -> Iterator[None]:
        """Turn Ctrl-C into a clean end; a second one is not caught, and ends what hangs."""
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
            with ends_at_second_interrupt():
                yield
        finally:
            signal.signal(signal.SIGINT, previous)


def dealt(more: int | None, so_far: list[int]) -> list[int]:
    """The total at which each of several workers stops, if there shall be this many more in all.

    Work is dealt out in turns that go on from run to run, so that two runs of 500 are one run of
    1,000.
    """
    count = len(so_far)

    def limit(i: int) -> int:
        if more is None:
            return 2 * NO_LIMIT
        before = (sum(so_far) - i + count - 1) // count
        after = (sum(so_far) + more - i + count - 1) // count
        return so_far[i] + after - before

    return [limit(i) for i in range(count)]


def around(progress: object) -> contextlib.AbstractContextManager[object]:
    """A progress that is a context manager too, such as a bar, is entered for the whole run."""
    if isinstance(progress, contextlib.AbstractContextManager):
        return progress
    return contextlib.nullcontext()


def search_step(worker: Worker, simulations: int) -> int:
    return worker.search(simulations)
