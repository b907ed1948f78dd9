"""Running: both engines, errors, filters, stale code."""

import contextlib
import json
import re
import sqlite3
import time
from pathlib import Path

import pytest

from treewright.apps.games import connect_four, tictactoe
from treewright.workshop.experiments import Experiment
from treewright.workshop.experiments.registry import experiment
from treewright.workshop.experiments.runner import stored_beyond
from treewright.workshop.experiments.store import Store

RUN = ("experiment", "run", "toy", "--engine", "threads", "--quiet")


def data(path) -> list:
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT experiment, settings, seed, data, error FROM cells").fetchall()


def test_threads_and_processes_give_the_same_rows(bench):
    found = []
    for engine, workers in (("threads", "1"), ("threads", "3"), ("processes", "2")):
        store = bench.folder / f"{engine}{workers}"
        run = ("experiment", "run", "toy", "--quiet", "--store", str(store))
        bench.call(*run, "--engine", engine, "--workers", workers)
        found.append(data(store))
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 12


def test_real_searches_give_the_same_rows(bench):
    """With the compiled kernel, in threads at once and in processes."""
    found = []
    for engine in ("threads", "processes"):
        store = bench.folder / engine
        run = ("experiment", "run", "tictactoe-strength", "--only", "simulations=10", "--quiet")
        bench.call(*run, "--store", str(store), "--engine", engine, "--workers", "2")
        found.append(data(store))
    assert found[0] == found[1]
    assert len(found[0]) == 6
    assert all(row[4] is None for row in found[0])


def test_a_cell_that_raises_does_not_stop_the_others(bench):
    out, err = bench.call(*RUN, "--scale", "laptop", code=1)
    assert "4 of 4 cells" in out
    assert "2 failed" in out
    assert "2 cells raised ValueError: no way" in err
    out, _ = bench.call("experiment", "show", "toy", "--scale", "laptop")
    assert "2 cells raised" in out
    before = len(bench.starts())
    bench.call(*RUN, "--scale", "laptop", code=1)
    assert len(bench.starts()) == before
    bench.call(*RUN, "--scale", "laptop", "--retry", code=1)
    assert len(bench.starts()) == before + 2


def test_show_says_what_the_store_has_of_larger_scales(bench):
    bench.call(*RUN, "--only", "size=1")
    assert bench.call("experiment", "show", "toy")[1] == ""
    bench.call(*RUN, "--scale", "laptop", code=1)
    _, err = bench.call("experiment", "show", "toy")
    assert err == "toy: this is the scale smoke; 4 of 4 cells of --scale laptop are stored, too\n"
    assert bench.call("experiment", "show", "toy", "--scale", "laptop")[1] == ""


def test_larger_scales_are_not_made_for_an_empty_store(tmp_path, monkeypatch):
    """That takes up to two seconds for each experiment."""
    asked = []
    monkeypatch.setattr(Experiment, "cells", lambda self, scale: asked.append(scale) or [])
    with Store(tmp_path / "store") as store:
        assert stored_beyond(experiment("tictactoe-strength"), store, "smoke") is None
    assert asked == []


def test_a_cell_that_kills_its_process(bench):
    run = ("experiment", "run", "toy", "--scale", "paper", "--engine", "processes", "--quiet")
    out, err = bench.call(*run, "--workers", "2", code=1)
    assert "2 failed" in out
    assert "the process of this cell died" in err
    assert [row[4] for row in data(bench.store)].count(None) == 2


def test_only(bench):
    bench.call(*RUN, "--only", "way=left", "--only", "size=1", "--only", "seed=2")
    bench.call(*RUN, "--only", "way=left", "--only", "size=1", "--only", "seed=1")
    assert bench.starts() == ["1 left 2", "1 left 1"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "tyo"), "did you mean 'toy'?"),
        (("run", "toy", "--only", "syze=1"), "did you mean 'size'?"),
        (("run", "toy", "--only", "size=3"), "no cell with size=3"),
        (("run", "toy", "--only", "size"), "name=value"),
        (("run", "toy", "--time", "soon"), "30m"),
        (("run", "toy", "--scale", "huge"), "no scale 'huge'"),
        (("run", "toy", "--engine", "ray"), "no engine 'ray'"),
        (("run", "toy", "--workers", "0"), "at least 1"),
        (("run",), "--all"),
        (("show", "toy"), "run an experiment first"),
        (("export", "toy", "--out", "x.doc"), ""),
    ],
)
def test_bad_input_is_one_sentence(bench, arguments, said):
    out, err = bench.call("experiment", *arguments, code=2)
    assert out == ""
    assert err.count("\n") == 1
    assert said in err


