"""Bits of masks: one machine instruction when compiled, the same answers interpreted."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from treewright.kernel.rebind import Rebinder
from treewright.library.domain import count_bits, lowest_bit


def both(mask):
    return lowest_bit(mask), count_bits(mask)


COMPILED = Rebinder(njit).function(both)
MASKS = st.integers(-(2**63), 2**63 - 1).filter(bool)


@settings(deadline=None)
@given(MASKS)
def test_compiled_and_interpreted_agree_with_the_digits(mask):
    digits = format(mask % 2**64, "064b")[::-1]
    wanted = (digits.index("1"), digits.count("1"))
    assert both(mask) == wanted
    assert COMPILED(np.int64(mask)) == wanted


def test_small_types_and_an_empty_mask():
    assert COMPILED(np.uint8(0b1010_0000)) == (5, 2)
    assert COMPILED(np.int32(-8)) == (3, 61)
    assert count_bits(0) == 0


def test_one_instruction_each():
    assembly = " ".join(COMPILED.inspect_asm().values())
    assert "imul" not in assembly  # no table of a de Bruijn sequence
    assert any(name in assembly for name in ("tzcnt", "bsf", "rbit"))
