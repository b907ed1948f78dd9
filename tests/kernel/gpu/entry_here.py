"""The threads of a GPU one after the other, compiled for this machine; see ``pretended.py``."""

import numpy as np

from treewright.kernel.gpu.pools import Own
from treewright.kernel.layout import RUN


def searches_here(pools, t, params, runs, rngs, limits, statuses, batch, simulations):
    for r in range(len(statuses) + 3):  # the last block of threads is hardly ever full
        most = wanted(r, runs, limits, statuses, simulations)
        if most <= 0:
            continue
        own = Own(
            pools.work[r : r + 1] if FAR_WORK else np.empty(1, STATE),
            pools.path[:, r] if FAR_PATH else np.empty(LENGTH, np.int32),
            pools.movers[:, r] if FAR_PATH else np.empty(LENGTH, np.int8),
            pools.buffer[:, r] if FAR_BUFFER else np.empty(ACTIONS, np.int32),
            pools.weights[:, r] if FAR_BUFFER else np.empty(ACTIONS, np.float64),
            np.zeros(PLAYERS),
            pools.trace[:, r] if FAR_TRACE else np.empty(TRACED, np.int32),
            pools.trace_keys[:, r] if FAR_TRACE else np.empty(KEYS_TRACED, np.int32),
            pools.trace_players[:, r] if FAR_TRACE else np.empty(TRACED, np.int8),
            np.empty(1, RUN),
            np.empty(1, np.uint64),
        )
        grow_tree(r, own, pools, t, params, runs, rngs, limits, statuses, batch, most)
    return 0