def test_report_and_export(bench):
    bench.call(*RUN)
    out, _ = bench.call("experiment", "report", "--all", "--scale", "smoke", "--out", "r")
    assert "points: the claim held." in out
    page = (bench.folder / "r" / "toy.md").read_text()
    assert "| left | 1 | 3 |" in page
    assert "treewright experiment run toy --scale smoke" in page
    assert "Treewright 0" in page
    assert (bench.folder / "r" / "toy.png").read_bytes().startswith(b"\x89PNG")
    listed = (bench.folder / "r" / "README.md").read_text()
    assert r"| [A toy](toy.md) | Nothing, \|x\| neither. | held |" in listed
    pd = pytest.importorskip("pandas")
    frames = []
    for name, read in (("rows.csv", pd.read_csv), ("rows.parquet", pd.read_parquet)):
        bench.call("experiment", "export", "toy", "--out", name)
        frames.append(read(bench.folder / name))
        assert len(frames[-1]) == 12
        assert {"version", "commit", "machine", "cpu_seconds", "seed"} <= set(frames[-1])
        assert list(frames[-1]["finished"]) == list(frames[-1]["size"])  # the toy's own column
        assert frames[-1]["run_finished"].min() > 1e9
    assert list(frames[0]["points"]) == pytest.approx(list(frames[1]["points"]))
    found = bench.json("experiment", "show", "toy")
    assert found["held"] is True
    assert found["lines"][0]["expected"] == 1.5


GAMES = """
from treewright.library.registry import find
from treewright.workshop.experiments import Experiment, Grid, Measure, Verdict
from treewright.library.position import Position


def run(settings, seed):
    position = Position(find(settings["game"]))
    while not position.ended:
        position.play(position.legal()[seed % len(position.legal())])
    return {"length": len(position.history)}


EXPERIMENT = Experiment(
    name="games", title="Games", claim="None.", source="none",
    scales=dict.fromkeys(
        ("smoke", "laptop", "paper"),
        [Grid({"game": ["four:ConnectFour", "three:TicTacToe"]}, seeds=3)],
    ),
    run=run, measure=Measure("length", "moves"), groups=("game",),
    verdict=lambda rows: Verdict(None, "Nothing."),
    draw=lambda rows, axes: None,
    uses=lambda settings: [find(settings["game"])],
)
"""


def test_a_changed_constant_makes_only_that_domain_stale(bench):
    bench.install("games", GAMES)
    for name, module in (("four", connect_four), ("three", tictactoe)):
        (bench.modules / f"{name}.py").write_text(Path(module.__file__).read_text())
    run = ("experiment", "run", "games", "--engine", "threads")
    assert bench.json(*run)[0]["computed"] == 6
    four = bench.modules / "four.py"
    text = four.read_text()
    four.write_text("# a comment\n" + text)
    found = bench.json(*run)[0]
    assert (found["stale"], found["computed"]) == (0, 0)
    four.write_text(text.replace("WIDTH, HEIGHT = 7, 6", "WIDTH, HEIGHT = 7, 5"))
    found = bench.json(*run, "--keep-stale")[0]
    assert (found["stale"], found["computed"]) == (3, 0)
    out, err = bench.call(*run)
    assert "3 stale cells are ignored" in err
    assert "3 computed now" in out
    assert bench.json(*run)[0]["stale"] == 0


def test_the_example_of_the_documentation(bench, root):
    text = (root / "docs" / "experiments.md").read_text()
    bench.install("nim_first_move", re.search(r"```python\n(.*?)```", text, re.S)[1])
    found = bench.json("experiment", "run", "nim-first-move", "--engine", "threads")
    assert (found[0]["computed"], found[0]["failed"]) == (20, 0)
    assert bench.json("experiment", "show", "nim-first-move")["held"] is None
    bench.call("experiment", "report", "nim-first-move", "--scale", "smoke", "--out", "r")


def test_domains_by_name_must_be_named(bench):
    bench.install("games", GAMES.replace('uses=lambda settings: [find(settings["game"])],', ""))
    _, err = bench.call("experiment", "run", "games", code=2)
    assert "must name them with 'uses'" in err


def test_code_edited_while_it_runs(bench):
    bench.toy(seeds=50)
    process = bench.start(*RUN, "--json", TOY_PAUSE="0.2")
    while len(bench.starts()) < 2:
        time.sleep(0.02)
    bench.toy(seeds=51)
    out, _ = process.communicate(timeout=60)
    found = json.loads(out)[0]
    assert process.returncode == 1
    assert found["stopped"] == "toy.py changed while it ran"
    assert 0 < found["done"] < 50
