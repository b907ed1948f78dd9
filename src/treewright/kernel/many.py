"""Many trees of one domain, side by side; executed behind ``kernel/steps.py``.

Each array of a tree has one more axis in front, except for the scratch that they share.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.kernel.layout import DONE, Tree


def searches(trees, t, params, runs, rngs, limits, statuses, simulations):
    """Search each tree, with so many simulations at most, up to its limit; how many were made."""
    total = 0
    for r in range(len(runs)):
        before = runs[r].simulations
        most = min(simulations, limits[r] - before)
        if statuses[r] == DONE and most > 0:
            own = runs[r : r + 1]
            rng = rngs[r : r + 1]
            statuses[r] = search(pick(trees, r), t, params, own, rng, most)
            total += runs[r].simulations - before
    return total


def pick(trees, r):
    """One tree of many: its own rows, and the scratch that they share."""
    return Tree(
        trees.nodes[r],
        trees.edges[r],
        trees.root[r : r + 1],
        trees.work,
        trees.path,
        trees.movers,
        trees.buffer,
        trees.weights,
        trees.rewards,
        trees.trace,
        trees.trace_keys,
        trees.trace_players,
        trees.best[r],
        trees.best_state[r : r + 1],
        trees.marks[r],
        trees.table_visits[r],
        trees.table_value[r],
        trees.logs,
        trees.inverse_roots,
        trees.blank,
        trees.lows[r],
        trees.highs[r],
        trees.schedule,
        trees.path_edges,
        trees.slots,
    )
