"""Products of small matrices by one thread.

OpenBLAS, which comes with NumPy, shares out even those, and its threads wait for each other in
busy loops: a search then takes several times as long, and more when other programs run.  Its last
bits would also depend on how many cores there are, so that a seed would not decide everything.
"""

import contextlib
import ctypes
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

_NAMES = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")
_lock = threading.Lock()
_searches = 0  # under way
_usual = 0  # threads when the first of them began


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """While this is open, products in this process are done by one thread."""
    global _searches, _usual
    with _lock:
        if not _searches:
            _usual = _count()
        _searches += 1
        _set(1)
    try:
        yield
    finally:
        with _lock:
            _searches -= 1
            if not _searches:
                _set(_usual)


@contextlib.contextmanager
def usual_threads() -> Iterator[None]:
    """Inside of that: somebody else's code has all threads, unless another search is under way."""
    with _lock:
        if _searches == 1:
            _set(_usual)
    try:
        yield
    finally:
        with _lock:
            if _searches:
                _set(1)


def _count() -> int:
    return int(_threads()[0]()) if _threads() else 1


def _set(count: int) -> None:
    if _threads():
        _threads()[1](count)


@functools.cache
def _threads() -> tuple[Callable[..., Any], ...]:
    """OpenBLAS's functions that tell and set the number of threads; nothing if it isn't there."""
    try:
        from numpy.linalg import _umath_linalg

        library = ctypes.CDLL(_umath_linalg.__file__)  # loaded already, with what it needs
    except (ImportError, AttributeError, OSError):
        return ()
    for name in _NAMES:
        with contextlib.suppress(AttributeError):
            return tuple(
                getattr(library, name.format(f"{verb}_num_threads")) for verb in ("get", "set")
            )
    return ()
