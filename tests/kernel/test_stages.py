"""Numba's stages in a shorter way: the same answers, and nothing left out that is needed."""

import numpy as np
import pytest
from numba.core.compiler import Flags
from test_lean import OPTIONS, inner, result

import treewright as tw
from treewright.kernel.compiling import roomy
from treewright.kernel.stages import QuickFlags
from treewright.library.domain import Domain, record


def with_inner_function(n):
    def twice(m):
        return 2 * m

    return twice(n)


def with_list(n):
    return np.array([n, 2 * n, 3 * n]).sum()


ASKED = with_list


class Sum(Domain):
    """One action, and a reward by a function that compiles in another way than most."""

    players, max_actions = 1, 1
    state = record(n=np.int32, many=(np.int16, 700), last=np.int8)

    def start(s):
        s.n = 0

    def legal(s, out):
        out[0] = 0
        return 1

    def play(s, action):
        s.many[s.n] = 3
        s.last = 1
        s.n += 1

    def ended(s):
        return s.n == 3

    def rewards(s, out):
        out[0] = s.last * s.many[2] / 10.0 + ASKED(int(s.n))


SPECIAL = [with_inner_function, with_list]


@pytest.mark.parametrize("function", SPECIAL, ids=lambda f: f.__name__)
def test_functions_that_need_the_stages_left_out_elsewhere(function, monkeypatch):
    monkeypatch.setattr("test_stages.ASKED", function)
    search = tw.Search(Sum(), tw.Options(keep_state=True))
    assert search.run(20).value == pytest.approx(0.3 + function(3))


def test_a_state_is_copied_as_a_whole():
    """Its first byte, its last, and itself onto itself."""
    kind = np.dtype([("a", "i1"), ("b", "f8"), ("many", "i2", (613,)), ("z", "i1")], align=True)
    rows = np.zeros(3, kind)
    rows[0]["a"], rows[0]["b"], rows[0]["many"], rows[0]["z"] = 1, 0.5, np.arange(613), 7

    @inner(**OPTIONS)
    def copied(rows):
        rows[2] = rows[0]
        rows[0] = rows[0]
        return rows[2].z

    assert result(copied, rows) == 7
    assert rows[2] == rows[0] != rows[1]


def test_an_answer_holds_for_its_options_only():
    """Each of a function's forms is asked for, whatever was asked between."""
    checked = inner(**OPTIONS | {"boundscheck": True})(lambda a, i: a[min(i, 5)])
    plain = inner(**OPTIONS)(lambda a, i: a[min(i, 2)])

    @inner(**OPTIONS)
    def both(array, i):
        return plain(array, i) + checked(array, i) + plain(array, i + 1)

    assert result(both, np.arange(4.0), 1) == 1 + 1 + 2


def test_options_are_equal_as_numba_says():
    usual, quick, other = Flags(), QuickFlags(), QuickFlags()
    assert quick == usual
    assert hash(quick) == hash(usual)
    other.nrt = True
    assert other != quick
    assert other == other.copy()
    quick.nrt = usual.nrt = True
    assert quick == usual == other


def test_nested_calls_have_room():
    assert roomy(lambda: 42) == 42
    with pytest.raises(ValueError, match="no"):
        roomy(lambda: int("no"))
