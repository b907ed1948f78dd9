"""Maps of the editor Tiled, as JSON (TMJ) and XML (TMX), written and read within limits.

In memory a map is what Tiled's JSON format says, a dictionary; the XML is made from it.  What the
tiles and objects mean belongs to the application.
"""

import base64
import binascii
import json
import struct
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from treewright.errors import TreewrightError
from treewright.library.reading import json_of, unpacked

FLAGS = 0x0FFFFFFF  # the bits of a cell that are its tile; the others turn it over


@dataclass(frozen=True)
class Order:
    """The order of attributes in XML: no reader minds, but a map made again is the same file."""

    map: tuple[str, ...]
    tileset: tuple[str, ...]


@dataclass(frozen=True)
class TileLayer:
    """A tile layer that was read: the tile of each cell, 0 for none, and the tiles' properties."""

    width: int
    tiles: list[int]
    properties: dict[int, str]


@dataclass(frozen=True)
class Reader:
    """Reads the first tile layer of a map, and one property of the tiles in it.

    Whatever is wrong is one sentence, raised as ``error``.
    """

    where: str
    error: type[TreewrightError]
    wanted: str  # the name of the property
    most_columns: int
    most_rows: int

    def xml(self, text: str) -> TileLayer:
        """A map in Tiled's XML format."""
        try:
            root = ET.fromstring(text)
        except ET.ParseError as error:
            raise self.error(f"{self.where} is no XML: {error}") from error
        if root.tag != "map":
            self._fail(f": <{root.tag}> is no Tiled map")
        try:
            return self._tree(root)
        except ValueError as error:
            raise self.error(f"{self.where} is no map as Tiled writes it: {error}") from error

    def json(self, text: str) -> TileLayer:
        """A map in Tiled's JSON format."""
        root = json_of(text, self.where, self.error)
        if not isinstance(root, dict) or root.get("type") != "map":
            self._fail(" is no Tiled map")
        try:
            return self._dictionary(root)
        except KeyError as error:
            raise self.error(f"{self.where}: the map lacks {error}") from error
        except (TypeError, AttributeError, ValueError) as error:
            raise self.error(f"{self.where} is no map as Tiled writes it: {error}") from error

    def _tree(self, root: ET.Element) -> TileLayer:
        self._check_finite(root.get("infinite") == "1")
        found: dict[int, str] = {}
        for tileset in root.findall("tileset"):
            self._check_embedded(tileset.get("source"))
            first = int(tileset.get("firstgid", "1"))
            for tile in tileset.findall("tile"):
                for item in tile.findall(f"./properties/property[@name='{self.wanted}']"):
                    found[first + int(tile.get("id", "0"))] = item.get("value") or item.text or ""
        layer = root.find("layer")
        data = layer.find("data") if layer is not None else None
        if layer is None or data is None:
            self._fail(": the map has no tile layer")
        width, height = int(layer.get("width", "0")), int(layer.get("height", "0"))
        encoding = data.get("encoding")
        if encoding is None:
            cells = [int(tile.get("gid", "0")) for tile in data.findall("tile")]
        else:
            packed = data.get("compression")
            cells = self._decoded(data.text or "", encoding, packed, width, height)
        return self._cells(cells, width, found)

    def _dictionary(self, root: dict[str, Any]) -> TileLayer:
        self._check_finite(bool(root.get("infinite")))
        found: dict[int, str] = {}
        for tileset in root["tilesets"]:
            self._check_embedded(tileset.get("source"))
            for tile in tileset.get("tiles", ()):
                for item in tile.get("properties", ()):
                    if item["name"] == self.wanted:
                        found[tileset["firstgid"] + tile["id"]] = item["value"]
        layers = [layer for layer in root["layers"] if layer["type"] == "tilelayer"]
        if not layers:
            self._fail(": the map has no tile layer")
        layer = layers[0]
        cells: Any = layer["data"]
        if isinstance(cells, str):
            encoding, packed = layer.get("encoding", "base64"), layer.get("compression")
            width, height = int(layer["width"]), int(layer.get("height", 0))
            cells = self._decoded(cells, encoding, packed, width, height)
        return self._cells(cells, layer["width"], found)

    def _check_finite(self, infinite: bool) -> None:
        if infinite:
            self._fail(" is an infinite map; make it finite in Tiled (Map, Map Properties)")

    def _check_embedded(self, source: str | None) -> None:
        if source:
            self._fail(f": the tileset is a file of its own ({source}); embed it in the map")

    def _decoded(
        self, text: str, encoding: str, packed: str | None, width: int, height: int
    ) -> list[int]:
        """The numbers of the tiles; they may take no more room than the layer's size says."""
        if not (1 <= width <= self.most_columns and 1 <= height <= self.most_rows):
            self._fail(
                f": the tile layer is {width} x {height}; a level has at most "
                f"{self.most_columns:,} columns and {self.most_rows} rows"
            )
        try:
            if encoding == "csv":
                return [int(number) for number in text.split(",")]
            raw = base64.b64decode(text.strip())
            if packed in ("zlib", "gzip"):
                layer = f"{self.where}: the tile layer"
                raw = unpacked(raw, packed, 4 * width * height, layer, self.error)
            elif packed:
                self._fail(f": {packed} compression can't be read; use CSV or zlib")
            return list(struct.unpack(f"<{len(raw) // 4}I", raw))
        except (ValueError, binascii.Error, struct.error) as error:
            raise self.error(
                f"{self.where}: the tile layer's data can't be read: {error}"
            ) from error

    def _cells(self, cells: list[int], width: int, found: dict[int, str]) -> TileLayer:
        if width < 1 or not cells or len(cells) % width:
            self._fail(f": {len(cells)} tiles do not make rows of {width}")
        return TileLayer(width, [cell & FLAGS for cell in cells], found)

    def _fail(self, what: str) -> NoReturn:
        raise self.error(f"{self.where}{what}")


