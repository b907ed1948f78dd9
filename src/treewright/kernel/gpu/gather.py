"""The entry that collects the actions of all roots; executed behind ``roots.py``."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numba import cuda


def gather(all_nodes, all_edges, nodes, edges):
    """Copy each root, its edges and their children into arrays without gaps."""
    r = cuda.grid(1)
    if r < nodes.shape[0]:
        gather_root(r, all_nodes, all_edges, nodes, edges)
