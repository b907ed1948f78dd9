"""The rules (Golomb 1966): take 1, 4, 9 … stones; whoever takes the last one wins."""

from numpy import int8, int32

import treewright as tw


class SubtractSquare(tw.Domain):
    players, max_actions = 2, 100
    state = tw.record(stones=int32, player=int8)

    def start(s, heap=20):
        s.stones = heap

    def legal(s, out):
        n = int(s.stones**0.5)
        for i in range(n):
            out[i] = (i + 1) * (i + 1)
        return n

    def play(s, action):
        s.stones -= action
        s.player = 1 - s.player

    def ended(s):
        return s.stones == 0

    def rewards(s, out):
        out[1 - s.player] = 1.0


def squares(most: int = 20) -> None:
    """Name the heaps up to MOST from which the player to move loses."""
    solve = tw.Options(solver=True)
    found = [tw.Search(SubtractSquare(heap=n), solve).run(100_000) for n in range(1, most + 1)]
    print(*(n for n, result in enumerate(found, 1) if result.value == 0.0))
