"""Greedy Action: the pruned action with the best change of the evaluation; ties at random.

Nothing is played and no list is written.  Kinds of actions come in the order of what they can
gain, so that a kind which can't reach the best so far is passed over; actions that change the
evaluation by the same amount (moves over plain ground, most of the legal actions) are weighed
together.  What is searched differs from state to state, and a branch that can't be predicted
costs more than what it saves: so sets of units and cards are made without branches first.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64

from treewright.apps.tactics.board import OWN_DEPLOY, SPECIAL, SQUARES
from treewright.apps.tactics.effects import assault_bonus, power
from treewright.apps.tactics.evaluation import (
    WIN,
    attack_gain,
    drop_gain,
    ended_gain,
    heal_gain,
    inferno_bound,
    moved_gain,
    scroll_used,
    swap_gain,
)
from treewright.apps.tactics.legal import enterable, placements, standing
from treewright.apps.tactics.ordering import useful_infernos
from treewright.apps.tactics.state import ATTACK, DISCARD, DROP, END, HEAL, MOVE, SWAP
from treewright.apps.tactics.units import (
    CARDS,
    CLERIC,
    INFERNO,
    MAX_HP,
    MOST_DROPPED,
    MOST_MOVED,
    MOST_SWAPPED,
    NINJA,
    POTION,
    REACH,
    SPEED,
    SQUARE_WORTH,
)
from treewright.library.domain import count_bits, inlined, lowest_bit
from treewright.random import below


@inlined
def weigh(rng, top, ties, best, found, action):
    """The best so far after one more action; ``ties`` counts the best, each as likely."""
    if found == top:
        ties += 1
        return top, ties, action if below(rng, ties) == 0 else best
    better = found > top
    return max(found, top), int64(1) if better else ties, action if better else best


@inlined
def weigh_all(rng, top, ties, best, found, head, squares):
    """The same after all actions ``head + square``, which gain the same."""
    if found < top:
        return top, ties, best
    count = count_bits(squares)
    ties = count if found > top else ties + count
    pick = below(rng, ties)
    if pick >= count:
        return top, ties, best
    m = squares
    for _ in range(pick):
        m &= m - 1
    return found, ties, head + lowest_bit(m)


@inlined
def muster(s, t, foes):
    """Own units: those with an enemy in reach, the wounded, the Clerics, the Ninjas."""
    armed = int64(0)
    hurt = int64(0)
    clerics = int64(0)
    ninjas = int64(0)
    m = s.up[s.player]
    while m != 0:
        low = m & -m
        m ^= low
        q = lowest_bit(low)
        k = s.unit[q]
        armed |= low * (t.near[REACH[k] * SQUARES + q] & foes != 0)
        hurt |= low * (s.hp[q] < MAX_HP[k * 16 + s.gear[q]])
        clerics |= low * (k == CLERIC)
        ninjas |= low * (k == NINJA)
    return armed, hurt, clerics, ninjas


@inlined
def kinds_held(s, hand):
    """The kinds of cards in a hand as a mask."""
    found = int64(0)
    for card in range(CARDS):
        found |= int64(s.hand[hand + card] > 0) << card
    return found


@inlined
def weigh_recruits(s, t, rng, kinds, squares, bodies, top, ties, best):
    """Drops of units: all free squares of a deploy zone are alike, bodies there are not."""
    clear = squares & ~bodies
    k = kinds
    while k != 0:
        card = lowest_bit(k)
        k &= k - 1
        head = DROP * 4096 + card * 64
        if clear != 0:
            found = drop_gain(s, t, card, lowest_bit(clear))
            top, ties, best = weigh_all(rng, top, ties, best, found, head, clear)
        m = squares & bodies
        while m != 0:
            q = lowest_bit(m)
            m &= m - 1
            found = drop_gain(s, t, card, q)
            top, ties, best = weigh(rng, top, ties, best, found, head + q)
    return top, ties, best


@inlined
def weigh_attacks(s, t, rng, f, foes, bonus, top, ties, best):
    """Attacks by the unit on a square."""
    strength = power(s, t, f)
    used = scroll_used(s, f)
    m = t.near[REACH[s.unit[f]] * SQUARES + f] & foes
    while m != 0:
        q = lowest_bit(m)
        m &= m - 1
        if t.between[f * SQUARES + q] & foes == 0:
            found = attack_gain(s, t, f, q, strength, bonus) + used
            if found >= 2 * WIN:
                found = ended_gain(s, t)
            action = ATTACK * 4096 + f * 64 + q
            top, ties, best = weigh(rng, top, ties, best, found, action)
    return top, ties, best


@inlined
def weigh_heals(s, t, rng, f, squares, top, ties, best):
    """What a Cleric can do: heal, revive, and trample enemy bodies."""
    m = squares
    while m != 0:
        q = lowest_bit(m)
        m &= m - 1
        found = heal_gain(s, t, f, q)
        top, ties, best = weigh(rng, top, ties, best, found, HEAL * 4096 + f * 64 + q)
    return top, ties, best


@inlined
def weigh_moves(s, t, rng, f, squares, top, ties, best):
    """Moves by the unit on a square, one by one."""
    m = squares
    while m != 0:
        q = lowest_bit(m)
        m &= m - 1
        found = moved_gain(s, t, f, q)
        top, ties, best = weigh(rng, top, ties, best, found, MOVE * 4096 + f * 64 + q)
    return top, ties, best


@inlined
def weigh_steps(s, t, rng, f, clear, top, ties, best):
    """Moves to clear ground by the unit on a square."""
    k = s.unit[f]
    moves = t.near[SPEED[k] * SQUARES + f] & clear
    plain = moves & ~t.zone[SPECIAL]
    if plain != 0:
        found = -SQUARE_WORTH[k * 6 + t.terrain[f]]
        head = MOVE * 4096 + f * 64
        top, ties, best = weigh_all(rng, top, ties, best, found, head, plain)
    return weigh_moves(s, t, rng, f, moves & t.zone[SPECIAL], top, ties, best)


@inlined
def weigh_swaps(s, t, rng, f, top, ties, best):
    """A Ninja's exchanges of places."""
    m = s.up[s.player] ^ (int64(1) << f)
    while m != 0:
        q = lowest_bit(m)
        m &= m - 1
        found = swap_gain(s, t, f, q)
        top, ties, best = weigh(rng, top, ties, best, found, SWAP * 4096 + f * 64 + q)
    return top, ties, best


