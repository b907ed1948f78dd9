"""Chance in a game for one: 2048, where a tile falls on any empty cell after each slide.

Nine in ten are a 2, the others a 4.  The game is played out with ``search.draw()`` wherever
chance decides: the search may not choose its tiles.
"""

from numpy import int8, int32

import treewright as tw
from treewright.random import below, uniform


def moves(s, direction):
    """Whether a slide in this direction moves anything."""
    for line in range(4):
        for i in range(3):
            here, next = s.tile[cell(direction, line, i)], s.tile[cell(direction, line, i + 1)]
            if next and (here == 0 or here == next):
                return True
    return False


def slide(s, direction):
    for line in range(4):
        to = 0  # where the next tile comes to rest
        merges = False  # whether the one before it may still merge
        for i in range(4):
            at = cell(direction, line, i)
            tile = s.tile[at]
            s.tile[at] = 0
            if tile and merges and s.tile[cell(direction, line, to - 1)] == tile:
                s.tile[cell(direction, line, to - 1)] += 1
                s.points += 2 << tile
                merges = False
            elif tile:
                s.tile[cell(direction, line, to)] = tile
                to += 1
                merges = True


def cell(direction, line, i):
    along = i if direction % 2 == 0 else 3 - i
    return 4 * line + along if direction < 2 else 4 * along + line


class TwentyFortyEight(tw.Domain):
    """Slide the tiles; equal neighbours merge; a tile appears after each slide."""

    max_actions = 32
    state = tw.record(tile=(int8, 16), points=int32, falling=int8)  # tile: the power of two

    def start(s):
        s.falling = 2

    def player(s):
        return tw.CHANCE if s.falling else 0

    def legal(s, out):
        n = 0
        if s.falling:  # outcome c: a 2 on cell c; outcome 16 + c: a 4
            for c in range(32):
                if s.tile[c % 16] == 0:
                    out[n] = c
                    n += 1
        for direction in range(4):
            if not s.falling and moves(s, direction):
                out[n] = direction  # left, right, up, down
                n += 1
        return n

    def play(s, action):
        if s.falling:
            s.tile[action % 16] = 1 + action // 16
            s.falling -= 1
        else:
            slide(s, action)
            s.falling = 1

    def ended(s):
        return not (s.falling or moves(s, 0) or moves(s, 1) or moves(s, 2) or moves(s, 3))

    def rewards(s, out):
        out[0] = min(1.0, s.points / 3000)

    def sample_chance(s, rng):
        while True:
            c = below(rng, 16)
            if s.tile[c] == 0:
                return c if uniform(rng) < 0.9 else 16 + c

    def render(s):
        rows = (s.tile[4 * r : 4 * r + 4] for r in range(4))
        return "\n".join("".join(f"{1 << t if t else '.':>6}" for t in row) for row in rows)


if __name__ == "__main__":
    search = tw.Search(TwentyFortyEight(), tw.Options(c=0.1), seed=1)
    while not search.position.ended:
        search.commit(search.draw() if search.position.is_chance else search.run(100).best)
    print(f"{search.position.render()}\n{search.position.state.points} points")
