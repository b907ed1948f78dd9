"""Depth-first search over one turn, compiled with the domain (see greedy_turn.py)."""

# mypy: allow-untyped-defs, no-check-untyped-defs


def explore(states, words, t, lists, places, table, out, best, top, progress, deepest, limit):
    """Go on until ``limit`` turns have been evaluated or all are.

    ``progress``: evaluations, length of the best turn, depth (-1: not begun), done.
    ``places[d]``: the next action of the list at depth d, and its length.
    """
    mover = player(states[0], t)
    if progress[2] < 0:
        progress[2] = 0
        places[0, 0] = 0
        places[0, 1] = legal(states[0], t, lists[0])
    while progress[0] < limit and progress[3] == 0:
        depth = progress[2]
        if places[depth, 0] >= places[depth, 1]:
            if depth == 0:
                progress[3] = 1
            else:
                progress[2] -= 1
            continue
        action = lists[depth, places[depth, 0]]
        places[depth, 0] += 1
        states[depth + 1] = states[depth]
        s = states[depth + 1]
        play(s, t, action)
        if depth + 1 < deepest and same_turn(s, t, mover):
            if seen(words, depth + 1, table):
                continue
            progress[2] += 1
            places[depth + 1, 0] = 0
            places[depth + 1, 1] = legal(s, t, lists[depth + 1])
            continue
        progress[0] += 1
        found = worth(s, t, mover, out)
        if found > top[0]:
            top[0] = found
            progress[1] = depth + 1
            for i in range(depth + 1):
                best[i] = lists[i, places[i, 0] - 1]


def seen(words, row, table):
    """Whether the state was entered in the table before; it is now.  A slot keeps the newest."""
    h = 1469598103934665603
    for i in range(words.shape[1]):
        h = (h ^ words[row, i]) * 1099511628211
        h ^= (h >> 29) & 34359738367
    if h == 0:
        h = 1
    slot = h & (len(table) - 1)
    if table[slot] == h:
        return True
    table[slot] = h
    return False
