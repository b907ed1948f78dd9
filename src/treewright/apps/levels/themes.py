"""Other looks for the same tiles: castle, cave and ice, in art of our own.

A theme gives each colour of the drawing (drawing.py, and the study's art.mjs) another one, and has
its own ground: shapes that both draw, so that a level looks alike as a picture and in the game.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from treewright.apps.levels.tiles import one_of

Colour = tuple[int, int, int]


class Shape(NamedTuple):
    """A ``rect`` (left, top, right, bottom), a ``line``, a ``polygon`` or ``dots`` (x, y, …)."""

    kind: str
    numbers: tuple[int, ...]
    colour: Colour


@dataclass(frozen=True)
class Theme:
    """Colours by name, the ground, and what lies over it where there is air above."""

    colours: dict[str, Colour] = field(default_factory=dict)
    ground: tuple[Shape, ...] = ()
    exposed: tuple[Shape, ...] = ()
    behind: dict[str, Colour] = field(default_factory=dict)  # colours that only the game has

    def to_dict(self) -> dict[str, Any]:
        """The theme as the game in the browser reads it."""
        colours = self.colours | self.behind
        return {
            "colours": {_camel(name): _css(colour) for name, colour in colours.items()},
            "ground": [(s.kind, s.numbers, _css(s.colour)) for s in self.ground],
            "exposed": [(s.kind, s.numbers, _css(s.colour)) for s in self.exposed],
        }


def _css(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _camel(name: str) -> str:
    first, *rest = name.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


def _stones() -> tuple[Shape, ...]:
    """Courses of cut stone."""
    found = [Shape("rect", (0, 0, 15, 15), (70, 72, 84))]
    for row, shift in ((0, 0), (1, 5), (2, 0)):
        y = 5 * row + 1
        for x in range(-shift, 16, 10):
            left, right = max(x, 0), min(x + 8, 15)
            found.append(Shape("rect", (left, y, right, y + 3), (112, 114, 128)))
            found.append(Shape("rect", (left, y, right, y), (142, 144, 158)))
    return tuple(found)


BATTLEMENTS = (
    Shape("rect", (0, 0, 15, 2), (166, 166, 176)),
    Shape("rect", (0, 3, 15, 3), (58, 60, 70)),
    Shape("rect", (3, 0, 4, 2), (70, 72, 84)),
    Shape("rect", (11, 0, 12, 2), (70, 72, 84)),
)
ROCK = (  # rough, with veins
    Shape("rect", (0, 0, 15, 15), (74, 62, 66)),
    Shape("polygon", (1, 7, 6, 5, 9, 9, 4, 12), (92, 78, 80)),
    Shape("polygon", (9, 2, 15, 4, 13, 9), (60, 50, 55)),
    Shape("line", (2, 14, 7, 11, 12, 13, 15, 11), (50, 41, 46)),
    Shape("dots", (5, 7, 12, 6, 8, 14), (132, 116, 112)),
)
MOSS = (  # it glows a little
    Shape("rect", (0, 0, 15, 1), (72, 148, 128)),
    Shape("dots", (1, 2, 5, 2, 6, 3, 10, 2, 14, 2, 14, 3), (72, 148, 128)),
    Shape("dots", (3, 0, 9, 1, 13, 0), (150, 222, 190)),
)
ICE = (  # with cracks
    Shape("rect", (0, 0, 15, 15), (142, 192, 220)),
    Shape("polygon", (0, 9, 5, 6, 10, 11, 3, 15, 0, 15), (168, 212, 234)),
    Shape("line", (11, 5, 9, 9, 13, 12), (104, 158, 194)),
    Shape("line", (2, 12, 5, 10), (216, 240, 250)),
    Shape("rect", (15, 0, 15, 15), (120, 174, 206)),
)
SNOW = (  # with drips
    Shape("rect", (0, 0, 15, 4), (246, 250, 254)),
    *(
        Shape("rect", (x, 4, x + 1, deep), (246, 250, 254))
        for x, deep in ((1, 6), (5, 7), (9, 5), (13, 6))
    ),
    Shape("rect", (0, 0, 15, 0), (206, 226, 238)),
)

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
        _stones(),
        BATTLEMENTS,
        {
            "HILL": (62, 54, 74),
            "HILL_FAR": (72, 58, 76),
            "CLOUD": (88, 74, 92),
            "POLE": (214, 206, 196),
        },
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
        ROCK,
        MOSS,
        {
            "HILL": (34, 36, 50),
            "HILL_FAR": (42, 46, 60),
            "CLOUD": (32, 34, 48),
            "POLE": (196, 196, 190),
        },
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
        ICE,
        SNOW,
        {"HILL": (222, 234, 246), "HILL_FAR": (196, 214, 236)},
    ),
}


def theme_of(name: str) -> Theme:
    return THEMES[one_of("theme", name, THEMES)]
