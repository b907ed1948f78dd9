"""First commands: declared by applications, measured, compiled beforehand."""

import os
import shlex
import signal
import subprocess
import sys

import pytest

from treewright.cli.app import app
from treewright.errors import OptionError
from treewright.library.applications import declared, load
from treewright.workshop.starting import first_commands, measured, table


def test_each_first_command_is_a_command():
    import typer

    known = typer.main.get_command(app)
    for line in first_commands().values():
        words = shlex.split(line)
        assert known.get_command(typer.Context(known), words[0]) is not None, line


def test_a_name_that_no_application_declares():
    with pytest.raises(OptionError, match="did you mean 'nim'"):
        first_commands(["nimm"])


def test_warm_is_less_than_cold():
    [row] = measured(["nim"], seen=str)
    assert 0 < row["warm"] < row["cold"]
    assert "search nim" in table([row])


def test_an_author_changes_something(tmp_path):
    for where in declared("again").values():
        before, after = load(where)(tmp_path)
        assert before != after
        assert before.split()[0] == after.split()[0]


def test_one_action_of_a_story_is_edited(tmp_path):
    from treewright.apps.stories.domain import story_domain
    from treewright.apps.stories.setup import load_setup

    before, after = (c.split()[2] for c in load(declared("again")["story-edit"])(tmp_path))
    lines = [(tmp_path / f"{n}_library.toml").read_text().splitlines() for n in ("before", "after")]
    assert sum(a != b for a, b in zip(*lines, strict=True)) == 1
    classes = {type(story_domain(load_setup(str(tmp_path / name)))) for name in (before, after)}
    assert len(classes) == 2  # so that it has to be compiled again


def test_the_table_has_a_place_for_each_figure():
    rows = [
        {"name": "nim", "command": "search nim", "cold": 2.0, "warm": 0.25},
        {"name": "edit", "command": "story generate", "again": 3.5},
    ]
    assert [line.split()[1] for line in table(rows).splitlines()[1:]] == ["2.00", "3.50"]


def test_the_cache_is_warmed(command, tmp_path, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "kernels"))
    assert "nim is compiled" in command("cache", "warm", "nim", "--workers", "1")
    assert list((tmp_path / "kernels").rglob("*.kernel"))


def test_warming_what_there_is_not(command):
    assert "no first command" in command("cache", "warm", "stories", code=2)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_cache_that_others_can_write_is_not_warmed(command, tmp_path, monkeypatch):
    cache = tmp_path / "kernels"
    cache.mkdir()
    cache.chmod(0o777)
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(cache))
    said = command("cache", "warm", "nim", code=2)
    assert f"can't be kept in {cache}: others can write to kernels" in said
    assert not list(cache.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C goes elsewhere on Windows")
def test_ctrl_c_keeps_what_is_compiled(tmp_path):
    environment = {**os.environ, "TREEWRIGHT_CACHE": str(tmp_path)}
    warm = [sys.executable, "-m", "treewright", "cache", "warm", "nim", "go", "--workers", "1"]
    running = subprocess.Popen(
        warm, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert running.stdout.readline() == "nim is compiled\n"
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does it
    running.communicate()
    assert running.returncode == 130
    [kernel] = tmp_path.rglob("*.kernel")
    assert not list(tmp_path.rglob("*.tmp"))
    again = [sys.executable, "-m", "treewright", "search", "nim", "--simulations", "1000"]
    subprocess.run(again, env=environment, check=True, capture_output=True)
    assert list(tmp_path.rglob("*.kernel")) == [kernel]
