"""What a run shows while it runs: a live table on a terminal, plain lines elsewhere."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from treewright.kernel.waiting import told
from treewright.workshop.experiments.runner import RunProgress

EVERY = 10.0  # seconds between plain lines
Watch = Callable[[RunProgress], None]


@contextlib.contextmanager
def display(quiet: bool) -> Iterator[Watch]:
    """The display that fits: none, plain lines, or a live table."""
    if quiet:
        yield lambda progress: None
    elif sys.stderr.isatty():
        with _live() as watch:
            yield watch
    else:
        yield _plain()


def line(progress: RunProgress) -> str:
    """``tictactoe-strength: 12 of 40 cells, 3.1 a second, 9 s left``."""
    parts = [f"{progress.experiment.name}: {progress.done} of {progress.total} cells"]
    if progress.rate:
        rate = progress.rate
        parts.append(f"{f'{rate:,.0f}' if rate >= 10 else f'{rate:.2g}'} a second")
    if progress.seconds_left and not progress.stopping:
        parts.append(f"{duration(progress.seconds_left)} left")
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    if progress.elsewhere:
        parts.append(f"{progress.elsewhere} with another runner")
    if progress.stopping:
        parts.append(f"stopped ({progress.stopping})")
    if progress.stopping and progress.running:
        hint = "; Ctrl-C again drops them" if progress.stopping == "interrupt" else ""
        parts.append(f"finishing {progress.running} cells{hint}")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _plain() -> Watch:
    said = ""
    when = -EVERY

    def watch(progress: RunProgress) -> None:
        nonlocal said, when
        now = time.monotonic()
        urgent = progress.done == progress.total or progress.stopping
        state = f"{progress.done} {progress.stopping}"
        if state != said and (urgent or now - when >= EVERY):
            said, when = state, now
            print(line(progress), file=sys.stderr, flush=True)

    return watch


@contextlib.contextmanager
def _live() -> Iterator[Watch]:
    from rich.console import Console, Group
    from rich.live import Live

    with Live(console=Console(stderr=True), refresh_per_second=4, transient=True) as live:
        when = 0.0
        picture: Any = ""

        def watch(progress: RunProgress) -> None:
            nonlocal when, picture
            if time.monotonic() - when >= 0.25:
                picture = _picture(progress)
                live.update(picture)
                when = time.monotonic()

        with told(lambda words: live.update(Group(picture, words), refresh=True)):
            yield watch


def _picture(progress: RunProgress) -> Any:
    """The bar, and below it the estimate of the figure so far."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    from treewright.workshop.experiments.summary import lines, shown

    experiment = progress.experiment
    bar = Table.grid()
    bar.add_row(ProgressBar(total=max(1, progress.total), completed=progress.done, width=60))
    table = Table(box=None, pad_edge=False)
    for name in experiment.groups:
        table.add_column(name)
    for name in ("n", "estimate", "95 % interval"):
        table.add_column(name, justify="right")
    for found in lines(experiment, progress.rows)[:20]:
        e = found.estimate
        value, low, high = (shown(experiment.measure, v) for v in (e.value, e.low, e.high))
        table.add_row(*map(str, found.group.values()), str(e.n), value, f"{low} to {high}")
    return Group(line(progress), bar, f"[dim]{experiment.measure.label}[/dim]", table)
