"""A device that is this machine: memory and launches of a GPU, without one.

The texts of the threads are compiled for the CPU, and the memory has gaps that nobody may touch.
"""

from pathlib import Path

import numpy as np

from treewright.kernel.gpu import program
from treewright.kernel.gpu.pools import Pools, Scratch
from treewright.kernel.layout import Batch, edge_dtype, node_dtype
from treewright.kernel.specialise import specialise
from treewright.kernel.worker import _Rows

HERE = Path(__file__).parent
GAP = 64
FIRST = 1 << 50  # beyond what a pointer of this machine may be
UNTOUCHED = 0xA5


class Pretended:
    """The interface of ``treewright.kernel.gpu.driver.Device``."""

    name, capability = "a pretended device", (9, 0)

    def __init__(self):
        self.memory = {}
        self.end = FIRST
        self.launches = self.waited = 0

    def use(self):
        pass

    def allocate(self, size):
        size = max(size, 16)
        data = np.zeros(size + 2 * GAP, np.uint8)
        data[:GAP] = data[size + GAP :] = UNTOUCHED
        address = self.end + GAP
        self.end += size + 2 * GAP + (-size % 64)
        self.memory[address] = data
        return address

    def release(self, address):
        data = self.memory.pop(address)
        assert (data[:GAP] == UNTOUCHED).all()
        assert (data[-GAP:] == UNTOUCHED).all()

    def _at(self, address):
        if address < FIRST:  # somebody else's, who was told the true one
            address = self._ours(address)
        start = max(known for known in self.memory if known <= address)
        return self.memory[start], address - start + GAP

    def put(self, address, array):
        data, at = self._at(address)
        data[at : at + array.nbytes] = np.frombuffer(array.tobytes(), np.uint8)

    def get(self, address, array):
        data, at = self._at(address)
        array.view(np.uint8).reshape(-1)[:] = data[at : at + array.nbytes]
        return array

    def clear(self, address, size):
        data, at = self._at(address)
        data[at : at + size] = 0

    def _array(self, argument):
        address, place = argument
        if not np.prod(place.shape):
            return np.zeros(place.shape, place.dtype)
        data, at = self._at(address)
        return np.ndarray(place.shape, place.dtype, data, at + place.start, place.strides)

    dlpack = 1, 0  # the CPU, as DLPack names it

    def pointer(self, address):
        data, at = self._at(address)
        return data.ctypes.data + at

    def _ours(self, pointer):
        for known, data in self.memory.items():
            if 0 <= pointer - data.ctypes.data - GAP < len(data) - 2 * GAP:
                return known + pointer - data.ctypes.data - GAP
        raise AssertionError("it is not on the device")

    def wait(self):
        self.waited += 1

    def searching(self, like):
        kernel = self._searching(like, False)
        return [kernel, kernel]

    def valuing(self, like, kinds):
        return self._searching(like, True, ANSWERS=kinds)

    def _searching(self, like, valued, **more):
        on, state = like.switches, np.dtype(like.domain.state)
        constants = {**on.constants(), **Scratch(on, state).constants(), "VALUED": valued, **more}
        texts = program.search_texts(like, valued, HERE / "entry_here.py")
        found = specialise(like.domain, constants, texts, "searches_here", rules=on.rules)

        def kernel(pools, tables, *rest):
            pools = Pools(*map(self._array, pools))
            tables = found.Tables(*map(self._array, tables)) if tables else ()
            *arrays, batch, simulations = rest
            batch = Batch(*map(self._array, batch)) if batch else ()
            found.searches_here(pools, tables, *map(self._array, arrays), batch, simulations)

        return kernel

    def committing(self, like):
        on, state = like.switches, np.dtype(like.domain.state)
        constants = {**on.constants(), **Scratch(on, state).constants()}
        texts = program.commit_texts(like, HERE / "commits_here.py")
        found = specialise(like.domain, constants, texts, "commits_here", rules=on.rules)

        def kernel(pools, tables, *rest):
            pools = Pools(*map(self._array, pools))
            tables = found.Tables(*map(self._array, tables)) if tables else ()
            *arrays, playing = rest
            found.commits_here(pools, tables, *map(self._array, arrays), playing)

        return kernel

    def at_roots(self, like):
        rows = _Rows(node_dtype(like.switches), edge_dtype(like.switches))
        texts = (program.HERE / "roots.py", HERE / "roots_here.py")
        found = specialise(rows, {"LISTS_ALL": like.lists_all}, texts, "roots_here")
        return lambda what, *arrays: found.roots_here(what, *map(self._array, arrays))

    def launch(self, kernel, threads, arguments):
        self.launches += 1
        kernel(*arguments)
