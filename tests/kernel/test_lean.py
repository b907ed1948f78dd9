"""Arrays that travel between compiled functions by address and shape are the arrays they were."""

from typing import Any

import numpy as np

from treewright.kernel import fence
from treewright.kernel.compiling import INNER, SLOTS, finished, kind_of
from treewright.kernel.lean import PREFIX
from treewright.kernel.native import Loaded, packed
from treewright.kernel.unpacked import unpacked

inner = fence.compiler(plain=False).inner_jit
entry = fence.compiler(plain=False).entry_jit
OPTIONS: Any = {"nogil": True, **INNER}


def compiled(function: Any, arguments: tuple[Any, ...]) -> Any:
    kinds = kind_of(arguments)
    program = entry(**OPTIONS)(lambda slots: function(*unpacked(slots, kinds)))
    program.compile((SLOTS,))
    code, _ = finished(program.overloads[(SLOTS,)])
    return code


def result(function: Any, *arguments: Any) -> Any:
    return Loaded(compiled(function, arguments))(packed(arguments))


@inner(**OPTIONS)
def measures(a: Any) -> Any:
    first, last = a.shape[0], a.shape[a.ndim - 1]
    return (first * 1000 + last * 100 + a.size * 10 + a.itemsize, a.strides[0], a.strides[-1])


@inner(**OPTIONS)
def passed_on(arrays: Any, which: int) -> Any:
    if which == 0:
        return measures(arrays[0])
    if which == 1:
        return measures(arrays[1])
    return measures(arrays[2])


def test_shapes_sizes_and_strides_arrive():
    rows = np.zeros((3, 4), np.int16)
    arrays = (rows, np.asfortranarray(rows), np.zeros(12, np.int32)[::3])
    for i, a in enumerate(arrays):
        total = a.shape[0] * 1000 + a.shape[-1] * 100 + a.size * 10 + a.itemsize
        assert result(passed_on, arrays, i) == (total, a.strides[0], a.strides[-1])


RECORD = np.dtype([("board", np.int8, (2, 3)), ("row", np.float64, 4), ("n", np.int32)])


@inner(**OPTIONS)
def fill(board: Any, row: Any) -> None:
    for i in range(board.shape[0]):
        for j in range(board.shape[1]):
            board[i, j] = 10 * i + j
    for i in range(len(row)):
        row[i] += i / 2


def test_arrays_inside_a_state_are_written_in_place():
    @inner(**OPTIONS)
    def on(states: Any) -> Any:
        s = states[1]
        fill(s.board, s.row)
        s.n = s.board.size
        return s.n

    states = np.zeros(2, RECORD)
    assert result(on, states) == 6
    assert states[1]["board"].tolist() == [[0, 1, 2], [10, 11, 12]]
    assert states[1]["row"].tolist() == [0.0, 0.5, 1.0, 1.5]
    assert not states[0]["board"].any()


def test_functions_of_numba_take_arrays_in_their_own_way():
    @inner(**OPTIONS)
    def most(a: Any) -> Any:
        return np.argmax(a) + 100 * np.count_nonzero(a)

    @inner(**OPTIONS)
    def of(a: Any) -> Any:
        return most(a)

    assert result(of, np.array([0.0, 5.0, 2.0, 0.0])) == 201


def test_a_function_that_calls_itself_passes_its_array_on():
    @inner(**OPTIONS)
    def total(a: Any, i: int) -> Any:
        if i == len(a):
            return 0
        return a[i] + total(a, i + 1)

    assert result(total, np.arange(5), 0) == 10


def test_names_are_short():
    code = compiled(passed_on, ((np.zeros(1), np.zeros(1), np.zeros(1)), 0))
    assert code.name.startswith(PREFIX)
    assert len(code.name) < 60
