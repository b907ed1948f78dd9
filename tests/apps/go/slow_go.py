"""Go as a beginner would write it: a dictionary of stones and flood fills.

Slow and obvious; the tests play it beside the real board.
"""

import functools


@functools.cache
def near(size, point):
    r, c = point
    each = [(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]
    return [(y, x) for y, x in each if 1 <= y <= size and 1 <= x <= size]


class SlowGo:
    """Stones by (row, column) from 1; colours 1 (Black) and 2 (White)."""

    def __init__(self, size, suicide=False):
        self.size = size
        self.suicide = suicide
        self.stones = {}
        self.ko = None
        self.history = {frozenset()}

    def points(self):
        return [(r, c) for r in range(1, self.size + 1) for c in range(1, self.size + 1)]

    def near(self, point):
        return near(self.size, point)

    def region(self, point):
        """What is connected to a point and looks the same, and what is around it."""
        kind = self.stones.get(point)
        inside, around, todo = {point}, set(), [point]
        while todo:
            for n in self.near(todo.pop()):
                if self.stones.get(n) != kind:
                    around.add(n)
                elif n not in inside:
                    inside.add(n)
                    todo.append(n)
        return inside, around

    def liberties(self, point):
        return {n for n in self.region(point)[1] if n not in self.stones}

    def after(self, point, colour):
        """(stones, captured, own stones lost) after a move, whether legal or not."""
        other = SlowGo(self.size)
        other.stones = {**self.stones, point: colour}
        taken = set()
        for n in self.near(point):
            if other.stones.get(n) == 3 - colour and not other.liberties(n):
                taken |= other.region(n)[0]
        for p in taken:
            other.stones.pop(p, None)
        lost = set() if other.liberties(point) else other.region(point)[0]
        for p in lost:
            del other.stones[p]
        return other.stones, taken, lost

    def legal(self, point, colour):
        if point in self.stones or point == self.ko:
            return False
        lost = self.after(point, colour)[2]
        return not lost or (self.suicide and len(lost) > 1)

    def repeats(self, point, colour):
        return frozenset(self.after(point, colour)[0].items()) in self.history

    def play(self, point, colour):
        """Play (``None`` passes) and return the number of captured stones."""
        self.ko = None
        if point is None:
            return 0
        self.stones, taken, _ = self.after(point, colour)
        self.history.add(frozenset(self.stones.items()))
        alone = point in self.stones and len(self.region(point)[0]) == 1
        if len(taken) == 1 and alone and len(self.liberties(point)) == 1:
            (self.ko,) = taken
        return len(taken)

    def score(self):
        """Black's area minus White's."""
        total = 0
        for p in self.points():
            colours = {self.stones.get(p)} - {None}
            if not colours:
                colours = {self.stones[n] for n in self.region(p)[1]}
            total += {(1,): 1, (2,): -1}.get(tuple(colours), 0)
        return total
