"""Files of strangers: whatever is in them, one sentence, soon, and in little memory."""

import base64
import csv
import gzip
import json
import struct
import time
import zlib

import pytest

from treewright.apps.levels.chain import Chain
from treewright.apps.levels.formats import read_corpus, read_level
from treewright.apps.levels.player_model import load_model
from treewright.apps.levels.score import from_expression
from treewright.apps.maps.spec import load_spec
from treewright.apps.stories.source import Source
from treewright.apps.study.taste import read_ratings
from treewright.apps.tactics import saves
from treewright.apps.tactics.notation import read_action
from treewright.apps.tactics.verify import verify
from treewright.errors import TreewrightError

DEEP_JSON = "[" * 200_000 + "]" * 200_000
DEEP_TOML = "a = " + "[" * 3_000 + "]" * 3_000
LONG_KEY = ".".join(["a"] * 500) + " = 1\n"


def refused(read, *arguments, most=10.0):
    """One sentence, within some seconds."""
    began = time.thread_time()
    with pytest.raises(TreewrightError) as raised:
        read(*arguments)
    assert time.thread_time() - began < most
    said = str(raised.value)
    assert "\n" not in said.strip(), said
    assert len(said) < 2000, said[:200]
    return said


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (read_level, "a.json"),
        (read_level, "a.tmj"),
        (read_corpus, "a.json"),
        (Chain.load, "a.json"),
        (load_model, "a.json"),
        (saves.load, "a.json"),
    ],
)
def test_json_that_is_nested_deeply(read, name, tmp_path):
    path = tmp_path / name
    path.write_text(DEEP_JSON)
    refused(read, path)


def test_a_folder_with_deeply_nested_json_beside_its_levels(tmp_path):
    (tmp_path / "notes.json").write_text(DEEP_JSON)
    (tmp_path / "level.txt").write_text("\n".join(["-" * 20] * 13 + ["X" * 20]) + "\n")
    assert len(read_corpus(tmp_path)) == 1


def test_recordings_that_are_nested_deeply(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(DEEP_JSON.encode()))
    refused(verify, path)


@pytest.mark.parametrize("text", [DEEP_TOML, LONG_KEY, ".".join(["a"] * 100_000) + " = 1\n"])
def test_toml_that_is_nested_deeply(text, tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(text)
    refused(load_spec, path)
    refused(Source.read, path)


@pytest.mark.parametrize("number", ["1" * 22, "9" * 400])
def test_a_matrix_with_a_long_number(number, tmp_path):
    path = tmp_path / "map.txt"
    path.write_text(f"A..\n..B\n\n0 {number}\n{number} 0\n")
    refused(load_spec, path)
    path = tmp_path / "map.toml"
    path.write_text(
        "width = 5\nheight = 5\ncheckpoints = [[0, 0], [4, 4]]\n"
        f"requirements = [[0, {number}], [{number}, 0]]\n"
    )
    refused(load_spec, path)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, body):
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x89PNG\r\n\x1a\n",
        png(3, 3, b"no zlib"),
        png(3, 3, zlib.compress(b"\0" * 5)),
        png(3, 3, zlib.compress(b"\0" * 30))[:60],
        png(12_000, 12_000, zlib.compress(b"\0" * 1000)),
        png(60_000, 60_000, zlib.compress(b"\0" * 1000)),
        png(2**31 - 1, 2**31 - 1, b""),
        png(0, 0, b""),
    ],
)
def test_broken_and_huge_pictures(data, tmp_path):
    from treewright.apps.levels.images import import_image, read_tiles, write_tiles

    path = tmp_path / "map.png"
    path.write_bytes(data)
    refused(load_spec, path)
    write_tiles(tmp_path / "tiles")
    refused(import_image, path, read_tiles(tmp_path / "tiles"))
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "solid.png").write_bytes(data)
    refused(read_tiles, tmp_path / "bad")


def tmx(data, width=16, height=14, packed="zlib", encoding="base64"):
    return (
        f'<map width="{width}" height="{height}"><tileset firstgid="1" name="t"/>'
        f'<layer width="{width}" height="{height}"><data encoding="{encoding}" '
        f'compression="{packed}">{data}</data></layer></map>'
    )


@pytest.mark.parametrize("kind", ["zlib", "gzip", "zstd"])
@pytest.mark.parametrize("size", [(16, 14), (100_000, 100_000), (-1, -1), (10**30, 2)])
def test_a_small_map_that_unpacks_to_much(kind, size, tmp_path):
    pack = gzip.compress if kind == "gzip" else zlib.compress
    bomb = base64.b64encode(pack(bytes(2**26))).decode()
    path = tmp_path / "a.tmx"
    path.write_text(tmx(bomb, *size, kind))
    refused(read_level, path, most=2.0)
    layer = {"type": "tilelayer", "width": size[0], "height": size[1], "data": bomb}
    layer["compression"] = kind
    path = tmp_path / "a.tmj"
    path.write_text(json.dumps({"type": "map", "tilesets": [], "layers": [layer]}))
    refused(read_level, path, most=2.0)


def test_maps_of_tiled_are_still_read(tmp_path):
    cells = struct.pack("<224I", *[0] * 224)
    for kind, pack in (("zlib", zlib.compress), ("gzip", gzip.compress)):
        path = tmp_path / f"{kind}.tmx"
        path.write_text(tmx(base64.b64encode(pack(cells)).decode(), packed=kind))
        assert read_level(path).rows == ("-" * 16,) * 14


