"""Positions from text: GTP vertices, move lists, diagrams, handicap stones; and back.

Plain Python, run once per position.
"""

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.apps.go.board import BLACK, EMPTY, PASS, WHITE
from treewright.random import bits, stream

LETTERS = "ABCDEFGHJKLMNOPQRST"  # there is no column I
COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
STONES = {"X": BLACK, "B": BLACK, "#": BLACK, "O": WHITE, "W": WHITE, ".": EMPTY, "+": EMPTY}


def to_point(vertex: str, size: int) -> int:
    """The point of a GTP vertex such as ``C3`` or ``pass``."""
    text = vertex.strip().upper()
    if text == "PASS":
        return PASS
    if re.fullmatch(r"[A-Z][0-9]{1,2}", text):
        column = LETTERS.find(text[0]) + 1
        row = int(text[1:])
        if 1 <= column <= size and 1 <= row <= size:
            return row * (size + 1) + column
    raise ValueError(f"{vertex!r} is no vertex of a {size}x{size} board")


def to_vertex(point: int, size: int) -> str:
    """The GTP vertex of a point."""
    if point == PASS:
        return "pass"
    row, column = divmod(int(point), size + 1)
    return f"{LETTERS[column - 1]}{row}"


def handicap_points(size: int, stones: int) -> list[int]:
    """Where ``fixed_handicap`` of GTP puts this many stones."""
    most = 0 if size < 7 else 4 if size % 2 == 0 or size == 7 else 9
    if not 2 <= stones <= most:
        choice = f"2 to {most} stones" if most else "no handicap"
        raise ValueError(f"handicap={stones}: there is {choice} on {size}x{size}")
    low = 3 if size < 13 else 4
    middle, high = (size + 1) // 2, size + 1 - low
    corners = [(low, low), (high, high), (high, low), (low, high)]
    sides = [(middle, low), (middle, high), (low, middle), (high, middle)]
    chosen = corners[: min(stones, 4)]
    if stones >= 6:
        chosen += sides[: 4 if stones >= 8 else 2]
    if stones in (5, 7, 9):
        chosen.append((middle, middle))
    return [row * (size + 1) + column for row, column in chosen]


def diagram_stones(diagram: str, size: int) -> list[tuple[int, int]]:
    """(point, colour) of each stone of a drawn board, the top row first."""
    lines = diagram.strip().splitlines() if "\n" in diagram.strip() else diagram.split()
    rows = ["".join(line.split()) for line in lines]
    if len(rows) != size or any(len(row) != size for row in rows):
        raise ValueError(f"the diagram must have {size} rows of {size} points")
    found = []
    for at, row in enumerate(rows):
        for column, mark in enumerate(row.upper(), 1):
            if mark not in STONES:
                raise ValueError(f"diagram: {mark!r} is neither X, O nor a point")
            if STONES[mark] != EMPTY:
                found.append(((size - at) * (size + 1) + column, STONES[mark]))
    return found


def set_up(
    s: Any,
    clear: Callable[..., Any],
    move: Callable[..., Any],
    allowed: Callable[..., Any],
    note: Callable[[Any], None] | None,
    settings: dict[str, Any],
) -> None:
    """Make the position that the settings describe; ``note`` sees each one on the way."""
    size = settings["size"]
    doubled = settings["komi"] * 2
    if doubled != int(doubled) or abs(doubled) > 4 * size * size:
        raise ValueError(f"komi={settings['komi']} must be a number of half points")
    clear(s)
    s.komi = int(doubled)
    stones = diagram_stones(settings["diagram"], size) if settings["diagram"] else []
    if settings["handicap"]:
        stones += [(p, BLACK) for p in handicap_points(size, settings["handicap"])]
    for point, colour in stones:
        if s.colour[point] != EMPTY:
            raise ValueError(f"there are two stones at {to_vertex(point, size)}")
        s.player = colour - 1
        move(s, point)
    if any(s.colour[p] != c or s.liberties[s.chain[p]] == 0 for p, c in stones):
        raise ValueError("the diagram has a chain without a liberty")
    first = settings["to_play"] or ("white" if settings["handicap"] else "black")
    if str(first).lower() not in COLOURS:
        raise ValueError(f"to_play={first!r} must be black or white")
    s.player = COLOURS[str(first).lower()] - 1
    s.ko = s.last = s.before = s.passes = 0
    if note:
        note(s)
    for token in str(settings["moves"]).replace(",", " ").split():
        if token.lower() in COLOURS:  # the colour of the next move, as in GTP
            s.player = COLOURS[token.lower()] - 1
            continue
        point = to_point(token, size)
        colour = s.player + 1
        if point != PASS and (s.colour[point] != EMPTY or not allowed(s, colour, point)):
            raise ValueError(f"moves: {token} is not legal")
        move(s, point)
        if note:
            note(s)
    s.moves = 0


def draw(s: Any, size: int) -> str:
    """The board as text, the last move in brackets."""
    head = "   " + " ".join(LETTERS[:size])
    lines = [head]
    for row in range(size, 0, -1):
        text = ""
        for column in range(1, size + 1):
            point = row * (size + 1) + column
            before = "(" if point == s.last else ")" if column > 1 and point - 1 == s.last else " "
            text += before + ".XO"[s.colour[point]]
        text += ")" if row * (size + 1) + size == s.last else " "
        lines.append(f"{row:2}{text}{row}")
    return "\n".join([*lines, head, ("Black (X)", "White (O)")[s.player] + " to move"])


@functools.cache
def zobrist(size: int) -> np.ndarray:
    """A random number for each colour and point; those of what is no stone are 0."""
    cells = (size + 1) * (size + 2) + 1
    keys = np.zeros((4, cells), np.uint64)
    rng = stream(size)
    for colour in (BLACK, WHITE):
        for point in range(cells):
            keys[colour, point] = bits(rng)
    return keys
