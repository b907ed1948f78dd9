"""Items, arrays inside states and operators between numbers are what plain Numba makes of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from test_lean import OPTIONS, compiled, inner

from treewright.kernel.native import Loaded, packed

INSIDE = np.dtype([("board", np.int16, (3, 4)), ("seen", np.uint8, 5), ("n", np.uint8)])
STATE = np.dtype([("small", INSIDE), ("row", np.float32, 6), ("at", np.int64)], align=True)


def by_number(ints, floats, flags, grid, cube, states, i, j):
    """Each kind of item by numbers known and unknown, from both ends."""
    s = states[i % 3]
    s.row[j % 6] = ints[-1] + floats[i % 7]
    s.row[-(j % 6) - 1] += grid[i % 4, -1]
    s.small.board[i % 3, j % 4] = 7 * i - j
    s.small.board[-1, -2] = s.small.board[i % 3, -1 - j % 4] - floats[0]
    s.small.seen[2] = 1 - s.small.seen[j % 5]
    s.small.n = s.small.n + 250
    s.at = len(s.row) + s.small.board.size + s.small.board.shape[1] + s.small.seen.strides[0]
    ints[i % 9] = grid[1, j % 5] * 3
    ints[-(j % 9) - 1] = flags[i % 4]
    floats[-2] = cube[i % 2, -(j % 3) - 1, 1]
    flags[3] = floats[1] > ints[0]
    cube[(1, j % 3, i % 2)] = ints[2]
    states[2] = states[(i + 1) % 3]
    grid[j % 4, 0] = np.uint8(200)
    return s.small.board[2, 3] + 0.5 * s.row[j % 6] + grid[-1, -1]


def by_unsigned(ints, floats, flags, grid, cube, states, i, j):
    """Indices that can't be negative, and those of few bits."""
    found = 0.0
    for at in (np.uint8(i % 7), np.uint8(j % 7)):
        floats[at] -= ints[np.uint64(at)]
        found += floats[at]
    grid[np.uint16(i % 4), np.int8(-1 - j % 5)] = np.int16(i)
    return found + grid[np.uint32(2), np.int16(-1)]


def by_slices(ints, floats, flags, grid, cube, states, i, j):
    """What is no single item: rows, slices of slices, arrays of arrays."""
    row = grid[i % 4]
    row[j % 5] = 11
    part = floats[j % 3 :]
    part[-1] += part[0]
    states[1].row[2:4] = 1.5
    states[0].small.board[i % 3] = 4
    plane = cube[1]
    plane[-1, 1] = row[1:][0]
    ints[::2] = 5
    back = ints[::-1]
    back[j % 9] = 8
    view = states[1].small.board[:, 1]
    view[i % 3] = 9
    return float(part[0] + back[0] + view[-1] + states[0].small.board[1:][0, 2])


def by_arithmetic(ints, floats, flags, grid, cube, states, i, j):
    """Every operator between numbers of several kinds, with constants on either side."""
    a, b = ints[i % 9], ints[j % 9]
    x, y = floats[i % 7], grid[j % 4, 1]
    total = a // 3 + b % 5 - 7 % (y + 9) + (a - b) // (abs(b) + 1) * 2
    total += (a & 6) | (b ^ 3) + (y << 2) - (a >> 1)
    total += (a < b) + 2 * (a == 4) + 3 * (x >= y) + 5 * (x != 0.5) + (flags[0] & flags[1])
    result = total + a / 4 - 2.5 * b + x**2 - 2**3 + x % 0.75 + y // 2.0
    result += flags[2] * 1.5
    if x <= result > total:
        result -= np.float32(x) / 3
    return float(result)


def sample(seed):
    rng = np.random.default_rng(seed)
    states = np.zeros(3, STATE)
    states["row"] = rng.integers(-4, 5, (3, 6))
    states["small"]["board"] = rng.integers(-9, 10, (3, 3, 4))
    states["small"]["seen"] = rng.integers(0, 2, (3, 5))
    states["small"]["n"] = rng.integers(0, 256, 3)
    return (
        rng.integers(-20, 21, 9),
        rng.integers(-20, 21, 7) / 4,
        rng.integers(0, 2, 4).astype(np.bool_),
        rng.integers(-50, 51, (4, 5)).astype(np.int16),
        rng.integers(-9, 10, (2, 3, 2)).astype(np.float64),
        states,
    )


@pytest.mark.parametrize(
    "function", [by_number, by_unsigned, by_slices, by_arithmetic], ids=lambda f: f.__name__
)
def test_as_plain_numba_does(function):
    usual = njit(error_model="numpy")(function)
    usual(*sample(0), 0, 0)  # compiles
    arguments = (*sample(0), 0, 0)
    ours = Loaded(compiled(inner(**OPTIONS, error_model="numpy")(function), arguments))

    @given(st.integers(0, 2**31), st.integers(0, 40), st.integers(0, 40))
    def alike(seed, i, j):
        mine, its = sample(seed), sample(seed)
        assert ours(packed((*mine, i, j))) == usual(*its, i, j)
        for left, right in zip(mine, its, strict=True):
            assert left.tobytes() == right.tobytes()

    alike()
