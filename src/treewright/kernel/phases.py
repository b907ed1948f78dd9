"""Phases: search, commit, search again; executed behind ``kernel/steps.py``.

This is the loop behind re-rooting between moves (Magnuson 2.1), Kartal's planning step by step
(4.5), MCMCTS's moves and bridge burning (Baier & Cowling, figure 3).  ``layout.PHASES`` has its
rules and how far it is, so that it can be left after any simulation and gone on with later.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import math

from numpy import float64, int64

from treewright.kernel.choice import best_of, sure
from treewright.kernel.graph import compact_graph
from treewright.kernel.layout import BAD_CHOICE, DONE, FULL, PHASED, REFUSED, SOLVED
from treewright.kernel.reclaim import clear_tree, compact


def phases(tree, t, params, runs, rng, plans, chosen, scratch, kept, scores, simulations):
    """Search and commit with up to this many simulations, and say how it ended.

    ``DONE`` is for "to be continued", ``PHASED`` for the end of the last phase.  ``chosen``
    receives the committed actions, ``kept`` the best of the committed states if it has rows.
    """
    run = runs[0]
    plan = plans[0]
    left = simulations
    while plan.phase < plan.phases or plan.actions < plan.length:
        if plan.actions >= len(chosen):
            return DONE
        searching = plan.phase < plan.phases
        if not searching and over(tree.root[0], t, run):
            break
        if searching and not (CHANCE and player(tree.root[0], t) < 0):
            share = share_of(plan)
            before = run.simulations
            status = search(tree, t, params, runs, rng, min(left, share - plan.spent))
            plan.spent += run.simulations - before
            left -= run.simulations - before
            if PLAYERS == 1 and run.best_score > plan.best_score:
                plan.best_score = run.best_score
                plan.best_after = plan.actions
            full = status == FULL and plan.full_ends
            if status != DONE and status != SOLVED and not full:
                return status
            if status == DONE and plan.spent < share:
                return DONE
            plan.status = status
            plan.spent = 0
        if OWN_CHOOSE and not comparable(tree):
            return BAD_CHOICE
        if commit(tree, t, run, runs, rng, plan, chosen, scratch):
            if searching:
                end_phase(tree, t, run, plan, kept, scores)
        elif searching:
            plan.refused += 1
            if plan.refused > plan.patience:
                return REFUSED
        else:  # as deep as the tree goes; from there on the rollout policy completes the turn
            action = rollout_action(
                tree, t, params[0], run, rng, tree.root[0], player(tree.root[0], t)
            )
            if action < 0:
                return -action
            play(tree.root[0], t, action)
            chosen[plan.actions] = action
            plan.actions += 1
    return PHASED


def end_phase(tree, t, run, plan, kept, scores):
    """Count a phase that has committed; the last one is that which ends the game or the turn."""
    plan.refused = 0
    plan.phase += 1
    if PLAYERS == 1 and HAS_VALUE and len(scores) > 0:
        value(tree.root[0], t, tree.rewards)
        keep(kept, scores, tree.root[0], tree.rewards[0])
    if over(tree.root[0], t, run):
        plan.phases = plan.phase


def share_of(plan):
    """The simulations of this phase: they are shared out equally over ``plan.over`` phases."""
    done = plan.simulations * plan.phase // plan.over
    return plan.simulations * (plan.phase + 1) // plan.over - done


def over(s, t, run):
    """Whether there is nothing to decide any more: the game has ended, or the turn to plan."""
    if ended(s, t):
        return True
    return TURN and player(s, t) >= 0 and player(s, t) != run.root_player


def commit(tree, t, run, runs, rng, plan, chosen, scratch):
    """Play the best child and keep its subtree only; False if there is none.  Chance is drawn."""
    s = tree.root[0]
    mover = player(s, t)
    nodes = tree.nodes
    if CHANCE and mover < 0:
        action = sample_chance(s, t, rng)
        child = child_of(tree, action)
    else:
        count = int64(nodes[0].tried)
        floor = sure(read, tree, count) if SOLVER else 0.0
        at = best_of(read, tree, count, plan.choose, floor, plan.slack, plan.accept)
        if at < 0:
            return False
        child = int64(tree.edges[nodes[0].first + at].child)
        action = action_of(tree, nodes[0].first + at)
        run.root_mover = mover
    move_root(tree, t, run, runs, action, child, plan.carry, scratch)
    chosen[plan.actions] = action
    plan.actions += 1
    return True


def move_root(tree, t, run, runs, action, child, carry, scratch):
    """Play an action at the root; ``carry``: the tree goes on with what is below the child."""
    play(tree.root[0], t, action)
    run.stirred = 0
    if carry and child >= 0:
        if TRANSPOSE:
            compact_graph(tree.nodes, tree.edges, tree.slots, runs, child, 0, scratch)
        else:
            compact(tree.nodes, tree.edges, runs, child, 0, LAZY, scratch)
    else:
        clear_tree(tree, run)


def child_of(tree, action):
    """The root's child for an action, or -1 if there is none."""
    first = tree.nodes[0].first
    for i in range(first, first + tree.nodes[0].tried):
        if action_of(tree, i) == action:
            return int64(tree.edges[i].child)
    return int64(-1)


def action_of(tree, edge):
    """The action of a tried edge."""
    if TRANSPOSE:
        action = int64(tree.edges[edge].action)
    else:
        action = int64(tree.nodes[tree.edges[edge].child].action)
    return action  # a whole number, as in steps.py: ``play`` is compiled once


def read(tree, i):
    """The numbers of the i-th child of the root, for choice.py."""
    at = tree.nodes[0].first + i
    child = tree.nodes[tree.edges[at].child]
    visits = int64(tree.edges[at].visits if TRANSPOSE else child.visits)
    mean = child.value / child.visits if child.visits > 0 else -math.inf
    if OWN_CHOOSE:  # what it says is what children are compared by
        mean = float(own_choose(tree.nodes[0], child))
    best = child.best if MAX_BACKUP else -math.inf
    low = float64(child.low) if SOLVER else 0.0
    high = float64(child.high) if SOLVER else 1.0
    return action_of(tree, at), visits, mean, best, low, high


def comparable(tree):
    """Whether a user's own choice gives each child of the root a number."""
    fine = True
    for i in range(tree.nodes[0].tried):
        fine = fine and read(tree, i)[2] >= -math.inf
    return fine


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
