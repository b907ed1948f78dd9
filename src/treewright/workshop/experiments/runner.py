"""Running an experiment: claim, compute, store, until every cell of the scale has a row."""

import contextlib
import os
import queue
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from treewright.errors import nearest
from treewright.workshop.experiments.code import changed, code_of
from treewright.workshop.experiments.executors import Executor
from treewright.workshop.experiments.experiment import SCALES, Cell, ExperimentError, Series
from treewright.workshop.experiments.store import Claim, Key, Outcome, Store, Stored

LOOK = 0.1  # seconds between looks at Ctrl-C, the clock and other runners
Only = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Standing:
    """What the store holds of the cells of one scale."""

    keys: list[Key]
    rows: dict[Key, Stored]  # finished, by current code (or by any, if stale ones are accepted)
    stale: int  # cells that only other code has finished

    @property
    def good(self) -> list[Stored]:
        """Finished without an error, in the order of the cells."""
        return [self.rows[k] for k in self.keys if k in self.rows and self.rows[k].error is None]

    @property
    def failed(self) -> list[tuple[Key, Stored]]:
        return [(k, self.rows[k]) for k in self.keys if k in self.rows and self.rows[k].error]

    @property
    def missing(self) -> list[Key]:
        return [key for key in self.keys if key not in self.rows]


def standing(
    experiment: Series,
    store: Store,
    scale: str,
    only: Only | None = None,
    keep_stale: bool = False,
) -> Standing:
    """Compare the cells of a scale with what the store holds."""
    keys = keys_of(experiment, filtered(experiment, experiment.cells(scale), only or {}))
    by_cell: dict[tuple[str, int], list[Stored]] = {}
    for stored in store.finished(experiment.name):
        cell = Cell(tuple(stored.settings.items()), stored.seed)
        by_cell.setdefault((cell.key, cell.seed), []).append(stored)
    rows: dict[Key, Stored] = {}
    stale = 0
    for key in keys:
        found = by_cell.get((key.cell.key, key.cell.seed), [])
        current = [s for s in found if s.code == key.code]
        stale += bool(found) and not current
        if current or (keep_stale and found):
            rows[key] = (current or found)[-1]
    return Standing(keys, rows, stale)


def stored_beyond(experiment: Series, store: Store, scale: str) -> tuple[str, int, int] | None:
    """The largest larger scale of which there are rows: its name, how many, and of how many."""
    stored = store.finished(experiment.name)
    larger = [name for name in SCALES[SCALES.index(scale) + 1 :] if name in experiment.scales]
    if not stored or not larger:  # to make the cells of a large scale may take seconds
        return None
    there = {(Cell(tuple(s.settings.items()), s.seed).key, s.seed) for s in stored}
    own = {(c.key, c.seed) for c in experiment.cells(scale)}
    for name in reversed(larger):
        cells = {(c.key, c.seed) for c in experiment.cells(name)}
        if there & cells - own:
            return name, len(there & cells), len(cells)
    return None


def keys_of(experiment: Series, cells: Sequence[Cell]) -> list[Key]:
    """The cells with the fingerprint of their code, computed once per setting."""
    codes: dict[str, str] = {}
    for cell in cells:
        if cell.key not in codes:
            codes[cell.key] = code_of(experiment, cell.values) if experiment.kept else ""
    return [Key(experiment.name, cell, codes[cell.key]) for cell in cells]


def filtered(experiment: Series, cells: list[Cell], only: Only) -> list[Cell]:
    """The cells that ``--only name=value`` asks for; several values of a name add up."""
    for name, wanted in only.items():
        known = {str(_setting(cell, name)) for cell in cells if _has(cell, name)}
        if not known:
            names = {n for cell in cells for n in cell.values} | {"seed"}
            raise ExperimentError(
                f"{experiment.name} has no setting {name!r}{nearest(name, names)}"
            )
        for value in wanted:
            if value not in known:
                raise ExperimentError(
                    f"{experiment.name} has no cell with {name}={value}{nearest(value, known)}"
                )
    return [
        cell
        for cell in cells
        if all(_has(cell, n) and str(_setting(cell, n)) in only[n] for n in only)
    ]


def _has(cell: Cell, name: str) -> bool:
    return name == "seed" or name in cell.values


