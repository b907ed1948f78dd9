"""Shared by all tests."""

import signal
import sys
import textwrap
from pathlib import Path

import pytest

# a background job of a shell ignores Ctrl-C, and so would every program that the tests start and
# interrupt: they would never end
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
