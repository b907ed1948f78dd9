"""Shared by the tests of commands."""

import io
import sys

import pytest


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run a command in an empty folder; its output, errors and exit code are checked."""
    from treewright.cli import main

    monkeypatch.chdir(tmp_path)

    def call(*arguments, code=0, typed=None):
        monkeypatch.setattr(sys, "argv", ["treewright", *map(str, arguments)])
        if typed is not None:
            monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert (ended.value.code or 0) == code, out + err
        if code == 2:
            assert out == ""
            assert err.count("\n") == 1, err
            assert "Traceback" not in err
        return err if code == 2 else out

    return call
