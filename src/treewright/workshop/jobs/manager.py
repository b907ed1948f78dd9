"""Who works when: a fair queue, a few processes, and what everybody may look at meanwhile.

Each of a few threads keeps one process at work.  A job's process is ended at once when somebody
cancels it, and a new one takes its place; that costs a second of starting and makes sure that
nothing, whatever it is doing, goes on.
"""

import contextlib
import multiprocessing
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from treewright.errors import TreewrightError, nearest
from treewright.library.applications import load
from treewright.workshop.jobs.store import JobError, Store
from treewright.workshop.jobs.work import Work, places
from treewright.workshop.jobs.worker import LATE, serve

MOST_WAITING = 200
MOST_WAITING_EACH = 40  # of one owner
MOST_SECONDS = 1800.0  # of one job
MOST_ANSWER = 30.0  # seconds that a question may compute
LONGEST_ANSWER = 10 * MOST_ANSWER  # that it may take, where other programs compute meanwhile
LOOK = 0.05  # seconds between looks at a job's process
OPEN = ("waiting", "running")
BACKGROUND = "background"  # an owner who never has more than one job at work, and comes last


class NoJob(JobError):  # noqa: N818 - reads as what it is
    """A job or a kind of job that is not there."""


class Busy(JobError):  # noqa: N818 - the same
    """More is waiting than will be done soon."""


@dataclass(frozen=True)
class Job:
    """A job as it stands.  ``version`` grows with every change while it waits or runs."""

    id: str
    kind: str
    owner: str
    settings: Mapping[str, Any]
    state: str  # waiting, running, done, failed, cancelled or cut
    words: str = ""
    share: float | None = None
    preview: Any = None
    rating: int = 0
    asked: float = 0.0
    began: float | None = None
    ended: float | None = None
    version: int = 0

    @property
    def open(self) -> bool:
        """Whether it still waits or runs."""
        return self.state in OPEN


@dataclass
class _Live:
    """What is known of a job that is not over, beside the file."""

    job: Job
    cancelled: threading.Event = field(default_factory=threading.Event)


