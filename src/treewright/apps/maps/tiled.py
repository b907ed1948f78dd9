"""Maps for the editor Tiled, with the checkpoints, monsters and treasure as object layers.

A tile layer holds floor and walls, an object layer each kind of thing that stands on them.
The tiles are a small picture that is written beside the map.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.maps.draw import FLOOR, WALL, png
from treewright.workshop import tiled

TILE = 16  # pixels
FLOOR_TILE, WALL_TILE = 1, 2
ORDER = tiled.Order(
    map=(
        "version",
        "tiledversion",
        "orientation",
        "renderorder",
        "width",
        "height",
        "tilewidth",
        "tileheight",
        "nextlayerid",
        "nextobjectid",
        "infinite",
    ),
    tileset=("firstgid", "name", "tilewidth", "tileheight", "tilecount", "columns"),
)


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
    xml = path.suffix == ".tmx"
    text = tiled.to_xml(data, ORDER) if xml else tiled.to_json(data, indent=1)
    return {path: text.encode(), picture: tiles()}


def to_map(walls: np.ndarray, layers: Sequence[Layer], picture: str) -> dict[str, Any]:
    """The map in Tiled's JSON format."""
    height, width = walls.shape
    numbers = np.where(walls == 1, WALL_TILE, FLOOR_TILE).reshape(-1).tolist()
    ground = tiled.tile_layer("ground", width, height, numbers)
    number = count(1)
    shown = [
        {
            "id": index,
            "name": layer.name,
            "type": "objectgroup",
            "draworder": "topdown",
            "color": layer.colour,
            "x": 0,
            "y": 0,
            "opacity": 1,
            "visible": True,
            "objects": [_object(next(number), thing) for thing in layer.things],
        }
        for index, layer in enumerate(layers, 2)
    ]
    return tiled.to_map(TILE, _tileset(picture), ground, *shown)


def _tileset(picture: str) -> dict[str, Any]:
    return {
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
