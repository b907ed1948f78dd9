"""Maps for the editor Tiled: .tmx (XML) and .tmj (JSON), with object layers.

A tile layer holds floor and walls, an object layer each kind of thing that stands on them.
The tiles are a small picture that is written beside the map.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from treewright.apps.maps.draw import FLOOR, WALL, png

TILE = 16  # pixels
FLOOR_TILE, WALL_TILE = 1, 2


@dataclass(frozen=True)
class Thing:
    """An object at the middle of a cell."""

    name: str
    kind: str
    x: int
    y: int
    properties: tuple[tuple[str, str | int | float], ...] = ()


@dataclass(frozen=True)
class Layer:
    """An object layer."""

    name: str
    things: Sequence[Thing]
    colour: str = "#d5362e"


def tiles() -> bytes:
    """The tileset's picture: floor, then wall."""
    pixels = np.empty((TILE, 2 * TILE, 3), np.uint8)
    pixels[:, :TILE] = FLOOR
    pixels[:, TILE:] = WALL
    pixels[0, :TILE] = pixels[:, 0] = (236, 231, 220)
    pixels[0, TILE:] = pixels[:, TILE] = (72, 79, 94)
    return png(pixels)


def files(path: Path, walls: np.ndarray, layers: Sequence[Layer]) -> dict[Path, bytes]:
    """The files of a map: itself (.tmx or .tmj) and the picture of its tiles."""
    picture = path.with_name(f"{path.stem}-tiles.png")
    data = to_map(walls, layers, picture.name)
    text = to_xml(data) if path.suffix == ".tmx" else json.dumps(data, indent=1) + "\n"
    return {path: text.encode(), picture: tiles()}


def to_map(walls: np.ndarray, layers: Sequence[Layer], picture: str) -> dict[str, Any]:
    """The map in Tiled's JSON format."""
    height, width = walls.shape
    numbers = np.where(walls == 1, WALL_TILE, FLOOR_TILE).reshape(-1).tolist()
    ground = {
        "id": 1,
        "name": "ground",
        "type": "tilelayer",
        "x": 0,
        "y": 0,
        "width": width,
        "height": height,
        "opacity": 1,
        "visible": True,
        "data": numbers,
    }
    number = 1
    shown = []
    for index, layer in enumerate(layers):
        objects = []
        for thing in layer.things:
            objects.append(_object(number, thing))
            number += 1
        shown.append(
            {
                "id": index + 2,
                "name": layer.name,
                "type": "objectgroup",
                "draworder": "topdown",
                "color": layer.colour,
                "x": 0,
                "y": 0,
                "opacity": 1,
                "visible": True,
                "objects": objects,
            }
        )
    return {
        "type": "map",
        "version": "1.10",
        "orientation": "orthogonal",
        "renderorder": "right-down",
        "infinite": False,
        "width": width,
        "height": height,
        "tilewidth": TILE,
        "tileheight": TILE,
        "nextlayerid": len(layers) + 2,
        "nextobjectid": number,
        "tilesets": [
            {
                "firstgid": 1,
                "name": "treewright",
                "tilewidth": TILE,
                "tileheight": TILE,
                "tilecount": 2,
                "columns": 2,
                "margin": 0,
                "spacing": 0,
                "image": picture,
                "imagewidth": 2 * TILE,
                "imageheight": TILE,
            }
        ],
        "layers": [ground, *shown],
    }


def _object(number: int, thing: Thing) -> dict[str, Any]:
    return {
        "id": number,
        "name": thing.name,
        "type": thing.kind,
        "x": thing.x * TILE,
        "y": thing.y * TILE,
        "width": TILE,
        "height": TILE,
        "rotation": 0,
        "visible": True,
        "ellipse": True,
        "properties": [{"name": k, "type": _type(v), "value": v} for k, v in thing.properties],
    }


def _type(value: str | float) -> str:
    return {int: "int", float: "float"}.get(type(value), "string")


def to_xml(data: dict[str, Any]) -> str:
    """The same map in Tiled's XML format."""
    plain: tuple[str, ...] = ("version", "orientation", "renderorder", "width", "height")
    plain += ("tilewidth", "tileheight", "nextlayerid", "nextobjectid")
    root = ET.Element("map", {k: str(data[k]) for k in plain} | {"infinite": "0"})
    for tileset in data["tilesets"]:
        kept: tuple[str, ...] = (
            "firstgid",
            "name",
            "tilewidth",
            "tileheight",
            "tilecount",
            "columns",
        )
        node = ET.SubElement(root, "tileset", {k: str(tileset[k]) for k in kept})
        size = {"width": str(tileset["imagewidth"]), "height": str(tileset["imageheight"])}
        ET.SubElement(node, "image", {"source": tileset["image"], **size})
    for layer in data["layers"]:
        head = {"id": str(layer["id"]), "name": layer["name"]}
        if layer["type"] == "tilelayer":
            width = layer["width"]
            head |= {"width": str(width), "height": str(layer["height"])}
            node = ET.SubElement(root, "layer", head)
            rows = [layer["data"][i : i + width] for i in range(0, len(layer["data"]), width)]
            text = ",\n".join(",".join(map(str, row)) for row in rows)
            ET.SubElement(node, "data", {"encoding": "csv"}).text = f"\n{text}\n"
        else:
            node = ET.SubElement(root, "objectgroup", head | {"color": layer["color"]})
            for thing in layer["objects"]:
                kept = ("id", "name", "type", "x", "y", "width", "height")
                item = ET.SubElement(node, "object", {k: str(thing[k]) for k in kept})
                if thing["properties"]:
                    box = ET.SubElement(item, "properties")
                    for p in thing["properties"]:
                        ET.SubElement(box, "property", {k: str(v) for k, v in p.items()})
                ET.SubElement(item, "ellipse")
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
