"""Levels from pictures: tiles found by template matching with OpenCV, as the paper did.

A folder holds one or more small pictures for each tile, named after it (``solid.png``,
``solid-2.png``, ``enemy-walker.png`` …: the names are the keys of ``NAMES``).  Every cell of the
image gets the tile whose picture differs least from it; where none comes near, it is air.
Transparent pixels of a tile's picture are not compared.  Enemies and coins are also found when
they stand between cells.
"""

from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.levels.level import Level
from treewright.apps.levels.tiles import EMPTY, TILES, LevelError
from treewright.errors import MissingExtra, nearest
from treewright.library.reading import check_picture
from treewright.library.writing import make_folder, whole

NAMES = {
    "empty": "-",
    "sky": "-",
    "solid": "X",
    "ground": "X",
    "breakable": "S",
    "brick": "S",
    "hidden": "U",
    "question": "?",
    "question_coin": "Q",
    "enemy": "E",
    "cannon": "B",
    "cannon_bottom": "b",
    "pipe": "[",
    "pipe_top_left": "<",
    "pipe_top_right": ">",
    "pipe_left": "[",
    "pipe_right": "]",
    "coin": "o",
}
LIMIT = 0.12  # largest mean difference, of 1, that still counts as the same picture
LOOSE = ("enemy", "coin")  # kinds that may stand between cells


def opencv() -> Any:
    try:
        import cv2
    except ImportError:
        raise MissingExtra("reading a level from an image", "levels") from None
    return cv2


def read_tiles(folder: Path) -> list[tuple[str, np.ndarray]]:
    """(character, picture with alpha) of every picture in a folder, all of one size."""
    cv2 = opencv()
    if not folder.is_dir():
        raise LevelError(f"there is no folder {folder} with pictures of the tiles")
    found: list[tuple[str, np.ndarray]] = []
    for path in sorted(folder.glob("*.png")):
        name = path.stem.lower().partition("-")[0].partition(".")[0]
        if name not in NAMES:
            raise LevelError(f"{path}: {name!r} is no tile{nearest(name, NAMES)}")
        image = _read(path, cv2.IMREAD_UNCHANGED)
        image = _with_alpha(image)
        if found and image.shape != found[0][1].shape:
            raise LevelError(
                f"{path} has {image.shape[1]} x {image.shape[0]} pixels, the others "
                f"{found[0][1].shape[1]} x {found[0][1].shape[0]}"
            )
        if image[:, :, 3].any():  # a picture of nothing matches anything
            found.append((NAMES[name], image))
    if not found:
        raise LevelError(f"{folder} has no .png of a tile in it, such as solid.png")
    return found


def _read(path: Path, how: int) -> np.ndarray:
    """A picture's pixels; how many there are is looked at before they are decoded."""
    cv2 = opencv()
    check_picture(path, LevelError)
    try:
        image: np.ndarray | None = cv2.imread(str(path), how)
    except cv2.error as error:
        raise LevelError(f"{path} can't be read as a picture: {error.err}") from None
    if image is None:
        raise LevelError(f"{path} is no image that OpenCV can read")
    return image


def _with_alpha(image: np.ndarray) -> np.ndarray:
    if image.ndim == 2:
        image = np.repeat(image[:, :, None], 3, axis=2)
    if image.shape[2] == 3:
        image = np.dstack([image, np.full(image.shape[:2], 255, image.dtype)])
    return image


def import_image(path: Path, tiles: list[tuple[str, np.ndarray]]) -> Level:
    """The level in an image."""
    cv2 = opencv()
    if not path.is_file():
        raise LevelError(f"there is no image {path}")
    image = _read(path, cv2.IMREAD_COLOR)
    side_y, side_x = tiles[0][1].shape[:2]
    height, width = image.shape[:2]
    if height % side_y or width % side_x:
        raise LevelError(
            f"{path} has {width} x {height} pixels, which is no multiple of the tiles' "
            f"{side_x} x {side_y}; crop it to whole tiles"
        )
    rows, columns = height // side_y, width // side_x
    best = np.full((rows, columns), LIMIT)
    found = np.full((rows, columns), EMPTY)
    for character, picture in tiles:
        difference = _difference(cv2, image, picture)
        loose = TILES[character].kind in LOOSE
        cells = _per_cell(difference, rows, columns, side_y, side_x, loose)
        better = cells < best
        best[better] = cells[better]
        found[better] = character
    return Level(tuple("".join(row) for row in found), str(path))


def _difference(cv2: Any, image: np.ndarray, picture: np.ndarray) -> np.ndarray:
    """[y, x]: the root mean square difference of a picture put there, from 0 to 1."""
    mask = np.repeat((picture[:, :, 3:] > 127).astype(np.float32), 3, axis=2)
    squares = cv2.matchTemplate(
        image.astype(np.float32), picture[:, :, :3].astype(np.float32), cv2.TM_SQDIFF, mask=mask
    )
    found: np.ndarray = np.sqrt(np.maximum(squares, 0) / mask.sum()) / 255
    return found


def _per_cell(
    difference: np.ndarray, rows: int, columns: int, side_y: int, side_x: int, loose: bool
) -> np.ndarray:
    """The difference at each cell; for loose tiles, the least around it at local minima."""
    cells = difference[::side_y, ::side_x][:rows, :columns].copy()
    if loose:
        for y, x in zip(*np.nonzero(difference < LIMIT / 2), strict=True):
            around = difference[max(y - 3, 0) : y + 4, max(x - 3, 0) : x + 4]
            if difference[y, x] == around.min():
                row, column = min(round(y / side_y), rows - 1), min(round(x / side_x), columns - 1)
                cells[row, column] = min(cells[row, column], difference[y, x])
    return cells


def write_tiles(folder: Path, theme: str = "meadow") -> int:
    """Our own tile art as such a folder, for a start; returns the number of pictures."""
    from treewright.apps.levels.drawing import tile

    make_folder(folder)
    count = 0
    for name, character in NAMES.items():
        if name in ("empty", "sky", "ground", "brick", "pipe"):
            continue
        _save(tile(character, theme=theme), folder / f"{name}.png")
        count += 1
    _save(tile("X", False, theme), folder / "solid-below.png")
    return count + 1


def _save(picture: Any, path: Path) -> None:
    with whole(path, LevelError) as part:
        picture.save(part)
