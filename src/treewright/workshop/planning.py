"""How far a cluster carries: figures measured here, a model, and a simulation that checks it.

The driver is one process: every cell costs it some time, and that is what runs out first.  The
model says how long a run takes if nothing waits but for the driver or for a worker; the simulation
plays the scheduler event by event, with cells that take more and less than their mean.
"""

import heapq
import math
import os
import pickle
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

from treewright.library.cluster.likeness import likeness
from treewright.library.cluster.trees import Numbered, Wish
from treewright.library.merged import Report
from treewright.library.options import Options
from treewright.library.registry import make
from treewright.library.tree import children_from
from treewright.workshop.experiments.executors import OnCluster, compute_there
from treewright.workshop.experiments.experiment import (
    SCALES,
    Cell,
    Grid,
    Measure,
    Row,
    Series,
    Settings,
)
from treewright.workshop.experiments.runner import run
from treewright.workshop.experiments.store import Store

SPREAD = 0.5  # of a cell's time: the deviation of its logarithm in the simulation
CORES = 16  # of a machine that is planned with
LINE = 125e6  # bytes a second of the driver's network that is planned with: a gigabit


@dataclass(frozen=True)
class Figures:
    """What was measured, in seconds and bytes."""

    cell: float  # of the driver for each cell: claim, send, receive, write the row
    worker: float  # of a worker for each cell, beside the cell itself
    begin: float  # until the first answer of a worker that was not there before
    merge: float  # of the driver for each share of a search, at each merge
    report: int  # bytes that a share sends at each merge
    travel: int = 0  # bytes of a cell on its way there, and of its outcome on the way back


@dataclass(frozen=True)
class Planned:
    """A run as the model or the simulation sees it."""

    seconds: float
    busy: float  # share of the workers' time that is spent on cells


def idle(settings: Settings, seed: int) -> Row:
    """A cell that does nothing: what remains is what the cluster costs."""
    return {"cpu": time.process_time(), "pid": os.getpid()}


def series(cells: int) -> Series:
    return Series(
        name="planning",
        scales={scale: [Grid({"of": [cells]}, seeds=cells)] for scale in SCALES},
        run=idle,
        measure=Measure("cpu", "CPU seconds"),
        groups=("of",),
    )


