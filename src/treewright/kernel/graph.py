"""Equal states share one node (``TRANSPOSE``): the table of keys, and reclaiming memory.

The tree is a graph then, perhaps with cycles.  An edge has an action and visits of its own, since
its node may be reached by others; what a node is worth belongs to whoever moved there, so that
player is part of its key.  ``slots`` is a hash table with open addressing: ``slots[0]`` says how
many of the slots behind it are in use, a power of two (0: nothing is entered yet), and each of
these holds a node's number plus 1, or 0.  It has at least two slots for each node, and at
most four, or ``FEWEST`` in all.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64, uint64

from treewright.kernel.keys import mix
from treewright.kernel.reclaim import pack
from treewright.kernel.rng import MASK

FEWEST = 64
PLAYER = 0xD1342543DE82EF95


def node_key(key, mover):
    """The key of a state, for the node that this player has moved to."""
    return mix(uint64(key) ^ ((uint64(mover + 1) * uint64(PLAYER)) & MASK))


def slot_of(nodes, slots, key):
    """Where a key is in the table, or the free slot where it belongs."""
    mask = int64(slots[0]) - 1
    at = int64(uint64(key) & uint64(mask))
    while slots[1 + at] > 0 and nodes[slots[1 + at] - 1].key != key:
        at = (at + 1) & mask
    return 1 + at


def fill(nodes, slots, count):
    """Enter all nodes into a table of the size that they need."""
    size = FEWEST
    while size < 2 * count:
        size *= 2
    slots[0] = size
    for i in range(size):
        slots[1 + i] = 0
    for i in range(count):
        slots[slot_of(nodes, slots, nodes[i].key)] = i + 1


def enter_root(nodes, slots, count, key):
    """Fill a table that is empty; the root's key is known only when a search begins."""
    if slots[0] == 0:
        nodes[0].key = key
        fill(nodes, slots, count)


def share(nodes, edges, slots, run, edge, key):
    """The node of a new edge, once its action is played: one that was there, or the new one.

    ``expand`` has made that one, the last of all; it is taken back if it is not needed.
    """
    slot = slot_of(nodes, slots, key)
    child = edges[edge].child
    if slots[slot] > 0:
        run.nodes -= 1
        run.created -= 1
        child = slots[slot] - 1
        edges[edge].child = child
    else:
        nodes[child].key = key
        slots[slot] = child + 1
        if 2 * run.nodes > slots[0]:
            fill(nodes, slots, run.nodes)
    return child


def repeats(path, depth):
    """Whether the last node of a path is on it before."""
    d = 0
    while path[d] != path[depth - 1]:
        d += 1
    return d < depth - 1


def compact_graph(nodes, edges, slots, runs, root, min_visits, new):
    """Make ``root`` node 0, keeping what can be reached from it by nodes with enough visits.

    As ``compact`` in reclaim.py, where children have larger numbers than their parents.
    """
    run = runs[0]
    count = int64(run.nodes)
    reach(nodes, edges, count, root, min_visits, new)
    if root != 0:  # they change places; the row behind the last node is free
        nodes[count] = nodes[0]
        nodes[0] = nodes[root]
        nodes[root] = nodes[count]
        new[root] = new[0]
        new[0] = 0
    kept = 0
    for i in range(count):
        if new[i] >= 0:
            new[i] = kept
            kept += 1
    for i in range(count):
        if new[i] >= 0:
            relink_edges(edges, nodes[i], root, new)
            if new[i] != i:
                nodes[new[i]] = nodes[i]
    run.nodes = kept
    run.edges = pack(nodes, edges, kept, False)
    fill(nodes, slots, kept)


def reach(nodes, edges, count, root, min_visits, new):
    """Set ``new`` to -1 for nodes that are dropped, and to something else for the rest.

    Nodes whose children have not been looked at are a list: each has the next, or ``count``.
    """
    for i in range(count):
        new[i] = -1
    new[root] = count
    waiting = root
    while waiting < count:
        node = nodes[waiting]
        waiting = new[waiting]
        for e in range(node.first, node.first + node.tried):
            child = edges[e].child
            if new[child] < 0 and nodes[child].visits >= min_visits:
                new[child] = waiting
                waiting = child


def relink_edges(edges, node, root, new):
    """Renumber the kept children of a node and turn the dropped ones into untried actions."""
    scratch = len(edges) - 1
    e = node.first
    end = node.first + node.tried
    while e < end:
        child = edges[e].child
        if child == 0:
            child = root
        elif child == root:
            child = 0
        if new[child] >= 0:
            edges[e].child = new[child]
            e += 1
        else:
            end -= 1
            edges[e].child = -1 - edges[e].action
            edges[e].visits = 0
            edges[scratch] = edges[e]
            edges[e] = edges[end]
            edges[end] = edges[scratch]
    if end == node.first:
        node.n = 0
    node.tried = end - node.first
