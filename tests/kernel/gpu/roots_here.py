"""The small works at the roots, one after the other."""


def roots_here(what, all_nodes, all_edges, blank, counts, nodes, edges):
    for r in range(len(counts)):
        at_root(r, what, all_nodes, all_edges, blank, counts, nodes, edges)
    return 0
