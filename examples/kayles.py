"""A game of your own, checked, searched and played out: the tutorial's domain as a file.

Try also: treewright check examples/kayles.py:Kayles
"""

from numpy import int8, int32

import treewright as tw

PINS = 10


class Kayles(tw.Domain):
    """Knock down one pin or two neighbours; whoever takes the last one wins."""

    players = 2
    max_actions = 2 * PINS
    keys = 2 * PINS
    state = tw.record(pins=int32, player=int8)

    def start(s, pins=PINS):
        s.pins = (1 << pins) - 1

    def legal(s, out):
        n = 0
        for i in range(PINS):
            if s.pins >> i & 1:
                out[n] = i
                n += 1
                if s.pins >> (i + 1) & 1:
                    out[n] = PINS + i
                    n += 1
        return n

    def play(s, action):
        s.pins &= ~(3 << (action - PINS)) if action >= PINS else ~(1 << action)
        s.player = 1 - s.player

    def ended(s):
        return s.pins == 0

    def rewards(s, out):
        out[1 - s.player] = 1.0

    def describe(s, action):
        return f"{action - PINS}+{action - PINS + 1}" if action >= PINS else str(action)

    def render(s):
        return "".join("|" if s.pins >> i & 1 else "." for i in range(PINS))


if __name__ == "__main__":
    print(tw.check(Kayles()))
    search = tw.Search(Kayles(), tw.Options(solver=True), seed=1)
    while not search.position.ended:
        result = search.run(simulations=200_000)
        print(search.position.render(), " ", result.label, f"(worth {result.value:.2f})")
        search.commit(result.best)
    print("first player's reward:", search.position.rewards()[0])