def measured(address: str, cells: int = 300) -> Figures:
    """Cells that do nothing, and a merge of many shares."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "rows.sqlite") as store:
        began = time.perf_counter()
        engine = OnCluster(address, None)
        try:
            engine.submit(idle, Cell((), 0)).result()
            first = time.perf_counter() - began
            run(series(2 * engine.slots), store, engine)  # every worker is there now
            before = time.process_time()
            done = run(series(cells), store, engine)
            driver = (time.process_time() - before) / cells
        finally:
            engine.close()
    merge, report = merging()
    return Figures(driver, _between(done.rows), first, merge, report, travelling())


def travelling() -> int:
    """Bytes of a cell and its outcome, as the driver sends and hears them."""
    cell, where = Cell((("of", 1),), 0), frozenset({"treewright"})
    sent = (likeness(where), where, compute_there, (idle, cell))
    return len(pickle.dumps(sent)) + len(pickle.dumps(compute_there(idle, cell)))


def _between(rows: Sequence[Any]) -> float:
    """CPU seconds of a worker from one cell to the next."""
    by_worker: dict[int, list[float]] = {}
    for row in rows:
        by_worker.setdefault(int(row["pid"]), []).append(float(row["cpu"]))
    spent = sum(max(times) - min(times) for times in by_worker.values())
    return spent / max(1, sum(len(times) - 1 for times in by_worker.values()))


def merging(shares: int = 100) -> tuple[float, int]:
    """Seconds and bytes for each share of a search of Connect Four, seven moves wide."""
    wish = Wish(make("connect-four"), Options(), 1, 2**22, "stop", "compiled")
    tree = Numbered(wish, 0)
    sent = pickle.dumps(tree.grow(2000, None))
    before = time.process_time()
    reports: list[Report] = [pickle.loads(sent) for _ in range(shares)]
    children_from((r.rows for r in reports), tree.workers[0].switches, "visits", tree.position)
    return (time.process_time() - before) / shares, len(sent)


def predicted(f: Figures, slots: int, cells: int, seconds: float) -> Planned:
    """The model: the time of the driver, of its line or of the workers, whichever is longest.

    At the beginning the workers start, and the driver fills them one by one; at the end everybody
    waits for the longest of the last cells.
    """
    each = seconds + f.worker
    by_driver = cells * f.cell
    by_line = cells * f.travel / LINE
    by_workers = cells * each / slots
    ramp = f.begin + min(slots, cells) * f.cell
    spread = NormalDist(0.0, SPREAD)
    longest = seconds * math.exp(spread.inv_cdf(1 - 0.5 / slots) - SPREAD**2 / 2)
    total = ramp + max(by_driver, by_line, by_workers) + max(0.0, longest - each / 2)
    return Planned(total, cells * seconds / (total * slots))


def simulated(f: Figures, slots: int, cells: int, seconds: float, seed: int = 0) -> Planned:
    """The scheduler, event by event: one driver, this many workers, a queue in between."""
    dice = random.Random(seed)
    scale = seconds * math.exp(-(SPREAD**2) / 2)
    free_at = line_at = f.begin  # when the driver has time again, and its line
    waiting: list[float] = []  # when the running cells will end
    last = worked = 0.0
    sent = 0
    while sent < cells or waiting:
        if sent < cells and len(waiting) < slots:
            free_at += f.cell
            took = scale * dice.lognormvariate(0.0, SPREAD)
            line_at = max(line_at, free_at) + f.travel / LINE
            heapq.heappush(waiting, line_at + took + f.worker)
            worked += took
            sent += 1
            continue
        last = max(last, heapq.heappop(waiting))
        free_at = max(free_at, last)
    total = max(last, free_at)
    return Planned(total, worked / (total * slots))


def shares_at_most(f: Figures, interval: float = 0.5) -> int:
    """Shares of one search that a driver can merge with a tenth of its time."""
    return int(0.1 * interval / f.merge)


def shortest_cell(f: Figures, slots: int) -> float:
    """Seconds that a cell must take for the driver to be busy half the time only."""
    return 2 * f.cell * slots


def table(f: Figures, machines: Sequence[int], seconds: Sequence[float]) -> list[dict[str, Any]]:
    """Model beside simulation, for runs of twenty cells for each processor."""
    rows = []
    for count in machines:
        slots = count * CORES
        cells = 20 * slots
        for length in seconds:
            model, played = (g(f, slots, cells, length) for g in (predicted, simulated))
            rows.append(
                {
                    "machines": count,
                    "cell_seconds": length,
                    "cells": cells,
                    "model_seconds": model.seconds,
                    "simulated_seconds": played.seconds,
                    "model_busy": model.busy,
                    "simulated_busy": played.busy,
                }
            )
    return rows


def text(f: Figures, rows: Sequence[dict[str, Any]]) -> str:
    """The figures and the table, for people."""
    lines = [
        f"the driver spends {1000 * f.cell:.2f} ms on each cell, so at most {1 / f.cell:,.0f} "
        f"cells a second; a worker {1000 * f.worker:.2f} ms beside the cell, which travels as "
        f"{f.travel:,} bytes",
        f"the first answer came after {f.begin:.1f} s; a merge costs {1e6 * f.merge:.0f} µs and "
        f"{f.report:,} bytes for each share of a search: {shares_at_most(f):,} shares at most",
        "",
        "machines  cell    cells      model    simulated  busy (model, simulated)",
    ]
    lines += [
        f"{r['machines']:8,}  {r['cell_seconds']:4g} s  {r['cells']:8,}"
        f"  {r['model_seconds']:7.0f} s  {r['simulated_seconds']:7.0f} s"
        f"  {r['model_busy']:5.0%} {r['simulated_busy']:5.0%}"
        for r in rows
    ]
    lines += [""]
    lines += [
        f"{count:,} machines want cells of at least {shortest_cell(f, count * CORES):.1f} s: then "
        "the driver is half busy"
        for count in sorted({r["machines"] for r in rows})
    ]
    return "\n".join(lines)
