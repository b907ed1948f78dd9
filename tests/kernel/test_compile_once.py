"""What a kernel compiles, it compiles once, and Python's collector is left as it was."""

import gc
from collections import Counter

import numpy as np
import pytest
from numba import literally
from numba.core import event

import treewright as tw
from treewright.kernel import fence
from treewright.library.domain import Domain, record

MOST = 3


def _least(number, most):
    return most if most < number else number


def _wants_the_number(number):
    return literally(number) + 1


class Counted(Domain):
    """Nim whose helpers are called with numbers as well as with variables."""

    players = 2
    max_actions = 3
    state = record(stones=np.int32, player=np.int8)

    def start(s, heap=15):
        s.stones = heap

    def legal(s, out):
        n = _least(s.stones + 0, MOST)
        n = _least(3, n)
        for i in range(n):
            out[i] = i + _wants_the_number(0)
        return n

    def play(s, action):
        s.stones -= action
        s.player = 1 - s.player

    def ended(s):
        return s.stones == 0

    def rewards(s, out):
        out[1 - s.player] = 1.0


class Broken(Counted):
    def play(s, action):
        s.stones -= "one"


class Listening(event.Listener):
    """The functions that Numba compiles, and how often garbage is collected meanwhile."""

    def __init__(self):
        self.names = Counter()
        self.thresholds = []

    def on_start(self, event):
        self.names[event.data["dispatcher"].py_func.__name__] += 1
        self.thresholds.append(gc.get_threshold())

    def on_end(self, event):
        pass


@pytest.fixture
def heard(tmp_path, monkeypatch):
    """What is compiled in this test; nothing of it is in the cache."""
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path))
    fence.must_be_plain()  # which compiles a trial, once in a process
    listening = Listening()
    with event.install_listener("numba:compile", listening):
        yield listening


def test_every_function_is_compiled_once(heard):
    usual = gc.get_threshold()
    rows = [
        [
            (c.action, c.visits)
            for c in tw.Search(Counted(), seed=1, engine=engine).run(300).children
        ]
        for engine in ("compiled", "python")
    ]
    assert rows[0] == rows[1]
    inner = {"select", "expand", "open_node", "simulate", "play", "legal", "_least"}
    assert {name: heard.names[name] for name in inner} == dict.fromkeys(inner, 1)
    assert min(heard.thresholds) > usual
    assert gc.get_threshold() == usual


def test_the_next_kernel_of_a_domain_takes_over_its_functions(heard, monkeypatch):
    def compiled(**switches):
        """How often a step of the kernel and a function of the domain were compiled."""
        heard.names.clear()
        found = tw.Search(Counted(), tw.Options(**switches), seed=1).run(300)
        return heard.names["select"], heard.names["legal"], len(found.children)

    compiled()
    assert compiled(solver=True) == (1, 0, 3)
    monkeypatch.setattr("test_compile_once.MOST", 2)
    assert compiled(solver=True) == (0, 1, 2)  # the steps ask the same of the new function


def test_the_collector_is_as_it_was_after_an_error(heard):
    usual = gc.get_threshold()
    with pytest.raises(tw.TreewrightError, match="Broken"):
        tw.Search(Broken(), seed=1).run(100)
    assert max(heard.thresholds) > usual
    assert gc.get_threshold() == usual
