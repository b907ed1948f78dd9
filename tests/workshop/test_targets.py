"""What commands share."""

import os

import pytest

from treewright.errors import OptionError
from treewright.workshop.commands import check_target


def test_a_device_is_written_in_a_folder_where_nothing_can_be_made(tmp_path, monkeypatch):
    """As /dev/stdout is for everybody but root."""
    os.mkfifo(tmp_path / "pipe.json")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    check_target("--out", tmp_path / "pipe.json", (".json",))
    with pytest.raises(OptionError, match="nothing can be written in the folder"):
        check_target("--out", tmp_path / "file.json", (".json",))
