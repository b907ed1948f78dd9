"""A Go board as SVG, with what the engine thinks; and Black's chances along a game."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

LETTERS = "ABCDEFGHJKLMNOPQRST"
STARS = {9: (3, 5, 7), 13: (4, 7, 10), 19: (4, 10, 16)}
TOP = 6  # candidates that wear numbers


def board_svg(
    size: int, position: Mapping[str, Any], candidates: Sequence[Mapping[str, Any]] = ()
) -> str:
    """The board; each point has its name, and each candidate its line, for the mouse."""
    lines = "".join(f'<path d="M1 {i} H{size} M{i} 1 V{size}"/>' for i in range(1, size + 1))
    stars = "".join(
        f'<circle cx="{x}" cy="{y}" r=".11"/>' for x in STARS[size] for y in STARS[size]
    )
    names = "".join(
        f'<text x="{i}" y=".25">{LETTERS[i - 1]}</text>'
        f'<text x=".2" y="{size + 1 - i + 0.13}">{i}</text>'
        for i in range(1, size + 1)
    )
    stones = "".join(
        _stone(vertex, colour, size, vertex == position["last"])
        for vertex, colour in position["stones"].items()
    )
    thought = {c["at"]: c for c in candidates}
    most = max((c["visits"] for c in candidates), default=1)
    marks = "".join(
        _mark(c, most, size, i < TOP)
        for i, c in enumerate(candidates)
        if c["at"] != "pass" and c["at"] not in position["stones"]
    )
    legal = set(position["legal"])
    points = "".join(
        _point(LETTERS[x - 1] + str(y), size, legal, thought)
        for y in range(size, 0, -1)
        for x in range(1, size + 1)
    )
    return (
        f'<svg id="go-board" viewBox="-.1 -.2 {size + 1.0} {size + 1.0}" role="group" '
        f'aria-label="Go board"><rect class="wood" x=".45" y=".45" width="{size + 0.1}" '
        f'height="{size + 0.1}" rx=".2"/><g class="lines">{lines}</g><g class="stars">{stars}</g>'
        f'<g class="names">{names}</g>{stones}<g>{marks}</g><g class="ghosts"></g>'
        f"<g>{points}</g></svg>"
    )


def _at(vertex: str, size: int) -> tuple[int, int]:
    return LETTERS.index(vertex[0]) + 1, size + 1 - int(vertex[1:])


def _stone(vertex: str, colour: int, size: int, last: bool) -> str:
    x, y = _at(vertex, size)
    ring = f'<circle cx="{x}" cy="{y}" r=".2" class="last"/>' if last else ""
    return (
        f'<circle cx="{x}" cy="{y}" r=".46" class="{"black" if colour == 1 else "white"}"/>{ring}'
    )


def _mark(candidate: Mapping[str, Any], most: int, size: int, numbers: bool) -> str:
    """A candidate: the more visits, the stronger; win rate and visits as text."""
    x, y = _at(candidate["at"], size)
    share = candidate["visits"] / most
    value = candidate["value"]
    words = (
        f'<text x="{x}" y="{y - 0.02}" class="rate">{value * 100:.0f}</text>'
        f'<text x="{x}" y="{y + 0.28}" class="visits">{_short(candidate["visits"])}</text>'
        if numbers and value is not None
        else ""
    )
    strong = f"fill-opacity:{0.2 + 0.7 * share:.2f}"
    return f'<circle cx="{x}" cy="{y}" r=".42" class="mark" style="{strong}"/>{words}'


def _point(vertex: str, size: int, legal: set[str], thought: Mapping[str, Any]) -> str:
    """Where one can click; the first in reach of the Tab key is the middle."""
    x, y = _at(vertex, size)
    line = ""
    if vertex in thought and thought[vertex]["line"]:
        candidate = thought[vertex]
        words = escape(" ".join(candidate["line"]))
        line = f' data-line="{words}" data-colour="{candidate["colour"]}"'
    middle = (size + 1) // 2
    tab = "0" if (x, y) == (middle, middle) else "-1"
    able = "" if vertex in legal else ' aria-disabled="true"'
    return (
        f'<rect x="{x - 0.5}" y="{y - 0.5}" width="1" height="1" class="point" role="button" '
        f'tabindex="{tab}" data-vertex="{vertex}" data-x="{x}" data-y="{y}" '
        f'aria-label="{vertex}"{able}{line}/>'
    )


def _short(number: int) -> str:
    return f"{number / 1000:.1f}k" if number >= 1000 else str(number)


def rates_svg(rates: Sequence[float | None]) -> str:
    """Black's chances along the game."""
    known = [(i, rate) for i, rate in enumerate(rates, 1) if rate is not None]
    width = max(len(rates), 10)
    points = " ".join(f"{i / width * 100:.2f},{40 - 40 * rate:.2f}" for i, rate in known)
    dots = "".join(
        f'<circle cx="{i / width * 100:.2f}" cy="{40 - 40 * rate:.2f}" r=".7"><title>move {i}: '
        f"Black {rate:.0%}</title></circle>"
        for i, rate in known
    )
    return (
        '<svg class="rates" viewBox="0 -1 101 42" role="img" aria-label="Black\'s chances">'
        f'<path class="half" d="M0 20 H100"/><polyline points="{points}"/>{dots}</svg>'
    )
