"""Nim with one heap: take one to three stones; whoever takes the last one wins."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int8, int32

from treewright.library.domain import Domain, record

MOST = 10_000  # stones; a simulation has at most that many actions


class Nim(Domain):
    """The player to move loses exactly when the heap is a multiple of four."""

    id = "nim-v1"
    players = 2
    max_actions = 3
    keys = 4
    state = record(stones=int32, player=int8)

    def start(s, heap=21):
        if heap not in range(MOST + 1):
            raise ValueError(f"heap must be a whole number from 0 to {MOST}, not {heap!r}")
        s.stones = heap

    def legal(s, out):
        n = min(3, s.stones)
        for i in range(n):
            out[i] = i + 1
        return n

    def play(s, action):
        s.stones -= action
        s.player = 1 - s.player

    def ended(s):
        return s.stones == 0

    def rewards(s, out):
        out[1 - s.player] = 1.0

    def describe(s, action):
        return f"take {action}"

    def render(s):
        return f"{s.stones} stones, player {s.player + 1} to move"

    def picture(s):
        """The last three can be clicked: that stone is taken, and those behind it."""
        stones = "".join(
            f'<circle cx="{25 + 32 * i}" cy="25" r="13" data-action="{s.stones - i}" '
            f'fill="{"#3b9a4a" if s.stones - i <= 3 else "#8a9a90"}"/>'
            for i in range(s.stones)
        )
        wide = 32 * s.stones + 18
        return f'<svg viewBox="0 0 {wide} 50" width="{wide}">{stones}</svg>'
