"""Arrays in a device's memory, handed to other libraries and taken from them without a copy.

CuPy, PyTorch and Numba read ``__cuda_array_interface__``; JAX, PyTorch and CuPy read DLPack.
"""

import ctypes
from typing import Any

import numpy as np

from treewright.errors import EvaluatorError
from treewright.kernel.gpu.pools import Place, packed

CODES = {"i": 0, "u": 1, "f": 2, "b": 6}  # DLPack's kinds of numbers
CAPSULE = b"dltensor"


class HandedArray:
    """An array of the device: it is valid until the evaluator returns."""

    def __init__(self, device: Any, address: int, one: Place) -> None:
        self._device, self._address, self._place = device, address, one

    @property
    def shape(self) -> tuple[int, ...]:
        return self._place.shape

    @property
    def dtype(self) -> np.dtype:
        return self._place.dtype

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        start = self._device.pointer(self._address) + self._place.start
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (start, False),
            "strides": self._place.strides,
            "version": 3,
            "stream": None,  # nothing of ours is under way
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self._device.dlpack
        return int(kind), int(number)

    def __dlpack__(self, **_: Any) -> Any:
        return capsule(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """A copy in the CPU's memory, for evaluators that work there."""
        if copy is False:
            raise ValueError("it is in a device's memory, so that it has to be copied")
        return self.get() if dtype is None else self.get().astype(dtype)

    def get(self) -> np.ndarray:
        """The same."""
        one = self._place
        last = sum((n - 1) * s for n, s in zip(one.shape, one.strides, strict=True))
        data = np.zeros(last + one.dtype.itemsize if min(one.shape) else 0, np.uint8)
        self._device.get(self._address + one.start, data)
        return np.ndarray(one.shape, one.dtype, data, 0, one.strides).copy()


class HandedStates:
    """The leaves: ``states["field"]`` is a column of them, and ``bytes`` all of them as they lie.

    Rows without a leaf hold an older one, and whatever is said of them is not looked at.
    """

    def __init__(self, device: Any, address: int, one: Place) -> None:
        self._device, self._address, self._place = device, address, one

    def __len__(self) -> int:
        return self._place.shape[0]

    @property
    def dtype(self) -> np.dtype:
        return self._place.dtype

    def __getitem__(self, field: str) -> HandedArray:
        fields: Any = self.dtype.fields
        kind, start = fields[field][:2]
        base, inner = kind.subdtype or (kind, ())
        shape, strides = (len(self), *inner), (self.dtype.itemsize, *packed(base, inner))
        return HandedArray(self._device, self._address, Place(start, base, shape, strides))

    @property
    def bytes(self) -> HandedArray:
        shape = len(self), self.dtype.itemsize
        one = Place(0, np.dtype(np.uint8), shape, packed(np.dtype(np.uint8), shape))
        return HandedArray(self._device, self._address, one)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.get()

    def get(self) -> np.ndarray:
        """A copy in the CPU's memory."""
        return self._device.get(  # type: ignore[no-any-return]
            self._address, np.zeros(len(self), self.dtype)
        )


def taken(what: str, given: Any) -> tuple[int, Place] | None:
    """Where an evaluator's numbers lie on the device; None if they are not there."""
    if hasattr(given, "detach"):  # PyTorch's, which may be on its way to a gradient
        given = given.detach()
    try:
        known = given.__cuda_array_interface__
    except (AttributeError, RuntimeError, TypeError):  # of one that is on the CPU
        return None
    kind, shape = np.dtype(known["typestr"]), tuple(known["shape"])
    if kind not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise EvaluatorError(f"evaluate gave {what} of type {kind}; wanted are float32 or float64")
    strides = known.get("strides") or packed(kind, shape)
    return int(known["data"][0]), Place(0, kind, shape, tuple(strides))


class _Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("number", ctypes.c_int32)]


class _Kind(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    """DLPack's managed tensor, with the tensor itself in front."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("dimensions", ctypes.c_int32),
        ("kind", _Kind),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("start", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


_held: dict[int, tuple[Any, ...]] = {}  # what others still look at, by the address of its tensor


def _forget(address: int) -> None:
    _held.pop(address, None)


_let_go = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_forget)


def capsule(array: HandedArray) -> Any:
    """An array as DLPack's capsule; the memory stays ours."""
    known = array.__cuda_array_interface__
    item, strides = array.dtype.itemsize, known["strides"]
    if array.dtype.kind not in CODES or any(s % item for s in strides):
        raise BufferError(f"DLPack knows no such array ({array.dtype}): take states.bytes")
    numbers = ctypes.c_int64 * len(array.shape)
    shape, steps = numbers(*array.shape), numbers(*(s // item for s in strides))
    tensor = _Tensor(
        known["data"][0],
        _Device(*array.__dlpack_device__()),
        len(array.shape),
        _Kind(CODES[array.dtype.kind], 8 * item, 1),
        shape,
        steps,
        0,
        None,
        ctypes.cast(_let_go, ctypes.c_void_p),
    )
    address = ctypes.addressof(tensor)
    _held[address] = (tensor, shape, steps, array)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
    )
    return new(address, CAPSULE, None)
