"""Commands in a hostile world: interrupts, full devices, closed streams, absurd numbers."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

COMMAND = [sys.executable, "-c", "from treewright.cli import main; main()"]
INTERRUPTED = """
import os, signal, sys, threading
from importlib import import_module

where, name = sys.argv[1].split(":")
owner = import_module(where)
*path, last = name.split(".")
for part in path:
    owner = getattr(owner, part)
original = getattr(owner, last)

def soon(*arguments, **more):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    setattr(owner, last, original)
    return original(*arguments, **more)

setattr(owner, last, soon)
sys.argv = ["treewright", *sys.argv[2:]]
from treewright.cli import main
main()
"""


def run(*arguments, code=0, cwd=None, command=None, **more):
    out = subprocess.run(
        [*(command or COMMAND), *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=200,
        **more,
    )
    assert out.returncode == code, (out.returncode, out.stdout[-2000:], out.stderr[-2000:])
    assert "Traceback" not in out.stderr, out.stderr
    assert "Exception ignored" not in out.stderr, out.stderr
    return out


SLOW_FUNCTION = "import time\ndef f(x):\n    time.sleep(0.001)\n    return float(sum(x * x))\n"


@pytest.mark.parametrize(
    ("begins", "arguments", "written"),
    [
        (
            "treewright.library.search:Search._run_workers",
            "search nim --set heap=1000 --seconds 60 --save tree.npz --json",
            "tree.npz",
        ),
        (
            "treewright.library.search:Search._run_workers",
            "tree nim --set heap=1000 --simulations 100000000 --out tree.dot",
            "tree.dot",
        ),
        (
            "treewright.apps.functions.objective:Objective.__init__",
            "optimize slow.py:f --bounds=-5,5 --dim 2 --budget 1000000 --json",
            None,
        ),
        (
            "treewright.workshop.experiments.runner:_first_interrupt",
            "tactics tournament --agents random,greedy-action --ap 5 --games 4000 --store t.sqlite",
            "t.sqlite",
        ),
    ],
)
def test_an_interrupted_command_writes_what_it_has_and_exits_130(
    begins, arguments, written, tmp_path
):
    (tmp_path / "slow.py").write_text(SLOW_FUNCTION)
    command = [sys.executable, "-c", INTERRUPTED, begins]
    out = run(*arguments.split(), code=130, cwd=tmp_path, command=command)
    assert out.stdout
    if "--json" in arguments:
        json.loads(out.stdout)
    if written is not None:
        assert (tmp_path / written).stat().st_size > 0


def test_a_gallery_is_left_at_the_first_interrupt(tmp_path):
    """Also by a piece that searches again and again; the pieces that are done are kept."""
    package = tmp_path / "slow_piece.py"
    package.write_text(
        textwrap.dedent(
            """
            from treewright.apps.games.nim import Nim
            from treewright.workshop.gallery import Piece
            from treewright.library.search import Search

            def quick(seed):
                return Piece("quick", "none", "none")

            def piece(seed):
                for _ in range(100):
                    Search(Nim(heap=1000), seed=seed, engine="python").run(seconds=60)
                raise AssertionError
            """
        )
    )
    code = (
        "import treewright.workshop.gallery as g, slow_piece as s;"
        "g.everything = lambda: {'quick': s.quick, 'slow': s.piece};" + INTERRUPTED
    )
    command = [sys.executable, "-c", code, "treewright.library.search:Search._run_workers"]
    env = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    run("gallery", "--out", "g", code=130, cwd=tmp_path, command=command, env=env)
    assert "quick" in (tmp_path / "g" / "index.html").read_text()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")  # noqa: PTH110
@pytest.mark.parametrize("arguments", ["domains", "domains --json", "story list", "--help"])
def test_an_output_that_is_full(arguments):
    for buffered in ("", "1"):
        out = subprocess.run(
            f'"{sys.executable}" -c "from treewright.cli import main; main()" {arguments} '
            "> /dev/full",
            shell=True,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": buffered},
            timeout=120,
        )
        assert out.returncode == 2, out.stderr
        assert out.stderr.count("\n") == 1, out.stderr
        assert "No space left" in out.stderr


@pytest.mark.parametrize(
    "arguments",
    ["play nim --simulations 10", "play go --set size=3 --simulations 5", "gtp", "domains"],
)
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(arguments, closed):
    out = subprocess.run(
        f'"{sys.executable}" -c "from treewright.cli import main; main()" {arguments} {closed}',
        shell=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert out.returncode == 0, out.stderr
    assert "Traceback" not in out.stderr
    assert "Error" not in out.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        "search nim --workers 100000",
        "search nim --workers -1",
        "level generate --workers 100000",
        "tactics tournament --agents random,emcts --workers 100000",
        "experiment run tictactoe-strength --workers 100000",
        "gtp --workers 100000",
        "search nim --memory 1e9GiB",
        "search nim --memory 99999999999999999999GiB",
        "search nim --memory 9e999GiB",
        "search nim --seconds nan",
        "search nim --seconds inf --simulations 5 --c nan",
        "search nim --set heap=99999999999999999999999",
        "search nim --set heap=1e999",
        "search nim --set heap=nan",
        "search nim --nodes 99999999999999999999999999",
        "check nim --games 99999999999999999999999999",
        "check :",
        "experiment show :",
        "map generate mcguinness --evaluations 99999999999999999999999999",
        "story generate sherlock --nodes 99999999999999999999999999",
        "optimize sphere --budget 99999999999999999999999999",
        "tree nim --depth 99999999999999999999999999 --simulations 0",
    ],
)
def test_absurd_numbers(arguments, command):
    command(*arguments.split(), code=2, box=True)


def test_json_is_json(command):
    """No NaN and no Infinity, which are no JSON."""
    from treewright.workshop.commands import emit

    out = command("search", "nim", "--set", "heap=9", "--simulations", "1", "--json")
    json.loads(out, parse_constant=lambda word: pytest.fail(word))
    assert callable(emit)


def test_the_solver_can_be_switched_off(command):
    out = command("play", "nim", "--no-solver", "--simulations", "5", typed="quit\n")
    assert "not finished" in out


def test_a_name_that_is_no_text():
    """Bytes of the command line that are no UTF-8 are shown, not raised."""
    out = subprocess.run(
        [*COMMAND, "search", b"n\xff\xfeim"], capture_output=True, timeout=100, check=False
    )
    assert out.returncode == 2
    assert b"Traceback" not in out.stderr
    out = subprocess.run(
        [*COMMAND, "tree", "nim", "--simulations", "5", "--out", b"/nowhere/t\xff.svg"],
        capture_output=True,
        timeout=100,
        check=False,
    )
    assert out.returncode == 2
    assert b"Traceback" not in out.stderr


def test_interrupted_while_modules_are_loaded(monkeypatch):
    """The traceback of an import was all over the terminal."""
    from treewright import cli

    def pressed(name, *_):
        if name == "treewright.cli.app":
            raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "treewright.cli.app", raising=False)
    finder = type("Finder", (), {"find_spec": staticmethod(pressed)})
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 130
