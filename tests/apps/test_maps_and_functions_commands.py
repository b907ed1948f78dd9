"""``treewright map`` and ``treewright optimize`` as a user runs them."""

import json
import os
import subprocess
import sys

import pytest


def treewright(*arguments, cwd=None, check=0):
    out = subprocess.run(
        [sys.executable, "-c", "from treewright.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        timeout=300,
    )
    assert out.returncode == check, (out.returncode, out.stdout, out.stderr)
    assert "Traceback" not in out.stderr
    return out


def test_a_dungeon_with_all_its_files(tmp_path):
    out = treewright(
        *("map", "dungeon", "--simulations", "30", "--seed", "2", "--json"),
        *("--out", "d.tmx", "--out", "d.png", "--out", "d.txt"),
        cwd=tmp_path,
    )
    data = json.loads(out.stdout)
    assert set(data["scores"]) == {"rooms", "locks", "monsters", "treasure", "traps"}
    assert len(data["doors"]) == len(data["keys"]) == 2
    assert len(data["monsters"]) == 8
    text = (tmp_path / "d.txt").read_text()
    assert text.split() == data["map"]
    assert text.count("<") == text.count(">") == 1
    for name in ("d.tmx", "d-tiles.png", "d.png"):
        assert (tmp_path / name).stat().st_size > 0
    again = treewright("map", "dungeon", "--simulations", "30", "--seed", "2").stdout
    drawn, told = again.split("\n\n")
    assert drawn.split() == data["map"]
    assert told.startswith("# wall, . floor, < entrance, > exit, A door and a its key")


def test_optimize_json():
    out = treewright(
        *("optimize", "cec2014:4", "--dim", "10", "--budget", "3000", "--seed", "1", "--json")
    )
    data = json.loads(out.stdout)
    assert data["error"] == pytest.approx(data["value"] - 400.0)
    assert data["evaluations"] == 3000
    assert data["method"] == "runs"


def test_a_function_from_a_file(tmp_path):
    (tmp_path / "mine.py").write_text("def f(x):\n    return abs(x[0] - 1) + abs(x[1])\n")
    out = treewright(
        *("optimize", "mine.py:f", "--dim", "2", "--bounds=-2,2", "--budget", "300", "--json"),
        cwd=tmp_path,
    )
    assert json.loads(out.stdout)["value"] < 0.1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("map", "generate", "mcguines"), "did you mean 'mcguinness'"),
        (("map", "generate", "no.toml"), "there is no file no.toml"),
        (("map", "generate", "mcguinness", "--method", "revision"), "did you mean 'revisions'"),
        (("map", "generate", "mcguinness", "--out", "x.gif"), "write a map to one of"),
        (("map", "generate", "mcguinness", "--out", "no/x.png"), "there is no folder no"),
        (("map", "generate", "mcguinness", "--step", "0.1"), "no setting 'step'"),
        (("map", "dungeon", "--rooms", "1"), "rooms must be a whole number from 2"),
        (("optimize", "cec2014:31"), "1 to 30"),
        (("optimize", "cec2014:x"), "cec2014:NUMBER"),
        (("optimize", "cec2014:1", "--dim", "11"), "dimensions, not 11"),
        (("optimize", "cec2014:1", "--method", "sooo"), "did you mean 'soo'"),
        (("optimize", "sphere"), "cec2014:NUMBER or path"),
        (("optimize", "no.py:f", "--bounds=0,1"), "there is no file no.py"),
        (("optimize", "{here}:treewright", "--bounds=0,1"), "needs --dim and --bounds"),
    ],
)
def test_bad_input_is_one_sentence(arguments, says, command, tmp_path):
    assert says in command(*(a.replace("{here}", __file__) for a in arguments), code=2)
    assert list(tmp_path.iterdir()) == []
