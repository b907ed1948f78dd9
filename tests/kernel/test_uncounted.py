"""Kernels count no references, unless they allocate."""

import sys

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

import treewright as tw
from treewright.kernel import cache, specialise
from treewright.library.domain import Domain, record


def _pick(s, table):
    return table[s.stones % 4]


class Allocating(Domain):
    """Nim whose list of moves goes through an array of its own."""

    players = 2
    max_actions = 3
    state = record(stones=np.int32, player=np.int8)

    def start(s, heap=15):
        s.stones = heap

    def legal(s, out):
        found = np.arange(1, 4)
        n = min(3, s.stones)
        for i in range(n):
            out[i] = found[i]
        return n

    def play(s, action):
        s.stones -= action
        s.player = 1 - s.player

    def ended(s):
        return s.stones == 0

    def rewards(s, out):
        out[1 - s.player] = 1.0


def _moves(s, most):
    found = [0] * 3
    n = 0
    while n < most and n < s.stones:
        found[n] = n + 1
        n += 1
    return found, n


class Listing(Allocating):
    """Nim whose list of moves is a Python list, made in a function of its own."""

    def legal(s, out):
        found, n = _moves(s, 3)
        for i in range(n):
            out[i] = found[i]
        return n


class Tabled(Allocating):
    """Nim with a table that every function passes on."""

    def __init__(self, **settings):
        super().__init__(tables={"most": np.array([3, 3, 3, 3])}, **settings)

    def legal(s, t, out):
        n = min(_pick(s, t.most), s.stones)
        for i in range(n):
            out[i] = i + 1
        return n


@pytest.fixture
def _counting():
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


@pytest.mark.usefixtures("_counting")
@pytest.mark.parametrize("kind", [Allocating, Listing, Tabled])
def test_nothing_leaks_and_nothing_is_freed_too_early(kind):
    search = tw.Search(kind(heap=15), seed=1)
    search.run(50)
    tables = list(search.domain.tables.values())
    before = rtsys.get_allocation_stats()
    counts = [sys.getrefcount(array) for array in tables]
    for _ in range(20):
        search.run(200)
    after = rtsys.get_allocation_stats()
    if kind is not Tabled:
        assert after.alloc - before.alloc > 4000  # in every simulation
    assert after.alloc - before.alloc == after.free - before.free
    assert [sys.getrefcount(array) for array in tables] == counts
    assert search.run(2000).best == 3


def test_only_what_allocates_needs_numbas_memory():
    """And so only that imports Numba when it comes from the cache."""
    for kind, wanted in ((Tabled, False), (Allocating, True)):
        search = tw.Search(kind(heap=14), seed=1)
        search.run(50)
        key = search.workers[0]._module.search._key
        kept = list((cache.directory() / key[:32]).glob("*.kernel"))
        assert kept
        for path in kept:
            assert (b"NRT_" in path.read_bytes().split(b"\n")[1]) is wanted


def test_what_llvm_optimised_with_is_given_back(monkeypatch, tmp_path):
    """llvmlite does not: half a megabyte would stay with the process for each kernel."""
    from numba.core.codegen import JITCPUCodegen

    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path))
    monkeypatch.setattr(specialise, "_loaded", {})  # as in a new process
    made, make = [], JITCPUCodegen._module_pass_manager

    def spied(self, **options):
        made.append(make(self, **options))
        return made[-1]

    monkeypatch.setattr(JITCPUCodegen, "_module_pass_manager", spied)
    tw.Search(Tabled(heap=9), seed=1).run(10)
    if not isinstance(made[0], tuple):
        pytest.skip("this version of Numba has LLVM's old pass managers, which are given back")
    assert any(passes.closed for passes, _ in made)  # the others are of Numba's own functions
