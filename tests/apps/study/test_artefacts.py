"""Pairs of anything: shown, rated with a reason, learnt, ranked."""

import csv
import random
from importlib.util import find_spec

import pytest

from treewright.apps.study import artefacts
from treewright.apps.study.errors import StudyError
from treewright.apps.study.taste import add_rating, pairs_to_rate

pytestmark = pytest.mark.skipif(  # it is imported where it is used
    find_spec("sklearn") is None,
    reason="the study's statistics are not installed: pip install 'treewright[study]'",
)


@pytest.fixture
def maps(tmp_path):
    """Thirty maps, whose designer likes many islands and few rivers, and what was chosen."""
    dice = random.Random(1)
    table = {f"map-{i:02d}.png": (dice.random(), dice.random(), 7.0) for i in range(30)}
    lines = ["file,islands,rivers,size"]
    lines += [f"{name},{a},{b},{c}" for name, (a, b, c) in table.items()]
    (tmp_path / "maps.csv").write_text("\n".join(lines) + "\n")
    names = list(table)
    for k in range(60):
        a, b = (names[i] for i in pairs_to_rate(len(names), k))
        worth = [2 * table[n][0] - table[n][1] for n in (a, b)]
        add_rating(tmp_path / "ratings.csv", a, b, "ab"[worth[1] > worth[0]], "more\n islands, ")
    return tmp_path


def test_a_taste_of_maps_is_learnt_and_ranks_others(maps, command, monkeypatch):
    monkeypatch.chdir(maps)
    said = command("study", "taste", "ratings.csv", "--table", "maps.csv", "--out", "t.json")
    assert "60 ratings" in said
    found = artefacts.load_taste(maps / "t.json")
    assert set(found.weights) == {"islands", "rivers"}, "what never varies says nothing"
    assert found.weights["islands"] > 0 > found.weights["rivers"]
    assert found.agreement > 0.85
    (maps / "new.csv").write_text("file,islands,rivers\nx.png,0.1,0.9\ny.png,0.9,0.1\n")
    assert command("study", "rank", "t.json", "new.csv").split()[1] == "y.png"
    (maps / "less.csv").write_text("file,islands\nx.png,0.1\n")
    assert "lacks rivers" in command("study", "rank", "t.json", "less.csv", code=2)


def test_reasons_are_one_line_and_old_files_stay_as_they_are(tmp_path, maps):
    rows = list(csv.DictReader((maps / "ratings.csv").open()))
    assert rows[0]["why"] == "more islands,"
    old = tmp_path / "old.csv"
    old.write_text("a,b,better\nx,y,a\n")
    add_rating(old, "x", "y", "b", "because")
    assert old.read_text() == "a,b,better\nx,y,a\nx,y,b\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("file\nx\n", "and others with numbers"),
        ("file,a\nx,much\n", "something else than numbers"),
        ("file,a\nx,nan\n", "not finite"),
        ("", "and others with numbers"),
    ],
)
def test_a_bad_table_is_one_sentence(tmp_path, text, why):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(StudyError, match=why):
        artefacts.read_table(tmp_path / "t.csv")


def test_ratings_that_are_no_table_are_one_sentence(tmp_path):
    (tmp_path / "r.csv").write_text("a,b,better\n" + 200_000 * "x" + ",y,a\n")
    with pytest.raises(StudyError, match="is no CSV file"):
        artefacts.read_choices(tmp_path / "r.csv", {})


def test_only_pictures_and_texts_are_shown(tmp_path):
    from treewright.apps.study.rating_pages import of_file

    for name in ("a.txt", "b.svg", "c.exe"):
        (tmp_path / name).write_text("<b>once</b>")
    assert [p.name for p in artefacts.things_in(tmp_path)] == ["a.txt", "b.svg"]
    assert of_file(tmp_path / "a.txt").text == "<b>once</b>"
    assert of_file(tmp_path / "b.svg").picture() == (b"<b>once</b>", "image/svg+xml")
    (tmp_path / "a.txt").unlink()
    with pytest.raises(StudyError, match="a pair needs two"):
        artefacts.things_in(tmp_path)
