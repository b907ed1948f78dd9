"""Levels in and out: text, legends, JSON, Tiled, pictures; and what is refused."""

import json
import os
import shutil
import subprocess

import pytest

from treewright.apps.levels import tiled
from treewright.apps.levels.formats import (
    from_json,
    from_text,
    read_corpus,
    read_level,
    write_level,
)
from treewright.apps.levels.generate import own_corpus
from treewright.apps.levels.level import Level
from treewright.apps.levels.tiles import KINDS, TILES, LevelError, read_legend

EVERY_TILE = Level(("-" * len(TILES), "".join(TILES), "-" * len(TILES), "X" * len(TILES)))


def test_the_paper_has_eight_kinds_of_tiles():
    assert len(KINDS) == 8
    assert {tile.kind for tile in TILES.values()} == {*KINDS, "empty", "start", "goal"}


@pytest.mark.parametrize("suffix", [".txt", ".json", ".tmx", ".tmj"])
def test_what_is_written_is_read_back(tmp_path, suffix):
    path = tmp_path / f"level{suffix}"
    write_level(EVERY_TILE, path)
    assert read_level(path).rows == EVERY_TILE.rows


def test_a_byte_order_mark_is_no_tile(tmp_path):
    (tmp_path / "a.txt").write_text("----\n----\n----\nXXXX\n", encoding="utf-8-sig")
    assert read_level(tmp_path / "a.txt").rows == ("----", "----", "----", "XXXX")


def test_our_own_levels_are_written_in_the_corpus_format_without_loss(tmp_path):
    levels = own_corpus()
    assert len(levels) >= 20
    for level in levels:
        write_level(level, tmp_path / f"{level.where}.txt", "vglc")
    again = read_corpus(tmp_path)
    assert [level.rows for level in again] == [level.rows for level in levels]


def test_a_picture_is_read_back_by_template_matching(tmp_path):
    pytest.importorskip("cv2")
    from treewright.apps.levels.images import import_image, read_tiles, write_tiles

    write_tiles(tmp_path / "tiles")
    tiles = read_tiles(tmp_path / "tiles")
    for level in own_corpus()[::6]:
        write_level(level, tmp_path / "level.png")
        found = import_image(tmp_path / "level.png", tiles)
        assert found.rows == level.rows, level.where


def test_enemies_between_cells_are_found(tmp_path):
    cv2 = pytest.importorskip("cv2")
    from treewright.apps.levels.images import import_image, read_tiles, write_tiles

    write_tiles(tmp_path / "tiles")
    rows = ("-" * 12,) * 5 + ("X" * 12,)
    write_level(Level(rows), tmp_path / "level.png")
    image = cv2.imread(str(tmp_path / "level.png"))
    sprite = cv2.imread(str(tmp_path / "tiles" / "enemy.png"), cv2.IMREAD_UNCHANGED)
    seen = sprite[:, :, 3] > 0
    image[64:80, 69:85][seen] = sprite[:, :, :3][seen]  # five pixels right of a cell
    cv2.imwrite(str(tmp_path / "level.png"), image)
    found = import_image(tmp_path / "level.png", read_tiles(tmp_path / "tiles"))
    assert found.enemies == 1
    assert found.rows[4][4] == "E"


def test_an_image_that_is_no_multiple_of_the_tile_is_refused(tmp_path):
    cv2 = pytest.importorskip("cv2")
    import numpy as np

    from treewright.apps.levels.images import import_image, read_tiles, write_tiles

    write_tiles(tmp_path / "tiles")
    cv2.imwrite(str(tmp_path / "odd.png"), np.zeros((64, 100, 3), np.uint8))
    with pytest.raises(LevelError, match=r"100 x 64 pixels, which is no multiple"):
        import_image(tmp_path / "odd.png", read_tiles(tmp_path / "tiles"))


def test_tiles_with_unknown_names_are_refused(tmp_path):
    pytest.importorskip("cv2")
    from treewright.apps.levels.images import read_tiles, write_tiles

    write_tiles(tmp_path)
    (tmp_path / "solid.png").rename(tmp_path / "solidd.png")
    with pytest.raises(LevelError, match="did you mean 'solid'"):
        read_tiles(tmp_path)


# ------------------------------------------------------------------------------------- Tiled


def run_tiled(*arguments, cwd):
    if shutil.which("tiled") is None:
        pytest.skip("Tiled is not installed (Debian package 'tiled')")
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": str(cwd)}
    subprocess.run(
        ["tiled", *arguments],
        check=True,
        cwd=cwd,
        env=environment,
        timeout=120,
        capture_output=True,
    )


def test_a_map_says_which_tiled_reads_it():
    """It need not, says Tiled; but pytiled-parser, the reader of Arcade, took no map without it."""
    assert json.loads(tiled.to_tmj(EVERY_TILE))["tiledversion"]
    assert ' tiledversion="1.10' in tiled.to_tmx(EVERY_TILE)


