"""Reclaiming memory: what commit and ``when_full="recycle"`` both do.

Everything is moved down in place; the only extra memory is four bytes per node.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.kernel.layout import DENSE, SMALLEST

OWNER = -2147483648  # edge.child below this + 2**30 marks the start of a block, with its owner


def capacity(tried, n):
    """How many edges the block of a node has: ``n`` if it is dense (see layout.py)."""
    if n <= DENSE:
        return n
    size = SMALLEST
    while size < tried:
        size *= 2
    return n if 2 * size > n else size


def compact(nodes, edges, runs, root, min_visits, lazy, new):
    """Make ``root`` node 0, keeping its descendants with at least ``min_visits`` visits.

    A dropped child becomes an untried action of its parent again.  ``new`` is scratch, one
    ``int32`` per node: the number that a kept node gets.  ``lazy``: blocks may be sparse.
    """
    run = runs[0]
    mark(nodes, edges, run.nodes, root, min_visits, new)
    kept = 0
    for i in range(root, run.nodes):
        if new[i] >= 0:
            new[i] = kept
            kept += 1
    for i in range(root, run.nodes):
        if new[i] >= 0:
            relink(nodes, edges, nodes[i], new)
            nodes[new[i]] = nodes[i]
    run.nodes = kept
    run.edges = pack(nodes, edges, kept, lazy)
    for kind in range(len(run.free)):
        run.free[kind] = 0


def clear_tree(tree, run):
    """An empty tree: the root, never simulated."""
    run.nodes = 1
    run.edges = 0
    run.created += 1
    for kind in range(len(run.free)):
        run.free[kind] = 0
    tree.nodes[0] = tree.blank[0]
    tree.slots[0] = 0


def mark(nodes, edges, count, root, min_visits, new):
    """Set ``new`` to 0 for what stays and -1 for the rest; parents come before children."""
    for i in range(count):
        new[i] = -1
    new[root] = 0
    for i in range(root, count):
        if new[i] < 0:
            continue
        first = nodes[i].first
        for e in range(first, first + nodes[i].tried):
            child = edges[e].child
            if nodes[child].visits >= min_visits:
                new[child] = 0


def relink(nodes, edges, node, new):
    """Renumber the kept children of a node and turn the dropped ones into untried actions."""
    scratch = len(edges) - 1
    e = node.first
    end = node.first + node.tried
    while e < end:
        child = edges[e].child
        if new[child] >= 0:
            edges[e].child = new[child]
            e += 1
        else:
            end -= 1
            edges[e].child = -1 - nodes[child].action
            edges[scratch] = edges[e]
            edges[e] = edges[end]
            edges[end] = edges[scratch]
    if end == node.first:
        node.n = 0
    node.tried = end - node.first


def pack(nodes, edges, kept, lazy):
    """Move the kept nodes' blocks of edges down and return how many edges are left.

    Blocks lie in the order in which nodes were opened, not in the order of nodes; so each
    block's first edge lends its place to the number of its owner while we pass over them.
    """
    blocks = 0
    for i in range(kept):
        if nodes[i].n > 0:
            blocks += 1
            first = nodes[i].first
            nodes[i].first = edges[first].child
            edges[first].child = OWNER + i
    top = 0
    e = 0
    while blocks > 0:
        if edges[e].child >= OWNER + 1073741824:
            e += 1
            continue
        blocks -= 1
        node = nodes[edges[e].child - OWNER]
        edges[e].child = node.first
        node.first = top
        for _ in range(capacity(node.tried, node.n) if lazy else node.n):
            edges[top] = edges[e]
            top += 1
            e += 1
    return top
