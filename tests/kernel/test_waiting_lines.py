"""What a terminal shows while something is compiled, from every way in; and Ctrl-C meanwhile."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="terminals are files on Unix only")

SCRIPT = "import treewright as tw; tw.Search(tw.make('nim')).run(100)"
IMPORTED = "import sys; sys.stderr.write('NUMBA ' if 'numba' in sys.modules else 'WITHOUT ')"
MOST = 60  # seconds for what takes a tenth of one on a quiet machine


class Terminal:
    """A program whose stderr is a terminal, and whose cache is empty."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TREEWRIGHT_CACHE": str(folder / "cache"), "TERM": "xterm"}
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            cwd=folder,
            env=environment,
        )
        os.close(theirs)
        self._end = ours
        self.text = ""

    def until(self, words: str) -> bool:
        """Read on until some words are there; False if the program ended without them."""
        deadline = time.monotonic() + MOST
        while words not in self.text and time.monotonic() < deadline:
            if select.select([self._end], [], [], 0.05)[0]:
                try:
                    self.text += os.read(self._end, 4096).decode(errors="replace")
                except OSError:  # the other end is closed
                    break
        return words in self.text

    def end(self) -> int:
        self.until("\0")  # never comes
        code = self.process.wait(MOST)
        os.close(self._end)
        return code


@pytest.fixture
def terminal(tmp_path):
    begun = []

    def begin(*arguments):
        begun.append(Terminal(tmp_path, *arguments))
        return begun[-1]

    yield begin
    for one in begun:
        one.process.kill()
        one.process.wait()


def command(text: str) -> list[str]:
    return ["-m", "treewright", *text.split()]


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("search nim --simulations 100", ""),
        ("play nim", "1\n"),
        ("watch nim", "\n"),
        ("check nim", ""),
        ("bench core", ""),
        ("tune nim --trials 2", ""),
        ("level generate", ""),
        ("story generate sherlock --nodes 500", ""),
        ("map generate mcguinness --evaluations 500", ""),
        ("optimize cec2014:9 --dim 10 --budget 500", ""),
        ("go match treewright treewright --games 1 --size 5", ""),
        ("tactics tournament --agents emcts,greedy-action --games 2 --budget evals:200", ""),
    ],
)
def test_a_line_says_what_is_compiled(terminal, text, typed):
    shown = terminal(*command(text))
    shown.process.stdin.write(typed.encode())
    shown.process.stdin.flush()
    assert shown.until("compiling "), shown.text
    assert "NUMBA" not in shown.text


def test_a_script_says_so_before_numba_is_imported(terminal):
    say = "import treewright.kernel.waiting as w; said = w._on_terminal; "
    before = f"{say}w._on_terminal = lambda words: (exec({IMPORTED!r}), said(words)); "
    shown = terminal("-c", before + SCRIPT)
    assert shown.end() == 0
    assert re.fullmatch(r"WITHOUT treewright: compiling nim-v1: search\r\n", shown.text)
    again = terminal("-c", SCRIPT)
    assert again.end() == 0
    assert again.text == "", "nothing is compiled now"


def test_without_a_terminal_nothing_is_said(tmp_path):
    environment = {**os.environ, "TREEWRIGHT_CACHE": str(tmp_path / "cache")}
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, env=environment, check=True
    )
    assert ended.stderr == b""


def test_quiet_is_quiet(terminal):
    shown = terminal(*command("search nim --simulations 100 --quiet"))
    assert shown.end() == 0
    assert shown.text == ""


@pytest.mark.parametrize("after", [0.05, 1.0])
def test_ctrl_c_while_compiling_is_one_sentence(terminal, after):
    shown = terminal(*command("level generate"))
    assert shown.until("compiling ")
    time.sleep(after)
    shown.process.send_signal(signal.SIGINT)
    assert shown.end() == 130, shown.text
    assert "Traceback" not in shown.text
    assert shown.text.endswith("treewright: interrupted while compiling levels-v1: phases\r\n")


def test_ctrl_c_in_the_midst_of_a_text_has_the_same_exit_code(tmp_path):
    """Python itself would end with the signal then."""
    (tmp_path / "pressed.py").write_text(
        "from treewright.cli import app, main\n"
        "app.app = lambda **how: exec('raise KeyboardInterrupt')\n"
        "main()\n"
    )
    ended = subprocess.run([sys.executable, "-m", "pressed"], cwd=tmp_path, capture_output=True)
    assert ended.returncode == 130
    assert ended.stderr == b""
