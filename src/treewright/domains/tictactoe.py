"""Tic-tac-toe, the papers' running example (Magnuson, figures 1 and 3)."""

from numpy import int8

from treewright.domain import Domain, record

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
MASKS = tuple(sum(1 << cell for cell in line) for line in LINES)
FULL = 511


class TicTacToe(Domain):
    """Three in a row; each player's stones are nine bits, cell 0 at the top left."""

    id = "tictactoe-v1"
    players = 2
    max_actions = 9
    max_length = 9
    keys = 9
    state = record(stones=("int16", 2), player=int8, won=int8)

    def start(s):
        s.player = 0

    def legal(s, out):
        taken = s.stones[0] | s.stones[1]
        n = 0
        for cell in range(9):
            if not taken >> cell & 1:
                out[n] = cell
                n += 1
        return n

    def play(s, action):
        mine = s.stones[s.player] | 1 << action
        s.stones[s.player] = mine
        for mask in MASKS:
            if mine & mask == mask:
                s.won = 1
        s.player = 1 - s.player

    def ended(s):
        return s.won == 1 or s.stones[0] | s.stones[1] == FULL

    def rewards(s, out):
        out[1 - s.player] = 1.0 if s.won else 0.5
        out[s.player] = 0.0 if s.won else 0.5

    def describe(s, action):
        return "abc"[action % 3] + "321"[action // 3]

    def render(s):
        rows = []
        for row in range(3):
            cells = [
                "X" if s.stones[0] >> i & 1 else "O" if s.stones[1] >> i & 1 else "."
                for i in range(3 * row, 3 * row + 3)
            ]
            rows.append(f"{3 - row} " + " ".join(cells))
        return "\n".join([*rows, "  a b c"])
