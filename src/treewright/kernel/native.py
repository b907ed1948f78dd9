"""Machine code as a function: loaded through llvmlite and called by address, without Numba.

The arguments of a call travel in one row of 64-bit slots: a number takes one, an array its address,
shape and strides, and a tuple those of its items.  Compiled code puts them together again
(unpacked.py).  What a call returns, and the exception it may end with, come back as Numba's own
functions hand them to each other.
"""

import ctypes
import functools
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.kernel.fingerprint import Fingerprint

RETURNS: dict[str, Any] = {
    **{f"{u}int{n}": getattr(ctypes, f"c_{u}int{n}") for u in ("", "u") for n in (8, 16, 32, 64)},
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "bool": ctypes.c_bool,
    "none": ctypes.c_void_p,
}
_Signature = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


@dataclass(frozen=True)
class Code:
    """One compiled function, as it is kept on disk."""

    name: str  # of the function, in the object
    returns: tuple[str, ...]  # names in RETURNS; several for a tuple
    needs: tuple[str, ...]  # symbols that the process must have
    machine: bytes  # an object file


class MissingSymbolError(LookupError):
    """Machine code that calls what this process does not have."""


class Loaded:
    """A function in memory; it goes when nobody holds it any more."""

    def __init__(self, code: Code, environments: Mapping[str, Any] | None = None) -> None:
        """``environments``: what it needs of the interpreter, by the name of a pointer to it."""
        self._engine = _engine()
        for name in code.needs:
            if not _has(name):
                raise MissingSymbolError(name)
        from llvmlite.binding import ObjectFileRef

        self._engine.add_object_file(ObjectFileRef.from_data(code.machine))
        self._engine.finalize_object()
        address = self._engine.get_function_address(code.name)
        if not address:
            raise MissingSymbolError(code.name)
        self._kept = environments or {}
        for name, environment in self._kept.items():
            at = self._engine.get_global_value_address(name) if environment else 0
            if at:
                ctypes.c_void_p.from_address(at).value = id(environment)
        self._function = _Signature(address)
        self._returns = _fields(code.returns)
        self._names = [f"f{i}" for i in range(len(code.returns))]

    def __call__(self, slots: np.ndarray) -> Any:
        result = self._returns()
        raised = ctypes.c_void_p()
        at = slots.__array_interface__["data"][0]
        status = self._function(ctypes.addressof(result), ctypes.addressof(raised), at)
        if status:
            raise _exception(status, raised)
        values = tuple(getattr(result, name) for name in self._names)
        return values if len(values) > 1 else values[0]


@functools.cache
def _fields(kinds: tuple[str, ...]) -> type[ctypes.Structure]:
    """The memory for what a function returns."""
    fields = [(f"f{i}", RETURNS[kind]) for i, kind in enumerate(kinds)]
    return type("Returned", (ctypes.Structure,), {"_fields_": fields})


def _engine() -> Any:
    from llvmlite import binding

    _ready()
    target = binding.Target.from_triple(binding.get_process_triple())
    machine = target.create_target_machine(jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


@functools.cache
def _ready() -> None:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()


def _has(name: str) -> bool:
    """Whether a symbol is known; Numba brings its own when it is imported."""
    from llvmlite.binding import address_of_symbol

    if address_of_symbol(name) is None:
        importlib.import_module("numba")  # first all of it, as another thread may import it too
        from numba.core.registry import cpu_target
        from numba.core.runtime import rtsys

        rtsys.initialize(cpu_target.target_context)
    return address_of_symbol(name) is not None


def _exception(status: int, raised: ctypes.c_void_p) -> BaseException:
    """What the code of a domain has raised: Numba keeps the pickle of it in the machine code."""
    importlib.import_module("numba")
    from numba.core.serialize import _numba_unpickle

    if not raised.value:
        return SystemError(f"a compiled function ended with status {status}")
    where = ctypes.cast(raised, ctypes.POINTER(ctypes.c_void_p))
    length = ctypes.cast(
        raised.value + ctypes.sizeof(ctypes.c_void_p), ctypes.POINTER(ctypes.c_int32)
    )
    data = ctypes.string_at(where[0], length[0])
    kind, arguments, _ = _numba_unpickle(where[0], data, data)
    return kind(*(arguments or ()))  # type: ignore[no-any-return]


@functools.lru_cache(1000)
def _layout(kind: np.dtype, aligned: bool) -> str:
    mark = Fingerprint()
    mark.dtype(kind)
    return mark.hexdigest()


def signature(value: Any) -> Any:
    """What compiled code takes for granted about an argument; equal for arguments alike."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        order = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        kind = _layout(value.dtype, value.dtype.isalignedstruct)
        return ("array", kind, value.ndim, order, flags.aligned, flags.writeable)
    if isinstance(value, tuple):
        names = getattr(value, "_fields", ())
        return (type(value).__name__, names, tuple(map(signature, value)))
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    if isinstance(value, np.uint64):
        return "uint64"
    if isinstance(value, (int, np.integer)):
        return "int64"
    if isinstance(value, (float, np.floating)):
        return "float64"
    raise TypeError(f"compiled code can't take {type(value).__name__}")


def packed(arguments: tuple[Any, ...]) -> np.ndarray:
    """The arguments of a call as slots."""
    slots: list[Any] = []
    for value in arguments:
        _pack(value, slots)
    return np.array(slots or [0], np.int64)


def _pack(value: Any, slots: list[Any]) -> None:
    if isinstance(value, np.ndarray):
        if value.dtype.names:  # the other way would list them all
            slots.append(value.ctypes.data)
        else:  # several times as fast
            slots.append(value.__array_interface__["data"][0])
        slots.extend(value.shape)
        slots.extend(value.strides)
    elif isinstance(value, tuple):
        for item in value:
            _pack(item, slots)
    elif isinstance(value, (float, np.floating)):
        slots.append(np.float64(value).view(np.int64))
    else:
        slots.append(
            np.uint64(value).view(np.int64) if isinstance(value, np.uint64) else int(value)
        )
