"""Functions that were compiled before are taken one by one, and only where nothing has changed."""

import os
import shutil
from collections import Counter

import numpy as np
import pytest
from numba.core import event

import treewright as tw
from treewright.kernel import cache, compiling, fence, names, specialise
from treewright.library.domain import Domain, record


def step(n):
    return n + 1


def share(n):
    return n / 8


def deep(n):
    return 0 if n <= 0 else 1 + deep(n - 1)


def weighed(weight):
    def weigh(n):
        return n * weight

    return weigh


one, two = weighed(1.0), weighed(0.5)


class Walk(Domain):
    """Three steps to the left or right; helpers stand for what an author edits."""

    players, max_actions = 1, 2
    state = record(n=np.int32, left=np.int32)

    def start(s):
        s.left = 3

    def legal(s, out):
        out[0] = 0
        out[1] = 1
        return 2

    def play(s, action):
        s.left -= 1
        if action == 1:
            s.n = step(s.n)

    def ended(s):
        return s.left == 0

    def rewards(s, out):
        out[0] = one(share(s.n)) + two(share(deep(s.n)))


STEPS = {"search", "descend", "select", "expand", "open_node", "simulate", "back_up"}
HOOKS = {"legal", "play", "ended", "rewards", "call"}
HELPERS = {"step", "share", "weigh"}
RECURSIVE = {"deep", "rewards", "call"}  # what calls itself is not kept, nor what calls that


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Search as a new process would whose cache has the functions, but no such kernel."""
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path))
    fence.must_be_plain()
    compiled = Counter()

    class Listening(event.Listener):
        def on_start(self, event):
            compiled[event.data["dispatcher"].py_func.__name__] += 1

        def on_end(self, event):
            pass

    def search(**switches):
        """The functions that were compiled; the tree is that of the interpreter."""
        for known in (specialise._loaded, compiling._shared, names._numbers):
            known.clear()
        for folder in cache.entries():
            shutil.rmtree(folder)
        compiled.clear()
        options = tw.Options(**switches)
        with event.install_listener("numba:compile", Listening()):
            rows = [
                [
                    (c.action, c.visits, c.value)
                    for c in tw.Search(Walk(), options, seed=1, engine=engine).run(200).children
                ]
                for engine in ("compiled", "python")
            ]
        assert rows[0] == rows[1]
        return set(compiled) - {"<lambda>"}

    return search


def edited(function, text):
    """The function with another body, under the same name."""
    scope = dict(function.__globals__)
    exec(text, scope)
    found = scope[function.__name__]
    found.__qualname__, found.__module__ = function.__qualname__, function.__module__
    return found


def test_an_edit_compiles_what_it_changes(made, monkeypatch):
    assert made() >= STEPS | HOOKS | HELPERS
    assert made() == RECURSIVE
    monkeypatch.setattr("test_pieces.step", edited(step, "def step(n): return n + 2"))
    assert made() == RECURSIVE | {"step"}
    # who asks for it must know that it returns something else
    monkeypatch.setattr("test_pieces.step", edited(step, "def step(n): return n + 1.5"))
    assert made() == RECURSIVE | {"step", "play"}


def test_functions_alike_in_name(made, monkeypatch):
    made()
    monkeypatch.setattr("test_pieces.one", weighed(0.25))
    assert made() == RECURSIVE | {"weigh"}
    monkeypatch.setattr("test_pieces.one", two)
    monkeypatch.setattr("test_pieces.two", weighed(1.0))
    made()


def test_another_switch_compiles_the_steps_that_see_it(made):
    made()
    found = made(c=0.3, solver=True)
    assert "descend" in found
    assert not found & (HELPERS | {"legal", "play"})


def test_pieces_that_are_not_sound(made, tmp_path):
    folder = tmp_path / cache.PIECES
    whole = made()
    for harm in ("truncated", "flipped", "of others"):
        for i, path in enumerate(sorted(folder.iterdir())):
            data = bytearray(path.read_bytes())
            data[-1 - i] ^= harm == "flipped"
            path.write_bytes(data[: len(data) // 2] if harm == "truncated" else data)
        folder.chmod(0o777 if harm == "of others" else 0o700)
        assert made() == whole, harm


def test_pieces_are_pruned_and_cleared(made, tmp_path):
    made()
    folder = tmp_path / cache.PIECES
    some, *others = folder.iterdir()
    os.utime(some, (0, 0))
    cache.prune(1)
    assert set(folder.iterdir()) == set(others) != set()
    cache.clear()
    assert not folder.exists()
