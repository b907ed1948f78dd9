"""One CUDA device, through NVIDIA's own bindings: memory, programs, launches."""

import ctypes
import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from treewright.errors import DomainError, MissingExtra, OptionError
from treewright.kernel.gpu.pools import Place
from treewright.kernel.gpu.program import WHAT, Program, at_roots, committing, searching, valuing
from treewright.kernel.worker import Worker

OLDEST = 7, 5  # compute capability that today's compiler still writes for
BLOCK = 64  # threads that start together; a tree is long work, so small blocks end evenly
# of one thread at most: with few of them more threads are under way, with many of them none of its
# numbers has to be put aside; which is faster depends on the domain
REGISTERS = 64, 128, 255
TOO_MUCH = 2, 701  # memory, or scratch of its threads
UNSUPPORTED_PTX = 222
BROKEN = 700, 716, 717, 718, 719  # a thread has read or written where there is nothing


class Device:
    """The first CUDA device of this machine."""

    def __init__(self) -> None:
        try:
            from cuda.bindings import driver
        except ImportError:
            raise MissingExtra(WHAT, "gpu") from None
        self._cuda: Any = driver
        try:
            found = driver.cuInit(0)[0]
        except Exception:  # the driver's library is not there
            raise OptionError(f"{WHAT} needs NVIDIA's driver, and there is none here") from None
        if int(found) != 0 or int(self._call("cuDeviceGetCount")) == 0:
            raise OptionError(f"{WHAT} needs a CUDA device, and there is none here")
        number = self._call("cuDeviceGet", 0)
        self.name = self._call("cuDeviceGetName", 128, number).split(b"\0")[0].decode()
        attributes = driver.CUdevice_attribute
        kinds = [f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{n}" for n in ("MAJOR", "MINOR")]
        major, minor = (
            int(self._call("cuDeviceGetAttribute", getattr(attributes, kind), number))
            for kind in kinds
        )
        self.capability = major, minor
        if self.capability < OLDEST:
            raise OptionError(
                f"{WHAT} needs a device of compute capability {OLDEST[0]}.{OLDEST[1]} or above; "
                f"{self.name} has {major}.{minor}"
            )
        self._context = self._call("cuDevicePrimaryCtxRetain", number)
        self.use()

    def use(self) -> None:
        """Make the device that of this thread."""
        self._call("cuCtxSetCurrent", self._context)

    def _call(self, name: str, *arguments: Any) -> Any:
        code, *found = getattr(self._cuda, name)(*arguments)
        if int(code) in TOO_MUCH:
            raise OptionError(
                f"{self.name} has too little free memory for this: fewer positions, or less memory="
            )
        if int(code) == UNSUPPORTED_PTX:
            raise OptionError(
                f"the driver of {self.name} is too old for {WHAT}: it needs one for CUDA 13, "
                f"580 or newer"
            )
        if int(code) in BROKEN:
            raise DomainError(
                "a function of the domain has reached outside its arrays: tw.Search(domain, "
                "debug=True) says where it is; this process can't use the GPU any more"
            )
        if int(code) != 0:
            raise OptionError(f"{name} of the GPU's driver has failed: {code!r}")
        return found[0] if found else None

    # ------------------------------------------------------------------------------ memory

    def allocate(self, size: int) -> int:
        """The address of so many bytes, all 0."""
        address = int(self._call("cuMemAlloc", max(size, 16)))
        self.clear(address, max(size, 16))
        return address

    def clear(self, address: int, size: int) -> None:
        self._call("cuMemsetD8", address, 0, size)

    def release(self, address: int) -> None:
        self._cuda.cuMemFree(address)

    def put(self, address: int, array: np.ndarray) -> None:
        if array.nbytes:
            self._call("cuMemcpyHtoD", address, array.ctypes.data, array.nbytes)

    def get(self, address: int, array: np.ndarray) -> np.ndarray:
        """Fill an array from the device."""
        if array.nbytes:
            self._call("cuMemcpyDtoH", array.ctypes.data, address, array.nbytes)
        return array

    dlpack = 2, 0  # the first CUDA device, as DLPack names it

    def pointer(self, address: int) -> int:
        """Where other libraries find what is at an address of ours: at the same."""
        return address

    def wait(self) -> None:
        """Until all that was begun on the device has ended, whoever began it."""
        self._call("cuCtxSynchronize")

    # ---------------------------------------------------------------------------- programs

    def searching(self, like: Worker) -> list[Any]:
        """What searches trees like that of a worker: kernels that do the same at other speeds."""
        program = searching(like, self.capability)
        return [self._load(program, registers) for registers in REGISTERS]

    def valuing(self, like: Worker, kinds: tuple[str, str]) -> Any:
        """What walks to leaves for an evaluator whose numbers are of these kinds."""
        return self._load(valuing(like, self.capability, kinds), REGISTERS[1])

    def committing(self, like: Worker) -> Any:
        """What plays an action in each of them."""
        return self._load(committing(like, self.capability), REGISTERS[0])

    def at_roots(self, like: Worker) -> Any:
        """What does the small works at their roots."""
        return self._load(at_roots(like, self.capability), REGISTERS[0])

    def _load(self, program: Program, registers: int) -> Any:
        option = self._cuda.CUjit_option.CU_JIT_MAX_REGISTERS
        text = program.ptx.encode() + b"\0"
        module = self._call("cuModuleLoadDataEx", text, 1, [option], [registers])
        return self._call("cuModuleGetFunction", module, program.entry.encode())

    def launch(self, kernel: Any, threads: int, arguments: list[Any]) -> None:
        """Run so many threads to their end; arguments are whole numbers, arrays and tuples."""
        blocks = -(-threads // BLOCK)
        words = tuple(words_of(arguments))
        given = (words, (ctypes.c_int64,) * len(words))
        self._call("cuLaunchKernel", kernel, blocks, 1, 1, BLOCK, 1, 1, 0, 0, given, 0)
        self.wait()


def words_of(argument: Any) -> Iterator[int]:
    """An argument as compiled code takes it: an array is Numba's fields, one after the other."""
    if isinstance(argument, int):
        yield argument
    elif len(argument) == 2 and isinstance(argument[1], Place):
        address, one = argument
        yield from (0, 0, math.prod(one.shape), one.dtype.itemsize, address + one.start)
        yield from (*one.shape, *one.strides)
    else:
        for part in argument:
            yield from words_of(part)


@functools.cache
def device() -> Device:
    """The device of this process."""
    return Device()
