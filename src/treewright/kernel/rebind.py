"""One source, two engines: copies of a domain's functions for compiling or interpreting.

A domain author writes plain functions that call plain helpers.  Numba needs each helper
compiled, and the interpreter must not meet compiled ones; so we copy every function that
is reached, with its globals replaced by what the engine needs.  The author's own module
is never touched.
"""

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.kernel.bits import native
from treewright.kernel.fingerprint import Fingerprint, Unhashable, is_overload_stub
from treewright.kernel.hooks import is_inlined
from treewright.kernel.interpreted import Cells, wrapping
from treewright.kernel.names import attributes_read, globals_read, is_library

_INTEGERS: dict[Any, Callable[[Any], int]] = {
    kind: wrapping(kind)
    for kind in (
        np.int8,
        np.int16,
        np.int32,
        np.int64,
        np.uint8,
        np.uint16,
        np.uint32,
        np.uint64,
    )
}


def _single(value: Any) -> float:
    """The interpreted form of ``float32(x)``: a Python float, rounded like C."""
    return float(np.float32(value))


def _fingerprint(function: types.FunctionType) -> str | None:
    mark = Fingerprint()
    try:
        mark.function(function)
    except Unhashable:
        return None
    return mark.hexdigest()


class Rebinder:
    """Copies functions and what they reach; the same function is copied once."""

    def __init__(
        self,
        jit: Callable[..., Any] | None,
        recompile: bool = False,
        shared: dict[str, Any] | None = None,
    ) -> None:
        """``jit`` compiles a copied function; ``None`` copies for the interpreter.

        ``recompile``: helpers that the author compiled are compiled again, with our options.
        ``shared``: copies by fingerprint; what is there is taken, what is made is added.
        """
        self._jit = jit
        self._recompile = recompile
        self._shared = shared
        self._done: dict[int, Any] = {}
        self._keep: list[Any] = []

    def function(self, function: types.FunctionType) -> Any:
        """The function's copy: compiled lazily, or interpreted."""
        if id(function) in self._done:
            return self._done[id(function)]
        self._keep.append(function)
        if self._jit is not None and native(function) is not None:
            return native(function)
        shared, key = self._shared, None
        if shared is not None:
            key = _fingerprint(function)
            if key in shared:
                self._done[id(function)] = shared[key]
                return shared[key]
        code = function.__code__
        attributes = attributes_read(code)
        cells = [types.CellType() for _ in function.__closure__ or ()]
        scope: dict[str, Any] = {
            "__builtins__": __builtins__,
            "__name__": function.__module__,
            "__file__": code.co_filename,
        }
        defaults = function.__defaults__
        copied = types.FunctionType(code, scope, function.__name__, defaults, tuple(cells))
        copied.__kwdefaults__ = function.__kwdefaults__
        copied.__qualname__ = function.__qualname__
        if self._jit is None:
            result: Any = copied
        elif is_inlined(function):
            result = self._jit(copied, forceinline=True)
        else:
            result = self._jit(copied)
        self._done[id(function)] = result  # before its globals: functions may be recursive
        if shared is not None and key is not None:
            shared[key] = result
        for name in globals_read(code):
            if name in function.__globals__:
                scope[name] = self.value(function.__globals__[name], attributes)
        for cell, original in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = self.value(original.cell_contents, attributes)
        return result

    def value(self, value: Any, attributes: frozenset[str]) -> Any:
        """What stands for a global in the copied function."""
        if hasattr(value, "py_func"):  # compiled by the author with @njit
            keep = self._jit is not None and not self._recompile
            return value if keep else self.function(value.py_func)
        if isinstance(value, types.FunctionType):
            if is_library(value.__module__) or is_overload_stub(value):
                return value
            return self.function(value)
        if isinstance(value, types.ModuleType):
            return self._module(value, attributes)
        if self._jit is None:
            return interpreted(value)
        return value

    def _module(self, module: types.ModuleType, attributes: frozenset[str]) -> types.ModuleType:
        if is_library(module.__name__) and (self._jit or module is not np):
            return module
        copied = types.ModuleType(module.__name__)
        for name in attributes:
            if hasattr(module, name):
                setattr(copied, name, self.value(getattr(module, name), attributes))
        return copied


def interpreted(value: Any) -> Any:
    """A global as interpreted code should see it: Python numbers out of arrays and casts."""
    if isinstance(value, np.ndarray):
        return Cells(value)
    if isinstance(value, type):
        return _single if value is np.float32 else _INTEGERS.get(value, value)
    if isinstance(value, np.generic):
        return value.item()
    name = str(value)
    if type(value).__module__.startswith("numba") and hasattr(np, name):
        return _INTEGERS.get(getattr(np, name), value)
    return value
