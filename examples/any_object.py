"""States that only Python can hold: a knapsack of named things, searched interpreted.

Also the way to search a simulator that can't be compiled.
"""

import treewright as tw

THINGS = {"lamp": (4, 3), "book": (3, 4), "rope": (5, 4), "bread": (2, 3), "map": (1, 2)}
NAMES = list(THINGS)
LIMIT = 9


class Bag:
    def __init__(self):
        self.inside = []

    def weight(self):
        return sum(THINGS[name][0] for name in self.inside)


class Packing(tw.Domain):
    """Fill a bag of limited weight; the reward is what is inside, as a share of all."""

    players, max_actions, state = 1, len(THINGS) + 1, Bag
    max_length = len(THINGS) + 1

    def start(s):
        s.done = False

    def legal(s, out):
        n = 0
        for i, name in enumerate(NAMES):
            if name not in s.inside and s.weight() + THINGS[name][0] <= LIMIT:
                out[n] = i
                n += 1
        if n == 0:
            out[n] = len(NAMES)
            n = 1
        return n

    def play(s, action):
        if action == len(NAMES):
            s.done = True
        else:
            s.inside.append(NAMES[action])

    def ended(s):
        return s.done

    def rewards(s, out):
        out[0] = sum(THINGS[name][1] for name in s.inside) / sum(v for _, v in THINGS.values())

    def describe(s, action):
        return NAMES[action] if action < len(NAMES) else "close the bag"


if __name__ == "__main__":
    result = tw.Search(Packing(), seed=1, engine="python").run(500)
    packed = [NAMES[a] for a in result.best_sequence if a < len(NAMES)]
    print("pack", ", ".join(packed), f"for {result.best_score:.0%} of the value")
