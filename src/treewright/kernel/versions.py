"""What is installed, without importing it.

``importlib.metadata`` knows, but to import it takes 30 ms, as it brings a parser of e-mails.  So
the names of the folders that installers make are looked at first, and it is asked where they don't
tell: packages in archives, from finders of their own, or there twice.
"""

import functools
import os
import re
import sys
from pathlib import Path

_ENDS = (".dist-info", ".egg-info")


@functools.cache
def version(package: str) -> str:
    wanted = _normal(package)
    named = [Path(folder).stem.partition("-") for folder in _folders(tuple(sys.path)) or ()]
    found = [number for name, _, number in named if _normal(name) == wanted]
    if len(found) == 1 and re.fullmatch(r"[0-9.]+", found[0]):
        return found[0]
    from importlib import metadata

    return metadata.version(package)


def declare(group: str) -> bool:
    """Whether installed packages may have entry points of this group."""
    folders = _folders(tuple(sys.path))
    if folders is None:
        return True
    return any(group.encode() in _content(f"{folder}/entry_points.txt") for folder in folders)


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@functools.lru_cache(1)
def _folders(places: tuple[str, ...]) -> list[str] | None:
    """What installers have left in these places; None if there may be more than that."""
    usual = {"BuiltinImporter", "FrozenImporter", "PathFinder"}
    for finder in sys.meta_path:
        if hasattr(finder, "find_distributions") and getattr(finder, "__name__", "") not in usual:
            return None
    found = []
    for place in dict.fromkeys(places):
        if place.endswith(".egg") or Path(place).is_file():
            return None
        try:
            names = os.listdir(place or ".")  # noqa: PTH208 - a path for each file takes longer
        except OSError:
            continue
        found += [f"{place or '.'}/{name}" for name in names if name.endswith(_ENDS)]
    return found
