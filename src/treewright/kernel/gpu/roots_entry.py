"""The entry of the small works at all roots; executed behind ``roots.py``."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numba import cuda


def roots(what, all_nodes, all_edges, blank, counts, nodes, edges):
    """A thread for each root."""
    r = cuda.grid(1)
    if r < counts.shape[0]:
        at_root(r, what, all_nodes, all_edges, blank, counts, nodes, edges)
