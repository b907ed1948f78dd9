"""Kernels lean on Numba's insides only where that is known to work, and for themselves only."""

import subprocess
import sys
import tomllib
import warnings

import pytest
from reference import BY_PLAYERS, grow
from test_damaged_cache import NoFunctions

import treewright as tw
from treewright.kernel import fence, specialise


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch, tmp_path):
    """What the fence has found is forgotten before and after a test; no kernel is kept."""
    monkeypatch.delenv(fence.SWITCH, raising=False)
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path))
    monkeypatch.setattr(specialise, "_loaded", {})  # nor one that another test has compiled
    forget()
    yield
    forget()


def forget():
    fence._unfit.cache_clear()
    fence._try.cache_clear()
    fence._failures.clear()


def searched(name, debug=False, **options):
    """A search's tree, and the kernel's function."""
    if name == "one player":  # small, with tables
        domain = BY_PLAYERS[1](tables=grow(3, players=1, depth=5))
    else:
        domain = tw.make(name)
    search = tw.Search(domain, tw.Options(**options), seed=3, debug=debug, memory="16MiB")
    search.run(2000)
    worker = search.workers[0]
    kernel = getattr(worker._module, worker.entry)
    return search.tree.nodes.tobytes() + search.tree.edges.tobytes(), kernel


def is_whole(kernel):
    return kernel._source._compiler.__name__ == "treewright.kernel.whole"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tictactoe", {"rave": tw.Rave(k=300), "fpu": 1.0, "solver": True}),
        ("one player", {"max_backup": 0.5, "keep_state": True, "debug": True}),
    ],
)
def test_plain_numba_builds_the_same_tree(monkeypatch, tmp_path, name, options):
    tree, kernel = searched(name, **options)
    assert is_whole(kernel)
    kept = set(tmp_path.iterdir())
    monkeypatch.setenv(fence.SWITCH, "1")
    plain_tree, plain_kernel = searched(name, **options)
    assert not is_whole(plain_kernel)
    assert plain_tree == tree
    assert len(set(tmp_path.iterdir()) - kept) == 1  # kernels of both kinds are kept apart
    assert set(tmp_path.iterdir()) > kept


@pytest.fixture
def falls_back(tmp_path):
    """The first kernel warns, the second does not, and both are compiled by plain Numba."""

    def added(number):
        text = tmp_path / f"add_{number}.py"
        text.write_text(f"def entry(x):\n    return x + {number}\n")
        found = specialise.specialise(NoFunctions(), {}, (text,), "entry").entry
        assert found(1) == 1 + number
        return found

    def check(said):
        with pytest.warns(RuntimeWarning, match=said) as warned:
            kernel = added(1)
        assert len(warned) == 1
        assert not is_whole(kernel)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kernel = added(2)
        assert not is_whole(kernel)

    return check


def test_a_search_where_numba_was_not_expected(monkeypatch):
    monkeypatch.setattr(fence, "NUMBA", ((9, 0), (9, 1)))
    with pytest.warns(RuntimeWarning, match="plain Numba") as warned:
        _, kernel = searched("nim")
    assert len(warned) == 1
    assert not is_whole(kernel)


@pytest.mark.parametrize("name", ["NUMBA", "LLVMLITE"])
def test_another_version(monkeypatch, falls_back, name):
    monkeypatch.setattr(fence, name, ((9, 0), (9, 1)))
    falls_back(rf"plain Numba.* {name.lower()} .* tested versions, from 9.0 to below 9.1")


def test_insides_of_another_form(monkeypatch, falls_back):
    changed = fence.LEANS_ON | {"numba.core.compiler:Compiler.compile_extra": ("self", "other")}
    monkeypatch.setattr(fence, "LEANS_ON", changed)
    falls_back(r"plain Numba.*:Compiler.compile_extra has other parameters")


def test_insides_that_are_gone(monkeypatch, falls_back):
    changed = fence.LEANS_ON | {"numba.core.codegen:JITCodeLibrary.gone": ("self",)}
    monkeypatch.setattr(fence, "LEANS_ON", changed)
    falls_back(r"plain Numba.* has no numba.core.codegen:JITCodeLibrary.gone")


@pytest.mark.parametrize("place", fence.HOLDS)
def test_data_that_is_gone(monkeypatch, falls_back, place):
    gone = {k + "_of_old" if k == place else k: kind for k, kind in fence.HOLDS.items()}
    monkeypatch.setattr(fence, "HOLDS", gone)
    falls_back(rf"plain Numba.* {place}_of_old is no dict")


def test_data_of_another_kind(monkeypatch, falls_back):
    monkeypatch.setattr(fence, "HOLDS", fence.HOLDS | {"Flags._values": list})
    falls_back(r"plain Numba.* Flags._values is no list")


