"""A content fingerprint of everything that Numba freezes into compiled code.

Two kernels with the same fingerprint compile to the same machine code: it covers each
function's bytecode, constants, defaults and closure, and, through every helper in every
file, the values of the globals that are read.  Line numbers and comments are not part of
it.  What can't be fingerprinted raises :class:`Unhashable`; the caller then compiles
without the cache.  Never guess.
"""

import enum
import functools
import hashlib
import os
import sys
import types
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

from treewright.kernel.hooks import is_inlined
from treewright.kernel.names import attributes_read, globals_read, is_library

_IGNORED_FLAGS = frozenset({"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEBUG_CACHE"})


class Unhashable(TypeError):  # noqa: N818 - reads as what it is
    """A value that compiled code depends on in a way that can't be fingerprinted."""


def is_overload_stub(function: Any) -> bool:
    """Whether Numba has another implementation for a plain function (``@overload``)."""
    from numba.core.typing.templates import builtin_registry

    return id(function) in _overloaded(len(builtin_registry.globals))


@functools.lru_cache(1)
def _overloaded(count: int) -> frozenset[int]:
    """The ids of all functions with an overload; ``count`` changes when one is added."""
    from numba.core.typing.templates import builtin_registry

    return frozenset(id(known) for known, _ in builtin_registry.globals)


class Fingerprint:
    """SHA-256 over a sequence of parts, each with its length."""

    def __init__(self, *parts: Any) -> None:
        self._hash = hashlib.sha256()
        self._seen: dict[int, int] = {}
        self._keep: list[Any] = []  # so that ids stay unique while we walk
        self.add(*parts)

    def hexdigest(self) -> str:
        return self._hash.hexdigest()

    def add(self, *parts: Any) -> None:
        for part in parts:
            data = part if isinstance(part, bytes) else repr(part).encode()
            self._hash.update(b"%d:" % len(data))
            self._hash.update(data)

    def code(self, code: types.CodeType) -> None:
        self.add("code", code.co_code, code.co_names, code.co_varnames, code.co_freevars)
        self.add(code.co_cellvars, code.co_argcount, code.co_flags, code.co_exceptiontable)
        for const in code.co_consts:
            if isinstance(const, types.CodeType):
                self.code(const)
            elif isinstance(const, frozenset):  # `x in {...}`: sets have no order
                self.add("const", "frozenset", sorted(map(repr, const)))
            else:
                self.add("const", type(const).__name__, const)

    def function(self, function: types.FunctionType) -> None:
        if id(function) in self._seen:
            self.add("seen", self._seen[id(function)])
            return
        self._seen[id(function)] = len(self._seen)
        self._keep.append(function)
        # Numba's cache imports a function's module by its name
        self.add("function", function.__module__, function.__name__, is_inlined(function))
        self.code(function.__code__)
        attributes = attributes_read(function.__code__)
        for default in function.__defaults__ or ():
            self.value(default, attributes)
        for name, default in sorted((function.__kwdefaults__ or {}).items()):
            self.add("keyword", name)
            self.value(default, attributes)
        for name in sorted(globals_read(function.__code__)):
            if name in function.__globals__:
                self.add("global", name)
                self.value(function.__globals__[name], attributes)
            else:
                self.add("builtin", name)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
        for name, cell in cells:
            self.add("free", name)
            self.value(cell.cell_contents, attributes)

    def value(self, value: Any, attributes: frozenset[str] = frozenset()) -> None:
        """Add one value; ``attributes`` are the names by which a module may be read."""
        if isinstance(value, Dispatcher):
            self.add("jit", sorted((k, repr(v)) for k, v in value.targetoptions.items()))
            self.add(sorted(map(repr, value.locals.items())))
            self.function(value.py_func)
        elif isinstance(value, types.FunctionType):
            self._plain_function(value)
        elif isinstance(value, types.ModuleType):
            self._module(value, attributes)
        elif isinstance(value, type):
            self._type(value)
        elif isinstance(value, np.ndarray):
            self.value(value.dtype)
            self.add(value.shape, np.ascontiguousarray(value).tobytes())
        elif isinstance(value, np.dtype):
            self.add("dtype", value.descr if value.names else value.str, value.itemsize)
        elif isinstance(value, (bool, int, float, complex, str, bytes, type(None), np.generic)):
            self.add(type(value).__qualname__, value)
        elif isinstance(value, (tuple, list)):
            self.add(type(value).__qualname__, len(value))
            for item in value:
                self.value(item, attributes)
        elif isinstance(value, numba.types.Type):
            self.add("numba", str(value))
        elif isinstance(value, (types.BuiltinFunctionType, np.ufunc)):
            self.add("builtin", getattr(value, "__module__", ""), value.__name__)
        else:
            raise Unhashable(f"{value!r} ({type(value).__qualname__}) can't be fingerprinted")

    def _plain_function(self, function: types.FunctionType) -> None:
        if is_library(function.__module__):
            self.add("library", function.__module__, function.__qualname__)
        elif is_overload_stub(function):
            raise Unhashable(f"{function.__qualname__}() has a Numba overload")
        else:
            self.function(function)

    def _module(self, module: types.ModuleType, attributes: frozenset[str]) -> None:
        self.add("module", module.__name__)
        if not is_library(module.__name__):
            for name in sorted(attributes):
                # ``__init__`` and its like belong to some object that the code reads, not to it
                if not name.startswith("__") and hasattr(module, name):
                    self.add(name)
                    self.value(getattr(module, name), attributes)

    def _type(self, kind: type) -> None:
        if issubclass(kind, enum.Enum):
            self.add("enum", kind.__qualname__, [(m.name, repr(m.value)) for m in kind])
        elif is_library(kind.__module__):
            self.add("type", kind.__module__, kind.__qualname__)
        else:
            raise Unhashable(f"the class {kind.__qualname__} is read by compiled code")


def environment() -> tuple[Any, ...]:
    """Versions and flags that change what Numba compiles."""
    flags = sorted(
        (k, v) for k, v in os.environ.items() if k.startswith("NUMBA_") and k not in _IGNORED_FLAGS
    )
    versions = (numba.__version__, llvmlite.__version__, np.__version__)
    return (flags, versions, sys.version_info[:3], sys.implementation.cache_tag)


@functools.cache
def kernel_sources() -> bytes:
    """The content of every file of the kernel package."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()
