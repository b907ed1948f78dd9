"""Pictures of maps, written without any package: a PNG is a zlib stream with a header."""

import struct
import zlib
from collections.abc import Sequence

import numpy as np

from treewright.apps.maps.spec import MapSpec

FLOOR, WALL, GRID = (247, 244, 237), (52, 58, 70), (236, 231, 220)
# by group: red, blue, then colours that colour-blind readers can tell apart
COLOURS = (
    (213, 54, 46),
    (0, 114, 178),
    (0, 158, 115),
    (230, 159, 0),
    (204, 121, 167),
    (86, 180, 233),
    (120, 120, 120),
)


def png(pixels: np.ndarray) -> bytes:
    """A PNG file of [y, x, 3] bytes."""
    height, width = pixels.shape[:2]
    raw = np.zeros((height, width * 3 + 1), np.uint8)
    raw[:, 1:] = pixels.reshape(height, width * 3)

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(raw.tobytes(), 9)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    )


def paint(walls: np.ndarray, spec: MapSpec, cell: int = 12) -> np.ndarray:
    """Walls, floor and the checkpoints as discs in the colour of their group: [y, x, 3]."""
    pixels = np.empty((spec.height * cell, spec.width * cell, 3), np.uint8)
    pixels[:] = FLOOR
    if cell >= 8:
        pixels[::cell] = GRID
        pixels[:, ::cell] = GRID
    pixels[np.kron(walls, np.ones((cell, cell), np.uint8)) == 1] = WALL
    for (x, y), group in zip(spec.checkpoints, spec.groups, strict=True):
        disc(pixels, x, y, cell, COLOURS[group % len(COLOURS)], 0.75)
    return pixels


def disc(
    pixels: np.ndarray, x: int, y: int, cell: int, colour: Sequence[int], radius: float
) -> None:
    """A filled circle at the middle of a cell; ``radius`` in cells."""
    middle = ((y + 0.5) * cell, (x + 0.5) * cell)
    ys, xs = np.ogrid[: pixels.shape[0], : pixels.shape[1]]
    away = (ys + 0.5 - middle[0]) ** 2 + (xs + 0.5 - middle[1]) ** 2
    size = radius * cell
    pixels[away <= (size + max(1.0, cell / 8)) ** 2] = (255, 255, 255)
    pixels[away <= size**2] = colour