def _setting(cell: Cell, name: str) -> Any:
    return cell.seed if name == "seed" else cell.values[name]


@dataclass
class RunProgress:
    """How far a run is; the displays read it."""

    experiment: Series
    total: int
    rows: list[dict[str, Any]]
    done: int
    failed: int = 0
    computed: int = 0
    running: int = 0
    elsewhere: int = 0
    stopping: str = ""  # why no more cells are started
    began: float = field(default_factory=time.monotonic)
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    @property
    def rate(self) -> float:
        """Cells that this runner computes per second."""
        return self.computed / self.seconds if self.computed else 0.0

    @property
    def seconds_left(self) -> float | None:
        return (self.total - self.done) / self.rate if self.rate else None


def run(
    experiment: Series,
    store: Store,
    executor: Executor,
    *,
    scale: str = "smoke",
    only: Only | None = None,
    keep_stale: bool = False,
    retry: bool = False,
    seconds: float | None = None,
    watch: Callable[[RunProgress], object] = lambda progress: None,
) -> RunProgress:
    """Compute every cell of the scale that has no row yet.

    Cells that another runner computes meanwhile are waited for.  After ``seconds``, and after
    Ctrl-C, nothing new is started and what runs is finished; a second Ctrl-C drops it.
    """
    now = standing(experiment, store, scale, only, keep_stale)
    todo = deque(now.missing)
    if retry:
        todo.extend(key for key, _ in now.failed)
    rows = [stored.values for stored in now.good]
    progress = RunProgress(experiment, len(now.keys), rows, done=len(now.keys) - len(todo))
    progress.failed = 0 if retry else len(now.failed)
    deadline = time.monotonic() + seconds if seconds is not None else None
    running: dict[Future[Outcome], Key] = {}
    ended: queue.SimpleQueue[Future[Outcome]] = queue.SimpleQueue()
    busy: list[Key] = []
    store.keep_alive()
    with _first_interrupt(progress):
        while todo or running or busy:
            if deadline is not None and time.monotonic() > deadline:
                progress.stopping = progress.stopping or "time"
            if todo and (edited := changed()) is not None:
                progress.stopping = progress.stopping or f"{edited.name} changed while it ran"
            while todo and len(running) < executor.slots and not progress.stopping:
                key = todo.popleft()
                claim = store.claim(key, again=retry)
                if claim is Claim.MINE:
                    future = executor.submit(experiment.run, key.cell)
                    running[future] = key
                    future.add_done_callback(ended.put)
                elif claim is Claim.BUSY:
                    busy.append(key)
                else:
                    progress.done += 1
            progress.running, progress.elsewhere = len(running), len(busy)
            watch(progress)
            if running:
                for future in _those_of(ended):
                    key = running.pop(future)
                    if not _finish(store, key, future.result(), progress):
                        busy.append(key)  # we were taken for dead, and another runner has it
            elif progress.stopping:
                break
            elif busy:
                time.sleep(LOOK)
            if not todo:  # ask again for what others had: they may have ended, or died
                todo.extend(busy)
                busy.clear()
    watch(progress)
    return progress


def _those_of(ended: "queue.SimpleQueue[Future[Outcome]]") -> Iterator["Future[Outcome]"]:
    """What has ended by now, or ends soon; with thousands running, each is looked at once."""
    with contextlib.suppress(queue.Empty):
        yield ended.get(timeout=LOOK)
        while True:
            yield ended.get_nowait()


def _finish(store: Store, key: Key, outcome: Outcome, progress: RunProgress) -> bool:
    if not store.finish(key, outcome):
        return False
    progress.done += 1
    progress.computed += 1
    if outcome.row is None:
        progress.failed += 1
        progress.errors[outcome.error or ""] += 1
    else:
        progress.rows.append(key.cell.values | {"seed": key.cell.seed} | outcome.row)
    return True


@contextlib.contextmanager
def _first_interrupt(progress: RunProgress) -> Iterator[None]:
    """Ctrl-C stops starting cells; the next one ends the process, which loses no finished cell."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def caught(number: int, frame: Any) -> None:
        if progress.stopping == "interrupt":
            os._exit(130)
        progress.stopping = "interrupt"

    previous = signal.signal(signal.SIGINT, caught)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
