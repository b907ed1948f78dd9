"""Ctrl-C while compiled code runs that does not come back.

Python runs its signal handlers between two steps of the main thread, and a loop without end in a
domain's compiled function never gets there.  But the signal itself is written to a pipe at once
(``signal.set_wakeup_fd``), and compiled code leaves the other threads running: one of them reads
the pipe and ends the process if a second Ctrl-C has not ended the run within a second.
"""

import contextlib
import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

PATIENCE = 1.0  # seconds after the second Ctrl-C
_runs: list[int] = []  # times that Ctrl-C was pressed, for each run under way


@contextlib.contextmanager
def ends_at_second_interrupt() -> Iterator[None]:
    """Within this, in the main thread, a second Ctrl-C ends even what can't be interrupted."""
    before = signal.set_wakeup_fd(_pipe(), warn_on_full_buffer=False)
    if before != -1:  # somebody else listens, such as asyncio
        signal.set_wakeup_fd(before)
        yield
        return
    _runs.append(0)
    try:
        yield
    finally:
        _runs.pop()
        signal.set_wakeup_fd(-1)


@functools.cache
def _pipe() -> int:
    """Where the signals are written; a thread reads them."""
    out, into = os.pipe()
    os.set_blocking(into, False)
    threading.Thread(target=_watch, args=(out,), daemon=True).start()
    return into


def _watch(pipe: int) -> None:
    while True:
        numbers = os.read(pipe, 64)
        if not _runs:
            continue
        _runs[-1] += numbers.count(signal.SIGINT)
        if _runs[-1] >= 2:
            threading.Thread(target=_end, args=(len(_runs),), daemon=True).start()


def _end(depth: int) -> None:
    """End the process, unless the run has ended by itself in time."""
    time.sleep(PATIENCE)
    if len(_runs) >= depth and _runs[depth - 1] >= 2:
        print("treewright: interrupted inside a function of the domain", file=sys.stderr)
        os._exit(130)
