"""Whoever waits is told what is compiled, and how long that took the last time."""

import contextlib
import json
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Listener = Callable[[str], object]
MOST = 1000  # programs whose time is remembered
_listeners: list[Listener] = []
_quiet = False
_interrupted = ""


@contextlib.contextmanager
def told(listener: Listener) -> Iterator[None]:
    """While this is open, ``listener`` gets a few words whenever something is to be compiled."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def be_quiet(quiet: bool) -> None:
    """Whether nothing is said where nobody listens: what ``--quiet`` asks for."""
    global _quiet
    _quiet = quiet


def _on_terminal(words: str) -> None:
    """Where nobody listens, a line on stderr, if that is a terminal.

    Processes that work for another one say nothing: whatever is on the terminal is the other's.
    """
    processes = sys.modules.get("multiprocessing")
    working = processes is not None and processes.parent_process() is not None
    if not _quiet and not working and sys.stderr is not None and sys.stderr.isatty():
        print(f"treewright: {words}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def compiling(what: str) -> Iterator[None]:
    """Around the compiling of a program: it is announced, and its time is remembered."""
    seconds = _times().get(what)
    words = f"compiling {what}" + (f", about {math.ceil(seconds)} s" if seconds else "")
    for listener in _listeners or [_on_terminal]:
        listener(words)
    began = time.monotonic()
    try:
        yield
    except KeyboardInterrupt:
        global _interrupted
        _interrupted = what
        raise
    _remember(what, time.monotonic() - began)


@contextlib.contextmanager
def ends_at_interrupt() -> Iterator[None]:
    """Around what Numba does: at Ctrl-C it ends with a KeyboardInterrupt.

    Numba tries things out, and takes whatever is raised meanwhile for the answer that they can't
    be done.  So what comes after Ctrl-C is neither an error of the domain nor a program to keep.
    """
    usual = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if usual is not signal.default_int_handler or not main:
        yield
        return
    pressed = False

    def caught(number: int, frame: Any) -> None:
        nonlocal pressed
        pressed = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, caught)
    try:
        yield
    except Exception:
        if not pressed:
            raise
    finally:
        signal.signal(signal.SIGINT, usual)
    if pressed:
        raise KeyboardInterrupt


def interrupted() -> str:
    """What was being compiled when Ctrl-C was pressed, if anything was."""
    return _interrupted


def _path() -> Path:
    from treewright.kernel import cache  # who only listens needs nothing of it

    return cache.directory() / "seconds.json"


def _times() -> dict[str, float]:
    """What compiling took; whatever is wrong with the file, it holds nothing then."""
    try:
        found = json.loads(_path().read_text(encoding="utf-8"))
        return {k: float(v) for k, v in found.items() if 0 <= float(v) < 1e6}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def _remember(what: str, seconds: float) -> None:
    from treewright.kernel import cache

    times = _times()
    times.pop(what, None)
    times[what] = round(seconds, 1)
    with contextlib.suppress(OSError):
        cache.put(_path(), json.dumps(dict(list(times.items())[-MOST:])).encode())
