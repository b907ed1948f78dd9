"""Connect Four on bitboards: seven bits a column, the top one always empty."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

from numpy import int8, int64

from treewright.library.domain import Domain, record

WIDTH, HEIGHT = 7, 6
COLUMN = HEIGHT + 1


def four(b):
    """Whether a player's stones hold four in a row, in any of the four directions."""
    for shift in (1, COLUMN - 1, COLUMN, COLUMN + 1):
        pairs = b & (b >> shift)
        if pairs & (pairs >> (2 * shift)):
            return True
    return False


class ConnectFour(Domain):
    """Drop a stone into one of seven columns; four in a row win.

    The search may be given any position: ``moves="3342"`` plays columns 1 to 7 from the empty
    board.
    """

    id = "connect-four-v1"
    players = 2
    max_actions = WIDTH
    max_length = WIDTH * HEIGHT
    keys = WIDTH * HEIGHT
    state = record(stones=(int64, 2), height=(int8, WIDTH), moves=int8, player=int8, won=int8)

    def start(s, moves=""):
        drop_all(s, str(moves))  # a command line reads 4433 as a number

    def legal(s, out):
        n = 0
        for column in range(WIDTH):
            if s.height[column] < HEIGHT:
                out[n] = column
                n += 1
        return n

    def play(s, action):
        drop(s, action)

    def ended(s):
        return s.won == 1 or s.moves == WIDTH * HEIGHT

    def rewards(s, out):
        out[1 - s.player] = 1.0 if s.won else 0.5
        out[s.player] = 0.0 if s.won else 0.5

    def amaf_key(s, action):
        return action * HEIGHT + s.height[action]

    def describe(s, action):
        return f"column {action + 1}"

    def render(s):
        lines = []
        for row in range(HEIGHT - 1, -1, -1):
            bits = [c * COLUMN + row for c in range(WIDTH)]
            cells = [
                "X" if s.stones[0] >> b & 1 else "O" if s.stones[1] >> b & 1 else "." for b in bits
            ]
            lines.append(" ".join(cells))
        return "\n".join([*lines, "1 2 3 4 5 6 7"])

    def picture(s):
        shapes = [f'<rect width="{50 * WIDTH}" height="{50 * HEIGHT}" rx="12" fill="#2b5797"/>']
        for column in range(WIDTH):
            for row in range(HEIGHT):
                bit = column * COLUMN + row
                taken = s.stones[0] >> bit & 1, s.stones[1] >> bit & 1
                colour = "#d9443f" if taken[0] else "#ecba42" if taken[1] else "#eef3ee"
                shapes.append(
                    f'<circle cx="{50 * column + 25}" cy="{50 * (HEIGHT - row) - 25}" r="20" '
                    f'fill="{colour}"/>'
                )
            shapes.append(
                f'<rect x="{50 * column}" width="50" height="{50 * HEIGHT}" fill="#fff" '
                f'fill-opacity="0" data-action="{column}"/>'
            )
        size = f"0 0 {50 * WIDTH} {50 * HEIGHT}"
        return f'<svg viewBox="{size}" width="420">{"".join(shapes)}</svg>'


def drop(s, column):
    """One stone of the player to move; notices a win."""
    bit = int64(1) << (column * COLUMN + s.height[column])
    mine = s.stones[s.player] | bit
    s.stones[s.player] = mine
    s.height[column] += 1
    s.moves += 1
    if four(mine):
        s.won = 1
    s.player = 1 - s.player


def drop_all(s: Any, moves: str) -> None:
    """Play a string of columns 1 to 7."""
    for at, digit in enumerate(moves):
        column = ord(digit) - ord("1")
        if not 0 <= column < WIDTH or s.height[column] >= HEIGHT or s.won:
            raise ValueError(f"moves={moves!r}: move {at + 1} ({digit!r}) is not legal")
        drop(s, column)
