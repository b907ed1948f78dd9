"""Levels as maps of the editor Tiled, with our tile sheet as their tileset.

Every tile of the sheet carries its character as the property ``tile``, so a map that Tiled has
saved again, with the numbers changed or the data packed, is read back without loss.
"""

from typing import Any

from treewright.apps.levels.level import LONGEST, MOST_ROWS, Level
from treewright.apps.levels.tiles import EMPTY, TILES, LevelError
from treewright.workshop import tiled

SHEET = "treewright-tiles.png"
SIDE = 16
SHEET_COLUMNS = 8
CHARACTERS = tuple(TILES)
NUMBER = {character: i for i, character in enumerate(CHARACTERS)}
PROPERTY = "tile"
ORDER = tiled.Order(
    map=(
        "version",
        "tiledversion",
        "orientation",
        "renderorder",
        "infinite",
        "nextlayerid",
        "nextobjectid",
        "width",
        "height",
        "tilewidth",
        "tileheight",
    ),
    tileset=("firstgid", "name", "tilecount", "columns", "tilewidth", "tileheight"),
)


def sheet_size() -> tuple[int, int]:
    rows = -(-len(CHARACTERS) // SHEET_COLUMNS)
    return SHEET_COLUMNS * SIDE, rows * SIDE


def to_tmx(level: Level) -> str:
    return tiled.to_xml(_map(level), ORDER)


def to_tmj(level: Level) -> str:
    return tiled.to_json(_map(level))


def _map(level: Level) -> dict[str, Any]:
    """Air is no tile, so that the map's background shows."""
    cells = [0 if tile == EMPTY else NUMBER[tile] + 1 for row in level.rows for tile in row]
    ground = tiled.tile_layer("level", level.length, level.height, cells)
    return tiled.to_map(SIDE, _tileset(), ground)


def _tileset() -> dict[str, Any]:
    width, height = sheet_size()
    return {
        "firstgid": 1,
        "name": "treewright",
        "image": SHEET,
        "imagewidth": width,
        "imageheight": height,
        "tilewidth": SIDE,
        "tileheight": SIDE,
        "tilecount": len(CHARACTERS),
        "columns": SHEET_COLUMNS,
        "margin": 0,
        "spacing": 0,
        "tiles": [
            {
                "id": i,
                "type": TILES[character].kind,
                "properties": [{"name": PROPERTY, "type": "string", "value": character}],
            }
            for i, character in enumerate(CHARACTERS)
        ],
    }


def from_tmx(text: str, where: str) -> Level:
    return _level(_reader(where).xml(text), where)


def from_tmj(text: str, where: str) -> Level:
    return _level(_reader(where).json(text), where)


def _reader(where: str) -> tiled.Reader:
    return tiled.Reader(where, LevelError, PROPERTY, LONGEST, MOST_ROWS)


def _level(cells: tiled.TileLayer, where: str) -> Level:
    rows = []
    for first in range(0, len(cells.tiles), cells.width):
        row = ""
        for column, tile in enumerate(cells.tiles[first : first + cells.width], 1):
            character = cells.properties.get(tile, "") if tile else EMPTY
            if len(character) != 1:
                raise LevelError(
                    f"{where}, row {first // cells.width + 1}, column {column}: tile {tile} has "
                    f"no property '{PROPERTY}' with one of our characters"
                )
            row += character
        rows.append(row)
    return Level(tuple(rows), where)
