"""Evolution of maps, executed with the functions of ``Walls`` as its globals (specialise.py).

Tournaments of seven in a population (Ashlock, Lee & McGuinness 2011): the two best of seven
random members are crossed at two points, and their mutated children replace the two worst.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.kernel.rng import below, uniform

TOURNAMENT = 7


def evolve(states, t, rng, cells, genomes, scores, children, chosen, out, mutation, matings):
    """Genomes are [member, cell] of 0 and 1; ``states`` holds the empty map and one to fill."""
    members, length = genomes.shape
    for _ in range(matings):
        draw_tournament(rng, scores, chosen, members)
        cross(rng, genomes, children, chosen[0], chosen[1], length)
        for twin in range(2):
            for i in range(length):
                if uniform(rng) < mutation:
                    children[twin, i] = 1 - children[twin, i]
        for twin in range(2):
            worst = chosen[TOURNAMENT - 1 - twin]
            for i in range(length):
                genomes[worst, i] = children[twin, i]
            scores[worst] = score(states, t, cells, genomes, worst, out)
    return 0


def rate(states, t, rng, cells, genomes, scores, out, density):
    """Sparse initialisation: fill a share of each member's cells, and evaluate it."""
    members, length = genomes.shape
    for member in range(members):
        for i in range(length):
            genomes[member, i] = 1 if uniform(rng) < density else 0
        scores[member] = score(states, t, cells, genomes, member, out)
    return 0


def score(states, t, cells, genomes, member, out):
    """Build the map of a member and take its fitness."""
    states[1] = states[0]
    s = states[1]
    for i in range(len(cells)):
        if genomes[member, i]:
            play(s, t, cells[i])
    rewards(s, t, out)
    return out[0]


def draw_tournament(rng, scores, chosen, members):
    """Seven different members, best first."""
    n = 0
    while n < TOURNAMENT:
        member = below(rng, members)
        fresh = True
        for i in range(n):
            fresh = fresh and chosen[i] != member
        if fresh:
            j = n
            while j > 0 and scores[chosen[j - 1]] < scores[member]:
                chosen[j] = chosen[j - 1]
                j -= 1
            chosen[j] = member
            n += 1


def cross(rng, genomes, children, first, second, length):
    """Two-point crossover."""
    a = below(rng, length)
    b = below(rng, length)
    for i in range(length):
        inside = (a <= i) != (b <= i)
        children[0, i] = genomes[second if inside else first, i]
        children[1, i] = genomes[first if inside else second, i]


def run(states, t, rng, cells, genomes, scores, children, chosen, out, numbers, matings):
    """The entry: ``matings`` of 0 makes the population, else that many tournaments are held."""
    if matings == 0:
        return rate(states, t, rng, cells, genomes, scores, out, numbers[0])
    return evolve(
        states, t, rng, cells, genomes, scores, children, chosen, out, numbers[1], matings
    )
