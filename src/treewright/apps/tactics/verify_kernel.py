"""Everything that a recording says about a step, for many steps at once (see verify.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs


def examine(states, after, t, actions, room, counts, evaluations):
    """For each state: legal list, ordering values, kept ones; then the action and evaluations.

    ``room[i]`` holds three rows: the legal actions, their ordering values, the pruned list.
    """
    for i in range(len(states)):
        after[i] = states[i]
        s = after[i]
        n = list_actions(s, t, room[i, 0], 0)
        counts[i, 0] = n
        for j in range(n):
            room[i, 1, j] = order(s, t, room[i, 0, j])
        counts[i, 1] = list_actions(s, t, room[i, 2], 1)
        act(s, t, actions[i])
        for side in range(2):
            evaluations[i, side] = evaluate(s, t, side)
