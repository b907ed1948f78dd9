"""Every format of a result, opened by that format's own reader."""

import csv
import io
import json
import zipfile
from xml.etree import ElementTree

import pytest

pytest.importorskip(
    "pydantic", reason="the studio is not installed: pip install 'treewright[studio]'"
)


def silent(share, words="", preview=None):
    """A report that nobody reads."""


def exported(work, settings):
    """A job's result in each of its formats, as the interface gives it."""
    found = work.run(work.settings.model_validate(settings), silent)
    data = json.loads(json.dumps(found.data))  # it was stored in between
    return {
        form: found.files[export.write] if isinstance(export.write, str) else export.write(data)
        for form, export in work.exports.items()
    }


def pictured(made):
    """The three formats of Matplotlib's pictures, opened; the words of the PDF."""
    image = pytest.importorskip("PIL.Image")
    pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed: pip install pypdf")
    assert ElementTree.fromstring(made["svg"]).tag.endswith("svg")
    with image.open(io.BytesIO(made["png"])) as png:
        png.load()
        assert min(png.size) > 100
    (page,) = pypdf.PdfReader(io.BytesIO(made["pdf"])).pages
    return page.extract_text()


@pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning")  # of pydot's own parser
def test_a_search_in_every_format(tmp_path):
    import treewright as tw
    from treewright.apps.games.tictactoe import TicTacToe
    from treewright.workshop.searching.job import SEARCH

    made = exported(SEARCH, {"domain": "tictactoe", "moves": [4], "simulations": 2000})
    assert set(made) == {"json", "csv", "dot", "svg", "png", "pdf", "npz"}
    children = json.loads(made["json"])["children"]
    rows = list(csv.DictReader(io.StringIO(made["csv"].decode())))
    assert [int(row["visits"]) for row in rows] == [child["visits"] for child in children]
    assert "tictactoe-v1: 2,000 simulations" in pictured(made)
    (tmp_path / "search.npz").write_bytes(made["npz"])
    again = tw.load(tmp_path / "search.npz", TicTacToe())
    assert (again.history, again.simulations) == ([4], 2000)
    assert again.run(100).simulations == 2100
    pydot = pytest.importorskip("pydot", reason="pydot is not installed: pip install pydot")
    (graph,) = pydot.graph_from_dot_data(made["dot"].decode())
    assert len(graph.get_edges()) == len(json.loads(made["json"])["shown"]["nodes"]) - 1


def test_a_turn_of_tactics_in_every_format(tmp_path):
    from treewright.apps.tactics.job import PLAN, WATCH
    from treewright.apps.tactics.saves import load

    assert PLAN.exports == WATCH.exports
    made = exported(PLAN, {"map": "a-tiny", "seed": 3, "agent": "greedy-action"})
    assert set(made) == {"json", "svg", "png", "pdf"}
    (tmp_path / "game.json").write_bytes(made["json"])
    assert len(load(tmp_path / "game.json").actions) == 3, "the first turn has three points"
    assert "turn 2, player 2 to move, 5 action points" in pictured(made)


def test_an_experiment_in_every_format(tmp_path, monkeypatch):
    image = pytest.importorskip("PIL.Image")
    pandas = pytest.importorskip("pandas")
    from treewright.workshop.experiments.job import WORK

    monkeypatch.setenv("TREEWRIGHT_STORE", str(tmp_path / "rows.sqlite"))
    made = exported(WORK, {"experiment": "tictactoe-strength", "scale": "smoke"})
    assert made["markdown"].decode().startswith("# Tic-tac-toe: strength")
    table = pandas.read_csv(io.BytesIO(made["csv"]))
    assert len(table) == 12
    pandas.testing.assert_frame_equal(
        table[["opponent", "simulations"]],
        pandas.read_parquet(io.BytesIO(made["parquet"]))[["opponent", "simulations"]],
        check_dtype=False,
    )
    with image.open(io.BytesIO(made["png"])) as png:
        assert min(png.size) > 100


def test_a_level_in_every_format(tmp_path):
    image = pytest.importorskip("PIL.Image")
    from treewright.apps.levels.formats import read_level
    from treewright.apps.levels.job import PAINTED

    rows = ["-" * 20, "-----o--------------", "M------------------F", "X" * 20]
    made = exported(PAINTED, {"rows": rows})
    kinds = {"mario-ai": ".txt", "vglc": ".txt", "json": ".json", "tmx": ".tmx", "tmj": ".tmj"}
    for form, ending in kinds.items():
        path = tmp_path / f"{form}{ending}"
        path.write_bytes(made[form])
        level = read_level(path)
        if form != "vglc":  # which has neither start nor goal
            assert level.rows == tuple(rows), form
    assert len(image.open(io.BytesIO(made["png"])).getcolors(10**6)) > 5
    assert image.open(io.BytesIO(made["path"])).size == image.open(io.BytesIO(made["png"])).size
    with zipfile.ZipFile(io.BytesIO(made["tiled"])) as packed:
        assert packed.testzip() is None
        drawing = ElementTree.fromstring(packed.read("level.tmx"))
        named = drawing.find(".//image").get("source")
        assert named in packed.namelist(), "the map finds its tiles"


def test_a_dungeon_in_every_format():
    image = pytest.importorskip("PIL.Image")
    from treewright.apps.maps.job import DUNGEON

    made = exported(DUNGEON, {"rooms": 4})
    assert set(made) == {"png", "text", "json", "tmx", "tmj", "tiles"}
    lines = made["text"].decode().split("\n\n")[0].splitlines()
    tmx, tmj = ElementTree.fromstring(made["tmx"]), json.loads(made["tmj"])
    assert (int(tmx.get("width")), int(tmx.get("height"))) == (tmj["width"], tmj["height"])
    assert len(tmj["layers"][0]["data"]) == tmj["width"] * tmj["height"]
    assert len(lines) >= tmj["height"]
    assert json.loads(made["json"])
    for form in ("png", "tiles"):
        with image.open(io.BytesIO(made[form])) as png:
            png.load()


def test_what_a_job_has_not_left_is_said_in_a_sentence(tmp_path):
    from treewright.workshop.jobs import Manager, NoJob

    manager = Manager(tmp_path, workers=0)
    manager.store.add("big", "search", "", {"domain": "tictactoe"})
    manager.store.end("big", "done", "", {"children": []}, {})
    with pytest.raises(NoJob, match="has no npz, or it was too large"):
        manager.exported("big", "npz")
    manager.close()
