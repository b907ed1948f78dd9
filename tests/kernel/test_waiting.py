"""What is compiled is announced, with the time that it took before."""

import re
import signal

import pytest

import treewright as tw
from treewright.apps.games.nim import Nim
from treewright.kernel import cache, specialise
from treewright.kernel.waiting import told


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(specialise, "_loaded", {})
    return tmp_path / "cache"


def test_the_second_time_it_is_known_how_long_it_takes(empty_cache):
    said = []
    with told(said.append):
        tw.Search(Nim(heap=5)).run(10)
        assert said == ["compiling nim-v1: search"]
        tw.Search(Nim(heap=5)).run(10)
        assert len(said) == 1  # nothing is compiled now
        cache.clear()
        specialise._loaded.clear()
        tw.Search(Nim(heap=5)).run(10)
    assert re.fullmatch(r"compiling nim-v1: search, about \d+ s", said[1])


@pytest.mark.parametrize("text", ["", "[]", '{"nim-v1: search": "soon"}', "[" * 100_000, "\0"])
def test_a_damaged_memory_of_times_is_no_matter(empty_cache, text):
    from treewright.kernel import waiting

    empty_cache.mkdir(mode=0o700)
    (empty_cache / "seconds.json").write_text(text)
    said = []
    with told(said.append), waiting.compiling("nim-v1: search"):
        pass
    assert said == ["compiling nim-v1: search"]
    with told(said.append), waiting.compiling("nim-v1: search"):
        pass
    assert waiting._times().keys() == {"nim-v1: search"}


def test_a_progress_bar_shows_it(empty_cache):
    from treewright.kernel import waiting

    with tw.ProgressBar("search") as bar, waiting.compiling("nim"):
        assert repr(bar) == "search: compiling nim"


@pytest.mark.parametrize("taken", ["for an error", "for nothing"])
def test_ctrl_c_that_numba_takes_for_something_else_is_ctrl_c(taken):
    """It tries things out under ``except:``."""
    from treewright.kernel import waiting

    with pytest.raises(KeyboardInterrupt), waiting.ends_at_interrupt():
        try:
            signal.raise_signal(signal.SIGINT)
        except BaseException:
            if taken == "for an error":
                raise TypeError("no such function") from None
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_errors_and_other_handlers_stay_as_they_are(monkeypatch):
    from treewright.kernel import waiting

    with pytest.raises(TypeError), waiting.ends_at_interrupt():
        raise TypeError("no such function")
    pressed = []
    monkeypatch.setattr(signal, "getsignal", lambda number: pressed.append)
    with waiting.ends_at_interrupt():
        assert signal.getsignal(signal.SIGINT) == pressed.append


def test_a_kernel_whose_compiling_was_interrupted_is_not_kept(empty_cache, monkeypatch):
    usual = specialise.Compiled._compiled

    def pressed(self, arguments):
        found = usual(self, arguments)
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:  # as Numba does it
            return found

    monkeypatch.setattr(specialise.Compiled, "_compiled", pressed)
    with pytest.raises(KeyboardInterrupt):
        tw.Search(Nim(heap=5)).run(10)
    assert not list(empty_cache.rglob("*.kernel"))


def test_programs_for_a_gpu_say_so_too(empty_cache, monkeypatch, tmp_path):
    from treewright.kernel.gpu import program

    monkeypatch.setattr(program, "_versions", lambda: ())
    monkeypatch.setattr(program, "_compiled", lambda *what: ".entry nothing")
    text = tmp_path / "nothing.py"
    text.write_text("def entry():\n    pass\n")
    said = []
    with told(said.append):
        for _ in range(2):  # the second comes from the cache
            program.made(Nim(heap=5), {}, (text,), "entry", None, (9, 0))
    assert said == ["compiling nim-v1: entry-gpu"]
