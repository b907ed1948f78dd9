"""Greedy Action: the pruned action with the best change of the evaluation; ties at random.

Nothing is played and no list is written: moves over plain ground, most of the legal actions, all
change the evaluation by the same amount and are weighed together.
"""

from numpy import int64

from treewright.domain import inlined
from treewright.domains.tactics.board import SPECIAL, lowest
from treewright.domains.tactics.evaluation import (
    WIN,
    attack_gain,
    drop_gain,
    ended_gain,
    heal_gain,
    moved_gain,
    swap_gain,
)
from treewright.domains.tactics.legal import enterable, placements, targets
from treewright.domains.tactics.ordering import useful_infernos
from treewright.domains.tactics.state import ATTACK, DISCARD, DROP, END, HEAL, MOVE, SWAP
from treewright.domains.tactics.units import CARDS, INFERNO, SQUARE_WORTH
from treewright.random import below


@inlined
def weigh(rng, top, ties, best, found, head, squares):
    """The best so far after actions ``head + square`` that all gain the same.

    ``ties`` counts the best actions, so that each of them ends up as likely.
    """
    if found < top:
        return top, ties, best
    count = int64(0)
    m = squares
    while m != 0:
        m &= m - 1
        count += 1
    ties = count if found > top else ties + count
    pick = int64(0)
    if ties > 1:
        pick = below(rng, ties)
        if pick >= count:
            return top, ties, best
    m = squares
    for _ in range(pick):
        m &= m - 1
    return found, ties, head + lowest(m)


@inlined
def weigh_unit(s, t, rng, f, free, bodies, foes, top, ties, best):
    """All actions of the unit on a square."""
    moves, heals, swaps, attacks = targets(s, t, f, free, bodies, foes)
    head = f * 64
    telling = t.zone[SPECIAL] | bodies
    plain = moves & ~telling
    if plain != 0:
        found = -SQUARE_WORTH[s.unit[f] * 6 + t.terrain[f]]
        top, ties, best = weigh(rng, top, ties, best, found, MOVE * 4096 + head, plain)
    m = (moves & telling) | heals | swaps | attacks
    while m != 0:
        low = m & -m
        m ^= low
        q = lowest(low)
        kind = MOVE
        if low & attacks:
            kind = ATTACK
            found = attack_gain(s, t, f, q)
            if found >= 2 * WIN:
                found = ended_gain(s, t)
        elif low & heals:
            kind = HEAL
            found = heal_gain(s, t, f, q)
        elif low & swaps:
            kind = SWAP
            found = swap_gain(s, t, f, q)
        else:
            found = moved_gain(s, t, f, q)
        top, ties, best = weigh(rng, top, ties, best, found, kind * 4096 + head, low)
    return top, ties, best


@inlined
def weigh_card(s, t, rng, card, squares, top, ties, best):
    """All drops of a card."""
    m = squares
    while m != 0:
        low = m & -m
        m ^= low
        found = drop_gain(s, t, card, lowest(low))
        if found >= 2 * WIN:
            found = ended_gain(s, t)
        head = DROP * 4096 + card * 64
        top, ties, best = weigh(rng, top, ties, best, found, head, low)
    return top, ties, best


def greedy_action(s, t, rng):
    """What Greedy Action plays, or END if there is nothing to do."""
    top = int64(-1000000)
    ties = int64(0)
    best = int64(END)
    if s.ap <= 0:
        return best
    me = s.player
    free = enterable(s, t)
    bodies = s.down[0] | s.down[1]
    foes = s.up[1 - me] | s.gem[1 - me]
    m = s.up[me]
    while m != 0:
        low = m & -m
        m ^= low
        f = lowest(low)
        top, ties, best = weigh_unit(s, t, rng, f, free, bodies, foes, top, ties, best)
    last = -1  # swapped if there is nothing else to do, though only one is there
    for card in range(CARDS):
        if s.hand[me * CARDS + card] > 0:
            last = card
    for card in range(CARDS):
        count = s.hand[me * CARDS + card]
        if count > 0:
            squares = useful_infernos(s, t) if card == INFERNO else placements(s, t, card)
            top, ties, best = weigh_card(s, t, rng, card, squares, top, ties, best)
            if s.left[me] > 0 and (count > 1 or (card == last and ties == 0)):
                head = DISCARD * 4096 + card * 64
                top, ties, best = weigh(rng, top, ties, best, int64(0), head, int64(1))
    return best
