"""Which child of the root is played: one rule for the compiled loop, for reports, for merged trees.

A child is six numbers: action, visits, mean, highest reward below it, and the solver's lower and
upper bound (``tree.Row`` in Python).  ``read(source, i)`` gives those of the i-th child, in the
order in which the children were added: compiled code reads them from the tree.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

from treewright.kernel.hooks import inlined
from treewright.kernel.layout import MAX, VISITS


@inlined
def worth(choose, child):
    """What a child is compared by: its maximum if that is what is chosen by, else its mean."""
    return child[3] if choose == MAX else child[2]


@inlined
def refused(choose, accept, child):
    """Whether a child is worth no more than ``accept``; minus infinity accepts every child."""
    return accept > -math.inf and worth(choose, child) <= accept


def sure(read, source, count):
    """What the solver guarantees at the root: the highest lower bound of any child."""
    floor = 0.0
    for i in range(count):
        floor = max(floor, read(source, i)[4])
    return floor


@inlined
def lost(floor, child):
    """Whether a child can't beat what is sure."""
    return floor > 0.0 and child[5] <= floor and child[4] < floor


@inlined
def standing(floor, child):
    """2 for a proven win, 0 for a lost child, 1 for all others."""
    if child[4] >= 1.0:
        return 2
    return 0 if lost(floor, child) else 1


@inlined
def before(choose, floor, one, other):
    """Whether a child would be played rather than another.

    What is proven decides first.  Equals are told apart by their visits (or by their mean, if
    visits decide), and then the smaller action is preferred.
    """
    if floor > 0.0:  # else nothing is proven that could matter
        a = standing(floor, one)
        b = standing(floor, other)
        if a != b:
            return a > b
    if choose == VISITS:
        if one[1] != other[1]:
            return one[1] > other[1]
        if one[2] != other[2]:
            return one[2] > other[2]
    else:
        if worth(choose, one) != worth(choose, other):
            return worth(choose, one) > worth(choose, other)
        if one[1] != other[1]:
            return one[1] > other[1]
    return one[0] < other[0]


@inlined
def best_of(read, source, count, choose, floor, slack, accept):
    """The number of the child to play, among those that are not refused; -1 if there is none."""
    if slack >= 0.0:
        return first_within(read, source, count, choose, floor, slack, accept)
    best = -1
    top = (0, 0, 0.0, 0.0, 0.0, 0.0)
    for i in range(count):
        child = read(source, i)
        if refused(choose, accept, child):
            continue
        if best < 0 or before(choose, floor, child, top):
            best = i
            top = child
    return best


@inlined
def first_within(read, source, count, choose, floor, slack, accept):
    """The child that was added first among those that are worth the most, less the slack."""
    top = -math.inf
    for i in range(count):
        child = read(source, i)
        if not lost(floor, child) and not refused(choose, accept, child):
            top = max(top, worth(choose, child))
    if top > -math.inf:
        for i in range(count):
            child = read(source, i)
            good = worth(choose, child) >= top - slack
            if good and not lost(floor, child) and not refused(choose, accept, child):
                return i
    return -1
