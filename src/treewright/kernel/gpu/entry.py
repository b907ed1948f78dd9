"""The entry of the search on a GPU; executed behind ``thread.py``.

A thread's own memory is interleaved by the machine: neighbouring threads that look at the same
place of theirs read neighbouring words.  What is too large for it (``FAR_…``) is a row of an array
that is laid out in the same way.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numba import cuda
from numpy import float64, int8, int32, uint64

from treewright.kernel.gpu.pools import Own
from treewright.kernel.layout import RUN


def searches(pools, t, params, runs, rngs, limits, statuses, batch, simulations):
    """Search each tree with so many simulations at most, up to its limit.

    With an evaluator, ``batch`` is what it is asked about; else an empty tuple.
    """
    r = cuda.grid(1)
    most = wanted(r, runs, limits, statuses, simulations)
    if most <= 0:
        return
    if FAR_WORK:
        work = pools.work[r : r + 1]
    else:
        work = cuda.local.array(1, STATE, 16)
    if FAR_PATH:
        path = pools.path[:, r]
        movers = pools.movers[:, r]
    else:
        path = cuda.local.array(LENGTH, int32)
        movers = cuda.local.array(LENGTH, int8)
    if FAR_BUFFER:
        buffer = pools.buffer[:, r]
        weights = pools.weights[:, r]
    else:
        buffer = cuda.local.array(ACTIONS, int32)
        weights = cuda.local.array(ACTIONS, float64)
    if FAR_TRACE:
        trace = pools.trace[:, r]
        trace_keys = pools.trace_keys[:, r]
        trace_players = pools.trace_players[:, r]
    else:
        trace = cuda.local.array(TRACED, int32)
        trace_keys = cuda.local.array(KEYS_TRACED, int32)
        trace_players = cuda.local.array(TRACED, int8)
    rewards = cuda.local.array(PLAYERS, float64)
    run = cuda.local.array(1, RUN, 16)
    rng = cuda.local.array(1, uint64)
    for i in range(PLAYERS):
        rewards[i] = 0.0
    own = Own(
        work,
        path,
        movers,
        buffer,
        weights,
        rewards,
        trace,
        trace_keys,
        trace_players,
        run,
        rng,
    )
    grow_tree(r, own, pools, t, params, runs, rngs, limits, statuses, batch, most)
