"""Whether a tree fits a domain's rules: for trees from files, before any search goes on with them.

Executed with the domain's functions injected, as steps.py is.  Parents come before children, so
an action is played only after it was found among the legal ones of its parent: whatever a file
says, no function of the domain sees a state that its rules don't lead to.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64

from treewright.kernel.reclaim import capacity


def verify(tree, t, parents):
    """The number of the first node that does not fit the rules, or -1."""
    nodes = tree.nodes
    for i in range(len(parents)):
        length = 0
        at = i
        while at > 0:
            if length >= MAX_LENGTH:
                return i
            tree.trace[length] = nodes[at].action
            length += 1
            at = parents[at]
        if nodes[i].n == 0:
            continue
        tree.work[0] = tree.root[0]
        s = tree.work[0]
        for d in range(length - 1, -1, -1):
            play(s, t, int64(tree.trace[d]))
        if ended(s, t) or not lists_legal(tree, t, s, nodes[i]):
            return i
    return -1


def lists_legal(tree, t, s, node):
    """Whether the actions of a node are legal ones, each of them once."""
    n = legal(s, t, tree.buffer)
    # with BOUND a node lists what could beat the best of its time; nothing is to beat here
    if n > MAX_ACTIONS or (not BOUND and n != node.n) or node.n > n:
        return False
    listed = node.n
    if LAZY and capacity(node.tried, node.n) < node.n:
        listed = node.tried
    for edge in range(node.first, node.first + listed):
        child = tree.edges[edge].child
        action = tree.nodes[child].action if child >= 0 else -1 - child
        at = 0
        while at < n and tree.buffer[at] != action:
            at += 1
        if at == n or action < 0:
            return False
        tree.buffer[at] = -1
    return True
