"""Shared by the hostile tests."""

import io
import sys

import pytest


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run a command in an empty folder: its output, or its one sentence of an error."""
    from treewright.cli import main

    monkeypatch.chdir(tmp_path)

    def call(*arguments, code=0, typed=""):
        monkeypatch.setattr(sys, "argv", ["treewright", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert (ended.value.code or 0) == code, out + err
        assert "Traceback" not in err
        return err if code == 2 else out

    return call