def test_rewrites_of_another_name(monkeypatch, falls_back):
    monkeypatch.setattr(fence, "REWRITES", "behind-inference")
    falls_back(r"plain Numba.* no rewrites are called behind-inference")


def test_options_that_are_told_apart_by_their_values(monkeypatch, falls_back):
    from numba.core.compiler import Flags

    monkeypatch.setattr(Flags, "__hash__", lambda flags: hash(flags.summary()))
    falls_back(r"plain Numba.* told apart in another way")


def test_insides_that_raise(monkeypatch, falls_back):
    monkeypatch.setattr("treewright.kernel.whole._of_numbers", lambda template: 1 / 0)
    falls_back(r"plain Numba.* raise ZeroDivisionError")


def test_insides_that_compile_too_often(monkeypatch, falls_back):
    monkeypatch.setattr("treewright.kernel.whole._of_numbers", lambda template: template)
    falls_back(r"plain Numba.* once for each number")


def test_the_project_allows_the_tested_versions(root):
    wanted = tomllib.loads((root / "pyproject.toml").read_text())["project"]["dependencies"]
    for name, (first, beyond) in {"numba": fence.NUMBA, "llvmlite": fence.LLVMLITE}.items():
        low, high = (".".join(map(str, version)) for version in (first, beyond))
        assert f"{name}>={low},<{high}" in wanted


USERS = """
import re, sys
import numpy as np
from numba import njit
from numba.core import codegen, compiler, dispatcher

CLASSES = (codegen.CPUCodeLibrary, codegen.JITCodeLibrary, codegen.JITCPUCodegen,
           compiler.Compiler, dispatcher.Dispatcher)
before = [dict(vars(kind)) for kind in CLASSES]

@njit
def helper(array, at):
    array[at] += 1
    return array

if len(sys.argv) > 1:
    import treewright as tw

    class Nim(tw.Domain):
        players, max_actions, max_length = 1, 2, 9
        state = tw.record(n="i4", cell=("i4", 9))

        def start(s):
            s.n = 0

        def legal(s, out):
            out[0], out[1] = 1, 2
            return 2

        def play(s, action):
            s.n += action
            helper(s.cell, 0)

        def ended(s):
            return s.n > 5

        def rewards(s, out):
            out[0] = s.cell[0] / 9

    tw.Search(Nim(), seed=1).run(500)
    assert before == [dict(vars(kind)) for kind in CLASSES]

@njit
def grown(n, start=3):
    made = np.arange(start, n)
    for i in range(len(made)):
        made = helper(made, i)
        helper(made, 0)
    return made, made

@njit(cache=True)
def summed(array, power):
    return (array ** 2).sum() + power + helper(array.copy(), 1)[0]

a, b = grown(9)
print(a.tolist(), a is b, sys.getrefcount(a), sys.getrefcount(b))
mine = np.arange(5)
print(summed(mine, 2), summed(mine, 2.5), sys.getrefcount(mine), mine.tolist())
print(sum(summed.stats.cache_hits.values()))
for function in (helper, grown, summed):
    for kinds in function.signatures if not summed.stats.cache_hits else ():
        if "Nested" in str(kinds):  # the field of a state: the kernel's own call of the helper
            continue
        text = function.inspect_llvm(kinds)
        print(kinds, text.count("NRT_incref"), text.count("NRT_decref"), len(text.splitlines()))
        print(re.findall(r" (?:= (?:tail )?|^ *)([a-z]+) ", text))
"""


def test_what_users_compile_is_as_it_would_be_without_us(tmp_path, monkeypatch):
    (tmp_path / "users.py").write_text(USERS)
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "kernels"))

    def said(folder, *arguments):
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / folder))
        out = subprocess.run(
            [sys.executable, tmp_path / "users.py", *arguments], capture_output=True, text=True
        )
        assert out.returncode == 0, out.stderr
        return out.stdout

    without = said("without")
    assert said("with", "us") == without
    assert "NRT" not in without
    assert said("without", "us") == said("with")  # each loads what the other has compiled


PRINTING = """
import treewright as tw

class Count(tw.Domain):
    players, max_actions = 1, 2
    state = tw.record(n="i4")

    def start(s):
        s.n = 0

    def legal(s, out):
        out[0], out[1] = 0, 1
        return 2

    def play(s, action):
        s.n += 1
        print("played", action, s.n)

    def ended(s):
        return s.n >= 2

    def rewards(s, out):
        out[0] = 1.0

tw.Search(Count(), seed=1).run(2)
"""


def test_a_hook_may_print(tmp_path):
    """An inner function has its environment, just compiled and loaded from the cache."""
    (tmp_path / "printing.py").write_text(PRINTING)
    command = [sys.executable, tmp_path / "printing.py"]
    for _ in range(2):
        out = subprocess.run(command, capture_output=True, text=True, timeout=500)
        assert out.stdout.startswith("played 1 1\nplayed 0 2\n"), out.stderr
