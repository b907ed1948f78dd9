"""A map as a game shows it: stone floor, brick walls with torches, and things on the floor.

Everything is drawn from a few marks here: a sprite is rows of eight, each mark a colour.  Eight
rows fill a cell; with more it rises above its cell.
"""

from collections.abc import Sequence

import numpy as np

from treewright.apps.maps.spec import MapSpec

Cell = tuple[int, int]
SIDE = 8  # marks of a sprite, across and down
COLOURS = {
    "k": (28, 24, 32),  # outlines
    "w": (240, 236, 222),
    "g": (120, 120, 128),
    "d": (74, 74, 84),
    "r": (196, 52, 48),
    "R": (132, 30, 36),
    "y": (242, 196, 72),
    "o": (190, 128, 36),
    "b": (122, 78, 44),
    "B": (84, 52, 30),
    "s": (176, 184, 196),
    "p": (112, 168, 76),
    "P": (66, 112, 48),
    "v": (150, 92, 190),
    "V": (96, 52, 134),
}
# of locks and checkpoints, each with a darker one
BADGES = (
    ((226, 74, 58), (150, 36, 34)),
    ((64, 140, 214), (30, 84, 148)),
    ((52, 176, 128), (22, 112, 82)),
    ((238, 176, 52), (168, 112, 20)),
    ((204, 121, 167), (136, 66, 108)),
    ((96, 204, 226), (40, 134, 156)),
    ((150, 150, 156), (92, 92, 100)),
)
# each sprite in one line, its rows parted by bars; x and X are the colours of a badge
SPRITES = {
    "up": "kkkkkkkk|kwwwwwwk|kggggggk|kwwwwwwk|kggggggk|kwwwwwwk|kggggggk|kkkkkkkk",
    "down": "kkkkkkkk|kwwwwwwk|kggggggk|kggggggk|kddddddk|kddddddk|kkkkkkkk|kkkkkkkk",
    "door": "kkkkkkkk|kbBbbBbk|kbBbbBbk|kbBxxBbk|kbBxXBbk|kbBbbBbk|kbBbbBbk|kkkkkkkk",
    "key": "........|.kkk....|kxxxk...|kxkxkkkk|kxxxXXXk|.kkkkXkk|....kkk.|........",
    "slime": "........|........|..kkkk..|.kppppk.|kpwppwpk|kpkppkpk|kppppppk|.kkkkkk.",
    "bones": ".kkkkkk.|kwwwwwwk|kwkwwkwk|kwwkkwwk|.kwwwwk.|.kwkwkk.|kwwwwwwk|.kwkkwk.",
    "demon": "kr.kk.rk|krrrrrrk|krywwyrk|krrrrrrk|RkrwwrkR|RRkrrkRR|.kRrrRk.|.kRkkRk.",
    "chest": "........|.kkkkkk.|kbbbbbbk|kooyyook|kkkyykkk|kbboobbk|kbbbbbbk|.kkkkkk.",
    "trap": "........|........|..s..s..|..s..s..|.sds.sds|..s..s..|.sdssds.|kkkkkkkk",
    "banner": "..kk....|..kxkkk.|..kxxxxk|..kxxxxk|..kxxxXk|..kxXXXk|..kXkkk.|..kk....|..kk....|"
    "..kk....|..kk....|..kk....|..kk....|..kk....|.kggk...|.kkkk...",
    "step": "........|........|........|...yy...|...yy...|........|........|........",
    "torch": "...y....|..yoy...|..yoy...|..kok...|...b....|...b....|...k....|........",
}
MONSTERS = ("slime", "bones", "demon")  # the stronger, the later
STONE, DARK, SHADOW = (150, 136, 118), (30, 28, 38), (98, 88, 80)
TOP, BRICK, MORTAR = (92, 84, 96), (126, 92, 78), (84, 62, 58)
DUSK, GLOW, REACH = 0.8, (0.45, 0.36, 0.2), 3.2  # light without torches, theirs, and its cells


LARGE = 80  # cells across or down, from which on pictures have half the scale


def paint_map(walls: np.ndarray, spec: MapSpec, way: Sequence[Cell] = ()) -> np.ndarray:
    """A map between checkpoints: a banner for each, in the colour of its group, and a way."""
    banners = [
        ("banner", cell, group) for cell, group in zip(spec.checkpoints, spec.groups, strict=True)
    ]
    steps = [("step", cell, 0) for cell in way]
    return paint(walls, steps + banners, SIDE if max(walls.shape) > LARGE else 2 * SIDE)


