"""Levels as pictures, in tile art of our own: drawn by the code below, 16 pixels a tile."""

import functools
import io
from collections.abc import Sequence
from typing import Any

from treewright.apps.levels.level import Level
from treewright.apps.levels.themes import Shape, Theme, theme_of
from treewright.apps.levels.tiled import CHARACTERS, SHEET_COLUMNS, SIDE, sheet_size
from treewright.apps.levels.tiles import TILES
from treewright.errors import MissingExtra

SKY_TOP, SKY_LOW = (122, 182, 222), (206, 232, 240)
EARTH, EARTH_DARK, EARTH_LIGHT = (150, 104, 68), (118, 78, 50), (176, 130, 90)
GRASS, GRASS_DARK = (96, 160, 72), (66, 122, 56)
BRICK, MORTAR, BRICK_LIGHT = (188, 98, 70), (128, 62, 48), (212, 130, 98)
GOLD, GOLD_DARK, GOLD_LIGHT = (236, 186, 66), (168, 118, 30), (252, 224, 138)
TEAL, TEAL_DARK, TEAL_LIGHT = (58, 148, 140), (32, 98, 96), (130, 202, 190)
IRON, IRON_DARK, IRON_LIGHT = (84, 88, 104), (52, 54, 68), (134, 140, 158)
INK, WHITE, PURPLE, PURPLE_DARK = (40, 36, 48), (250, 248, 240), (146, 92, 168), (104, 60, 124)
PATH, PATH_EDGE = (226, 62, 84), (255, 255, 255)


def pillow() -> Any:
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise MissingExtra("drawing a level", "levels") from None
    return Image, ImageDraw


@functools.cache
def tile(character: str, exposed: bool = True, theme: str = "meadow") -> Any:
    """The picture of a tile; ground that has air above it wears grass, or what the theme has."""
    image_module, draw_module = pillow()
    image = image_module.new("RGBA", (SIDE, SIDE), (0, 0, 0, 0))
    look = theme_of(theme)
    if TILES[character].kind == "solid" and look.ground:
        _shapes(draw_module.Draw(image), look.ground + (look.exposed if exposed else ()))
        return image
    _paint(draw_module.Draw(image), character, exposed)
    return _recoloured(image, look)


def _shapes(draw: Any, shapes: Sequence[Shape]) -> None:
    for kind, numbers, colour in shapes:
        if kind == "rect":
            draw.rectangle(numbers, fill=colour)
        elif kind == "polygon":
            draw.polygon(numbers, fill=colour)
        elif kind == "line":
            draw.line(numbers, fill=colour)
        else:
            draw.point(numbers, fill=colour)


def _recoloured(image: Any, look: Theme) -> Any:
    """A tile with the theme's colours in the place of ours."""
    changed = {globals()[name]: colour for name, colour in look.colours.items()}
    if not changed:
        return image
    for x in range(image.width):
        for y in range(image.height):
            *colour, alpha = image.getpixel((x, y))
            if tuple(colour) in changed:
                image.putpixel((x, y), (*changed[tuple(colour)], alpha))
    return image


def _paint(draw: Any, character: str, exposed: bool) -> None:
    kind = TILES[character].kind
    if kind == "solid":
        _ground(draw, exposed)
    elif kind == "breakable":
        _brick(draw)
    elif kind == "hidden power-up":
        _brick(draw)
        draw.polygon([(8, 4), (11, 8), (8, 12), (5, 8)], fill=GOLD, outline=GOLD_DARK)
    elif kind == "question":
        _question(draw, power=character in "?@")
    elif kind == "enemy":
        _enemy(draw)
    elif kind == "coin":
        draw.ellipse([4, 2, 11, 13], fill=GOLD, outline=GOLD_DARK)
        draw.line([(6, 5), (6, 10)], fill=GOLD_LIGHT, width=1)
        draw.line([(8, 5), (8, 10)], fill=GOLD_DARK, width=1)
    elif kind == "pipe":
        _pipe(draw, character)
    elif kind == "cannon":
        _cannon(draw, head=character != "b")
    elif kind in ("start", "goal"):
        draw.line([(4, 1), (4, 15)], fill=INK, width=1)
        colour = GRASS if kind == "start" else PATH
        draw.polygon([(5, 1), (13, 4), (5, 7)], fill=colour, outline=INK)


def _ground(draw: Any, exposed: bool) -> None:
    draw.rectangle([0, 0, 15, 15], fill=EARTH)
    for x, y in ((2, 9), (10, 6), (6, 13), (13, 11), (4, 5)):
        draw.rectangle([x, y, x + 1, y], fill=EARTH_DARK)
    for x, y in ((7, 8), (12, 14), (1, 13), (9, 3)):
        draw.point((x, y), fill=EARTH_LIGHT)
    if exposed:
        draw.rectangle([0, 0, 15, 3], fill=GRASS)
        for x in range(0, 16, 4):
            draw.point([(x, 4), (x + 1, 4), (x + 1, 5)], fill=GRASS)
        draw.line([(0, 0), (15, 0)], fill=GRASS_DARK)
    else:
        draw.line([(0, 15), (15, 15)], fill=EARTH_DARK)


def _brick(draw: Any) -> None:
    draw.rectangle([0, 0, 15, 15], fill=MORTAR)
    for row, shift in ((0, 0), (1, 4), (2, 0), (3, 4)):
        y = 4 * row
        for x in range(-shift, 16, 8):
            draw.rectangle([max(x, 0), y, min(x + 6, 15), y + 2], fill=BRICK)
            draw.line([(max(x, 0), y), (min(x + 6, 15), y)], fill=BRICK_LIGHT)