@inlined
def weigh_card(s, t, rng, card, squares, top, ties, best):
    """All drops of a card that is no unit."""
    m = squares
    while m != 0:
        q = lowest_bit(m)
        m &= m - 1
        found = drop_gain(s, t, card, q)
        if found >= 2 * WIN:
            found = ended_gain(s, t)
        action = DROP * 4096 + card * 64 + q
        top, ties, best = weigh(rng, top, ties, best, found, action)
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
    kinds = kinds_held(s, me * CARDS)
    armed, hurt, clerics, ninjas = muster(s, t, foes)

    recruits = kinds & ((1 << INFERNO) - 1)
    squares = t.zone[OWN_DEPLOY + me] & ~standing(s)
    if recruits != 0 and squares != 0:
        top, ties, best = weigh_recruits(s, t, rng, recruits, squares, bodies, top, ties, best)
    bonus = assault_bonus(s, t)
    while armed != 0:
        f = lowest_bit(armed)
        armed &= armed - 1
        top, ties, best = weigh_attacks(s, t, rng, f, foes, bonus, top, ties, best)
    m = clerics
    while m != 0:
        f = lowest_bit(m)
        m &= m - 1
        squares = t.near[2 * SQUARES + f] & (hurt | (free & bodies))
        top, ties, best = weigh_heals(s, t, rng, f, squares, top, ties, best)
    if bodies != 0:
        m = s.up[me] & ~clerics
        while m != 0:
            f = lowest_bit(m)
            m &= m - 1
            squares = t.near[SPEED[s.unit[f]] * SQUARES + f] & free & bodies
            top, ties, best = weigh_moves(s, t, rng, f, squares, top, ties, best)
    return weigh_rest(s, t, rng, kinds, free & ~bodies, ninjas, top, ties, best)


@inlined
def weigh_rest(s, t, rng, kinds, clear, ninjas, top, ties, best):
    """Infernos, items, moves over clear ground, and swaps of cards."""
    me = s.player
    if kinds >> INFERNO & 1 and top <= inferno_bound(s, t):
        squares = useful_infernos(s, t)
        top, ties, best = weigh_card(s, t, rng, INFERNO, squares, top, ties, best)
    for card in range(POTION, CARDS):
        if kinds >> card & 1 and top <= MOST_DROPPED[card]:
            squares = placements(s, t, card)
            top, ties, best = weigh_card(s, t, rng, card, squares, top, ties, best)
    if top <= MOST_MOVED:
        m = s.up[me]
        while m != 0:
            f = lowest_bit(m)
            m &= m - 1
            top, ties, best = weigh_steps(s, t, rng, f, clear, top, ties, best)
    if top <= MOST_SWAPPED:
        while ninjas != 0:
            f = lowest_bit(ninjas)
            ninjas &= ninjas - 1
            top, ties, best = weigh_swaps(s, t, rng, f, top, ties, best)
    if top <= 0 and s.left[me] > 0 and s.held[me] > 0:
        return swapped_card(s, rng, me * CARDS, top, ties, best)
    return best


def swapped_card(s, rng, hand, top, ties, best):
    """Swaps of cards gain nothing; a single one is swapped only if there is nothing else to do."""
    head = DISCARD * 4096
    last = 0
    for card in range(CARDS):
        if s.hand[hand + card] > 0:
            last = card
        if s.hand[hand + card] > 1:
            top, ties, best = weigh(rng, top, ties, best, int64(0), int64(head + card * 64))
    return best if ties > 0 else int64(head + last * 64)
