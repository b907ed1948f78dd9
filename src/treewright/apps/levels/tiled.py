"""Tiled maps, as XML (TMX) and JSON (TMJ), with our tile sheet as their tileset.

Every tile of the sheet carries its character as the property ``tile``, so a map that Tiled has
saved again, with the numbers changed or the data packed, is read back without loss.
"""

import base64
import binascii
import json
import struct
import xml.etree.ElementTree as ET
from typing import Any

from treewright.apps.levels.level import LONGEST, MOST_ROWS, Level
from treewright.apps.levels.tiles import EMPTY, TILES, LevelError
from treewright.library.reading import json_of, unpacked

SHEET = "treewright-tiles.png"
SIDE = 16
SHEET_COLUMNS = 8
CHARACTERS = tuple(TILES)
NUMBER = {character: i for i, character in enumerate(CHARACTERS)}
FLAGS = 0x0FFFFFFF  # the bits of a cell that are its tile; the others turn it over


def sheet_size() -> tuple[int, int]:
    rows = -(-len(CHARACTERS) // SHEET_COLUMNS)
    return SHEET_COLUMNS * SIDE, rows * SIDE


def to_tmx(level: Level) -> str:
    width, height = sheet_size()
    size = {"width": str(level.length), "height": str(level.height)}
    side = {"tilewidth": str(SIDE), "tileheight": str(SIDE)}
    root = ET.Element(
        "map",
        {
            "version": "1.10",
            "orientation": "orthogonal",
            "renderorder": "right-down",
            "infinite": "0",
            "nextlayerid": "2",
            "nextobjectid": "1",
            **size,
            **side,
        },
    )
    tiles = ET.SubElement(
        root,
        "tileset",
        {
            "firstgid": "1",
            "name": "treewright",
            "tilecount": str(len(CHARACTERS)),
            "columns": str(SHEET_COLUMNS),
            **side,
        },
    )
    ET.SubElement(tiles, "image", source=SHEET, width=str(width), height=str(height))
    for i, character in enumerate(CHARACTERS):
        kind = TILES[character].kind
        tile = ET.SubElement(tiles, "tile", {"id": str(i), "type": kind})
        properties = ET.SubElement(tile, "properties")
        ET.SubElement(properties, "property", name="tile", value=character)
    layer = ET.SubElement(root, "layer", {"id": "1", "name": "level", **size})
    data = ET.SubElement(layer, "data", encoding="csv")
    data.text = "\n" + ",\n".join(",".join(map(str, _row(row))) for row in level.rows) + "\n"
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, "unicode") + "\n"


def to_tmj(level: Level) -> str:
    width, height = sheet_size()
    data = {
        "type": "map",
        "version": "1.10",
        "orientation": "orthogonal",
        "renderorder": "right-down",
        "infinite": False,
        "width": level.length,
        "height": level.height,
        "tilewidth": SIDE,
        "tileheight": SIDE,
        "nextlayerid": 2,
        "nextobjectid": 1,
        "tilesets": [
            {
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
                        "type": TILES[c].kind,
                        "properties": [{"name": "tile", "type": "string", "value": c}],
                    }
                    for i, c in enumerate(CHARACTERS)
                ],
            }
        ],
        "layers": [
            {
                "id": 1,
                "name": "level",
                "type": "tilelayer",
                "x": 0,
                "y": 0,
                "width": level.length,
                "height": level.height,
                "opacity": 1,
                "visible": True,
                "data": [gid for row in level.rows for gid in _row(row)],
            }
        ],
    }
    return json.dumps(data) + "\n"


def _row(row: str) -> list[int]:
    """Air is no tile, so that the map's background shows."""
    return [0 if tile == EMPTY else NUMBER[tile] + 1 for tile in row]


def from_tmx(text: str, where: str) -> Level:
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise LevelError(f"{where} is no XML: {error}") from error
    if root.tag != "map":
        raise LevelError(f"{where}: <{root.tag}> is no Tiled map")
    try:
        return _from_tree(root, where)
    except ValueError as error:
        raise LevelError(f"{where} is no map as Tiled writes it: {error}") from error


