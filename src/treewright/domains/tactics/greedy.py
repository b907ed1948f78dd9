"""Greedy Action: the best change of the evaluation, without playing the actions."""

from numpy import int64

from treewright.domains.tactics.evaluation import gain
from treewright.domains.tactics.ordering import list_actions
from treewright.domains.tactics.rules import END
from treewright.random import below


def greedy_action(s, t, rng, out):
    """The pruned action with the largest ``gain``; ties at random."""
    n = list_actions(s, t, out, int64(1))
    top = int64(-1000000)
    best = int64(END)
    ties = 0
    for i in range(n):
        found = gain(s, t, out[i])
        if found > top:
            top = found
            best = out[i]
            ties = 1
        elif found == top:
            ties += 1
            if below(rng, ties) == 0:
                best = out[i]
    return best
