"""``treewright level`` from outside: what it prints, writes and refuses."""

import json

import pytest

from treewright.apps.levels.commands import _line
from treewright.apps.levels.formats import read_level
from treewright.apps.levels.generate import own_corpus
from treewright.apps.levels.level import Level
from treewright.apps.levels.player import play


@pytest.fixture
def level(command, tmp_path):
    def call(*arguments, **checks):
        return command("level", *arguments, **checks)

    call.folder = tmp_path
    return call


def test_generate_then_check_then_draw(level):
    said = level("generate", "--length", 80, "--difficulty", 0.5, "--seed", 7, "--out", "a.txt")
    assert said.startswith("a.txt: 80 slices, ")
    assert "rollouts in" in said
    made = read_level(level.folder / "a.txt")
    assert made.length == 80
    assert play(made, "large").playable
    again = level("generate", "--length", 80, "--seed", 7, "--out", "b.txt", "--json")
    assert json.loads(again)["length"] == 80
    assert (level.folder / "b.txt").read_text() == (level.folder / "a.txt").read_text()
    assert "a.txt: playable" in level("check", "a.txt", "--picture", "path.png")
    assert (level.folder / "path.png").read_bytes()[:4] == b"\x89PNG"


def test_one_gap_is_no_gaps():
    row = {"out": "a.txt", "length": 40, "rollouts": 9, "seconds": 1.0}
    said = _line(row | {"gaps": 1, "enemies": 1, "rewards": 0})
    assert said.startswith("a.txt: 40 slices, 1 gap, 1 enemy, 0 rewards; ")


def test_count_fills_a_folder(level):
    out = level("generate", "--length", 40, "--count", 3, "--format", "tmx", "--out", "many")
    names = sorted(p.name for p in (level.folder / "many").glob("*.tmx"))
    assert names == ["level-0001.tmx", "level-0002.tmx", "level-0003.tmx"]
    assert "3 levels, " in out


def test_levels_go_to_a_folder_that_looks_like_one(level):
    """Several made a folder of the name level.txt."""
    level("generate", "--length", 40, "--count", 2)
    assert len(list((level.folder / "levels").glob("*.txt"))) == 2
    assert not (level.folder / "level.txt").exists()


def test_levels_made_in_no_time_are_counted(level):
    out = level("generate", "--count", 2, "--length", 20, "--rollouts", 1, "--out", "levels", "-q")
    assert "2 levels" in out


def test_pictures_of_levels_with_the_same_name_are_all_kept(level):
    for folder in ("a", "b"):
        (level.folder / folder).mkdir()
        (level.folder / folder / "one.txt").write_text("----\n----\n----\nXXXX\n")
    level("check", "a", "b", "--picture", "pictures", "--wrap", 2)
    assert sorted(p.name for p in (level.folder / "pictures").iterdir()) == ["one-2.png", "one.png"]


def test_check_says_no_with_exit_code_1(level):
    wide = Level.of_columns(["-" * 13 + "X"] * 4 + ["-" * 14] * 12 + ["-" * 13 + "X"] * 4)
    (level.folder / "wide.txt").write_text(wide.text())
    out = level("check", "wide.txt", "--json", code=1)
    (found,) = json.loads(out)
    assert found["playable"] is False
    assert found["farthest"] == [3, 12]
    assert "a gap of 12 columns" in found["obstacle"]


def test_learn_and_analyse(level):
    for one in own_corpus()[:4]:
        (level.folder / f"{one.where}.txt").write_text(one.text())
    out = level("learn", ".", "--out", "chain.json")
    assert "4 levels" in out
    assert "dead ends left out" in out
    found = json.loads(level("analyse", f"{own_corpus()[0].where}.txt", "--json"))
    assert found["levels"][0]["copied_run"] == own_corpus()[0].length
    assert "copied_run" in level("analyse", ".", "--corpus", "chain.json", "--plot", "range.png")
    assert (level.folder / "range.png").exists()


def test_convert_and_import(level):
    pytest.importorskip("cv2")
    one = own_corpus()[2]
    (level.folder / "one.txt").write_text(one.text())
    for name in ("one.tmx", "one.tmj", "one.json", "one.png"):
        level("convert", "one.txt", name)
    for name in ("one.tmx", "one.tmj", "one.json"):
        assert read_level(level.folder / name).rows == one.rows
    level("tiles", "--out", "tiles")
    level("import-image", "one.png", "--tiles", "tiles", "--out", "again.txt")
    assert read_level(level.folder / "again.txt").rows == one.rows


