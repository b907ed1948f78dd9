"""Where cells are computed: threads or processes here, or the machines of a cluster.

An executor takes a function, settings and a seed and gives a future of an :class:`Outcome`.
No experiment knows which one runs.
"""

import contextlib
import math
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Any, Protocol

from treewright.errors import OptionError, nearest
from treewright.library.applications import application_of
from treewright.library.cluster.jobs import Cluster, JobDied
from treewright.workshop.experiments import provenance
from treewright.workshop.experiments.experiment import Cell, ExperimentError, Row, Settings
from treewright.workshop.experiments.store import Outcome

CellFunction = Callable[[Settings, int], Row]


class Executor(Protocol):
    """Computes cells, at most ``slots`` at a time."""

    @property
    def slots(self) -> int: ...

    def submit(self, function: CellFunction, cell: Cell) -> "Future[Outcome]": ...

    def close(self) -> None: ...


def compute(
    function: CellFunction, cell: Cell, clock: Callable[[], float] = time.process_time
) -> Outcome:
    """Compute one cell here and now; whatever it raises becomes part of the outcome."""
    wall, cpu = time.perf_counter(), clock()
    row: Row | None = None
    error: str | None = None
    try:
        row = _checked(function(cell.values, cell.seed), cell)
    except MemoryError:
        error = f"MemoryError: {cell} needs more memory than there is"
    except (Exception, SystemExit) as raised:
        error = f"{type(raised).__name__}: {raised}"
    return Outcome(row, error, clock() - cpu, time.perf_counter() - wall)


def _checked(row: Any, cell: Cell) -> Row:
    """A row of plain values, so that threads, processes and the store keep the same one."""
    if not isinstance(row, dict) or not row:
        raise ExperimentError(f"a cell must return a dictionary of columns, not {row!r}")
    plain: Row = {}
    for name, value in row.items():
        if name in cell.values or name == "seed":
            raise ExperimentError(f"column {name!r} has the name of a setting")
        item = value.item() if hasattr(value, "item") else value
        if not isinstance(item, str | int | float | None):
            raise ExperimentError(f"column {name!r} must be a number or a word, not {item!r}")
        if isinstance(item, float) and not math.isfinite(item):
            raise ExperimentError(f"column {name!r} is {item}")
        plain[name] = item
    return plain


class Threads:
    """Threads of this process: nothing to start, but Python code takes turns."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._pool = ThreadPoolExecutor(slots, thread_name_prefix="treewright-cell")

    def submit(self, function: CellFunction, cell: Cell) -> "Future[Outcome]":
        # beside other cells, only this thread's time is this cell's
        clock = time.process_time if self.slots == 1 else time.thread_time
        return self._pool.submit(compute, function, cell, clock)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


class Processes:
    """Processes of their own: a second to start, then nothing shared.

    Every slot is a pool of one, so that a crash (compiled code without index checks can do
    that) is the outcome of the one cell that caused it.
    """

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._all: list[ProcessPoolExecutor] = []
        self._free = [self._pool() for _ in range(slots)]

    def submit(self, function: CellFunction, cell: Cell) -> "Future[Outcome]":
        pool = self._free.pop()
        done: Future[Outcome] = Future()
        done.set_running_or_notify_cancel()

        def ended(inner: "Future[Outcome]") -> None:
            error = inner.exception()
            crashed = isinstance(error, BrokenProcessPool)
            self._free.append(self._pool() if crashed else pool)
            if error is None:
                done.set_result(inner.result())
            else:
                text = "the process of this cell died" if crashed else f"{error}"
                done.set_result(Outcome(None, text, 0.0, 0.0))

        pool.submit(compute, function, cell).add_done_callback(ended)
        return done

    def close(self) -> None:
        for pool in self._all:
            pool.shutdown(wait=True, cancel_futures=True)

    def _pool(self) -> ProcessPoolExecutor:
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        self._all.append(ProcessPoolExecutor(1, mp_context=context, initializer=_begin_process))
        return self._all[-1]


def _begin_process() -> None:
    """Leave Ctrl-C to the runner, and do not outlive it."""
    import multiprocessing

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class OnCluster:
    """Processes on the machines of a Ray cluster; a cell whose machine is lost runs again."""

    def __init__(self, address: str, slots: int | None) -> None:
        self._cluster = Cluster(address, slots)

    @property
    def slots(self) -> int:
        return self._cluster.slots

    def submit(self, function: CellFunction, cell: Cell) -> "Future[Outcome]":
        done: Future[Outcome] = Future()
        done.set_running_or_notify_cancel()

        def ended(inner: "Future[Outcome]") -> None:
            error = inner.exception()
            if error is None:
                done.set_result(inner.result())
            elif isinstance(error, JobDied):
                done.set_result(Outcome(None, f"{cell}: {error}", 0.0, 0.0))
            else:  # about the cluster, not about this cell
                done.set_exception(error)

        if application_of(function.__module__) is None:  # an experiment from the user's own file
            self._cluster.carry(function)
        self._cluster.submit(compute_there, function, cell).add_done_callback(ended)
        return done

    def close(self) -> None:
        self._cluster.close()


def compute_there(function: CellFunction, cell: Cell) -> Outcome:
    """Compute one cell on a machine of a cluster, which the outcome names."""
    return replace(compute(function, cell), machine=provenance.machine())


ENGINES: dict[str, Callable[[int], Executor]] = {"threads": Threads, "processes": Processes}


def executor(
    engine: str, workers: int | None, cluster: str | None = None
) -> contextlib.closing[Executor]:
    """The executor with this name, to be used in a ``with``; on a ``cluster`` there is one only.

    Without a number of workers there are as many as there are processors.
    """
    if cluster is not None:
        return contextlib.closing(OnCluster(cluster, workers))
    if engine not in ENGINES:
        raise OptionError(f"there is no engine {engine!r}{nearest(engine, ENGINES)}")
    workers = os.cpu_count() or 1 if workers is None else workers
    if workers < 1:
        raise OptionError(f"--workers must be at least 1, not {workers}")
    return contextlib.closing(ENGINES[engine](workers))
