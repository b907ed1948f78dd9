"""Tic-tac-toe, the papers' running example (Magnuson, figures 1 and 3)."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

import numpy as np
from numpy import int8, int16

from treewright.library.domain import Domain, record

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
FULL = 511
THREE = np.array(  # whether nine bits hold three in a row
    [any(all(bits >> cell & 1 for cell in line) for line in LINES) for bits in range(512)], int8
)


class TicTacToe(Domain):
    """Three in a row; each player's stones are nine bits, cell 0 at the top left.

    Any position can be the start: ``moves="b2 a1"`` plays cells from the empty board.
    """

    id = "tictactoe-v1"
    players = 2
    max_actions = 9
    max_length = 9
    keys = 9
    state = record(mine=int16, theirs=int16, player=int8, won=int8)

    def start(s, moves=""):
        play_all(s, moves)

    def legal(s, out):
        free = ~(s.mine | s.theirs)
        n = 0
        for cell in range(9):  # no branch to mispredict: a taken cell is overwritten
            out[n] = cell
            n += free >> cell & 1
        return n

    def play(s, action):
        mark(s, action)

    def ended(s):
        return s.won == 1 or (s.mine | s.theirs) == FULL

    def rewards(s, out):
        out[1 - s.player] = 1.0 if s.won else 0.5
        out[s.player] = 0.0 if s.won else 0.5

    def describe(s, action):
        return name(action)

    def render(s):
        crosses, noughts = (s.mine, s.theirs) if s.player == 0 else (s.theirs, s.mine)
        rows = []
        for row in range(3):
            cells = [
                "X" if crosses >> i & 1 else "O" if noughts >> i & 1 else "."
                for i in range(3 * row, 3 * row + 3)
            ]
            rows.append(f"{3 - row} " + " ".join(cells))
        return "\n".join([*rows, "  a b c"])

    def picture(s):
        crosses, noughts = (s.mine, s.theirs) if s.player == 0 else (s.theirs, s.mine)
        shapes = []
        for cell in range(9):
            x, y = 100 * (cell % 3), 100 * (cell // 3)
            shapes.append(
                f'<rect x="{x + 3}" y="{y + 3}" width="94" height="94" rx="8" fill="#f3efe6" '
                f'data-action="{cell}"/>'
            )
            if crosses >> cell & 1:
                shapes.append(
                    f'<path d="M{x + 26} {y + 26} l48 48 m0 -48 l-48 48" stroke="#2b6cb0" '
                    f'stroke-width="11" stroke-linecap="round" fill="none"/>'
                )
            elif noughts >> cell & 1:
                shapes.append(
                    f'<circle cx="{x + 50}" cy="{y + 50}" r="26" stroke="#b92c2c" '
                    f'stroke-width="11" fill="none"/>'
                )
        return f'<svg viewBox="0 0 300 300" width="300">{"".join(shapes)}</svg>'


def mark(s, cell):
    """One stone of the player to move; the sides then change places."""
    mine = s.mine | 1 << cell
    s.won = THREE[mine]
    s.mine = s.theirs
    s.theirs = mine
    s.player = 1 - s.player


def name(cell: int) -> str:
    return "abc"[cell % 3] + "321"[cell // 3]


def play_all(s: Any, moves: str) -> None:
    """Play cells such as ``b2 a1`` from the empty board."""
    cells = {name(cell): cell for cell in range(9)}
    for at, word in enumerate(moves.split()):
        cell = cells.get(word, -1)
        if cell < 0 or (s.mine | s.theirs) >> cell & 1 or s.won:
            raise ValueError(f"moves={moves!r}: move {at + 1} ({word!r}) is not legal")
        mark(s, cell)
