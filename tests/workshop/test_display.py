"""What a run shows."""

import io

import pytest
from rich.console import Console

from treewright.kernel import waiting
from treewright.workshop.experiments import display
from treewright.workshop.experiments.registry import experiment
from treewright.workshop.experiments.runner import RunProgress


class Terminal(io.StringIO):
    """A stream that people look at."""

    def isatty(self):
        return True


@pytest.fixture
def progress():
    rows = [
        {"opponent": "random", "simulations": 10, "seed": s, "score": 0.9, "games": 20}
        for s in range(3)
    ]
    return RunProgress(experiment("tictactoe-strength"), total=12, rows=rows, done=3, computed=3)


def test_line(progress):
    progress.began -= 6.0
    assert display.line(progress).startswith(
        "tictactoe-strength: 3 of 12 cells, 0.5 a second, 18 s"
    )
    progress.failed, progress.elsewhere = 1, 2
    assert "1 failed, 2 with another runner" in display.line(progress)
    progress.stopping, progress.running = "interrupt", 2
    assert "finishing 2 cells; Ctrl-C again drops them" in display.line(progress)
    assert "left" not in display.line(progress)


def test_live_picture_fits_a_small_terminal(progress):
    out = io.StringIO()
    Console(file=out, width=80).print(display._picture(progress))
    text = out.getvalue()
    assert "90.0 %" in text
    assert "79.9 % to 95.3 %" in text
    assert max(map(len, text.splitlines())) <= 80


def test_plain_lines(progress, capsys):
    with display.display(quiet=False) as watch:
        watch(progress)
        watch(progress)  # nothing new, nothing said
        progress.done = 12
        watch(progress)
    assert [x.split(",")[0] for x in capsys.readouterr().err.splitlines()] == [
        "tictactoe-strength: 3 of 12 cells",
        "tictactoe-strength: 12 of 12 cells",
    ]
    with display.display(quiet=True) as watch:
        watch(progress)
    assert capsys.readouterr().err == ""


def test_what_is_compiled_is_said_below_the_picture(progress, monkeypatch, tmp_path):
    monkeypatch.setenv("TREEWRIGHT_CACHE", str(tmp_path))
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    with display.display(quiet=False) as watch:
        watch(progress)
        with waiting.compiling("go-9x9-v1: search"):
            said = terminal.getvalue()
    assert "compiling go-9x9-v1: search" in said
    assert "tictactoe-strength" in said


@pytest.mark.parametrize(("seconds", "text"), [(5, "5 s"), (600, "10 min"), (7200, "2.0 h")])
def test_durations(seconds, text):
    assert display.duration(seconds) == text