BAD = [
    (("generate", "--difficulty", "hard"), "--difficulty 'hard': write a number"),
    (("generate", "--difficulty", 2), "each must be between 0 and 1"),
    (("generate", "--gaps", "3-5"), "--gaps '3-5': write it as 12 or 10..14"),
    (("generate", "--length", 60, "--gaps", "50..60"), "at least 50 for gaps can't hold"),
    (("generate", "--length", 10**7), "length 10000000 is too long"),
    (("generate", "--corpus", "nowhere"), "there is no nowhere: a level or a folder"),
    (("generate", "--corpus", "short"), "the corpus is too small for a chain"),
    (("generate", "--fix", "bridge.txt"), "write it as column:file"),
    (("generate", "--fix", "²:marks.txt"), "write it as column:file"),
    (("generate", "--fix", "5:"), "write it as column:file"),
    (("generate", "--goal", "good.txt", "--length", 20), "more than the level's 20"),
    (("generate", "--vary", "floating.txt", "--length", 50), "floating.txt has 4 slices"),
    (("generate", "--keep", 0.2), "--keep belongs to a level"),
    (("generate", "--count", 2, "--out", "ragged.txt"), "--out ragged.txt is the name of a file"),
    (("generate", "--count", 2, "--out", "new", "--gaps", 300), "at least 300 for gaps can't hold"),
    (("generate", "--fix", "5:nowhere.txt"), "nowhere.txt can't be read"),
    (("generate", "--out", "level.doc"), "no format has the ending '.doc'"),
    (("generate", "--player", "huge"), "player 'huge' is unknown"),
    (("generate", "--score", "2 - gapz"), "did you mean 'gaps'"),
    (("generate", "--score", "9**9**9**9"), "is no number for 5 gaps"),
    (("generate", "--score", "gaps +"), "invalid syntax at the end"),
    (("generate", "--score", ""), "score ''"),
    (("generate", "--shared", 0), "--shared 0 must be above 0"),
    (("check", "ragged.txt"), "ragged.txt, row 2: 3 tiles, but the first row has 4"),
    (("check", "unknown.txt"), "'&' is no tile"),
    (("check", "floating.txt"), "the goal can't exist"),
    (("check", "marks.txt"), "marks.txt has several tiles M; a level has one start"),
    (("check", "nowhere.txt"), "there is no nowhere.txt"),
    (
        ("check", "good.txt", "--picture", "path.jpg"),
        "path.jpg: the file must end in .png",
    ),
    (("analyse", "good.txt", "--plot", "range"), "--plot range: the file must end in .png"),
    (("generate", "--enemies", "inf"), "at least inf for enemies can't hold"),
    (("generate", "--gaps", 3.5), "gaps 3.5 to 3.5 can't hold: no whole number is in it"),
    (("learn", "short"), "the corpus is too small for a chain"),
    (("learn", "flat.txt"), "the corpus is too small for a chain"),
    (("learn", "good.txt", "--out", "nowhere/chain.json"), "there is no folder nowhere"),
    (("analyse", "good.txt", "--plot", "nowhere/range.png"), "there is no folder nowhere"),
    (("tiles", "--out", "ragged.txt"), "ragged.txt can't be written: File exists"),
    (("convert", "map.tmx", "a.txt"), "map.tmx is no map as Tiled writes it"),
    (("convert", "ragged.txt", "a.tmx"), "ragged.txt, row 2"),
    (("import-image", "ragged.txt", "--tiles", "short"), "has no .png of a tile"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_input_is_one_sentence(level, arguments, message):
    if arguments[0] == "import-image":
        pytest.importorskip("cv2")
    (level.folder / "ragged.txt").write_text("----\n---\n----\nXXXX\n")
    (level.folder / "unknown.txt").write_text("----\n--&-\n----\nXXXX\n")
    (level.folder / "floating.txt").write_text("----\n----\n----\nXXX-\n")
    (level.folder / "marks.txt").write_text("----\n----\nM-M-\nXXXX\n")
    (level.folder / "flat.txt").write_text("--------\n--------\n--------\nXXXXXXXX\n")
    (level.folder / "good.txt").write_text(own_corpus()[2].text())
    (level.folder / "map.tmx").write_text("<map><layer width='x'><data/></layer></map>")
    (level.folder / "short").mkdir()
    (level.folder / "short" / "a.txt").write_text("---\n--X\n-XX\nXXX\n")
    before = sorted(p.name for p in level.folder.rglob("*"))
    assert message in level(*arguments, code=2)
    assert sorted(p.name for p in level.folder.rglob("*")) == before, "nothing half-written"
