"""Functions that run on the machines of a cluster: futures here, Ray's tasks there.

A machine that is lost costs a repetition, never a result.  Ray's own repetitions are switched off,
because they can't tell a lost machine from a function that ends its process.
"""

import contextlib
import functools
import pickle
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Self

from treewright.errors import OptionError
from treewright.library.cluster.connection import ClusterError, connect, ray
from treewright.library.cluster.likeness import Likeness, difference, likeness

CRASHES = 2  # times that the process of one job may die while no machine is lost
PAUSE = 0.5  # seconds before a job is sent again, so that Ray has heard of a lost machine
FRESH = 1.0  # seconds for which the number of processors is taken as known


class JobDied(ClusterError):  # noqa: N818 - reads as what it is
    """A job whose process was ended, not a machine."""


@dataclass
class Job:
    """A call, and what became of it so far."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    future: "Future[Any]" = field(default_factory=Future)
    crashes: int = 0
    machines: frozenset[str] = frozenset()  # that were there when it was sent
    ref: Any = None


class Shared:
    """A value that goes to each machine once, however many jobs need it."""

    def __init__(self, value: Any) -> None:
        self._ref = ray().put(value)

    def get(self) -> Any:
        """The value; each process fetches it once."""
        return _fetched(self._ref)

    def __hash__(self) -> int:
        return hash(self._ref)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shared) and bool(self._ref == other._ref)


class Cluster:
    """A connection to a cluster, to be used in a ``with``.

    ``slots`` is how many jobs run at a time: the number of processors, which may change while it
    runs, or what was asked for (a cluster that grows on demand sees that as its demand).
    """

    def __init__(self, address: str = "auto", slots: int | None = None) -> None:
        if slots is not None and slots < 1:
            raise OptionError(f"--workers must be at least 1, not {slots}")
        self._mine = connect(address, slots)
        self._wanted = slots
        self._known = (-FRESH, 1, frozenset[str]())
        self._ended: queue.SimpleQueue[tuple[Job, Future[Any]] | None] = queue.SimpleQueue()
        self._jobs: dict[int, Job] = {}
        self._perform = ray().remote(max_retries=0, num_cpus=1)(perform)
        self._freed: list[str] = []  # machines on which a job has ended, and none begun since
        self._like: dict[frozenset[str], Likeness] = {}
        self._carried: set[str] = set()  # modules whose functions travel with their text
        self._thread = threading.Thread(target=self._serve, name="treewright-cluster", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def slots(self) -> int:
        if self._wanted is not None:
            return self._wanted
        return self._look()[0]

    def _look(self) -> tuple[int, frozenset[str]]:
        """The processors and the machines that Ray believes to be there."""
        if time.monotonic() - self._known[0] > FRESH:
            count = max(1, int(ray().cluster_resources().get("CPU", 0)))
            alive = frozenset(n["NodeID"] for n in ray().nodes() if n["Alive"])
            self._known = (time.monotonic(), count, alive)
        return self._known[1:]

    def submit(self, function: Callable[..., Any], *args: Any) -> "Future[Any]":
        """Call a function of a module somewhere; what it raises, the future raises."""
        job = Job(function, args)
        job.future.set_running_or_notify_cancel()
        self._jobs[id(job)] = job
        self._send(job)
        return job.future

    def carry(self, function: Callable[..., Any]) -> None:
        """Send the text of a function with it: its file is on this machine only."""
        top, module = function.__module__.partition(".")[0], sys.modules.get(function.__module__)
        if top == "treewright" or top in self._carried:
            return
        self._carried.add(top)
        if module is not None:
            import_module("ray.cloudpickle").register_pickle_by_value(module)

    def map(self, function: Callable[..., Any], *items: Iterable[Any]) -> Iterator[Any]:
        """As Python's own: results in order, computed ahead of what is asked for."""
        calls = zip(*items, strict=False)
        waiting: list[Future[Any]] = []
        try:
            while True:
                while len(waiting) < 2 * self.slots:
                    call = next(calls, None)
                    if call is None:
                        break
                    waiting.append(self.submit(function, *call))
                if not waiting:
                    return
                yield waiting.pop(0).result()
        finally:
            self._drop(waiting)

    def close(self) -> None:
        """End what still runs, and leave the cluster."""
        self._drop([job.future for job in self._jobs.values()])
        self._ended.put(None)
        self._thread.join()
        if self._mine:
            ray().shutdown()

    # ------------------------------------------------------------------------ internals

    def _send(self, job: Job) -> None:
        if id(job) not in self._jobs:
            return  # nobody waits for it any more
        where = _packages(job.function, job.args) - self._carried
        if where not in self._like:
            self._like[where] = likeness(where)
        job.machines = self._look()[1]
        try:
            given = (self._like[where], where, job.function, job.args)
            job.ref = self._perform.options(**self._place()).remote(*given)
        except Exception as error:
            self._settle(job, error=ClusterError(f"this work can't be sent: {_line(error)}"))
            return
        job.ref.future().add_done_callback(lambda done: self._ended.put((job, done)))

    def _place(self) -> dict[str, Any]:
        """Where to ask first: at a machine that has just become free.

        It takes Ray a tenth of a second to hear of that, and only the machine itself knows at once.
        """
        if not self._freed:
            return {}
        strategies = import_module("ray.util.scheduling_strategies")
        kind = strategies.NodeAffinitySchedulingStrategy
        node = self._freed.pop()
        return {"scheduling_strategy": kind(node, soft=True, _spill_on_unavailable=True)}

    def _serve(self) -> None:
        """Take in what ends, in a thread of its own: Ray's must not be kept waiting."""
        while (found := self._ended.get()) is not None:
            job, done = found
            if id(job) not in self._jobs:
                continue  # nobody waits for it any more
            try:
                self._take(job, done)
            except Exception as error:  # the connection is gone: nobody shall wait for ever
                self._settle(job, error=_explained(error, job))

    def _take(self, job: Job, done: "Future[Any]") -> None:
        """What became of a job: an answer, another try, or an error."""
        error = done.exception()
        if error is not None and self._again(job, error):
            threading.Timer(PAUSE, self._send, (job,)).start()
        elif error is not None:
            self._settle(job, error=_explained(error, job))
        else:
            ended, value, machine = done.result()
            self._freed.append(machine)
            if ended == "returned":
                self._settle(job, value)
            else:
                self._settle(job, error=value if ended == "raised" else ClusterError(value))

    def _again(self, job: Job, error: BaseException) -> bool:
        """Whether a job is sent once more: always if a machine was lost, else a few times."""
        known = ray().exceptions
        if isinstance(error, known.NodeDiedError | known.ObjectLostError):
            return True
        if not isinstance(error, known.WorkerCrashedError):
            return False
        lost = not job.machines <= _answering()
        job.crashes += not lost
        return lost or job.crashes < CRASHES

    def _settle(self, job: Job, value: Any = None, error: BaseException | None = None) -> None:
        self._jobs.pop(id(job), None)
        if error is None:
            job.future.set_result(value)
        else:
            job.future.set_exception(error)

    def _drop(self, futures: list["Future[Any]"]) -> None:
        """Jobs whose results nobody wants."""
        unwanted = {id(f) for f in futures}
        for key, job in list(self._jobs.items()):
            if id(job.future) in unwanted and self._jobs.pop(key, None) is not None:
                with contextlib.suppress(Exception):
                    ray().cancel(job.ref, force=True)


