"""A map as a file: the suffix says which kind."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from treewright.apps.maps import draw, scene, tiled
from treewright.apps.maps.dungeon_result import DungeonResult
from treewright.apps.maps.methods import MapResult
from treewright.errors import OptionError
from treewright.library.writing import write_whole

FORMATS = (".png", ".txt", ".json", ".tmx", ".tmj")


def check(path: Path) -> None:
    """Refuse a path that can't be written, before any work is done."""
    if path.suffix.lower() not in FORMATS:
        raise OptionError(f"{path}: write a map to one of {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise OptionError(f"{path}: there is no folder {path.parent}")


def write(result: MapResult, path: Path) -> list[Path]:
    """Write the map, and return the files that were made."""
    layers = [checkpoints(result)]
    return _write(
        path, result, lambda: scene.paint_map(result.walls, result.spec), result.walls, layers
    )


def write_dungeon(result: DungeonResult, path: Path) -> list[Path]:
    """Write the dungeon, and return the files that were made."""
    return _write(path, result, result.paint, result.plan.walls, result.layers())


def _write(
    path: Path,
    result: MapResult | DungeonResult,
    paint: Callable[[], np.ndarray],
    walls: np.ndarray,
    layers: Sequence[tiled.Layer],
) -> list[Path]:
    check(path)
    suffix = path.suffix.lower()
    if suffix == ".png":
        made = {path: draw.png(paint())}
    elif suffix == ".txt":
        made = {path: ("\n".join(result.rows) + "\n").encode()}
    elif suffix == ".json":
        made = {path: (json.dumps(result.to_dict(), indent=1) + "\n").encode()}
    else:
        made = tiled.files(path, walls, layers)
    for file, data in made.items():
        write_whole(file, data)
    return list(made)


def checkpoints(result: MapResult) -> tiled.Layer:
    """The checkpoints as an object layer."""
    spec = result.spec
    things = [
        tiled.Thing(f"checkpoint {i}", "checkpoint", x, y, (("group", g),))
        for i, ((x, y), g) in enumerate(zip(spec.checkpoints, spec.groups, strict=True))
    ]
    return tiled.Layer("checkpoints", things)
