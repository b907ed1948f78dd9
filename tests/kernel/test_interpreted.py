"""What stands in for arrays and records where nothing is compiled."""

import numpy as np
import pytest

from treewright.kernel.interpreted import Cells, RecordProxy

STATE = np.dtype([("n", np.int8), ("big", np.uint64), ("x", np.float64), ("cell", np.int8, 3)])


@pytest.mark.parametrize(
    ("given", "small", "big"),
    [(5, 5, 5), (200, -56, 200), (-1, -1, 2**64 - 1), (True, 1, 1), (2.9, 2, 2)],
)
def test_whole_numbers_are_stored_as_in_c(given, small, big):
    state = RecordProxy(np.zeros(1, STATE))
    state.n = state.big = state.cell[1] = given
    assert (state.n, state.big, list(state.cell)) == (small, big, [0, small, 0])
    assert {type(v) for v in (state.n, state.big, state.cell[1])} == {int}


def test_all_cells_at_once_and_those_of_two_dimensions():
    state = RecordProxy(np.zeros(1, STATE))
    state.cell = 300
    assert list(state.cell) == [44, 44, 44]
    state.x = 2
    assert state.x == 2.0
    assert type(state.x) is float
    table = Cells(np.arange(6).reshape(2, 3))
    assert list(table[1]) == [3, 4, 5]
    assert table[1, 2] == table[1][2] == table[-1][-1] == 5
    with pytest.raises(IndexError):
        table[1][3]
