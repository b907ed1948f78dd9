"""Fingerprints of code: what changes a number changes them, and nothing else does."""

import functools
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from treewright.apps.games import connect_four, samegame
from treewright.apps.games.nim import Nim
from treewright.kernel.fingerprint import Unhashable
from treewright.library.options import Options
from treewright.workshop.experiments import code
from treewright.workshop.experiments.code import CodeFingerprint, code_of
from treewright.workshop.experiments.registry import experiments


def mark(*values) -> str:
    found = CodeFingerprint()
    for value in values:
        found.value(value)
    return found.hexdigest()


def codes() -> dict[str, str]:
    return {n: code_of(e, e.cells("smoke")[0].values) for n, e in experiments().items()}


def changed(before: dict[str, str]) -> set[str]:
    return {name for name, value in codes().items() if value != before[name]}


def test_a_changed_constant_of_a_domain_reaches_its_experiments_only(monkeypatch):
    before = codes()
    with monkeypatch.context() as patch:
        patch.setattr(samegame, "COLOURS", 4)
        assert changed(before) == {"samegame-methods", "transpositions-samegame"}
    with monkeypatch.context() as patch:
        patch.setattr(connect_four, "HEIGHT", 5)
        played = {"connect-four-strength", "threads-strength", "transpositions-connect-four"}
        played |= {"batch-strength", "learning-curve"}
        assert changed(before) == played | {"transpositions-solved"}
    assert changed(before) == set()


def test_the_kernel_reaches_every_experiment(monkeypatch):
    files = code._closure("treewright.library.search")
    names = {path.name for path in files}
    assert {"search.py", "options.py", "switches.py", "steps.py", "worker.py", "rng.py"} <= names
    assert not {"errors.py", "app.py", "samegame.py", "stats.py"} & names
    flat = {path.name for path in code._closure("treewright.library.baselines.flat")}
    assert {"flat_kernel.py", "flat.py", "steps.py"} <= flat


def test_comments_and_docstrings_are_no_code(tmp_path):
    def found(text):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.py"
        path.write_text(text)
        return code._compiled(path).mark

    one = found('"""A."""\ndef f(x):\n    """Doc."""\n    return x  # yes\n')
    two = found('"""B."""\ndef f(x):\n    """Other."""\n\n    return x\n')
    three = found('"""B."""\ndef f(x):\n    return x + 1\n')
    assert one == two != three


def test_imports_are_found_wherever_they_stand(tmp_path):
    (tmp_path / "text.py").write_text("")
    path = tmp_path / "module.py"
    names = "".join(f"name_{i} = {i}\n" for i in range(400))  # more than a byte counts
    path.write_text(
        f"{names}import numpy, treewright.errors\n"
        "def f():\n    from treewright.library import (search,\n        tree as t)\n"
        "    import treewright.kernel.rng as r\n    return open('text.py')\n"
    )
    found = code._compiled(path)
    wanted = {"errors", "library", "library.search", "library.tree", "kernel.rng"}
    assert {f"treewright.{name}" for name in wanted} <= set(found.imports)
    assert found.texts == (tmp_path / "text.py",)


def test_the_same_in_every_process():
    """Sets of words have another order in each process; the fingerprint does not."""
    program = (
        "from treewright.workshop.experiments.code import CodeFingerprint\n"
        "def f(x, *, y={'a', 'b', 'c'}):\n    return x in {'one', 'two', 'three', 'four'}\n"
        "m = CodeFingerprint(); m.value(f); print(m.hexdigest())"
    )
    run = functools.partial(subprocess.run, capture_output=True, text=True, check=True)
    found = {run([sys.executable, "-c", program]).stdout for _ in range(3)}
    assert len(found) == 1


def test_touched_files_are_not_changed_files(tmp_path, monkeypatch):
    monkeypatch.setattr(code, "_seen", {})
    path = tmp_path / "x.py"
    path.write_text("x = 1")
    code._remember(path)
    os.utime(path, (0, 0))
    assert code.changed() is None
    path.write_text("x = 2")
    assert code.changed() == path
    path.unlink()
    assert code.changed() == path


@dataclass(frozen=True)
class Setup:
    size: int
    options: Options


def test_values():
    assert mark(Setup(1, Options())) == mark(Setup(1, Options()))
    assert mark(Setup(1, Options())) != mark(Setup(1, Options(c=2.0)))
    assert mark({"a": 1, "b": 2}) == mark({"b": 2, "a": 1}) != mark({"a": 1, "b": 3})
    assert mark(Path("a")) != mark(Path("b"))
    assert mark(functools.partial(max, 1)) != mark(functools.partial(max, 2))
    assert mark(Nim(heap=3)) != mark(Nim(heap=4))
    assert mark(Nim) != mark(samegame.SameGame)
    with pytest.raises(Unhashable):
        mark(object())


def test_what_people_only_see_does_not_count(monkeypatch):
    before = mark(Nim(heap=3))
    monkeypatch.setattr(Nim, "describe", staticmethod(lambda s, action: "something else"))
    assert mark(Nim(heap=3)) == before
    monkeypatch.setattr(Nim, "ended", staticmethod(lambda s: s.stones <= 0))
    assert mark(Nim(heap=3)) != before


def test_where_a_copy_of_treewright_lies_is_no_code(monkeypatch):
    before = mark(code._HERE / "apps" / "levels" / "corpus")
    assert mark(code._HERE / "apps" / "levels" / "another") != before
    monkeypatch.setattr(code, "_HERE", Path("/elsewhere/treewright"))
    assert mark(Path("/elsewhere/treewright/apps/levels/corpus")) == before
