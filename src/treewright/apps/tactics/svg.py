"""A board of Hero Academy as SVG, with what may be done and the turn that was planned."""

from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any

TERRAIN = {
    " ": "plain",
    "A": "assault",
    "S": "defense",
    "P": "power",
    "d": "deploy",
    "D": "deploy for the other side",
}
CLASSES = {" ": "plain", "A": "assault", "S": "defense", "P": "power", "d": "blue", "D": "red"}
KINDS = {"M": "move", "A": "attack", "H": "heal", "S": "swap"}


def board_svg(
    now: Mapping[str, Any],
    chosen: str = "",
    targets: Collection[str] = (),
    able: Collection[str] = (),
    turn: Sequence[Mapping[str, str]] = (),
) -> str:
    """The board.

    ``chosen`` is the square of the unit that acts, ``targets`` are where it can act, ``able`` the
    squares of units that can, and ``turn`` a list of actions that is drawn as numbered arrows.
    """
    width, height = now["width"], now["height"]
    ground = "".join(_ground(square, mark) for square, mark in now["ground"].items())
    pieces = "".join(_piece(square, piece) for square, piece in now["pieces"].items())
    marks = "".join(
        f'<rect class="{kind}" x="{square[0]}.04" y="{square[1]}.04" width=".92" height=".92" '
        'rx=".08"/>'
        for kind, squares in (("able", able), ("target", targets), ("chosen", [chosen]))
        for square in squares
        if square in now["ground"]
    )
    cards: dict[str, int] = {}
    arrows = "".join(_arrow(number, action, cards) for number, action in enumerate(turn, 1))
    names = "".join(f'<text x="{x + 0.5}" y="-.07">{x}</text>' for x in range(width))
    names += "".join(f'<text x="-.14" y="{y + 0.56}">{y}</text>' for y in range(height))
    places = "".join(_place(square, now, square in targets) for square in now["ground"])
    return (
        f'<svg id="tactics-board" viewBox="-.25 -.3 {width + 0.3} {height + 0.35}" role="group" '
        'aria-label="the board"><defs><marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" '
        'markerWidth="4" markerHeight="4" orient="auto"><path d="M0 0 L6 3 L0 6 z" '
        'fill="context-stroke"/></marker></defs>'
        f"<g class='names'>{names}</g>{ground}{pieces}{marks}<g class='plan'>{arrows}</g>"
        f"<g>{places}</g></svg>"
    )


def _ground(square: str, mark: str) -> str:
    x, y = square[0], square[1]
    letter = f'<text x="{x}.5" y="{y}.6" class="mark">{mark.upper()}</text>' if mark != " " else ""
    return f'<rect class="ground {CLASSES[mark]}" x="{x}" y="{y}" width="1" height="1"/>{letter}'


def _piece(square: str, piece: Mapping[str, Any]) -> str:
    """A unit, a body or a crystal, with its equipment and health."""
    x, y = int(square[0]), int(square[1])
    side = ("first", "second")[piece["side"]]
    kind = f"piece {side}{'' if piece['hp'] else ' body'}"
    if piece["letter"] == "X":
        shape = (
            f'<path class="{kind}" d="M{x + 0.5} {y + 0.08} L{x + 0.8} {y + 0.42} '
            f'L{x + 0.5} {y + 0.76} L{x + 0.2} {y + 0.42} z"/>'
        )
    else:
        shape = (
            f'<circle class="{kind}" cx="{x + 0.5}" cy="{y + 0.42}" r=".3"/>'
            f'<text class="letter {kind}" x="{x + 0.5}" y="{y + 0.54}">{piece["letter"]}</text>'
        )
    share = piece["hp"] / piece["full"]
    return (
        f'{shape}<text class="gear" x="{x + 0.95}" y="{y + 0.2}">{piece["gear"]}</text>'
        f'<rect class="health" x="{x + 0.14}" y="{y + 0.79}" width=".72" height=".055"/>'
        f'<rect class="health {side}" x="{x + 0.14}" y="{y + 0.79}" width="{0.72 * share:.3f}" '
        f'height=".055"/><text class="hp" x="{x + 0.5}" y="{y + 0.96}">{piece["hp"]}</text>'
    )


def _arrow(number: int, action: Mapping[str, str], cards: dict[str, int]) -> str:
    """One action of a turn: an arrow from square to square, or a card on its square.

    ``cards`` counts those on each square, which stand side by side.
    """
    square = action["to"]
    if not square:
        return ""
    x, y = int(square[0]), int(square[1])
    kind = KINDS.get(action["text"][0], "card")
    if kind == "card":
        line = ""
        bx, by = x + 0.17 + 0.3 * cards.get(square, 0), y + 0.17
        cards[square] = cards.get(square, 0) + 1
    else:
        fx, fy = int(action["from"][0]), int(action["from"][1])
        line = (
            f'<path class="{kind}" marker-end="url(#tip)" d="M{fx + 0.5} {fy + 0.42} '
            f'L{x + 0.5} {y + 0.42}"/>'
        )
        bx, by = (fx + x) / 2 + 0.5, (fy + y) / 2 + 0.42
    return (
        f'{line}<circle class="{kind}" cx="{bx:.2f}" cy="{by:.2f}" r=".14"/>'
        f'<text x="{bx:.2f}" y="{by + 0.07:.2f}">{number}</text>'
    )


def _place(square: str, now: Mapping[str, Any], target: bool) -> str:
    """Where one can click; the middle is the first in reach of the Tab key."""
    x, y = square[0], square[1]
    middle = f"{now['width'] // 2}{now['height'] // 2}"
    piece = now["pieces"].get(square)
    what = TERRAIN[now["ground"][square]]
    if piece is not None:
        who = ("first", "second")[piece["side"]]
        health = f"{piece['hp']} of {piece['full']}" if piece["hp"] else "fallen"
        what = f"{piece['name']} of the {who} player, {health}, on {what}"
    words = escape(f"{square}: {what}{', can be reached' if target else ''}")
    return (
        f'<rect class="place" role="button" tabindex="{0 if square == middle else -1}" x="{x}" '
        f'y="{y}" width="1" height="1" data-square="{square}" data-x="{x}" data-y="{y}" '
        f'aria-label="{words}"/>'
    )