def test_xml_bombs(tmp_path):
    lines = ['<!ENTITY a0 "aaaaaaaaaa">']
    lines += [f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12)]
    path = tmp_path / "a.tmx"
    path.write_text(f"<!DOCTYPE map [{''.join(lines)}]><map>&a11;</map>")
    refused(read_level, path)
    path.write_text("<map>" + "<a>" * 300_000)
    refused(read_level, path)
    path.write_text("<map>" + "<a>" * 100_000 + "</a>" * 100_000 + "</map>")
    refused(read_level, path)


@pytest.mark.parametrize(
    "text",
    [
        " + ".join(["gaps"] * 2_000),
        "(" * 5_000 + "gaps" + ")" * 5_000,
        "-" * 5_000 + "gaps",
        "gaps if " * 2_000 + "gaps",
        "abs(" * 150 + "gaps" + ")" * 150,
        "gaps\0",
        "9" * 5_000,
        "\ud800",
    ],
)
def test_long_scores(text):
    refused(from_expression, text)


@pytest.mark.parametrize(
    "text",
    [
        "gaps if columns > 5 else 9**9**9",
        "gaps if columns > 5 else 9**(9**(9**9))",
        "gaps if columns > 5 else ((((((9**9)**9)**9)**9)**9)**9)**9**9",
        "gaps if columns > 5 else (9 * enemies)**(rewards * 9999999)",
        "gaps if columns > 5 else floor(exp(700))**floor(exp(700))",
        "columns > 5 or 9**9**9",
    ],
)
def test_scores_with_a_branch_that_explodes(text):
    """At once: a number, or an error of arithmetic; never an integer of a billion digits."""
    try:
        score = from_expression(text)
    except TreewrightError:
        return
    assert score(100, 320, 5, 10, 10, 2.0, 0.5) in (5.0, True)
    began = time.thread_time()
    with pytest.raises(ArithmeticError):
        score(1, 320, 5, 10, 10, 2.0, 0.5)
    assert time.thread_time() - began < 1.0


def test_ratings_with_a_null_in_a_path(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("a,b,better\nx\0y.txt,b.txt,a\n")
    refused(read_ratings, path)
    refused(read_ratings, tmp_path / "no\0thing.csv")
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["a", "b", "better"], ["x" * 200_000, "b.txt", "a"]])
    refused(read_ratings, path)
    path.write_text("a,b,better\n,,,,,\n")
    refused(read_ratings, path)
    path.write_text('a,b,better\n"x\ny.txt",b.txt,a\n')  # an end of line in a name
    refused(read_ratings, path)


@pytest.mark.parametrize("action", [{}, [], None, 5, True, {"E": 1}, ["E"], "", "M", 1e9])
def test_actions_of_any_type(action, tmp_path):
    refused(read_action, action)
    path = tmp_path / "game.json"
    path.write_text(json.dumps({"format": saves.FORMAT, "settings": {}, "actions": [action]}))
    refused(saves.load, path)


@pytest.mark.parametrize(
    "settings",
    [
        {"seed": 2**70},
        {"seed": -5},
        {"seed": "x"},
        {"seed": 2.5},
        {"ap": 1e300},
        {"ap": []},
        {"map": {}},
        {"map": None},
        {"turn_limit": "long"},
        {"no": 1},
    ],
)
def test_saved_games_with_settings_of_any_type(settings, tmp_path):
    path = tmp_path / "game.json"
    path.write_text(json.dumps({"format": saves.FORMAT, "settings": settings, "actions": []}))
    try:
        saves.load(path)
    except TreewrightError as error:
        assert "\n" not in str(error)  # noqa: PT017 - some of them may be good settings


@pytest.mark.parametrize("memory", [2**70, 10**400, "1e9GiB", "9" * 400 + "GiB", -(2**70), 2.5])
def test_memory_of_any_size(memory):
    import treewright as tw
    from treewright.apps.games.nim import Nim

    refused(lambda: tw.Search(Nim(), memory=memory, engine="python"))


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 400, "1e999"])
def test_problems_with_numbers_beyond_all_bounds(number, tmp_path):
    from treewright.apps.stories.planning.syntax import parse

    with pytest.raises(TreewrightError):
        parse(f"property p() : number;\nutility():\n  {number};\n", "numbers.txt")


def test_games_from_a_page_with_a_seed_below_nothing():
    pytest.importorskip("pydantic", reason="the studio is not installed")
    from treewright.apps.tactics.job import from_file

    game = {"format": "treewright-hero-academy-1", "actions": []}
    game["settings"] = {"map": "a-tiny", "ap": 5, "seed": -1}
    with pytest.raises(TreewrightError, match="seed"):
        from_file(json.dumps(game).encode())


@pytest.mark.parametrize("word", ["9" * 5000, "interval " + "9" * 5000, "maxmoves " + "9" * 5000])
def test_intervals_of_five_thousand_digits(word):
    from treewright.apps.go.gtp.analysis import request
    from treewright.apps.go.gtp.protocol import Refused

    with pytest.raises(Refused):
        request(tuple(word.split()), {"b": 1})
