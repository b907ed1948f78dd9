"""An action at the root of one tree; executed behind ``kernel/commits.py``, before an entry.

A tree whose root moves needs neither a path nor a state to play in.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.kernel.layout import Tree


def commit_tree(r, buffer, pools, t, runs, draws, actions, codes, scratch, playing):
    """Do ``commit_one`` for the r-th tree."""
    none = pools.none
    tree = Tree(
        pools.nodes[r],
        pools.edges[r],
        pools.root[r : r + 1],
        none,
        none,
        none,
        buffer,
        none,
        none,
        none,
        none,
        none,
        none,
        none,
        none,
        none,
        none,
        none,
        none,
        pools.blank,
        none,
        none,
        none,
        none,
        none,
    )
    own = runs[r : r + 1]
    dice = draws[r : r + 1]
    before = own[0].nodes
    codes[r] = commit_one(tree, t, own, dice, actions[r : r + 1], scratch[r], playing)
    if LAZY:  # edges will lie there, and the next commit reads some that nothing was written to
        for i in range(own[0].nodes, before):
            tree.nodes[i] = pools.blank[0]
