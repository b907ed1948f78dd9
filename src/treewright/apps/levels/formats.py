"""Reading and writing levels: text, JSON and Tiled maps.

Text is one line per row.  The Video Game Level Corpus and the Mario-AI-Framework use the same
characters where they overlap (tiles.py), so both are read the same way; ``mario-ai`` writes every
tile as it is, ``vglc`` the corpus's smaller alphabet, which has no start and no goal.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from treewright.apps.levels import tiled
from treewright.apps.levels.level import Level
from treewright.apps.levels.tiles import TILES, LevelError, one_of, read_legend
from treewright.errors import nearest
from treewright.library.reading import is_folder, is_there, json_of, text_of
from treewright.library.writing import write_whole

FORMAT = "treewright-level-1"
FORMATS = {
    "vglc": ".txt",
    "mario-ai": ".txt",
    "json": ".json",
    "tmx": ".tmx",
    "tmj": ".tmj",
    "png": ".png",
}
_SUFFIXES = {".txt": "mario-ai", ".json": "json", ".tmx": "tmx", ".tmj": "tmj", ".png": "png"}


def read_level(path: Path, legend: Mapping[str, str] | None = None) -> Level:
    """A level from a text, JSON or Tiled file; ``legend`` maps foreign characters to ours."""
    if is_folder(path):
        raise LevelError(f"{path} is a folder; a single level is wanted here")
    kind = path.suffix.lower()
    if kind in (".png", ".jpg", ".bmp"):
        raise LevelError(f"{path} is an image: read it with level import-image --tiles FOLDER")
    text = text_of(path, LevelError)
    if kind == ".tmx":
        return tiled.from_tmx(text, str(path))
    if kind == ".tmj":
        return tiled.from_tmj(text, str(path))
    if kind == ".json":
        return from_json(text, str(path))
    return from_text(text, str(path), legend)


def from_text(text: str, where: str, legend: Mapping[str, str] | None = None) -> Level:
    """From lines of characters; empty lines at the end are nothing."""
    rows = text.rstrip("\n").split("\n")
    if legend is not None:
        rows = [_translated(row, i, where, legend) for i, row in enumerate(rows, 1)]
    return Level(tuple(rows), where)


def _translated(row: str, number: int, where: str, legend: Mapping[str, str]) -> str:
    for column, character in enumerate(row, 1):
        if character not in legend:
            raise LevelError(
                f"{where}, row {number}, column {column}: {character!r} is not in the legend, "
                f"which has {' '.join(legend)}"
            )
    return "".join(legend[c] for c in row)


def from_json(text: str, where: str) -> Level:
    """From ``{"format": "treewright-level-1", "rows": [...]}``."""
    data = json_of(text, where, LevelError)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise LevelError(f"{where}: a level in JSON has format {FORMAT!r} and a list of rows")
    rows = data.get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise LevelError(f"{where}: 'rows' must be a list of strings")
    return Level(tuple(rows), where)


def to_vglc(level: Level) -> str:
    """The corpus's alphabet; a hidden power-up keeps its ``U``, which the corpus leaves out."""
    rows = ["".join(_vglc(tile) for tile in row) for row in level.rows]
    return "\n".join(rows) + "\n"


def _vglc(tile: str) -> str:
    return "U" if TILES[tile].kind == "hidden power-up" else TILES[tile].vglc


def to_mario_ai(level: Level) -> str:
    """The framework's alphabet, which is ours."""
    return level.text()


def to_json(level: Level) -> str:
    return json.dumps({"format": FORMAT, "rows": level.rows}, indent=1) + "\n"


WRITERS: dict[str, Callable[[Level], str]] = {
    "vglc": to_vglc,
    "mario-ai": to_mario_ai,
    "json": to_json,
    "tmx": tiled.to_tmx,
    "tmj": tiled.to_tmj,
}


def format_of(path: Path, name: str | None) -> str:
    """The format that was asked for, or the one that the file's ending says."""
    if name is not None:
        return one_of("format", name, FORMATS)
    kind = _SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise LevelError(
            f"{path}: no format has the ending {path.suffix!r}{nearest(path.suffix, _SUFFIXES)}"
        )
    return kind


def write_level(level: Level, path: Path, name: str | None = None, theme: str = "meadow") -> None:
    """Write a level in a format, whole or not at all; Tiled's get their tile sheet beside them."""
    kind = format_of(path, name)
    if kind == "png":
        from treewright.apps.levels.drawing import draw_level

        write_whole(path, draw_level(level, theme=theme), LevelError)
        return
    if kind in ("tmx", "tmj"):
        from treewright.apps.levels.drawing import tile_sheet

        write_whole(path.parent / tiled.SHEET, tile_sheet(theme), LevelError)
    write_whole(path, WRITERS[kind](level), LevelError)


def read_corpus(folder: Path, legend: Path | None = None) -> list[Level]:
    """Every level of a folder (or one file), by name; a legend beside them is used."""
    if not is_there(folder):
        raise LevelError(f"there is no {folder}: a level or a folder of levels is wanted here")
    given = _legend_of(folder, legend)
    files = [folder]
    if folder.is_dir():
        files = sorted(f for f in folder.iterdir() if f.is_file() and _is_level(f))
    if not files:
        raise LevelError(f"{folder} has no level in it: .txt, .json, .tmx or .tmj files are wanted")
    return [read_level(f, given if f.suffix.lower() == ".txt" else None) for f in files]


def _is_level(path: Path) -> bool:
    """By its ending; of JSON files, which may be anything, by what they say."""
    kind = path.suffix.lower()
    return kind in (".txt", ".tmx", ".tmj") or _json_has(path, "format", FORMAT)


def _json_has(path: Path, key: str, value: object = None) -> bool:
    if path.suffix.lower() != ".json":
        return False
    try:
        data = json_of(text_of(path, LevelError), str(path), LevelError)
    except LevelError:
        return False
    return isinstance(data, dict) and key in data and value in (None, data[key])


def _legend_of(folder: Path, legend: Path | None) -> dict[str, str] | None:
    """The legend that was named, or the one among the files of a corpus."""
    if legend is None:
        if not folder.is_dir():
            return None
        found = [f for f in sorted(folder.glob("*.json")) if _json_has(f, "tiles")]
        if not found:
            return None
        legend = found[0]
    return read_legend(json_of(text_of(legend, LevelError), str(legend), LevelError), str(legend))
