"""Flat Monte Carlo, executed behind the text of ``kernel/steps.py`` (see specialise.py).

The simulation step is the kernel's own; only selection is replaced.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs


def flat(tree, t, params, runs, rng, simulations):
    """Give every action at the root the same number of simulations, one after another."""
    p = params[0]
    run = runs[0]
    nodes = tree.nodes
    for _ in range(simulations):
        run.replay = rng[0]
        tree.work[0] = tree.root[0]
        s = tree.work[0]
        mover = player(s, t)
        if INFORMATION:
            determinise(s, t, rng, mover)
        if nodes[0].n == 0:
            status = open_node(tree, t, p, run, rng, s, 0, mover)
            if status != DONE:
                return status
        edge = nodes[0].first + nodes[0].visits % nodes[0].n
        if edge < nodes[0].first + nodes[0].tried:
            child = tree.edges[edge].child
        else:
            child = expand(tree, t, p, run, rng, s, 0, edge)
            if child < 0:
                return FULL
        action = nodes[child].action
        if TRACE and not record(tree, t, run, s, 0, action, mover):
            return BAD_KEY
        play(s, t, action)
        tree.path[0] = 0
        tree.movers[0] = run.root_mover
        tree.path[1] = child
        tree.movers[1] = mover
        length, status = simulate(tree, t, p, run, rng, s, 1)
        if status != DONE:
            return status
        if not finite(tree.rewards):
            return NOT_FINITE
        back_up(tree, run, 2, length)
        run.simulations += 1
    return DONE
