"""Boards for the terminal and as pictures."""

import io
from pathlib import Path
from typing import Any

from treewright.apps.tactics.board import HEIGHT, Board, load
from treewright.apps.tactics.units import (
    CARD_LETTERS,
    CARDS,
    CRYSTAL,
    MAX_HP,
    UNIT_LETTERS,
    UNIT_NAMES,
)
from treewright.errors import MissingExtra, OptionError
from treewright.library.writing import whole

MARKS = (" ", "A", "S", "P", "d", "D")  # terrain on empty squares
SIDES = ("\x1b[1;34m", "\x1b[1;31m")  # blue and red
DIM, RESET = "\x1b[2m", "\x1b[0m"
COLOURS = ("#2b6cb0", "#c53030")
GROUND = {
    " ": "#f3efe6",
    "A": "#f6d5a8",
    "S": "#cfe3c4",
    "P": "#e3cdea",
    "d": "#c9dcf0",
    "D": "#f2cccc",
}
GEAR = ("R", "S", "D", "H")  # Runemetal, Scroll, Dragonscale, helm
FORMATS = (".png", ".svg", ".pdf")


def owner(s: Any, q: int) -> int | None:
    """Whose unit, body or crystal is on a square."""
    for side in (0, 1):
        if (s.up[side] | s.down[side] | s.gem[side]) >> q & 1:
            return side
    return None


def gear_letters(gear: int) -> str:
    return "".join(letter for i, letter in enumerate(GEAR) if gear >> i & 1)


def hand_text(s: Any, side: int) -> str:
    """The cards in hand, a letter each."""
    return "".join(CARD_LETTERS[c] * s.hand[side * CARDS + c] for c in range(CARDS)) or "-"


def _cell(s: Any, board: Board, q: int, colour: bool) -> str:
    side = owner(s, q)
    if side is None:
        text = f"  {MARKS[board.terrain[q]]}   "
        return f"{DIM}{text}{RESET}" if colour else text
    letter = UNIT_LETTERS[s.unit[q]]
    letter = letter if side == 0 else letter.lower()
    text = f"{letter}{'†' if s.hp[q] == 0 else ' '}{s.hp[q] or '':<4}"
    return f"{SIDES[side]}{text}{RESET}" if colour else text


def text(s: Any, board: Board, colour: bool = False, hidden: int | None = None) -> str:
    """Capitals are the first player's, † is a body; then turn, points, hands and decks.

    ``hidden``: the player whose hand is not shown.
    """
    lines = ["   " + " ".join(f"  {x}   " for x in range(board.width))]
    for y in range(board.height):
        cells = (_cell(s, board, x * HEIGHT + y, colour) for x in range(board.width))
        lines.append(f"{y}  " + " ".join(cells))
    lines.append("")
    for side in (0, 1):
        name = f"player {side + 1}"
        name = f"{SIDES[side]}{name}{RESET}" if colour else name
        mark = ">" if s.player == side and not s.over else " "
        points = f", {s.ap} action points" if mark == ">" else ""
        hand = "?" * s.held[side] if side == hidden else hand_text(s, side)
        lines.append(f"{mark} {name}: hand {hand}, deck {s.left[side]}{points}")
    result = {-1: "", 0: " - draw", 1: " - player 1 wins", 2: " - player 2 wins"}[s.winner]
    return "\n".join([*lines, f"turn {s.turn}{result}"])


