"""One source, two engines: copies of a domain's functions for compiling or interpreting.

A domain author writes plain functions that call plain helpers.  Numba needs each helper
compiled, and the interpreter must not meet compiled ones; so we copy every function that
is reached, with its globals replaced by what the engine needs.  The author's own module
is never touched.
"""

import types
from collections.abc import Callable, MutableMapping
from typing import Any

import numpy as np

from treewright.kernel.bits import is_native, native
from treewright.kernel.fingerprint import (
    Fingerprint,
    Unhashable,
    is_dispatcher,
    is_overload_stub,
)
from treewright.kernel.hooks import apart, inlined, is_apart, is_inlined
from treewright.kernel.interpreted import Cells, wrapping
from treewright.kernel.names import SYMBOL, attributes_read, globals_read, is_library, symbol

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


# inner functions are compiled without Python's objects, and workers are threads already
_NOT_TAKEN_OVER = frozenset({"nopython", "forceobj", "parallel"})


def _options(function: types.FunctionType, compiled: Any) -> dict[str, Any]:
    """How a function is compiled: as its author says, where anything is said."""
    if compiled is None:
        # what nothing is said of is compiled as its caller is, and the kernel's steps are inlined
        says = is_inlined(function) or is_apart(function)
        return {"forceinline": is_inlined(function)} if says else {}
    options = compiled.targetoptions.items()
    given = {k: v for k, v in options if v is not None and k not in _NOT_TAKEN_OVER}
    return {"error_model": "python", "locals": compiled.locals, **given}


def _fingerprint(function: Any) -> str | None:
    mark = Fingerprint()
    try:
        mark.value(function)
    except Unhashable:
        return None
    return mark.hexdigest()


class Rebinder:
    """Copies functions and what they reach; the same function is copied once."""

    def __init__(
        self,
        jit: Callable[..., Any] | None,
        shared: MutableMapping[str, Any] | None = None,
    ) -> None:
        """``jit`` compiles a copied function; ``None`` copies for the interpreter.

        ``shared``: copies by fingerprint; what is there is taken, what is made is added.
        """
        self._jit = jit
        self._shared = shared
        self._done: dict[Any, Any] = {}
        self._keep: list[Any] = []  # so that ids stay unique
        self._underway: list[tuple[int, Any]] = []  # functions whose globals are being copied

    def _native(self, function: Any) -> Any:
        return native(function)

    def _module_name(self, function: types.FunctionType) -> str:
        """Numba holds on to the module of this name, for ever, so it is not the author's."""
        return function.__module__ if self._jit is None else __name__

    def function(self, function: types.FunctionType, compiled: Any = None) -> Any:
        """The function's copy: compiled lazily, or interpreted.

        ``compiled`` is what its author made of it with ``@njit``.  It is compiled anew, with the
        same options and signatures: what was compiled before, or read from a cache of its own,
        may be of other globals than the fingerprint is.
        """
        known = id(compiled or function)
        if known in self._done:
            self._met(known)
            return self._done[known]
        self._keep.append(compiled or function)
        if self._jit is not None and is_native(function):
            return self._native(function)
        shared, key = self._shared, None
        if shared is not None:
            key = _fingerprint(compiled or function)
            if key is not None and key in shared:
                self._done[known] = shared[key]
                return shared[key]
        code = function.__code__
        attributes = attributes_read(code)
        cells = [types.CellType() for _ in function.__closure__ or ()]
        scope: dict[str, Any] = {
            "__builtins__": __builtins__,
            "__name__": self._module_name(function),
            "__file__": code.co_filename,
        }
        defaults = function.__defaults__
        copied = types.FunctionType(code, scope, function.__name__, defaults, tuple(cells))
        copied.__kwdefaults__ = function.__kwdefaults__
        copied.__qualname__ = function.__qualname__
        if key is not None and compiled is None:
            name = f"{function.__module__}:{function.__qualname__}"
            setattr(copied, SYMBOL, symbol(name, key))
        if self._jit is None:
            result: Any = copied
        else:
            result = self._jit(copied, **_options(function, compiled))
        self._done[known] = result  # before its globals: functions may be recursive
        if shared is not None and key is not None:
            shared[key] = result
        self._underway.append((known, copied))
        for name in globals_read(code):
            if name in function.__globals__:
                scope[name] = self.value(function.__globals__[name], attributes)
        for cell, original in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = self.value(original.cell_contents, attributes)
        self._underway.pop()
        if self._jit is not None and compiled is not None and not compiled._can_compile:
            for signature in compiled.nopython_signatures:
                result.compile(signature)
            result.disable_compile()
        return result

    def _met(self, known: int) -> None:
        """Functions that reach themselves have no name that others could know (pieces.py)."""
        ids = [underway for underway, _ in self._underway]
        if known in ids:
            for _, copied in self._underway[ids.index(known) :]:
                setattr(copied, SYMBOL, None)

    def value(self, value: Any, attributes: frozenset[str]) -> Any:
        """What stands for a global in the copied function."""
        if is_dispatcher(value):
            return self.function(value.py_func, value)
        if hasattr(value, "py_func"):  # compiled by the author in another way
            return self.function(value.py_func) if self._jit is None else value
        if isinstance(value, types.FunctionType):
            if is_library(value.__module__) or is_overload_stub(value):
                return value
            return self.function(value)
        if isinstance(value, types.ModuleType):
            return self._module(value, attributes)
        if self._jit is None:
            return interpreted(value)
        return self._frozen(value)

    def _frozen(self, value: Any) -> Any:
        """A value as it is now: an array may change before it is compiled."""
        if isinstance(value, np.ndarray):
            if id(value) not in self._done:
                self._keep.append(value)
                self._done[id(value)] = value.copy(order="K")
            return self._done[id(value)]
        if isinstance(value, tuple) and any(isinstance(v, (tuple, np.ndarray)) for v in value):
            items = map(self._frozen, value)
            kind: Any = type(value)
            return kind._make(items) if hasattr(kind, "_fields") else tuple(items)
        return list(value) if type(value) is list else value

    def _module(self, module: types.ModuleType, attributes: frozenset[str]) -> types.ModuleType:
        if is_library(module.__name__) and (self._jit or module is not np):
            return module
        if (id(module), attributes) in self._done:
            return self._done[id(module), attributes]  # type: ignore[no-any-return]
        copied = types.ModuleType(module.__name__)
        self._keep.append(module)
        self._done[id(module), attributes] = copied  # before it is filled: they may be cyclic
        for name in attributes:
            if hasattr(module, name):
                setattr(copied, name, self.value(getattr(module, name), attributes))
        return copied


class NotCopied(TypeError):  # noqa: N818 - reads as what it is
    """A function that its author has compiled: only a compiler can copy it."""


class Snapshot(Rebinder):
    """Copies of plain functions with the values that they read now, for a compiler to come later.

    They have the fingerprint of the originals.
    """

    def __init__(self) -> None:
        super().__init__(_marked)

    def function(self, function: types.FunctionType, compiled: Any = None) -> Any:
        if compiled is not None:
            raise NotCopied(function.__qualname__)
        return super().function(function)

    def _native(self, function: Any) -> Any:
        return function

    def _module_name(self, function: types.FunctionType) -> str:
        return function.__module__


def _marked(function: types.FunctionType, forceinline: bool | None = None) -> types.FunctionType:
    if forceinline is None:
        return function
    return inlined(function) if forceinline else apart(function)  # type: ignore[no-any-return]


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
