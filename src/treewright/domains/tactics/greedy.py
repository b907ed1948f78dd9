"""Greedy Action: the pruned action with the best change of the evaluation; ties at random.

Nothing is played and no list is written.  Kinds of actions come in the order of what they can
gain, so that a kind which can't reach the best so far is passed over; moves over plain ground,
most of the legal actions, all change the evaluation by the same amount and are weighed together.
"""

from numpy import int64

from treewright.domain import inlined
from treewright.domains.tactics.board import OWN_DEPLOY, SPECIAL, SQUARES, lowest
from treewright.domains.tactics.evaluation import (
    WIN,
    attack_gain,
    drop_gain,
    ended_gain,
    heal_gain,
    inferno_bound,
    moved_gain,
    swap_gain,
)
from treewright.domains.tactics.legal import enterable, placements, standing, wounded
from treewright.domains.tactics.ordering import useful_infernos
from treewright.domains.tactics.state import ATTACK, DISCARD, DROP, END, HEAL, MOVE, SWAP
from treewright.domains.tactics.units import (
    CARDS,
    CLERIC,
    INFERNO,
    MOST_EQUIPPED,
    MOST_MOVED,
    MOST_POTION,
    MOST_SWAPPED,
    NINJA,
    POTION,
    REACH,
    SPEED,
    SQUARE_WORTH,
)
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
def weigh_blows(s, t, rng, f, free, bodies, foes, top, ties, best):
    """Attacks, heals and bodies trampled by the unit on a square."""
    k = s.unit[f]
    m = t.near[REACH[k] * SQUARES + f] & foes
    while m != 0:
        low = m & -m
        m ^= low
        q = lowest(low)
        if t.between[f * SQUARES + q] & foes == 0:
            found = attack_gain(s, t, f, q)
            if found >= 2 * WIN:
                found = ended_gain(s, t)
            top, ties, best = weigh(rng, top, ties, best, found, ATTACK * 4096 + f * 64, low)
    m = t.near[SPEED[k] * SQUARES + f] & free & bodies
    kind = MOVE
    if k == CLERIC:
        m |= t.near[2 * SQUARES + f] & wounded(s, s.player)
        kind = HEAL
    while m != 0:
        low = m & -m
        m ^= low
        q = lowest(low)
        found = heal_gain(s, t, f, q) if k == CLERIC else moved_gain(s, t, f, q)
        top, ties, best = weigh(rng, top, ties, best, found, kind * 4096 + f * 64, low)
    return top, ties, best


@inlined
def weigh_steps(s, t, rng, f, clear, top, ties, best):
    """Moves to clear ground and a Ninja's swaps, by the unit on a square."""
    k = s.unit[f]
    if top <= MOST_MOVED:
        moves = t.near[SPEED[k] * SQUARES + f] & clear
        head = MOVE * 4096 + f * 64
        plain = moves & ~t.zone[SPECIAL]
        if plain != 0:
            found = -SQUARE_WORTH[k * 6 + t.terrain[f]]
            top, ties, best = weigh(rng, top, ties, best, found, head, plain)
        m = moves & t.zone[SPECIAL]
        while m != 0:
            low = m & -m
            m ^= low
            found = moved_gain(s, t, f, lowest(low))
            top, ties, best = weigh(rng, top, ties, best, found, head, low)
    if k == NINJA:
        m = s.up[s.player] ^ (int64(1) << f)
        while m != 0:
            low = m & -m
            m ^= low
            found = swap_gain(s, t, f, lowest(low))
            top, ties, best = weigh(rng, top, ties, best, found, SWAP * 4096 + f * 64, low)
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
    hand = me * CARDS
    free = enterable(s, t)
    bodies = s.down[0] | s.down[1]
    foes = s.up[1 - me] | s.gem[1 - me]
    squares = t.zone[OWN_DEPLOY + me] & ~standing(s)
    if squares != 0:
        for card in range(INFERNO):
            if s.hand[hand + card] > 0:
                top, ties, best = weigh_card(s, t, rng, card, squares, top, ties, best)
    m = s.up[me]
    while m != 0:
        f = lowest(m)
        m &= m - 1
        top, ties, best = weigh_blows(s, t, rng, f, free, bodies, foes, top, ties, best)
    if s.hand[hand + INFERNO] > 0 and top <= inferno_bound(s, t):
        squares = useful_infernos(s, t)
        top, ties, best = weigh_card(s, t, rng, INFERNO, squares, top, ties, best)
    for card in range(POTION, CARDS):
        most = MOST_POTION if card == POTION else MOST_EQUIPPED
        if s.hand[hand + card] > 0 and top <= most:
            squares = placements(s, t, card)
            top, ties, best = weigh_card(s, t, rng, card, squares, top, ties, best)
    if top <= MOST_SWAPPED:
        m = s.up[me]
        while m != 0:
            f = lowest(m)
            m &= m - 1
            top, ties, best = weigh_steps(s, t, rng, f, free & ~bodies, top, ties, best)
    if top <= 0 and s.left[me] > 0 and s.held[me] > 0:
        return swapped_card(s, rng, hand, top, ties, best)
    return best


def swapped_card(s, rng, hand, top, ties, best):
    """Swaps of cards gain nothing; a single one is swapped only if there is nothing else to do."""
    head = DISCARD * 4096
    last = 0
    for card in range(CARDS):
        if s.hand[hand + card] > 0:
            last = card
        if s.hand[hand + card] > 1:
            top, ties, best = weigh(rng, top, ties, best, int64(0), head + card * 64, int64(1))
    return best if ties > 0 else int64(head + last * 64)