def _question(draw: Any, power: bool) -> None:
    draw.rectangle([0, 0, 15, 15], fill=GOLD, outline=GOLD_DARK)
    draw.line([(1, 1), (14, 1)], fill=GOLD_LIGHT)
    for x, y in ((2, 2), (13, 2), (2, 13), (13, 13)):
        draw.point((x, y), fill=GOLD_DARK)
    draw.line([(5, 5), (6, 4), (9, 4), (10, 5), (10, 6), (8, 8), (8, 9)], fill=INK, width=1)
    draw.point((8, 11), fill=INK)
    if power:
        draw.rectangle([3, 12, 5, 13], fill=PATH)


def _enemy(draw: Any) -> None:
    draw.ellipse([2, 3, 13, 12], fill=PURPLE, outline=PURPLE_DARK)
    draw.rectangle([3, 12, 6, 15], fill=PURPLE_DARK)
    draw.rectangle([9, 12, 12, 15], fill=PURPLE_DARK)
    draw.rectangle([4, 6, 6, 8], fill=WHITE)
    draw.rectangle([9, 6, 11, 8], fill=WHITE)
    draw.point([(5, 7), (10, 7)], fill=INK)
    draw.line([(4, 5), (6, 6)], fill=INK)
    draw.line([(11, 5), (9, 6)], fill=INK)


def _pipe(draw: Any, character: str) -> None:
    top = character in "<>"
    left = character in "<["
    low, high = (0, 15) if top or character in "tT" else (2, 15) if left else (0, 13)
    draw.rectangle([low, 0, high, 15], fill=TEAL)
    if left or character in "tT":
        draw.rectangle([low, 0, low, 15], fill=TEAL_DARK)
        draw.rectangle([low + 3, 0, low + 5, 15], fill=TEAL_LIGHT)
    if not left or character in "tT":
        draw.rectangle([high - 4, 0, high, 15], fill=TEAL_DARK)
    if top:
        draw.line([(0, 0), (15, 0)], fill=TEAL_DARK)
        draw.rectangle([0, 13, 15, 15], fill=TEAL_DARK)


def _cannon(draw: Any, head: bool) -> None:
    draw.rectangle([0, 0, 15, 15], fill=IRON, outline=IRON_DARK)
    draw.line([(2, 1), (2, 14)], fill=IRON_LIGHT)
    if head:
        draw.ellipse([4, 4, 11, 11], fill=IRON_DARK)
        draw.ellipse([6, 5, 9, 8], fill=IRON_LIGHT)


def tile_sheet(theme: str = "meadow") -> bytes:
    """All tiles in the order of tiled.py, as a PNG."""
    image_module, _ = pillow()
    sheet = image_module.new("RGBA", sheet_size(), (0, 0, 0, 0))
    for i, character in enumerate(CHARACTERS):
        where = (i % SHEET_COLUMNS * SIDE, i // SHEET_COLUMNS * SIDE)
        sheet.paste(tile(character, theme=theme), where)
    return _png(sheet)


def draw_level(
    level: Level,
    path: Sequence[Sequence[tuple[float, float]]] = (),
    marks: Sequence[tuple[int, int]] = (),
    wrap: int | None = None,
    theme: str = "meadow",
) -> bytes:
    """A level as a PNG, with the player's flight (lines of pixels) and marked tiles over it.

    ``wrap`` cuts it into strips of this many columns, one below the other.
    """
    _, draw_module = pillow()
    image = _background(level, theme_of(theme))
    for row, tiles in enumerate(level.rows):
        for column, character in enumerate(tiles):
            if TILES[character].kind == "empty":
                continue
            above = level.rows[row - 1][column] if row else character
            shown = tile(character, not TILES[above].stops, theme)
            image.paste(shown, (column * SIDE, row * SIDE), shown)
    draw = draw_module.Draw(image)
    for line in path:
        if len(line) > 1:
            draw.line(list(line), fill=PATH_EDGE, width=4, joint="curve")
    for line in path:
        if len(line) > 1:
            draw.line(list(line), fill=PATH, width=2, joint="curve")
    for column, row in marks:
        box = [column * SIDE, row * SIDE, column * SIDE + SIDE - 1, row * SIDE + SIDE - 1]
        draw.rectangle(box, outline=PATH, width=2)
    return _png(_strips(image, wrap * SIDE) if wrap and wrap < level.length else image)


def _background(level: Level, look: Theme) -> Any:
    image_module, draw_module = pillow()
    top, low = look.colours.get("SKY_TOP", SKY_TOP), look.colours.get("SKY_LOW", SKY_LOW)
    width, height = level.length * SIDE, level.height * SIDE
    image = image_module.new("RGB", (width, height), top)
    draw = draw_module.Draw(image)
    for y in range(height):
        share = y / max(height - 1, 1)
        colour = tuple(round(a + (b - a) * share) for a, b in zip(top, low, strict=True))
        draw.line([(0, y), (width, y)], fill=colour)
    return image


def _strips(image: Any, width: int) -> Any:
    image_module, _ = pillow()
    count = -(-image.width // width)
    space = SIDE // 2
    page = image_module.new("RGB", (width, count * image.height + (count - 1) * space), WHITE)
    for i in range(count):
        part = image.crop((i * width, 0, min((i + 1) * width, image.width), image.height))
        page.paste(part, (0, i * (image.height + space)))
    return page


def _png(image: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
