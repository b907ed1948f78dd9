"""The root's own rules: noise, and sequential halving; executed in front of steps.py."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

from numpy import int64

from treewright.kernel.rng import gamma, uniform


def stir_root(tree, p, run, rng):
    """Once at each root: noise in the shares of its actions, or a Gumbel number for each."""
    if (NOISE or GUMBEL) and run.stirred == 0 and tree.nodes[0].n > 0:
        run.stirred = 1
        first = tree.nodes[0].first
        n = int64(tree.nodes[0].n)
        if NOISE:
            total = 0.0
            for i in range(n):
                tree.weights[i] = gamma(rng, p.noise_alpha)
                total += tree.weights[i]
            for i in range(n):
                edge = tree.edges[first + i]
                noise = tree.weights[i] / total if total > 0.0 else 1.0 / n
                edge.p = (1.0 - p.noise_share) * edge.p + p.noise_share * noise
        if GUMBEL:
            for i in range(n):
                u = 1.0 - uniform(rng)
                tree.edges[first + i].gumbel = -math.log(max(-math.log(u), 1e-300))


def halving(tree, p, mover):
    """Sequential halving at the root (Danihelka et al. 2022): who is next in the schedule."""
    nodes = tree.nodes
    edges = tree.edges
    first = int64(nodes[0].first)
    n = int64(nodes[0].n)
    tried = int64(nodes[0].tried)
    made = 0
    most = 0
    for i in range(tried):
        child = nodes[edges[first + i].child]
        visits = child.visits + child.pending if EVALUATED else child.visits
        made += visits
        most = max(most, visits)
    considered = tree.schedule.shape[0] - 1
    row = min(n, considered)
    wanted = tree.schedule[row, min(made, tree.schedule.shape[1] - 1)]
    best = first
    top = -math.inf
    for i in range(n):
        edge = edges[first + i]
        visits = 0
        if i < tried:
            child = nodes[edge.child]
            visits = child.visits + child.pending if EVALUATED else child.visits
        score = promise(tree, p, edge, i < tried, most, mover)
        if visits != wanted:  # where nobody has so many, whoever promises most
            score -= 1e12 * (1.0 + abs(visits - wanted))
        if score > top:
            top = score
            best = first + i
    return best


def promise(tree, p, edge, visited, most, mover):
    """A root action's Gumbel number, logit and, once it has been visited, scaled value."""
    score = edge.gumbel + math.log(max(edge.p, 1e-300))
    if visited:
        child = tree.nodes[edge.child]
        if child.visits > 0:
            q = child.value / child.visits
            if NORMALISE:
                q = normal(tree, q, mover)
            score += (p.gumbel_visits + most) * p.gumbel_scale * q
    return score
