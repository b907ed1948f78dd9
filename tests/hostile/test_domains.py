"""Domains with slips in them: a sentence, never corrupted memory or a run that can't be ended."""

import os
import signal
import subprocess
import sys
import time

import pytest
from counting import SOUND

import treewright as tw

OUTSIDE = SOUND.replace("s.n += 1", "s.n += 1\n        s.cell[1000 * s.n] = 1")
MANY = SOUND.replace("range(3)", "range(5000)").replace("return 3", "return 5000")
ENDLESS = SOUND.replace("s.n += 1", "while s.n >= 0:\n            s.n = s.n ^ 1")


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "authored.py"
        path.write_text(text)
        return path

    return write


def treewright(*words):
    return [sys.executable, "-m", "treewright", *map(str, words)]


@pytest.mark.parametrize(
    ("text", "said"),
    [(OUTSIDE, "line 20, in play: IndexError"), (MANY, "line 15, in legal: IndexError")],
)
@pytest.mark.parametrize("words", [("search",), ("tree", "--out", "tree.dot")])
def test_a_bad_index_ends_in_a_sentence(file, tmp_path, text, said, words):
    command = treewright(words[0], f"{file(text)}:Count", *words[1:])
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("return s.n >= 4", "return unknown", "line 22, in ended: NameError"),
        ("def legal", "async def legal", "TypeError"),
        ("return 3", "return s.cell[7]", "line 16, in legal: IndexError"),
        ("range(3)", "range(4)", "more than max_actions=3"),
    ],
)
def test_a_position_says_which_line_raised(domain_file, old, new, said):
    position = tw.Position(domain_file(SOUND.replace(old, new)).Count())
    with pytest.raises(tw.DomainError, match=said):
        _ = position.ended, position.legal()


def test_debug_checks_all_of_the_run(file, command):
    late = SOUND.replace("s.n += 1", "s.n += 1\n        s.cell[s.n * (1 + (action == 2))] = 1")
    path = file(late.replace("s.n >= 4", "s.n >= 3"))
    assert "line 20, in play" in command("search", f"{path}:Count", "--debug", "--quiet", code=2)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_second_interrupt_ends_a_loop_without_end(file, tmp_path, workers):
    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "import treewright as tw\nfrom authored import Count\n"
        f"search = tw.Search(Count(), workers={workers}, memory='1MiB')\n"
        "search.compile(); print('ready', flush=True); search.run(100)\n"
    )
    file(ENDLESS)
    run = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        assert run.stdout.readline() == "ready\n"
        for _ in range(2):
            time.sleep(1.0)
            run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=60)
    finally:
        run.kill()
    assert run.returncode == 130, err
    assert "interrupted inside a function of the domain" in err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "s.n += 1",
            "s.n += 1 + 0 // (2 - s.n)",
            "line 19, in play: ZeroDivisionError",
        ),
        ("out[0] = s.n / 4", "out[0] = s.cell[9]", "authored.py, line 25, in rewards: IndexError"),
        ("return 3", "s.n += 1\n        return 3", "legal() changed the state"),
    ],
)
def test_check_says_whose_fault_it_is_once(domain_file, old, new, said):
    assert old in SOUND
    report = tw.check(domain_file(SOUND.replace(old, new)).Count())
    assert len(report.problems) == 1, report.problems
    assert said in report.problems[0]
