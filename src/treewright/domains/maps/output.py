"""A map as a file: the suffix says which kind."""

import json
from pathlib import Path

from treewright.domains.maps import draw, tiled
from treewright.domains.maps.methods import MapResult
from treewright.errors import OptionError, TreewrightError

FORMATS = (".png", ".txt", ".json", ".tmx", ".tmj")


def check(path: Path) -> None:
    """Refuse a path that can't be written, before any work is done."""
    if path.suffix.lower() not in FORMATS:
        raise OptionError(f"{path}: write a map to one of {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise OptionError(f"{path}: there is no folder {path.parent}")


def write(result: MapResult, path: Path, layers: tuple[tiled.Layer, ...] = ()) -> list[Path]:
    """Write the map, and return the files that were made."""
    check(path)
    suffix = path.suffix.lower()
    if suffix == ".png":
        made = {path: draw.png(draw.paint(result.walls, result.spec))}
    elif suffix == ".txt":
        made = {path: ("\n".join(result.rows) + "\n").encode()}
    elif suffix == ".json":
        made = {path: (json.dumps(result.to_dict(), indent=1) + "\n").encode()}
    else:
        made = tiled.files(path, result.walls, (checkpoints(result), *layers))
    try:
        for file, data in made.items():
            file.write_bytes(data)
    except OSError as error:
        raise TreewrightError(f"{path} can't be written: {error.strerror}") from error
    return list(made)


def checkpoints(result: MapResult) -> tiled.Layer:
    """The checkpoints as an object layer."""
    spec = result.spec
    things = [
        tiled.Thing(f"checkpoint {i}", "checkpoint", x, y, (("group", g),))
        for i, ((x, y), g) in enumerate(zip(spec.checkpoints, spec.groups, strict=True))
    ]
    return tiled.Layer("checkpoints", things)
