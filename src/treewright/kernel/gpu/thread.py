"""What one thread does; executed behind ``kernel/steps.py`` and in front of an entry.

``own`` is the thread's scratch, ``pools`` what lies in the device's memory for all trees.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.kernel.layout import DONE, Tree


def wanted(r, runs, limits, statuses, simulations):
    """How many simulations this thread is to make: none if it has no tree to search."""
    if r >= len(statuses):
        return 0
    if VALUED:  # whatever its status is, leaves of it may be under way
        return 1
    if statuses[r] != DONE:
        return 0
    return min(simulations, limits[r] - runs[r].simulations)


def grow_tree(r, own, pools, t, params, runs, rngs, limits, statuses, batch, most):
    """Search the r-th tree with so many simulations, or walk to its leaves."""
    # the counters and the stream are read and written all the time: near the thread
    own.run[0] = runs[r]
    own.rng[0] = rngs[r]
    tree = Tree(
        pools.nodes[r],
        pools.edges[r],
        pools.root[r : r + 1],
        own.work,
        own.path,
        own.movers,
        own.buffer,
        own.weights,
        own.rewards,
        own.trace,
        own.trace_keys,
        own.trace_players,
        pools.best[r],
        pools.best_state[r : r + 1],
        pools.marks[r],
        pools.table_visits[r],
        pools.table_value[r],
        pools.logs,
        pools.inverse_roots,
        pools.blank,
        pools.lows[r],
        pools.highs[r],
        pools.schedule,
        pools.none,
        pools.none,
    )
    if VALUED:
        statuses[r] = next_leaves(
            tree, t, params, own.run, own.rng, batch, r, limits[r], statuses[r]
        )
    else:
        statuses[r] = search(tree, t, params, own.run, own.rng, most)
    runs[r] = own.run[0]
    rngs[r] = own.rng[0]
    for i in range(PLAYERS):
        pools.rewards[r, i] = own.rewards[i]