def perform(
    driver: Likeness, where: frozenset[str], function: Callable[..., Any], args: tuple[Any, ...]
) -> Any:
    """On the other side: refuse other code, call, and bring back what happened, and where."""
    machine = ray().get_runtime_context().get_node_id()
    unlike = difference(driver, where)
    if unlike is not None:
        return "unlike", unlike, machine
    try:
        return "returned", function(*args), machine
    except Exception as error:
        return "raised", _portable(error), machine


def _packages(function: Callable[..., Any], args: tuple[Any, ...]) -> frozenset[str]:
    """Where the work is defined: the function, and those that it is given."""
    modules = (getattr(f, "__module__", None) for f in (function, *args) if callable(f))
    return frozenset(m.partition(".")[0] for m in modules if isinstance(m, str))


def _answering() -> frozenset[str]:
    """The machines whose raylets answer: it takes Ray a while to notice that one does not."""
    import socket

    found = set()
    for node in ray().nodes():
        with contextlib.suppress(OSError):
            if node["Alive"]:
                place = (node["NodeManagerAddress"], node["NodeManagerPort"])
                socket.create_connection(place, timeout=1.0).close()
                found.add(node["NodeID"])
    return frozenset(found)


def _portable(error: Exception) -> Exception:
    """The error itself, or one that says the same, if it can't travel."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return ClusterError(f"{type(error).__name__}: {error}")
    return error


def _explained(error: BaseException, job: Job) -> Exception:
    """What Ray reports, in a sentence."""
    known = ray().exceptions
    if isinstance(error, known.OutOfMemoryError):
        return JobDied("its machine ran out of memory, and Ray ended its process")
    if isinstance(error, known.WorkerCrashedError):
        return JobDied(
            f"its process died {job.crashes} times, as one does that the system ends when memory "
            f"runs out"
        )
    if isinstance(error, known.RayTaskError):
        return ClusterError(
            f"the machines of the cluster can't call {job.function.__qualname__} of "
            f"{job.function.__module__}: {_line(error.cause if error.cause else error)}"
        )
    return ClusterError(f"the cluster gave up: {_line(error)}")


def _line(error: Any) -> str:
    """The last line that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:300] if lines else type(error).__name__


@functools.lru_cache(maxsize=16)
def _fetched(ref: Any) -> Any:
    return ray().get(ref)
