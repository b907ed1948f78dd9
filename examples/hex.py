"""Hex, and a thousand of its positions searched side by side: on a GPU, if there is one.

Try also: treewright bench gpu --domain examples/hex.py:Hex
"""

from numpy import int8, int64

import treewright as tw

SIZE = 7
CELLS = SIZE * SIZE
ALL = (1 << CELLS) - 1
TOP = (1 << SIZE) - 1
BOTTOM = TOP << (CELLS - SIZE)
LEFT = ALL // TOP  # the first cell of each row
RIGHT = LEFT << (SIZE - 1)


class Hex(tw.Domain):
    """Fill a rhombus of hexagons: X wants to join top and bottom, O left and right.

    One of them always has when the board is full, and never both, so nobody looks before.
    """

    players = 2
    max_actions = CELLS
    max_length = CELLS
    keys = CELLS
    state = tw.record(stones=(int64, 2), player=int8)

    def start(s):
        s.player = 0

    def legal(s, out):
        empty = ALL & ~(s.stones[0] | s.stones[1])
        n = 0
        for i in range(CELLS):
            if empty >> i & 1:
                out[n] = i
                n += 1
        return n

    def play(s, action):
        s.stones[s.player] |= 1 << action
        s.player = 1 - s.player

    def ended(s):
        return (s.stones[0] | s.stones[1]) == ALL

    def rewards(s, out):
        out[0 if joined(s.stones[0]) else 1] = 1.0

    def render(s):
        marks = [
            "X" if s.stones[0] >> i & 1 else "O" if s.stones[1] >> i & 1 else "."
            for i in range(CELLS)
        ]
        rows = [" " * y + " ".join(marks[SIZE * y : SIZE * (y + 1)]) for y in range(SIZE)]
        return "\n".join(rows)


def joined(stones):
    """Whether stones lead from the top row to the bottom one."""
    reached = stones & TOP
    while True:
        beside = (reached & ~RIGHT) << 1 | (reached & ~LEFT) >> 1
        across = reached << SIZE | reached >> SIZE
        slanting = (reached & ~LEFT) << (SIZE - 1) | (reached & ~RIGHT) >> (SIZE - 1)
        grown = reached | ((beside | across | slanting) & stones)
        if grown & BOTTOM:
            return True
        if grown == reached:
            return False
        reached = grown


if __name__ == "__main__":
    try:
        forest = tw.Forest(Hex(), 1000, seed=1, engine="gpu")
    except tw.TreewrightError as reason:
        print(f"on the CPU: {reason}")
        forest = tw.Forest(Hex(), 1000, seed=1)
    forest.run(simulations=100)
    middle = forest.policy(CELLS).mean(axis=0)[CELLS // 2]
    print(f"{forest.simulations.sum():,} simulations; the middle has {middle:.1%} of the visits")
