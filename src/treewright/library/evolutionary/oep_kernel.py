"""Online Evolutionary Planning, compiled with the domain (see oep.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.kernel.rng import below, uniform


def evolve(space, states, t, numbers, mutation_rate, rng, progress, limit):
    """Go on until ``limit`` plans have been evaluated.

    ``progress``: evaluations, plans in the population, and whether the first one is complete.
    """
    population, survivors, greedy_start = numbers[0], numbers[1], numbers[2]
    greedy_repair = numbers[3] != 0
    space.work[0] = states[0]
    while progress[0] < limit:
        count = progress[1]
        if count < population and progress[2] == 0:
            invent(space, t, rng, count, count < greedy_start, numbers[5])
        elif count == population:  # a generation is complete: the worse part dies
            rank_all(space, survivors if progress[2] else 0, population)
            progress[1] = survivors
            progress[2] = 1
            if numbers[4] != 0:
                progress[0] += survivors
            continue
        else:
            breed(space, t, rng, count, survivors, greedy_repair, mutation_rate, numbers[5])
        progress[1] += 1
        progress[0] += 1


def invent(space, t, rng, count, greedily, length):
    """A plan of the first population: by Greedy Action or at random."""
    row = count
    space.rank[count] = row
    mover = player(space.work[0], t)
    at = 0
    while at < length and same_turn(space.work[at], t, mover):
        s = space.work[at]
        space.genes[row, at] = fresh(space, t, rng, s, greedily)
        space.work[at + 1] = s
        play(space.work[at + 1], t, space.genes[row, at])
        at += 1
    space.lengths[row] = at
    space.worth[row] = worth(space.work[at], t, mover, space.out)


def fresh(space, t, rng, s, greedily):
    if greedily:
        return greedy_action(s, t, rng, space.buffer, space.work, space.out)
    return random_action(s, t, rng, space.buffer)


def breed(space, t, rng, count, survivors, greedily, mutation_rate, length):
    """A child: each survivor in turn with another one, uniform crossover, perhaps a mutation."""
    row = space.rank[count]  # the dead leave their rows
    a = space.rank[(count - survivors) % survivors]
    other = below(rng, survivors - 1)
    if other >= (count - survivors) % survivors:
        other += 1
    b = space.rank[other]
    mover = player(space.work[0], t)
    at = 0
    while at < length and same_turn(space.work[at], t, mover):
        s = space.work[at]
        first, second = a, b
        if below(rng, 2) == 1:
            first, second = b, a
        if at < space.lengths[first] and may_play(s, t, space.genes[first, at], space.buffer):
            gene = space.genes[first, at]
        elif at < space.lengths[second] and may_play(s, t, space.genes[second, at], space.buffer):
            gene = space.genes[second, at]
        else:
            gene = fresh(space, t, rng, s, greedily)
        space.genes[row, at] = gene
        space.work[at + 1] = s
        play(space.work[at + 1], t, gene)
        at += 1
    if uniform(rng) < mutation_rate:
        at = mutate(space, t, rng, row, at, greedily, mover, length)
    space.lengths[row] = at
    space.worth[row] = worth(space.work[at], t, mover, space.out)


def mutate(space, t, rng, row, length_now, greedily, mover, length):
    """Another action at a random place; later genes that became illegal are replaced."""
    at = below(rng, length_now)
    s = space.work[at]
    n = legal(s, t, space.buffer)
    if n > 1:
        pick = below(rng, n - 1)
        if space.buffer[pick] == space.genes[row, at]:
            pick = n - 1
        space.genes[row, at] = space.buffer[pick]
    place = at
    while at < length and same_turn(space.work[at], t, mover):
        s = space.work[at]
        known = at < length_now and (
            at == place or may_play(s, t, space.genes[row, at], space.buffer)
        )
        if not known:
            space.genes[row, at] = fresh(space, t, rng, s, greedily)
        space.work[at + 1] = s
        play(space.work[at + 1], t, space.genes[row, at])
        at += 1
    return at


def rank_all(space, ranked, count):
    """Sort the plans, the best first; ``ranked`` are sorted, and equals stay behind older ones."""
    for i in range(ranked, count):
        row = space.rank[i]
        found = space.worth[row]
        at = i
        while at > 0 and space.worth[space.rank[at - 1]] < found:
            space.rank[at] = space.rank[at - 1]
            at -= 1
        space.rank[at] = row
