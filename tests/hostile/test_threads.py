"""Several threads with one search: each waits its turn, or is told in a sentence."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import treewright as tw
from treewright.apps.games.tictactoe import TicTacToe
from treewright.kernel import specialise


class Judge:
    """An evaluator that waits in the middle of its first answer."""

    def __init__(self):
        self.asked, self.may_answer = threading.Event(), threading.Event()

    def __call__(self, states):
        self.asked.set()
        assert self.may_answer.wait(60)
        return np.full(len(states), 0.5)


def meanwhile(judge, run, other, patience=60.0):
    """Whether the other came to an end while the judge was thinking; it does so later anyway."""
    threads = [threading.Thread(target=one) for one in (run, other)]
    threads[0].start()
    assert judge.asked.wait(60)
    threads[1].start()
    threads[1].join(patience)
    early = not threads[1].is_alive()
    judge.may_answer.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return early


def searched(judge):
    return tw.Search(TicTacToe(), seed=1, engine="python", memory="1MiB", evaluate=judge, batch=4)


@pytest.mark.parametrize("verb", ["commit", "begin", "save", "result"])
def test_a_tree_is_left_alone_while_a_simulation_is_under_way(verb, tmp_path):
    judge = Judge()
    search = searched(judge)
    verbs = {
        "commit": lambda: search.commit(4),
        "begin": search.begin,
        "save": lambda: search.save(tmp_path / "tree.npz"),
        "result": search.result,
    }
    assert not meanwhile(judge, lambda: search.run(30), verbs[verb], patience=0.3)
    assert search.history == ([4] if verb == "commit" else [])
    assert search.simulations == 30


def test_a_search_that_runs_is_not_run_a_second_time():
    judge = Judge()
    search = searched(judge)
    said = []

    def again():
        for run in (search.run, search.run_phases):
            with pytest.raises(tw.OptionError, match="already running") as raised:
                run(simulations=5)
            said.append(str(raised.value))

    assert meanwhile(judge, lambda: search.run(30), again)
    assert len(said) == 2
    assert search.run(5).simulations == 35


def test_what_a_search_asks_does_not_change_it():
    said = []

    def meddling(states):
        for verb in (lambda: search.commit(4), search.begin, lambda: search.run(5)):
            with pytest.raises(tw.OptionError) as raised:
                verb()
            said.append(str(raised.value))
        return np.full(len(states), 0.5)

    search = searched(meddling)
    assert search.run(1).simulations == 1
    assert len(said) == 3


@pytest.mark.parametrize("workers", [1, 2])
def test_a_callback_may_look_and_commit(workers):
    seen = []

    def look(progress):
        seen.append(progress.search.result().visits)
        if len(seen) == 1:
            progress.search.commit(4)

    search = tw.Search(TicTacToe(), seed=1, engine="python", memory="4MiB", workers=workers)
    search.run(seconds=0.5, progress=look)
    assert seen
    assert search.history == [4]


def test_a_forest_is_run_by_one_thread_at_a_time():
    judge = Judge()
    forest = tw.Forest(TicTacToe(), 2, engine="python", memory="1MiB", evaluate=judge)
    said = []

    def meddle():
        for verb in (lambda: forest.run(10), lambda: forest.begin(2)):
            with pytest.raises(tw.OptionError, match="already running") as raised:
                verb()
            said.append(str(raised.value))

    assert meanwhile(judge, lambda: forest.run(10), meddle)
    assert len(said) == 2
    assert forest.run(5).simulations.tolist() == [15, 15]


def test_kernels_are_held_by_many_threads(monkeypatch):
    """More than a process holds on to, from threads that take turns as often as they can."""
    monkeypatch.setattr(specialise, "_loaded", {})
    wrong = []

    def hold(number):
        try:
            for i in range(30000):
                specialise._hold(f"{number} {i}", "search", sys)
        except Exception as error:
            wrong.append(repr(error))

    often = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=hold, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(often)
    assert wrong == []
    assert len(specialise._loaded) == specialise.KEPT


def test_numba_is_looked_at_while_another_thread_imports_it():
    """Its modules are half made then: whoever looks must wait until it is whole."""
    code = """
import threading
from treewright.kernel.fingerprint import _is_numba_type, is_dispatcher, is_overload_stub

importing = threading.Thread(target=lambda: __import__("numba"))
importing.start()
while importing.is_alive():
    assert not (is_dispatcher(1) or _is_numba_type(1) or is_overload_stub(len))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
