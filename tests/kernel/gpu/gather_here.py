"""The threads that gather the roots, one after the other."""


def gather_here(all_nodes, all_edges, nodes, edges):
    for r in range(len(nodes)):
        gather_root(r, all_nodes, all_edges, nodes, edges)