def paint(walls: np.ndarray, things: Sequence[tuple[str, Cell, int]], cell: int = 16) -> np.ndarray:
    """A picture [y, x, 3] of walls and (sprite, cell, number of its badge)."""
    scale = max(1, cell // SIDE)
    height, width = walls.shape
    pixels = np.empty((height * SIDE, width * SIDE, 3), np.uint8)
    for y in range(height):
        for x in range(width):
            tile = _wall(walls, x, y) if walls[y, x] else _floor(walls, x, y)
            pixels[y * SIDE : (y + 1) * SIDE, x * SIDE : (x + 1) * SIDE] = tile
    torches = _torches(walls)
    pixels = _lit(pixels, torches)
    for sprite, spot, badge in [*(("torch", torch, 0) for torch in torches), *things]:
        _stamp(pixels, sprite, spot, badge)
    return np.repeat(np.repeat(pixels, scale, axis=0), scale, axis=1)


def _shade(x: int, y: int) -> int:
    """The same small number for the same cell each time: no two stones are quite alike."""
    return ((x * 73856093) ^ (y * 19349663)) % 97 % 13 - 6


def _floor(walls: np.ndarray, x: int, y: int) -> np.ndarray:
    """A flagstone, with the shadow of a wall above or to the left."""
    tile = np.empty((SIDE, SIDE, 3), np.int64)
    tile[:] = np.array(STONE) + _shade(x, y)
    tile[-1, :] -= 16
    tile[:, -1] -= 16
    if (x + 2 * y) % 5 == 0:
        tile[SIDE // 2, 1:-1] -= 12
    if y > 0 and walls[y - 1, x]:
        tile[:2] = np.array(SHADOW)
    if x > 0 and walls[y, x - 1]:
        tile[:, 0] = np.array(SHADOW)
    return tile.astype(np.uint8)


def _wall(walls: np.ndarray, x: int, y: int) -> np.ndarray:
    """Bricks where floor is below, the top of a wall beside floor, and darkness elsewhere."""
    tile = np.empty((SIDE, SIDE, 3), np.int64)
    height, width = walls.shape
    around = walls[max(0, y - 1) : y + 2, max(0, x - 1) : x + 2]
    if around.all():
        tile[:] = DARK
        return tile.astype(np.uint8)
    tile[:] = np.array(TOP) + _shade(x, y)
    tile[0, :] = np.array(TOP) + 22
    if y + 1 < height and not walls[y + 1, x]:
        tile[3:] = np.array(BRICK) + _shade(x, y)
        tile[[3, 5, 7]] = MORTAR
        tile[4, (x % 2) * 4 + 1] = tile[6, (x % 2) * 4 + 3] = MORTAR
    if x + 1 < width and not walls[y, x + 1]:
        tile[:3, -1] = np.array(TOP) + 14
    return tile.astype(np.uint8)


def _torches(walls: np.ndarray) -> list[Cell]:
    """Here and there on walls that are seen from the front, over a floor of two by three cells."""
    height, width = walls.shape
    found = []
    for y in range(height - 2):
        for x in range(1 + 2 * (y % 2), width - 1):
            open_below = not walls[y + 1 : y + 3, x - 1 : x + 2].any()
            if walls[y, x - 1 : x + 2].all() and open_below and (x + 3 * y) % 4 == 0:
                found.append((x, y))
    return found


def _lit(pixels: np.ndarray, torches: Sequence[Cell]) -> np.ndarray:
    """Dusk everywhere, and warm light around the torches."""
    light = np.full(pixels.shape, DUSK)
    around = round(2 * REACH * SIDE)
    for x, y in torches:
        px, py = x * SIDE + SIDE // 2, y * SIDE + SIDE // 2
        top, left = max(0, py - around), max(0, px - around)
        part = light[top : py + around, left : px + around]
        ys, xs = np.ogrid[top : top + part.shape[0], left : left + part.shape[1]]
        away = ((ys - py) ** 2 + (xs - px) ** 2) / (REACH * SIDE) ** 2
        part += np.exp(-away)[..., None] * np.array(GLOW)
    found: np.ndarray = np.clip(pixels * light, 0, 255).astype(np.uint8)
    return found


def _stamp(pixels: np.ndarray, sprite: str, cell: Cell, badge: int) -> None:
    light, dark = BADGES[badge % len(BADGES)]
    colours = COLOURS | {"x": light, "X": dark}
    rows = SPRITES[sprite].split("|")
    top, left = max(0, (cell[1] + 1) * SIDE - len(rows)), cell[0] * SIDE
    for row, marks in enumerate(rows):
        for column, mark in enumerate(marks):
            if mark != ".":
                pixels[top + row, left + column] = colours[mark]
