"""A travelling salesman, with the reward that comes to mind: minus the length of the tour.

``Options(normalise=True)`` makes the exploration constant mean what it means in a game: without
it, lengths in the hundreds drown the bonus, and the search goes for the nearest city each time.
"""

import math

import numpy as np
from numpy import int8

import treewright as tw

CITIES = 12


class Tour(tw.Domain):
    """Visit every city once and come home; ``distance[a, b]`` is a table."""

    players = 1
    max_actions = CITIES
    max_length = CITIES
    state = tw.record(seen=(int8, CITIES), at=int8, count=int8, length=float)

    def start(s):
        s.seen[0] = 1
        s.count = 1

    def legal(s, out):
        n = 0
        for city in range(CITIES):
            if s.seen[city] == 0:
                out[n] = city
                n += 1
        return n

    def play(s, t, action):
        s.length += t.distance[s.at, action]
        s.seen[action] = 1
        s.at = action
        s.count += 1
        if s.count == CITIES:
            s.length += t.distance[action, 0]

    def ended(s):
        return s.count == CITIES

    def rewards(s, out):
        out[0] = -s.length


def distances(seed):
    """Between cities that lie anywhere on a map of 100 by 100."""
    places = np.random.default_rng(seed).uniform(0, 100, (CITIES, 2))
    return np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))


def shortest(distance):
    """The best tour's length, by dynamic programming over sets of cities (Held & Karp 1962)."""
    n = len(distance)
    ways = {(1 << c, c): distance[0, c] for c in range(1, n)}
    for _ in range(n - 2):
        longer = {}
        for (seen, at), length in ways.items():
            for city in range(1, n):
                if not seen >> city & 1:
                    key = (seen | 1 << city, city)
                    longer[key] = min(longer.get(key, math.inf), length + distance[at, city])
        ways = longer
    return min(length + distance[at, 0] for (_, at), length in ways.items())


if __name__ == "__main__":
    for seed in range(3):
        domain = Tour(tables={"distance": distances(seed)})
        plain = tw.Search(domain, seed=seed).run(20_000)
        scaled = tw.Search(domain, tw.Options(normalise=True), seed=seed).run(20_000)
        print(
            f"map {seed}: shortest {shortest(distances(seed)):.1f}, normalised "
            f"{-scaled.best_score:.1f}, as it is {-plain.best_score:.1f}"
        )