def figure(s: Any, board: Board, title: str = "") -> Any:
    """The board as a Matplotlib figure."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("a picture of the board", "tactics") from None
    found = Figure(figsize=(board.width, board.height + 1.0), layout="constrained")
    draw(found.add_subplot(), s, board, title)
    return found


def draw(axes: Any, s: Any, board: Board, title: str = "", scale: float = 1.0) -> None:
    """The board, hands and decks on Matplotlib axes; ``scale`` is inches per square."""
    axes.set_xlim(-0.02, board.width + 0.02)
    axes.set_ylim(board.height + 0.75, -0.3)
    axes.set_aspect("equal")
    axes.axis("off")
    for x in range(board.width):
        for y in range(board.height):
            _square(axes, s, board, x, y, scale)
    for side in (0, 1):
        axes.text(
            0.05 if side == 0 else board.width - 0.05,
            board.height + 0.22,
            f"hand {' '.join(hand_text(s, side))}   deck {s.left[side]}",
            ha="left" if side == 0 else "right",
            va="center",
            color=COLOURS[side],
            fontsize=11 * scale,
        )
    shown = title or f"turn {s.turn}, player {s.player + 1} to move, {s.ap} action points"
    style = {"ha": "center", "va": "center", "color": "0.3", "fontsize": 11 * scale}
    axes.text(board.width / 2, board.height + 0.58, shown, **style)


def _square(axes: Any, s: Any, board: Board, x: int, y: int, scale: float) -> None:
    """The ground and what stands on it."""
    q = x * HEIGHT + y
    mark = MARKS[board.terrain[q]]
    corners = [x, x + 1, x + 1, x], [y, y, y + 1, y + 1]
    axes.fill(*corners, facecolor=GROUND[mark], edgecolor="white", lw=2 * scale)
    side = owner(s, q)
    if side is None:
        style = {"ha": "center", "va": "center", "color": "0.55", "fontsize": 15 * scale}
        axes.text(x + 0.5, y + 0.5, mark, **style)
    else:
        _piece(axes, s, q, side, scale)


def _piece(axes: Any, s: Any, q: int, side: int, scale: float) -> None:
    """A crystal, a unit or a body with its equipment and health."""
    from matplotlib.patches import Circle, RegularPolygon

    x, y = divmod(q, HEIGHT)
    kind, body, shade = s.unit[q], s.hp[q] == 0, COLOURS[side]
    middle = (x + 0.5, y + 0.42)
    style: dict[str, Any] = {"facecolor": "white" if body else shade, "edgecolor": shade}
    style["lw"] = 2 * scale
    if kind == CRYSTAL:
        axes.add_patch(RegularPolygon(middle, 4, radius=0.34, **style))
    else:
        axes.add_patch(Circle(middle, 0.29, linestyle="--" if body else "-", **style))
        ink = {"ha": "center", "va": "center", "color": shade if body else "white"}
        axes.text(*middle, UNIT_LETTERS[kind], fontsize=15 * scale, weight="bold", **ink)
        gear = gear_letters(s.gear[q])
        ink = {"ha": "right", "va": "center", "color": shade}
        axes.text(x + 0.95, y + 0.16, gear, fontsize=8 * scale, **ink)
    _health(axes, x, y, s.hp[q], int(MAX_HP[kind * 16 + s.gear[q]]), shade, scale)


def _health(axes: Any, x: int, y: int, hp: int, full: int, shade: str, scale: float) -> None:
    for share, colour in ((1.0, "0.85"), (hp / full, shade)):
        axes.fill(
            [x + 0.12, x + 0.12 + 0.76 * share, x + 0.12 + 0.76 * share, x + 0.12],
            [y + 0.8, y + 0.8, y + 0.86, y + 0.86],
            facecolor=colour,
            edgecolor="none",
        )
    style = {"ha": "center", "va": "center", "color": "0.35", "fontsize": 6.5 * scale}
    axes.text(x + 0.5, y + 0.935, str(hp), **style)


def picture(s: Any, map_name: str, out: Path, title: str = "") -> None:
    """Draw a state to a PNG, SVG or PDF file."""
    if out.suffix not in FORMATS:
        raise OptionError(f"{out}: draw to one of {', '.join(FORMATS)}")
    with whole(out) as part:
        part.write_bytes(drawn(s, map_name, out.suffix[1:], title))


def drawn(s: Any, map_name: str, kind: str, title: str = "") -> bytes:
    """A state as ``png``, ``svg`` or ``pdf``."""
    dated = {"metadata": {"Date": None}} if kind == "svg" else {}
    out = io.BytesIO()
    figure(s, load(map_name), title).savefig(out, format=kind, dpi=110, **dated)
    return out.getvalue()


def legend() -> str:
    units = ", ".join(f"{UNIT_LETTERS[k]} {UNIT_NAMES[k]}" for k in range(6))
    return f"{units}; squares: d D deploy, A assault, S defense, P power"
