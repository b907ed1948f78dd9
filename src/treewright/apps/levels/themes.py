"""Other looks for the same tiles: castle, cave and ice, in art of our own.

A theme gives each colour of the drawing (drawing.py) another one, and draws its own ground.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from treewright.apps.levels.tiles import one_of

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Theme:
    """Colours by name (drawing.py), and how ground is drawn, exposed or below other ground."""

    colours: dict[str, Colour] = field(default_factory=dict)
    ground: Callable[[Any, bool], None] | None = None


def _stones(draw: Any, exposed: bool) -> None:
    """Courses of cut stone; battlements of light where there is air above."""
    draw.rectangle([0, 0, 15, 15], fill=(70, 72, 84))
    for row, shift in ((0, 0), (1, 5), (2, 0)):
        y = 5 * row + 1
        for x in range(-shift, 16, 10):
            left, right = max(x, 0), min(x + 8, 15)
            draw.rectangle([left, y, right, y + 3], fill=(112, 114, 128))
            draw.line([(left, y), (right, y)], fill=(142, 144, 158))
    if exposed:
        draw.rectangle([0, 0, 15, 2], fill=(166, 166, 176))
        draw.line([(0, 3), (15, 3)], fill=(58, 60, 70))
        for x in (3, 11):
            draw.rectangle([x, 0, x + 1, 2], fill=(70, 72, 84))


def _rock(draw: Any, exposed: bool) -> None:
    """Rough rock with veins; moss that glows a little where there is air above."""
    draw.rectangle([0, 0, 15, 15], fill=(74, 62, 66))
    draw.polygon([(1, 7), (6, 5), (9, 9), (4, 12)], fill=(92, 78, 80))
    draw.polygon([(9, 2), (15, 4), (13, 9)], fill=(60, 50, 55))
    draw.line([(2, 14), (7, 11), (12, 13), (15, 11)], fill=(50, 41, 46))
    draw.point([(5, 7), (12, 6), (8, 14)], fill=(132, 116, 112))
    if exposed:
        draw.rectangle([0, 0, 15, 1], fill=(72, 148, 128))
        for x, y in ((1, 2), (5, 2), (6, 3), (10, 2), (14, 2), (14, 3)):
            draw.point((x, y), fill=(72, 148, 128))
        draw.point([(3, 0), (9, 1), (13, 0)], fill=(150, 222, 190))


def _ice(draw: Any, exposed: bool) -> None:
    """Blue ice with cracks; snow with drips where there is air above."""
    draw.rectangle([0, 0, 15, 15], fill=(142, 192, 220))
    draw.polygon([(0, 9), (5, 6), (10, 11), (3, 15), (0, 15)], fill=(168, 212, 234))
    draw.line([(11, 5), (9, 9), (13, 12)], fill=(104, 158, 194))
    draw.line([(2, 12), (5, 10)], fill=(216, 240, 250))
    draw.line([(15, 0), (15, 15)], fill=(120, 174, 206))
    if exposed:
        draw.rectangle([0, 0, 15, 4], fill=(246, 250, 254))
        for x, deep in ((1, 6), (5, 7), (9, 5), (13, 6)):
            draw.rectangle([x, 4, x + 1, deep], fill=(246, 250, 254))
        draw.line([(0, 0), (15, 0)], fill=(206, 226, 238))


THEMES = {
    "meadow": Theme(),
    "castle": Theme(
        {
            "SKY_TOP": (40, 36, 58),
            "SKY_LOW": (98, 74, 84),
            "BRICK": (126, 116, 124),
            "BRICK_LIGHT": (154, 144, 150),
            "MORTAR": (74, 66, 76),
            "TEAL": (150, 78, 66),
            "TEAL_DARK": (98, 44, 42),
            "TEAL_LIGHT": (206, 132, 108),
            "GRASS": (206, 150, 60),
            "PURPLE": (188, 72, 60),
            "PURPLE_DARK": (120, 36, 36),
        },
        _stones,
    ),
    "cave": Theme(
        {
            "SKY_TOP": (24, 24, 38),
            "SKY_LOW": (46, 52, 66),
            "BRICK": (118, 90, 86),
            "BRICK_LIGHT": (146, 116, 108),
            "MORTAR": (66, 50, 52),
            "TEAL": (96, 112, 62),
            "TEAL_DARK": (58, 70, 38),
            "TEAL_LIGHT": (158, 176, 108),
            "GRASS": (72, 148, 128),
            "PURPLE": (122, 128, 176),
            "PURPLE_DARK": (70, 74, 122),
            "IRON": (98, 92, 96),
            "IRON_DARK": (58, 54, 60),
        },
        _rock,
    ),
    "ice": Theme(
        {
            "SKY_TOP": (146, 176, 214),
            "SKY_LOW": (236, 242, 248),
            "BRICK": (122, 150, 190),
            "BRICK_LIGHT": (162, 188, 220),
            "MORTAR": (76, 100, 142),
            "TEAL": (92, 124, 184),
            "TEAL_DARK": (54, 80, 134),
            "TEAL_LIGHT": (170, 198, 236),
            "GRASS": (92, 124, 184),
            "PURPLE": (188, 106, 132),
            "PURPLE_DARK": (130, 62, 90),
        },
        _ice,
    ),
}


def theme_of(name: str) -> Theme:
    return THEMES[one_of("theme", name, THEMES)]
