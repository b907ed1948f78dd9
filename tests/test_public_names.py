"""What editors, type checkers and ``help`` see of the public names."""

import dataclasses
import inspect
import os
import re
import subprocess
import sys

import pytest

import treewright as tw

SETTINGS = [tw.Options, tw.Rave, tw.Rollout, tw.SelectionBias, tw.Widening]


@pytest.mark.parametrize("kind", SETTINGS)
def test_the_signature_shows_the_options(kind):
    parameters = inspect.signature(kind).parameters
    assert list(parameters) == [field.name for field in dataclasses.fields(kind)]
    assert all(p.default is not p.empty for p in parameters.values())


@pytest.mark.parametrize("kind", SETTINGS)
def test_an_unknown_option_is_one_sentence(kind):
    with pytest.raises(tw.OptionError, match=f"{kind.__name__} has no option 'colour'"):
        kind(colour=1)
    with pytest.raises(tw.OptionError, match=rf"{kind.__name__} takes \d+ options, not 99"):
        kind(*range(99))


def test_every_public_name_is_there():
    for name in tw.__all__:
        assert getattr(tw, name) is not None
    assert tw.Child is type(tw.Search(tw.make("nim"), engine="python").run(10).children[0])


def test_the_package_says_that_it_is_typed(root):
    assert (root / "src" / "treewright" / "py.typed").exists()


def test_nothing_shown_needs_a_private_name(root):
    pages = [root / "README.md", *(root / "docs").glob("*.md"), *(root / "examples").glob("*.py")]
    for page in pages:
        assert not re.search(r"\w\._[a-z]", page.read_text()), page.name


SNIPPET = """
import treewright as tw

tw.Options(c=1.0, rave=tw.Rave(k=10), rollout=tw.Rollout("domain", depth=3))
tw.Options(colour=1)
tw.Options(c="much")
tw.Rollout("wild")
found: tw.Child = tw.Search(tw.make("nim")).run(10).children[0]
reveal_type(found.visits)
reveal_type(tw.Search(tw.make("nim")).tree)
reveal_type(tw.evolutionary.Budget)
reveal_type(tw.random.stream)
"""


@pytest.mark.slow
def test_a_type_checker_sees_the_options(root, tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "snippet.py").write_text(SNIPPET)
    command = [sys.executable, "-m", "mypy", "--config-file", root / "pyproject.toml", "snippet.py"]
    out = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(root / "src"), "MYPY_CACHE_DIR": str(tmp_path / "mypy")},
        capture_output=True,
        text=True,
    ).stdout
    errors = re.findall(r"snippet.py:(\d+): error: .*\[(.*)\]", out)
    assert errors == [("5", "call-arg"), ("6", "arg-type"), ("7", "arg-type")], out
    revealed = re.findall(r'Revealed type is "(.*)"', out)
    assert [kind.rpartition(".")[2] for kind in revealed[:2]] == ["int", "TreeView"], out
    assert "Any" not in revealed[2], out
    assert len(revealed) == 4
