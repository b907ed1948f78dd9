"""Whoever waits is told what is compiled, and how long that took the last time."""

import contextlib
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path

Listener = Callable[[str], object]
MOST = 1000  # programs whose time is remembered
_listeners: list[Listener] = []


@contextlib.contextmanager
def told(listener: Listener) -> Iterator[None]:
    """While this is open, ``listener`` gets a few words whenever something is to be compiled."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextlib.contextmanager
def compiling(what: str) -> Iterator[None]:
    """Around the compiling of a program: it is announced, and its time is remembered."""
    seconds = _times().get(what)
    words = f"compiling {what}" + (f", about {math.ceil(seconds)} s" if seconds else "")
    for listener in _listeners:
        listener(words)
    began = time.monotonic()
    yield
    _remember(what, time.monotonic() - began)


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
