"""What whole.py does, by plain Numba: slower to compile, to slower code, with the same results."""

from collections.abc import Callable
from typing import Any

from numba import njit


def inner_jit(**options: Any) -> Callable[[Any], Any]:
    """``njit`` for a function that only an entry reaches."""
    return njit(**options)  # type: ignore[no-any-return]


def entry_jit(**options: Any) -> Callable[[Any], Any]:
    """``njit`` for the function that Python calls."""
    return njit(**options)  # type: ignore[no-any-return]


def let_go_with(library: Any) -> None:
    """Numba keeps what it compiles."""


@njit(nogil=True)  # type: ignore[untyped-decorator]
def borrow(arrays: Any) -> Any:
    """The same arrays, counted."""
    return arrays
