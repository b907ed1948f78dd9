"""A content fingerprint of everything that Numba freezes into compiled code.

Two kernels with the same fingerprint compile to the same machine code: it covers each
function's bytecode, constants, defaults and closure, and, through every helper in every
file, the values of the globals that are read.  Line numbers and comments are not part of
it.  What can't be fingerprinted raises :class:`Unhashable`; the caller then compiles
without the cache.  Never guess.
"""

import builtins
import contextlib
import enum
import functools
import hashlib
import importlib
import itertools
import os
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np

from treewright.kernel.hooks import is_apart, is_inlined
from treewright.kernel.names import attributes_read, globals_read, is_library
from treewright.kernel.versions import version

_CONFIG = Path(".numba_config.yaml")
_IGNORED_FLAGS = frozenset({"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEBUG_CACHE"})


class Unhashable(TypeError):  # noqa: N818 - reads as what it is
    """A value that compiled code depends on in a way that can't be fingerprinted."""


def is_overload_stub(function: Any) -> bool:
    """Whether Numba has another implementation for a plain function (``@overload``)."""
    return id(function) in _extensions()[0]


def _extensions() -> tuple[frozenset[int], frozenset[str]]:
    """What Numba was taught outside of it, if it was imported at all."""
    if not _has_numba():
        return frozenset(), frozenset()
    from numba.core.typing.templates import builtin_registry as known

    return _taught(len(known.globals), len(known.attributes))


@functools.lru_cache(1)
def _taught(functions: int, attributes: int) -> tuple[frozenset[int], frozenset[str]]:
    """The ids of functions and the names of attributes; the counts change when one is added."""
    from numba.core.typing.templates import builtin_registry as known

    functions_of = {id(f) for f, kind in known.globals if _is_taught(kind)}
    named = (_names(one) for one in known.attributes if _is_taught(one))
    return frozenset(functions_of), frozenset(itertools.chain.from_iterable(named))


def _is_taught(kind: Any) -> bool:
    """Whether an author outside of Numba has written any of this."""
    templates = getattr(kind, "templates", (kind,))
    modules = {getattr(one, "_overload_func", one).__module__ for one in templates}
    return not all(is_library(m) for m in modules - {None, "abc"})  # those are made inside it


def _names(template: Any) -> list[str]:
    """The attributes that a template gives to some type."""
    if hasattr(template, "_attr"):
        return [template._attr]
    return [name.removeprefix("resolve_") for name in vars(template) if name.startswith("resolve_")]


def _has_numba() -> bool:
    """Whether Numba is imported: all of it.  Who asks while another thread imports it waits.

    Its modules are in ``sys.modules`` before they are whole, and a part of it that is imported
    meanwhile would find the others half made.
    """
    if "numba" not in sys.modules:
        return False
    importlib.import_module("numba")
    return True


def is_dispatcher(value: Any) -> bool:
    """Whether a function was compiled by its author; where Numba is not imported none was."""
    known = sys.modules.get("numba.core.dispatcher") if _has_numba() else None
    return known is not None and isinstance(value, known.Dispatcher)


def _is_numba_type(value: Any) -> bool:
    known = sys.modules.get("numba.core.types") if _has_numba() else None
    return known is not None and isinstance(value, known.Type)