@pytest.mark.parametrize(("ours", "theirs"), [("tmx", "tmj"), ("tmj", "tmx")])
def test_tiled_reads_and_rewrites_our_maps_without_loss(tmp_path, ours, theirs):
    for number, level in enumerate((EVERY_TILE, own_corpus()[4])):
        write_level(level, tmp_path / f"ours{number}.{ours}")
        run_tiled("--export-map", f"ours{number}.{ours}", f"theirs{number}.{theirs}", cwd=tmp_path)
        assert read_level(tmp_path / f"theirs{number}.{theirs}").rows == level.rows


def test_packed_tile_data_is_read():
    import base64
    import gzip
    import struct
    import zlib

    plain = json.loads(tiled.to_tmj(EVERY_TILE))
    cells = plain["layers"][0]["data"]
    raw = struct.pack(f"<{len(cells)}I", *cells)
    for name, pack in (("zlib", zlib.compress), ("gzip", gzip.compress), ("", bytes)):
        plain["layers"][0] |= {
            "encoding": "base64",
            "compression": name,
            "data": base64.b64encode(pack(raw)).decode(),
        }
        assert tiled.from_tmj(json.dumps(plain), "packed").rows == EVERY_TILE.rows


# ----------------------------------------------------------------------------------- legends


def test_the_corpus_s_own_characters_keep_their_meaning():
    """Those of the public corpus, with tags such as it has."""
    tags = {
        "X": ["solid", "ground"],
        "S": ["solid", "breakable"],
        "-": ["passable", "empty"],
        "?": ["solid", "question block", "full question block"],
        "Q": ["solid", "question block", "empty question block"],
        "E": ["enemy", "damaging", "hazard", "moving"],
        "<": ["solid", "top-left pipe", "pipe"],
        "]": ["solid", "right pipe", "pipe"],
        "o": ["coin", "collectable", "passable"],
        "B": ["cannon top", "cannon", "solid", "hazard"],
        "b": ["cannon bottom", "cannon", "solid"],
    }
    assert all(ours == c for c, ours in read_legend({"tiles": tags}, "theirs").items())


def test_a_foreign_legend_translates(tmp_path):
    legend = {"tiles": {".": ["passable", "empty"], "=": ["solid", "ground"], "g": ["enemy"]}}
    (tmp_path / "legend.json").write_text(json.dumps(legend))
    (tmp_path / "a.txt").write_text("....\n....\n..g.\n====\n")
    (level,) = read_corpus(tmp_path)
    assert level.rows == ("----", "----", "--g-", "XXXX")


# --------------------------------------------------------------------------------- bad input

BAD_TEXT = [
    ("----\n---\n----\nXXXX\n", r"x, row 2: 3 tiles, but the first row has 4"),
    ("----\n--&-\n----\nXXXX\n", r"x, row 2, column 3: '&' is no tile"),
    ("", r"x is empty"),
    ("----\nXXXX\n", r"x: 2 rows; a level has 4 to 24"),
]


@pytest.mark.parametrize(("text", "message"), BAD_TEXT)
def test_bad_text_is_one_sentence(text, message):
    with pytest.raises(LevelError, match=message):
        from_text(text, "x")


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (from_json, "{", "x is no JSON"),
        (from_json, "{}", "format 'treewright-level-1'"),
        (tiled.from_tmx, "<map", "x is no XML"),
        (tiled.from_tmx, "<tileset/>", "no Tiled map"),
        (tiled.from_tmx, "<map><tileset source='a.tsx'/></map>", "embed it"),
        (tiled.from_tmx, "<map/>", "no tile layer"),
        (tiled.from_tmx, "<map infinite='1'/>", "x is an infinite map"),
        (tiled.from_tmx, "<map><tileset firstgid='q'/></map>", "x is no map as Tiled writes it"),
        (tiled.from_tmj, '{"type": "map", "tilesets": 5}', "x is no map as Tiled writes it"),
        (tiled.from_tmj, '{"type": "map", "infinite": true}', "x is an infinite map"),
        (tiled.from_tmj, "[]", "no Tiled map"),
        (tiled.from_tmj, '{"type": "map"}', "lacks 'tilesets'"),
    ],
)
def test_bad_files_are_one_sentence(read, text, message):
    with pytest.raises(LevelError, match=message):
        read(text, "x")


def test_a_start_or_goal_that_cannot_exist_is_refused():
    rows = ("----", "----", "----", "-XXX")
    with pytest.raises(LevelError, match="the start can't exist: column 1 has no floor"):
        _ = Level(rows).start
    with pytest.raises(LevelError, match="the goal can't exist: column 4"):
        _ = Level(tuple(row[::-1] for row in rows)).goal_column
    marked = ("----", "----", "-M-F", "-XXX")
    assert Level(marked).start == (1, 2)
    assert Level(marked).goal_column == 3
    assert Level(marked).marked
    assert Level(marked).unmarked().rows == ("----", "----", "----", "-XXX")
    with pytest.raises(LevelError, match="several tiles F; a level has one goal"):
        Level(("----", "F---", "-M-F", "-XXX"))


def test_a_folder_without_levels_is_refused(tmp_path):
    with pytest.raises(LevelError, match="has no level in it"):
        read_corpus(tmp_path)
    with pytest.raises(LevelError, match="a level or a folder of levels is wanted"):
        read_corpus(tmp_path / "nowhere")
