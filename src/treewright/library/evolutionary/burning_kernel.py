"""Bridge burning in compiled code, executed behind ``kernel/steps.py`` (see burning.py).

Search and commit are the kernel's own: ``search`` of steps.py and ``compact`` of reclaim.py.
"""

import math

from treewright.kernel.layout import DONE
from treewright.kernel.reclaim import compact


def burn(
    tree, t, params, runs, rng, phases, simulations, scratch, chosen, done, length, kept, scores
):
    """Share the simulations out over phases; after each, commit the child with the best mean.

    ``chosen`` receives the committed actions, ``done`` of which are there already.  With
    ``length`` the turn is completed to that many actions at most.  The best of the states that
    are committed stay in ``kept``, if it has rows.  Returns the number of actions in ``chosen``,
    or minus a status.
    """
    tree = borrow(tree)
    t = borrow(t)
    rng = borrow(rng)
    run = runs[0]
    for phase in range(max(1, phases)):
        share = simulations
        if phases > 1:
            share = simulations * (phase + 1) // phases - simulations * phase // phases
        status = search(tree, t, params, runs, rng, share)
        if status != DONE:
            return -status
        if phases == 0 or tree.nodes[0].tried == 0:
            break
        chosen[done] = commit(tree, t, run, runs, scratch)
        done += 1
        if PLAYERS == 1 and HAS_VALUE and len(scores) > 0:
            value(tree.root[0], t, tree.rewards)
            keep(kept, scores, tree.root[0], tree.rewards[0])
        if over(tree.root[0], t, run):
            break
    if TURN and length > 0:
        done = complete(tree, t, params, runs, rng, scratch, chosen, done, length)
    return done


def over(s, t, run):
    """Whether there is nothing to decide any more: the game or the turn has ended."""
    return ended(s, t) or (TURN and player(s, t) != run.root_player)


def commit(tree, t, run, runs, scratch):
    """Play the child with the best mean at the root and keep its subtree only."""
    nodes = tree.nodes
    root = nodes[0]
    best = -1
    top = -math.inf
    for i in range(root.first, root.first + root.tried):
        child = tree.edges[i].child
        mean = nodes[child].value / nodes[child].visits
        if MAX_BACKUP:
            mean = nodes[child].best
        if mean > top:
            top = mean
            best = child
    action = nodes[best].action
    play(tree.root[0], t, action)
    compact(nodes, tree.edges, runs, best, 0, LAZY, scratch)
    return action


def keep(kept, scores, s, found):
    """Keep a state if it is among the best; of states of the same value the first."""
    worst = 0
    for row in range(len(scores)):
        if scores[row] == found:
            return
        if scores[row] < scores[worst]:
            worst = row
    if found > scores[worst]:
        scores[worst] = found
        kept[worst] = s


def complete(tree, t, params, runs, rng, scratch, chosen, done, length):
    """Complete a turn: follow the best means as deep as the tree goes, then the rollout policy.

    Returns the number of actions.
    """
    run = runs[0]
    p = params[0]
    while done < length and not over(tree.root[0], t, run):
        if tree.nodes[0].tried > 0:
            chosen[done] = commit(tree, t, run, runs, scratch)
        else:
            s = tree.root[0]
            chosen[done] = rollout_action(tree, t, p, run, rng, s, player(s, t))
            play(s, t, chosen[done])
        done += 1
    return done