class Fingerprint:
    """SHA-256 over a sequence of parts, each with its length."""

    def __init__(self, *parts: Any) -> None:
        self._hash = hashlib.sha256()
        self._seen: dict[Any, int] = {}
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
        self.add(code.co_posonlyargcount, code.co_kwonlyargcount)
        for const in code.co_consts:
            self.add("const")
            if isinstance(const, types.CodeType):
                self.code(const)
            else:
                self.value(const)

    def _is_new(self, what: Any, *how: Any) -> bool:
        """Whether this was not met before, in this way; if it was, that is added instead."""
        key = (id(what), *how)
        if key in self._seen:
            self.add("seen", self._seen[key])
            return False
        self._seen[key] = len(self._seen)
        self._keep.append(what)
        return True

    def _builtin(self, name: str, value: Any) -> None:
        if is_overload_stub(value):
            raise Unhashable(f"{name}() has a Numba overload")
        self.add("builtin", name)

    def function(self, function: types.FunctionType) -> None:
        if not self._is_new(function):
            return
        self.add("function", function.__module__, function.__name__, is_inlined(function))
        if is_apart(function):
            self.add("apart")
        self.code(function.__code__)
        attributes = attributes_read(function.__code__)
        for name in sorted(attributes & _extensions()[1]):
            raise Unhashable(f".{name} has a Numba overload")
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
                self._builtin(name, getattr(builtins, name, None))
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
        for name, cell in cells:
            self.add("free", name)
            try:
                content = cell.cell_contents
            except ValueError:
                raise Unhashable(f"{name} has no value yet") from None
            self.value(content, attributes)

    def value(self, value: Any, attributes: frozenset[str] = frozenset()) -> None:
        """Add one value; ``attributes`` are the names by which a module may be read."""
        if is_dispatcher(value):
            self._dispatcher(value)
        elif isinstance(value, types.FunctionType):
            self._plain_function(value)
        elif isinstance(value, types.ModuleType):
            self._module(value, attributes)
        elif isinstance(value, type):
            self._type(value)
        elif isinstance(value, enum.Enum):
            self.add("member", value.name)
            self._type(type(value))
        elif isinstance(value, (np.ndarray, np.generic)):
            self._array(value)
        elif isinstance(value, np.dtype):
            self.dtype(value)
        elif type(value) in (float, complex):
            self.add(type(value).__name__, np.array(value).tobytes())  # each nan, and -0.0
        elif type(value) in (bool, int, str, bytes, type(None), type(...)):
            self.add(type(value).__name__, value)
        elif type(value) is frozenset:
            self.add("frozenset", sorted(map(_mark, value)))  # sets have no order
        elif isinstance(value, tuple) or type(value) is list:
            self._sequence(value, attributes)
        elif _is_numba_type(value):
            self.add("numba", str(value))
        elif isinstance(value, (types.BuiltinFunctionType, np.ufunc)):
            self.add(getattr(value, "__module__", ""))
            self._builtin(value.__name__, value)
        else:
            raise Unhashable(f"{value!r} ({type(value).__qualname__}) can't be fingerprinted")

    def _dispatcher(self, value: Any) -> None:
        """A function that its author compiled, with the options and signatures it was given."""
        from numba.core.compiler import Compiler

        if value._compiler.pipeline_class is not Compiler:
            raise Unhashable(f"{value.__qualname__}() has a compiler of its own")
        self.add("jit", sorted((k, repr(v)) for k, v in value.targetoptions.items()))
        self.add(sorted(map(repr, value.locals.items())))
        self.add([] if value._can_compile else sorted(map(repr, value.nopython_signatures)))
        self.function(value.py_func)

    def _array(self, value: Any) -> None:
        if value.dtype.hasobject:
            raise Unhashable("an array of objects is read by compiled code")
        array = np.asarray(value)
        self.add(type(value).__module__, type(value).__qualname__)
        self.dtype(value.dtype)
        self.add(array.shape, array.flags.c_contiguous, array.flags.f_contiguous)
        self.add(array.flags.aligned)
        self._content(array)

    def _content(self, array: np.ndarray) -> None:
        """The bytes of an array, without those between fields: nobody has set them."""
        for name in array.dtype.names or ():
            self._content(array[name])
        if not array.dtype.names:
            self.add(array.tobytes())

    def dtype(self, kind: np.dtype) -> None:
        self.add("dtype", kind.str, kind.itemsize, kind.shape, kind.isalignedstruct)
        if kind.subdtype:
            self.dtype(kind.base)
        for name in kind.names or ():
            field, offset = kind.fields[name][:2]  # type: ignore[index]
            self.add(name, offset)
            self.dtype(field)

    def _sequence(self, value: Any, attributes: frozenset[str]) -> None:
        kind = type(value)
        self.add(kind.__module__, kind.__qualname__, len(value))
        if kind not in (tuple, list):
            if "_fields" not in vars(kind):
                raise Unhashable(f"{value!r} ({kind.__qualname__}) can't be fingerprinted")
            self.add("fields", kind._fields)
        for item in value:
            self.value(item, attributes)

    def _plain_function(self, function: types.FunctionType) -> None:
        if is_overload_stub(function):
            raise Unhashable(f"{function.__qualname__}() has a Numba overload")
        if is_library(function.__module__):
            self.add("library", function.__module__, function.__qualname__)
        else:
            self.function(function)

    def _module(self, module: types.ModuleType, attributes: frozenset[str]) -> None:
        self.add("module", module.__name__)
        if is_library(module.__name__):
            self._library(module, attributes)
        elif self._is_new(module, attributes):
            for name in sorted(attributes):
                # ``__init__`` and its like belong to some object that the code reads, not to it
                if not name.startswith("__") and hasattr(module, name):
                    self.add(name)
                    self.value(getattr(module, name), attributes)

    def _library(self, module: types.ModuleType, attributes: frozenset[str]) -> None:
        """Its version is part of the environment, but an author may have added to it."""
        for name in sorted(attributes) if _extensions()[0] else ():
            found = getattr(module, name, None)
            if is_overload_stub(found):
                raise Unhashable(f"{module.__name__}.{name}() has a Numba overload")
            if isinstance(found, types.ModuleType) and found is not module:
                self._library(found, attributes - {name})

    def _type(self, kind: type) -> None:
        if issubclass(kind, enum.Enum):
            if self._is_new(kind):
                self.add("enum", kind.__module__, kind.__qualname__, list(map(repr, kind.__mro__)))
                for name, member in kind.__members__.items():  # aliases too
                    self.add(name, member.name)
                    self.value(member.value)
        elif is_library(kind.__module__):
            self.add("type", kind.__module__, kind.__qualname__)
        else:
            raise Unhashable(f"the class {kind.__qualname__} is read by compiled code")


def _mark(value: Any) -> str:
    found = Fingerprint()
    found.value(value)
    return found.hexdigest()


def environment() -> tuple[Any, ...]:
    """Versions and flags that change what Numba compiles."""
    flags = sorted(
        (k, v) for k, v in os.environ.items() if k.startswith("NUMBA_") and k not in _IGNORED_FLAGS
    )
    with contextlib.suppress(OSError):  # Numba reads it when it is imported
        flags.append((_CONFIG.name, _CONFIG.read_bytes().hex()))
    versions = (version("numba"), version("llvmlite"), np.__version__)
    return (flags, versions, sys.version_info[:3], sys.implementation.cache_tag, _processor())


@functools.cache
def _processor() -> tuple[str, str, str]:
    """The machine that code is compiled for."""
    from llvmlite import binding

    features = binding.get_host_cpu_features().flatten()
    return (binding.get_process_triple(), binding.get_host_cpu_name(), features)


@functools.cache
def kernel_sources() -> bytes:
    """The content of every file of the kernel package."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()
