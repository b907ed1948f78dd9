"""The leaves of one tree for an evaluator; executed between ``kernel/leaves.py`` and ``thread.py``.

Each tree has as many rows of the batch as it may have leaves under way (``state[FROM]``), so that
threads need not agree on anything; a row without a leaf has a path of no nodes.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

from treewright.kernel.layout import DONE, FROM, GIVEN, LEAVES, MOVERS, WITH_WEIGHTS

CHECK = -1  # instead of a number of leaves: only look at the evaluator's numbers
NO_NUMBER, BELOW = 1, 2  # what may be wrong with them


def next_leaves(tree, t, params, runs, rng, batch, r, limit, status):
    """Take in the answers for the leaves of the r-th tree, then walk to ``state[LEAVES]`` more."""
    p = params[0]
    run = runs[0]
    each = batch.state[FROM]
    first = r * each
    if batch.state[LEAVES] == CHECK:
        for i in range(first, first + each):
            batch.owner[i] = wrong(batch, i) if batch.depths[i] > 0 else 0
        return status
    for i in range(first, first + each):
        if batch.depths[i] > 0:
            found = take_in(tree, t, p, run, rng, batch, i, i)
            batch.depths[i] = 0
            if found != DONE:
                status = found
    if status != DONE:
        return status
    before = run.simulations
    most = min(batch.state[LEAVES], limit - before)
    walked = 0
    while walked + (run.simulations - before) < most:
        found = walk(tree, t, p, run, rng, batch, first + walked)
        if found == WALKED:
            walked += 1
        elif found != DONE:
            return found if found != PENDING else DONE
    return DONE


def wrong(batch, i):
    """What is wrong with the answer for one leaf: 0 if nothing is."""
    for q in range(1 if batch.state[MOVERS] else PLAYERS):
        if not -math.inf < batch.values[i, q] < math.inf:
            return NO_NUMBER
    if batch.state[GIVEN] == WITH_WEIGHTS:
        for action in range(batch.weights.shape[1]):
            if not -math.inf < batch.weights[i, action] < math.inf:
                return NO_NUMBER
            if batch.weights[i, action] < 0.0:
                return BELOW
    return 0
