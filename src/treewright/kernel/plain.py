"""What whole.py does, by plain Numba: slower to compile, to slower code, with the same results."""

from collections.abc import Callable
from typing import Any

from numba import njit


def inner_jit(counted: bool = True, **options: Any) -> Callable[[Any], Any]:
    """``njit`` for a function that only an entry reaches."""
    return njit(**options)  # type: ignore[no-any-return]


def entry_jit(counted: bool = True, **options: Any) -> Callable[[Any], Any]:
    """``njit`` for the function that is called from outside."""
    return njit(**options)  # type: ignore[no-any-return]
