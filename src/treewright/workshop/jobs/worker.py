"""What runs in a process of its own: one order at a time, from a pipe.

The parent ends it whenever somebody cancels; if the parent itself is gone, it ends itself.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from treewright.errors import TreewrightError
from treewright.kernel.waiting import told
from treewright.library.applications import load
from treewright.workshop.jobs.work import Here

BETWEEN = 0.08  # seconds between two reports, at least
LATE = 75  # the exit code of a process whose question has taken too long
MOST_BYTES = 64 * 2**20  # of a result's files together


def serve(pipe: Connection, store: str) -> None:
    """Carry out orders until the pipe is closed.

    ``("work", place, settings)`` is a job; ``("ask", place, arguments, seconds)`` a question, and
    how long it may compute.  Each is answered by ``("done", …)`` or ``("failed", sentence)``, a job
    also by ``("seen", …)`` before.
    """
    Here.store = store
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            order = pipe.recv()
        except (EOFError, OSError):
            return
        with contextlib.suppress(BrokenPipeError):
            pipe.send(_answer(order, pipe))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@contextlib.contextmanager
def _computing(most: float) -> Iterator[None]:
    """End the process after so many seconds of its own work; what others compute does not count."""
    done, end = threading.Event(), time.process_time() + most

    def watch() -> None:
        while not done.wait(BETWEEN):
            if time.process_time() > end:
                os._exit(LATE)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        done.set()


def _answer(order: tuple[Any, ...], pipe: Connection) -> tuple[Any, ...]:
    try:
        if order[0] == "ask":
            with _computing(order[3]):
                return "done", load(order[1])(*order[2])
        return "done", *_work(order[1], order[2], pipe)
    except TreewrightError as error:
        return "failed", str(error)
    except MemoryError:
        return "failed", "this needs more memory than there is"
    except Exception as error:  # ours, and worth a look, but no reason to end the server
        return "failed", f"something went wrong here: {type(error).__name__}: {error}"


def _work(place: str, settings: dict[str, Any], pipe: Connection) -> tuple[Any, dict[str, bytes]]:
    work = load(place)
    last = 0.0
    sending = threading.Lock()

    def report(share: float | None, words: str = "", preview: Any = None) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= BETWEEN:
            last = now
            seen = preview() if callable(preview) else preview
            with sending:
                pipe.send(("seen", share, words, seen))

    def say(words: str) -> None:
        with sending:
            pipe.send(("seen", None, words, None))

    with told(say):
        found = work.run(work.settings.model_validate(settings), report)
    if sum(map(len, found.files.values())) > MOST_BYTES:
        raise TreewrightError(f"the result has more than {MOST_BYTES:,} bytes")
    return found.data, dict(found.files)