def tile_layer(name: str, width: int, height: int, cells: Sequence[int]) -> dict[str, Any]:
    """The ground of a map: the number of a tile for each cell, row by row, 0 for none."""
    return {
        "id": 1,
        "name": name,
        "type": "tilelayer",
        "x": 0,
        "y": 0,
        "width": width,
        "height": height,
        "opacity": 1,
        "visible": True,
        "data": list(cells),
    }


def to_map(
    side: int, tileset: Mapping[str, Any], ground: Mapping[str, Any], *above: Mapping[str, Any]
) -> dict[str, Any]:
    """A map of square tiles: the ground, a tile layer, and the layers of objects above it."""
    return {
        "type": "map",
        "version": "1.10",
        "tiledversion": "1.10.2",  # the first that reads this version; pytiled-parser asks for it
        "orientation": "orthogonal",
        "renderorder": "right-down",
        "infinite": False,
        "width": ground["width"],
        "height": ground["height"],
        "tilewidth": side,
        "tileheight": side,
        "nextlayerid": len(above) + 2,
        "nextobjectid": sum(len(layer["objects"]) for layer in above) + 1,
        "tilesets": [tileset],
        "layers": [ground, *above],
    }


def to_json(data: Mapping[str, Any], indent: int | None = None) -> str:
    """A map as a file in Tiled's JSON format."""
    return json.dumps(data, indent=indent) + "\n"


def to_xml(data: Mapping[str, Any], order: Order) -> str:
    """The same map as a file in Tiled's XML format."""
    root = ET.Element("map", _attributes(data, order.map))
    for tileset in data["tilesets"]:
        node = ET.SubElement(root, "tileset", _attributes(tileset, order.tileset))
        size = {"width": str(tileset["imagewidth"]), "height": str(tileset["imageheight"])}
        ET.SubElement(node, "image", {"source": tileset["image"], **size})
        for tile in tileset.get("tiles", ()):
            _properties(ET.SubElement(node, "tile", _attributes(tile, ("id", "type"))), tile)
    for layer in data["layers"]:
        if layer["type"] == "tilelayer":
            _tiles(root, layer)
        else:
            _objects(root, layer)
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, "unicode") + "\n"


def _tiles(root: ET.Element, layer: Mapping[str, Any]) -> None:
    node = ET.SubElement(root, "layer", _attributes(layer, ("id", "name", "width", "height")))
    width, cells = layer["width"], layer["data"]
    rows = [cells[i : i + width] for i in range(0, len(cells), width)]
    text = ",\n".join(",".join(map(str, row)) for row in rows)
    ET.SubElement(node, "data", encoding="csv").text = f"\n{text}\n"


def _objects(root: ET.Element, layer: Mapping[str, Any]) -> None:
    node = ET.SubElement(root, "objectgroup", _attributes(layer, ("id", "name", "color")))
    for thing in layer["objects"]:
        kept = ("id", "name", "type", "x", "y", "width", "height")
        item = ET.SubElement(node, "object", _attributes(thing, kept))
        _properties(item, thing)
        ET.SubElement(item, "ellipse")


def _properties(node: ET.Element, thing: Mapping[str, Any]) -> None:
    if thing["properties"]:
        box = ET.SubElement(node, "properties")
        for item in thing["properties"]:
            kept = ("name", "value") if item["type"] == "string" else ("name", "type", "value")
            ET.SubElement(box, "property", _attributes(item, kept))


def _attributes(data: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    return {n: str(int(data[n]) if isinstance(data[n], bool) else data[n]) for n in names}