def _from_tree(root: ET.Element, where: str) -> Level:
    if root.get("infinite") == "1":
        raise LevelError(_infinite(where))
    names: dict[int, str] = {}
    for tileset in root.findall("tileset"):
        if tileset.get("source"):
            raise LevelError(_external(where, tileset.get("source")))
        first = int(tileset.get("firstgid", "1"))
        for tile in tileset.findall("tile"):
            for item in tile.findall("./properties/property[@name='tile']"):
                names[first + int(tile.get("id", "0"))] = item.get("value") or item.text or ""
    layer = root.find("layer")
    data = layer.find("data") if layer is not None else None
    if layer is None or data is None:
        raise LevelError(f"{where}: the map has no tile layer")
    encoding, packed = data.get("encoding"), data.get("compression")
    if encoding is None:
        cells = [int(tile.get("gid", "0")) for tile in data.findall("tile")]
    else:
        size = (int(layer.get("width", "0")), int(layer.get("height", "0")))
        cells = _cells(data.text or "", encoding, packed, size, where)
    return _level(cells, int(layer.get("width", "0")), names, where)


def from_tmj(text: str, where: str) -> Level:
    root = json_of(text, where, LevelError)
    if not isinstance(root, dict) or root.get("type") != "map":
        raise LevelError(f"{where} is no Tiled map")
    if root.get("infinite"):
        raise LevelError(_infinite(where))
    try:
        names: dict[int, str] = {}
        for tileset in root["tilesets"]:
            if "source" in tileset:
                raise LevelError(_external(where, tileset["source"]))
            for tile in tileset.get("tiles", ()):
                for item in tile.get("properties", ()):
                    if item["name"] == "tile":
                        names[tileset["firstgid"] + tile["id"]] = item["value"]
        layers = [layer for layer in root["layers"] if layer["type"] == "tilelayer"]
        if not layers:
            raise LevelError(f"{where}: the map has no tile layer")
        data: Any = layers[0]["data"]
        if isinstance(data, str):
            encoding = layers[0].get("encoding", "base64")
            size = (int(layers[0]["width"]), int(layers[0].get("height", 0)))
            data = _cells(data, encoding, layers[0].get("compression"), size, where)
        return _level(data, layers[0]["width"], names, where)
    except KeyError as error:
        raise LevelError(f"{where}: the map lacks {error}") from error
    except (TypeError, AttributeError, ValueError) as error:
        raise LevelError(f"{where} is no map as Tiled writes it: {error}") from error


def _infinite(where: str) -> str:
    return f"{where} is an infinite map; make it finite in Tiled (Map, Map Properties)"


def _external(where: str, source: str | None) -> str:
    return f"{where}: the tileset is a file of its own ({source}); embed it in the map"


def _cells(
    text: str, encoding: str, packed: str | None, size: tuple[int, int], where: str
) -> list[int]:
    """The numbers of the tiles; they may take no more room than the layer's size says."""
    width, height = size
    if not (1 <= width <= LONGEST and 1 <= height <= MOST_ROWS):
        raise LevelError(
            f"{where}: the tile layer is {width} x {height}; a level has at most "
            f"{LONGEST:,} columns and {MOST_ROWS} rows"
        )
    try:
        if encoding == "csv":
            return [int(number) for number in text.split(",")]
        raw = base64.b64decode(text.strip())
        if packed in ("zlib", "gzip"):
            raw = unpacked(raw, packed, 4 * width * height, f"{where}: the tile layer", LevelError)
        elif packed:
            raise LevelError(f"{where}: {packed} compression can't be read; use CSV or zlib")
        return list(struct.unpack(f"<{len(raw) // 4}I", raw))
    except (ValueError, binascii.Error, struct.error) as error:
        raise LevelError(f"{where}: the tile layer's data can't be read: {error}") from error


def _level(cells: list[int], width: int, names: dict[int, str], where: str) -> Level:
    if width < 1 or not cells or len(cells) % width:
        raise LevelError(f"{where}: {len(cells)} tiles do not make rows of {width}")
    rows = []
    for first in range(0, len(cells), width):
        row = ""
        for column, cell in enumerate(cells[first : first + width], 1):
            tile = cell & FLAGS
            if tile and len(names.get(tile, "")) != 1:
                raise LevelError(
                    f"{where}, row {first // width + 1}, column {column}: tile {tile} has no "
                    f"property 'tile' with one of our characters"
                )
            row += names[tile] if tile else EMPTY
        rows.append(row)
    return Level(tuple(rows), where)