class Manager:
    """The queue of one workspace, and the processes that work it off."""

    def __init__(
        self, workspace: Path, workers: int = 2, kinds: Mapping[str, str] | None = None
    ) -> None:
        """``kinds``: where each kind of job is; all that the applications declare, if not given."""
        self._places = places() if kinds is None else dict(kinds)
        self.works: dict[str, Work] = {name: load(where) for name, where in self._places.items()}
        self.began = time.time()
        workspace.mkdir(parents=True, exist_ok=True)
        self.workspace = workspace.resolve()
        self.store = Store(self.workspace / "studio.sqlite")
        self._live: dict[str, _Live] = {}
        self._served: dict[str, int] = {}  # owner → when one of their jobs began last
        self._turn = 0
        self._changed = threading.Condition()
        self._closed = False
        # what may take seconds has a process of its own, so that quick questions never wait for it
        self._desks = {slow: _Desk(str(self.store.path)) for slow in (False, True)}
        for name in self.store.recover():
            job = self._stored(name)
            if job.kind in self.works:
                self._live[name] = _Live(job)
            else:  # its application is not installed any more
                self.store.end(name, "failed", f"there is no job {job.kind!r} any more")
        self._threads = [
            threading.Thread(target=self._keep_working, name=f"jobs-{i}", daemon=True)
            for i in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    # ---------------------------------------------------------------------------- what one may ask

    def start(self, kind: str, settings: Any, owner: str = "") -> Job:
        """Queue a job; ``settings`` is the work's own model, or a dictionary for it."""
        work = self.work(kind)
        model = settings if isinstance(settings, work.settings) else None
        data = (model or work.settings.model_validate(settings)).model_dump(mode="json")
        name = secrets.token_urlsafe(9)
        with self._changed:
            waiting = [one.job for one in self._live.values() if one.job.state == "waiting"]
            mine = sum(job.owner == owner for job in waiting)
            if len(waiting) >= MOST_WAITING or mine >= MOST_WAITING_EACH:
                raise Busy(f"{len(waiting)} jobs are waiting already; try again later")
            self.store.add(name, kind, owner, data)
            job = self._stored(name)
            self._live[name] = _Live(job)
            self._changed.notify_all()
        return job

    def work(self, kind: str) -> Work:
        """A kind of job."""
        if kind not in self.works:
            raise NoJob(f"there is no job {kind!r}{nearest(kind, self.works)}")
        return self.works[kind]

    def look(self, name: str) -> Job:
        """A job as it stands."""
        live = self._live.get(name)
        return live.job if live is not None else self._stored(name)

    def jobs(self, kind: str = "", most: int = 50) -> list[Job]:
        """The newest first."""
        found = [_job(row) for row in self.store.rows(kind, most)]
        return [live.job if (live := self._live.get(job.id)) else job for job in found]

    def cancel(self, name: str) -> Job:
        """End a job that waits or runs; nothing happens to one that is over."""
        live = self._live.get(name)
        if live is None:
            return self._stored(name)
        live.cancelled.set()
        with self._changed:
            if live.job.state == "waiting":
                self._finish(live, "cancelled", "cancelled before it began")
        return self.look(name)

    def data(self, name: str) -> Any:
        """The result of a job that is done."""
        job = self.look(name)
        if job.state != "done":
            raise JobError(f"this job is {job.state}, so it has no result")
        return self.store.data(name)

    def exported(self, name: str, form: str) -> tuple[bytes, str, str]:
        """The result of a job in a format: its bytes, media type and a name for the file."""
        job = self.look(name)
        exports = self.work(job.kind).exports
        if form not in exports:
            raise NoJob(f"{job.kind} has no format {form!r}{nearest(form, exports)}")
        data, write = self.data(name), exports[form].write
        if isinstance(write, str):
            found = self.store.file(name, write)
            if found is None:
                raise NoJob(f"this result has no {form}, or it was too large to be kept")
            content = found
        else:
            content = self.ask(f"{__name__}:_export", self._places[job.kind], form, data, slow=True)
        return content, exports[form].media, f"{job.kind}-{name[:6]}{exports[form].ending}"

    def file(self, name: str, file: str) -> bytes:
        """A file that a job has left."""
        found = self.store.file(name, file)
        if found is None:
            raise NoJob("there is no such file")
        return found

    def rate(self, name: str, rating: int) -> Job:
        """Keep a result: what has a rating above 0 is never dropped to make room."""
        self._stored(name)
        self.store.rate(name, rating)
        return self._stored(name)

    def forget(self, name: str) -> None:
        """Delete a job that is over, with its result."""
        if self.look(name).open:
            raise JobError("a job that waits or runs can't be deleted; cancel it first")
        self.store.forget(name)

    def ask(self, place: str, *arguments: Any, slow: bool = False) -> Any:
        """What a function answers, in a process beside the jobs; for what takes a moment.

        ``slow``: it may take seconds; a page asks such a thing in a thread.
        """
        desk = self._desks[slow]
        with desk.lock:
            desk.process.send("ask", place, arguments, MOST_ANSWER)
            answer = desk.process.receive(LONGEST_ANSWER)
            if answer is None:
                desk.process.end()
                raise JobError(f"there was no answer within {MOST_ANSWER:.0f} seconds")
        if answer[0] == "failed":
            raise JobError(answer[1])
        return answer[1]

    def close(self) -> None:
        """End the processes; what was at work is cut, and what waits will wait again."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(5)
        for desk in self._desks.values():
            desk.process.end()

    # ------------------------------------------------------------------------------- the threads

    def _keep_working(self) -> None:
        process = _Process(str(self.store.path))
        try:
            while (live := self._next()) is not None:
                try:
                    self._carry_out(live, process)
                except TreewrightError as error:  # the disk is full, say
                    process.end()
                    with self._changed:
                        self._live.pop(live.job.id, None)
                    print(f"treewright studio: {error}")
        finally:
            process.end()

    def _next(self) -> _Live | None:
        """The next job: of whoever has the fewest at work, then of whoever waited longest."""
        with self._changed:
            while not self._closed:
                live = self._fairest()
                if live is not None:
                    self._turn += 1
                    self._served[live.job.owner] = self._turn
                    self.store.begin(live.job.id)
                    self._update(live, state="running", began=time.time(), words="starting")
                    return live
                self._changed.wait()
        return None

    def _fairest(self) -> _Live | None:
        running = [one.job.owner for one in self._live.values() if one.job.state == "running"]
        waiting = [one for one in self._live.values() if one.job.state == "waiting"]
        if BACKGROUND in running:
            waiting = [one for one in waiting if one.job.owner != BACKGROUND]

        def order(one: _Live) -> tuple[bool, int, int]:
            owner = one.job.owner
            return owner == BACKGROUND, running.count(owner), self._served.get(owner, 0)

        return min(waiting, key=order, default=None)

    def _carry_out(self, live: _Live, process: "_Process") -> None:
        job = live.job
        process.send("work", self._places[job.kind], dict(job.settings))
        deadline = time.monotonic() + MOST_SECONDS
        while True:
            answer = process.receive(LOOK)
            if answer is not None and answer[0] == "seen":
                share, words, preview = answer[1:]
                kept = live.job.preview if preview is None else preview
                self._update(live, share=share, words=words, preview=kept)
            elif answer is not None:
                break
            if live.cancelled.is_set():
                process.end()
                answer = ("cancelled", "cancelled")
                break
            if self._closed:
                return
            if time.monotonic() > deadline:
                process.end()
                answer = ("failed", f"it took longer than {MOST_SECONDS / 60:.0f} minutes")
                break
        with self._changed:
            if answer[0] == "done":
                self._finish(live, "done", "", answer[1], answer[2])
            else:
                self._finish(live, *answer)

    def _finish(
        self,
        live: _Live,
        state: str,
        words: str,
        data: Any = None,
        files: Mapping[str, bytes] | None = None,
    ) -> None:
        self.store.end(live.job.id, state, words, data, files)
        self._update(live, state=state, words=words, ended=time.time())
        self._live.pop(live.job.id, None)
        self._changed.notify_all()  # what had to wait for it may begin

    def _update(self, live: _Live, **changes: Any) -> None:
        live.job = replace(live.job, version=live.job.version + 1, **changes)

    def _stored(self, name: str) -> Job:
        row = self.store.row(name)
        if row is None:
            raise NoJob("there is no such job")
        return _job(row)


class _Process:
    """A process that carries out orders; started when it is needed, and again after an end."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._process: Any = None
        self._pipe: Any = None

    def send(self, *order: Any) -> None:
        if self._process is None or not self._process.is_alive():
            self._begin()
        self._pipe.send(order)

    def receive(self, seconds: float) -> tuple[Any, ...] | None:
        """What it says within some seconds; None if that is nothing, or if it took too long."""
        try:
            if not self._pipe.poll(seconds):
                return None
            found: tuple[Any, ...] = self._pipe.recv()
        except (EOFError, OSError):
            code = None
            if self._process is not None:
                self._process.join(5)
                code = self._process.exitcode
            self.end()
            if code == LATE:
                return None
            why = "it was ended by the system, perhaps for want of memory" if code == -9 else ""
            return "failed", f"the process that did this has died{': ' + why if why else ''}"
        else:
            return found

    def _begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=serve, args=(other, self._store), daemon=True)
        self._process.start()
        other.close()

    def end(self) -> None:
        if self._process is not None:
            with contextlib.suppress(OSError):
                self._process.kill()
            self._process.join(5)
            self._pipe.close()
        self._process = None


class _Desk:
    """A process that answers one question at a time."""

    def __init__(self, store: str) -> None:
        self.process = _Process(store)
        self.lock = threading.Lock()


def _job(row: Mapping[str, Any]) -> Job:
    return Job(**{k: v for k, v in row.items() if k != "number"})


def _export(place: str, form: str, data: Any) -> bytes:
    write = load(place).exports[form].write
    content: bytes = write(data)
    return content
