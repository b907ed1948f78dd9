"""Which child of the root is played: one rule for the compiled loop, for reports, for merged trees.

A row has the numbers of one child: ``visits``, ``mean``, ``best`` (the highest reward below it),
``low`` and ``high`` (the solver's bounds), ``action``.  Rows lie in the order in which the children
were added to the tree.  Compiled code reads rows of ``layout.CHILD``, Python reads ``tree.Row``.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

from treewright.kernel.layout import MAX, VISITS


def worth(choose, row):
    """What a child is compared by: its maximum if that is what is chosen by, else its mean."""
    return row.best if choose == MAX else row.mean


def refused(choose, accept, row):
    """Whether a child is worth no more than ``accept``; minus infinity accepts every child."""
    return accept > -math.inf and worth(choose, row) <= accept


def sure(rows, count):
    """What the solver guarantees at the root: the highest lower bound of any child."""
    floor = 0.0
    for i in range(count):
        floor = max(floor, rows[i].low)
    return floor


def standing(floor, row):
    """2 for a proven win, 0 for a child that can't beat what is sure, 1 for all others."""
    if row.low >= 1.0:
        return 2
    return 0 if row.high <= floor and row.low < floor else 1


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
        if one.visits != other.visits:
            return one.visits > other.visits
        if one.mean != other.mean:
            return one.mean > other.mean
    else:
        if worth(choose, one) != worth(choose, other):
            return worth(choose, one) > worth(choose, other)
        if one.visits != other.visits:
            return one.visits > other.visits
    return one.action < other.action


def best_of(rows, count, choose, floor, slack, accept):
    """The row to play: the first of those that are not refused; -1 if there is none.

    With a ``slack`` of 0 or more it is the child that was added first among those that are worth
    as much as the best one, less the slack.
    """
    best = -1
    for i in range(count):
        if refused(choose, accept, rows[i]):
            continue
        if best < 0 or before(choose, floor, rows[i], rows[best]):
            best = i
    if best >= 0 and slack >= 0.0:
        least = worth(choose, rows[best]) - slack
        for i in range(count):
            if not refused(choose, accept, rows[i]) and worth(choose, rows[i]) >= least:
                return i
    return best
