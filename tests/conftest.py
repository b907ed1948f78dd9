"""Shared by all tests."""

import gc
import io
import os
import shutil
import signal
import sys
import textwrap
from pathlib import Path

import pytest

# several processes share the cores, and the threads of OpenBLAS wait for each other by spinning:
# what takes half a second alone took ten; set before anything imports NumPy
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# a background job of a shell ignores Ctrl-C, and so would every program that the tests start and
# interrupt: they would never end
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish():
    """Garbage is looked for seldom, and not among all the tests: a twentieth of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


@pytest.fixture
def domain_file(tmp_path, monkeypatch):
    """Write a module with a domain and import it: ``domain_file(text).Name``."""

    def write(text, name="authored"):
        from treewright.library.registry import load_file

        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(text))
        return load_file(path)

    monkeypatch.setattr(sys, "path", list(sys.path))
    return write


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).parent.parent


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run a command in an empty folder; its output, errors and exit code are checked.

    ``box``: what is wrong with the words is said by Typer, in a box, and not in a line of ours.
    """
    from treewright.cli import main

    monkeypatch.chdir(tmp_path)

    def call(*arguments, code=0, typed=None, box=False):
        monkeypatch.setattr(sys, "argv", ["treewright", *map(str, arguments)])
        if typed is not None:
            monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert (ended.value.code or 0) == code, out + err
        if code == 2:
            assert out == ""
            assert box or err.count("\n") == 1, err
            assert "Traceback" not in err
        return err if code == 2 else out

    return call


@pytest.fixture(scope="session")
def data(root) -> Path:
    """Our own recordings, levels and tables, which every machine has."""
    return root / "tests" / "data"


@pytest.fixture(scope="session")
def shared(root) -> Path:
    """Data of others, beside the project or where TREEWRIGHT_SHARED says; few machines have it."""
    folder = Path(os.environ.get("TREEWRIGHT_SHARED", root.parent / "shared")) / "data"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not on this machine: only our own data, in tests/data, are used")
    return folder


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, for tests that look at pages."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install playwright"
    )
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with playwright.sync_playwright() as play:
        found = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()
