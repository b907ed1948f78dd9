"""First commands: declared by applications, measured, compiled beforehand."""

import shlex

import pytest

from treewright.cli.app import app
from treewright.errors import OptionError
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


def test_the_cache_is_warmed(command, tmp_path, monkeypatch):
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path / "kernels"))
    assert "nim is compiled" in command("cache", "warm", "nim", "--workers", "1")
    assert list((tmp_path / "kernels").rglob("*.kernel"))


def test_warming_what_there_is_not(command):
    assert "no first command" in command("cache", "warm", "stories", code=2)
