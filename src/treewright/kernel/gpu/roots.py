"""Small works at the roots of trees on a GPU; executed in front of ``roots_entry.py``."""

# mypy: allow-untyped-defs, no-check-untyped-defs

BLANK, COUNT, GATHER = range(3)


def at_root(r, what, all_nodes, all_edges, blank, counts, nodes, edges):
    """Begin the r-th tree anew, count the actions of its root, or gather them."""
    if what == BLANK:
        all_nodes[r, 0] = blank[0]
        return
    root = all_nodes[r, 0]
    listed = root.n if LISTS_ALL else root.tried
    if what == COUNT:
        counts[r] = listed
        return
    first = root.first
    nodes[r, 0] = root
    for i in range(listed):
        edges[r, i] = all_edges[r, first + i]
        if i < root.tried:
            nodes[r, i + 1] = all_nodes[r, all_edges[r, first + i].child]
