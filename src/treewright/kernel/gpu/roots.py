"""The actions of one root, out of a tree in a GPU's memory; executed in front of ``gather.py``."""

# mypy: allow-untyped-defs, no-check-untyped-defs


def gather_root(r, all_nodes, all_edges, nodes, edges):
    """Copy the r-th root, its edges and their children, numbered from 1."""
    root = all_nodes[r, 0]
    first = root.first
    nodes[r, 0] = root
    nodes[r, 0].first = 0
    listed = root.n if LISTS_ALL else root.tried
    for i in range(listed):
        edges[r, i] = all_edges[r, first + i]
        if i < root.tried:
            nodes[r, i + 1] = all_nodes[r, all_edges[r, first + i].child]
            edges[r, i].child = i + 1
