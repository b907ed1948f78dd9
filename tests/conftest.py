"""Shared by all tests."""

import sys
import textwrap
from pathlib import Path

import pytest


@pytest.fixture
def domain_file(tmp_path, monkeypatch):
    """Write a module with a domain and import it: ``domain_file(text).Name``."""

    def write(text, name="authored"):
        from treewright.domains import _from_file

        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(text))
        return _from_file(path)

    monkeypatch.setattr(sys, "path", list(sys.path))
    return write


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).parent.parent
