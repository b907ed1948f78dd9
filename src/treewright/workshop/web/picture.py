"""A domain's own picture on a page: SVG of shapes and words, and nothing that could do anything."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from treewright.errors import TreewrightError

LONGEST = 400_000  # characters
SHAPES = frozenset(
    {"svg", "g", "rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "text",
     "tspan", "title"}
)  # fmt: skip
KNOWN = re.compile(
    r"^(x|y|dx|dy|x1|x2|y1|y2|cx|cy|r|rx|ry|width|height|points|d|fill|fill-opacity|fill-rule|"
    r"stroke|stroke-width|stroke-opacity|stroke-dasharray|stroke-linecap|stroke-linejoin|opacity|"
    r"font-size|font-weight|font-family|text-anchor|dominant-baseline|transform|viewBox|data-action)$"
)
SPACE = "{http://www.w3.org/2000/svg}"


class PictureError(TreewrightError):
    """What a ``picture`` returned is no picture."""


def picture(text: str, legal: Mapping[int, str]) -> str:
    """SVG with only shapes and words in it; a shape with a legal ``data-action`` is a button."""
    if len(text) > LONGEST or "<!" in text:
        raise PictureError(f"picture must return SVG of at most {LONGEST:,} characters")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise PictureError(f"picture must return SVG: {error}") from None
    if root.tag.removeprefix(SPACE) != "svg":
        raise PictureError("picture must return SVG: its outermost element is <svg>")
    _clean(root, legal)
    root.set("class", "picture")
    root.set("role", "group")
    root.set("aria-label", "the position")
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: ElementTree.Element, legal: Mapping[int, str]) -> None:
    element.tag = element.tag.removeprefix(SPACE)
    for name, value in list(element.items()):
        if not KNOWN.match(name) or "url" in value.lower():
            del element.attrib[name]
    action = element.attrib.pop("data-action", "")
    if action.isdigit() and int(action) in legal:
        for name, value in (("data-action", action), ("role", "button"), ("tabindex", "0")):
            element.set(name, value)
        element.set("aria-label", legal[int(action)])
    for below in list(element):
        if isinstance(below.tag, str) and below.tag.removeprefix(SPACE) in SHAPES:
            _clean(below, legal)
        else:
            element.remove(below)
