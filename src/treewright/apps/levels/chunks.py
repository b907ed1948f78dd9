"""A library of chunks: what stands between two stretches of flat ground, for designers to edit.

A level is cut where its ground is plain for long enough (``ends.is_plain``).  Each chunk keeps
``FLAT`` slices of that ground on both sides, so that the chain, which looks back two slices, can go
from any chunk to any other on the same ground: a folder of chunks is a corpus like any other, in
which deleting a file takes a structure out of the style, and a new file puts one in.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from treewright.apps.levels.controls import counts
from treewright.apps.levels.ends import is_plain
from treewright.apps.levels.level import Level
from treewright.apps.levels.tiles import TILES, LevelError
from treewright.library.writing import make_folder, write_whole

FLAT = 3  # slices of plain ground on both sides
LONGEST_CHUNK = 60


def chunks_of(level: Level) -> list[Level]:
    """The chunks of a level, from left to right; without flat ground around it none is cut out."""
    columns = level.unmarked().columns
    found, begin = [], None
    for at in range(len(columns) - FLAT + 1):
        flat = columns[at : at + FLAT]
        if len(set(flat)) > 1 or not is_plain(flat[0]):
            continue
        if begin is not None and at > begin + 1:
            piece = columns[begin : at + FLAT]
            if len(piece) <= LONGEST_CHUNK:
                found.append(Level.of_columns(piece, level.where))
        begin = at
    return found


def name_of(chunk: Level) -> str:
    """What it is about: its most telling feature."""
    kinds = {TILES[tile].kind for row in chunk.rows for tile in row}
    have = counts(chunk)
    if have["gaps"]:
        return "gaps" if have["gaps"] > 1 else "gap"
    for kind, name in (("cannon", "cannon"), ("pipe", "pipe"), ("enemy", "enemies")):
        if kind in kinds:
            return name
    if kinds & {"question", "hidden power-up", "coin"}:
        return "rewards"
    return "blocks" if "breakable" in kinds else "ground"


def write_chunks(levels: Sequence[Level], folder: Path) -> dict[str, int]:
    """Each different chunk as a text file, named by what it is; how many there are of each name."""
    texts: dict[str, Level] = {}
    for level in levels:
        for chunk in chunks_of(level):
            texts.setdefault(chunk.text(), chunk)
    if not texts:
        raise LevelError(
            f"nothing to cut: no level has {FLAT} equal slices of flat ground on both sides of "
            f"anything"
        )
    make_folder(folder)
    number: Counter[str] = Counter()
    for text, chunk in texts.items():
        name = name_of(chunk)
        number[name] += 1
        write_whole(folder / f"{name}-{number[name]:03d}.txt", text, LevelError)
    return dict(number)
