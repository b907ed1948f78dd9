"""Which actions are worth looking at, and in what order (the testbed's pruning and comparator)."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64

from treewright.apps.tactics.board import BOARD, PLAIN
from treewright.apps.tactics.effects import power
from treewright.apps.tactics.legal import list_squares, list_units, placements
from treewright.apps.tactics.state import ATTACK, DISCARD, DROP, END, HEAL, MOVE, PRUNED, SORTED
from treewright.apps.tactics.units import CARDS, GEAR_COUNT, INFERNO, MAX_HP, POTION, WIZARD
from treewright.library.domain import lowest_bit


def max_hp(s, q):
    return MAX_HP[s.unit[q] * 16 + s.gear[q]]


def useful_infernos(s, t):
    """One square for each set of targets that no other includes; of equal sets the first."""
    foe = 1 - s.player
    foes = s.up[foe] | s.down[foe] | s.gem[foe]
    squares = int64(0)  # that hit anything
    m = foes
    while m != 0:
        low = m & -m
        m ^= low
        squares |= t.ring[lowest_bit(low)]
    kept = int64(0)
    m = squares & t.zone[BOARD]
    while m != 0:
        low = m & -m
        m ^= low
        targets = t.ring[lowest_bit(low)] & foes
        beaten = False
        k = kept
        while k != 0:
            other = k & -k
            k ^= other
            theirs = t.ring[lowest_bit(other)] & foes
            if targets & ~theirs == 0:
                beaten = True
                break
            if theirs & ~targets == 0:
                kept ^= other
        if not beaten:
            kept |= low
    return kept


def list_actions(s, t, out, pruned):
    """Everything the testbed lists, in its order; END only when no action points are left.

    Pruned: without swaps of single cards and without Infernos that another one includes.
    """
    if s.ap <= 0:
        out[0] = END
        return 1
    me = s.player
    n = list_units(s, t, out, 0)
    for card in range(CARDS):
        count = s.hand[me * CARDS + card]
        if count > 0:
            squares = placements(s, t, card)
            if pruned != 0 and card == INFERNO:
                squares = useful_infernos(s, t)
            n = list_squares(DROP * 4096 + card * 64, squares, out, n)
            if s.left[me] > 0 and (count > 1 or pruned == 0):
                out[n] = DISCARD * 4096 + card * 64
                n += 1
    return n


def order(s, t, action):
    """The testbed's comparator: larger first."""
    kind = action >> 12
    a = (action >> 6) & 63
    b = action & 63
    bit = int64(1) << b
    if kind == END:
        return int64(10000 if s.ap <= 0 else 0)
    if kind == MOVE:
        if (s.down[0] | s.down[1]) & bit:
            return 2 * max_hp(s, b)
        return int64(30 if t.terrain[b] != PLAIN else 0)
    if kind == ATTACK:
        return power(s, t, a) + (200 if s.unit[a] == WIZARD else 0)
    if kind == HEAL:
        return int64(1400) if (s.down[0] | s.down[1]) & bit else max_hp(s, b) - s.hp[b]
    if kind == DROP:
        return drop_order(s, t, a, b)
    return int64(0)


def drop_order(s, t, card, q):
    if card < INFERNO:
        return int64(200)
    if card == INFERNO:
        foe = 1 - s.player
        total = int64(-500)
        m = t.ring[q] & (s.up[foe] | s.down[foe] | s.gem[foe])
        while m != 0:
            low = m & -m
            m ^= low
            total += 2 * max_hp(s, lowest_bit(low)) if s.down[foe] & low else 300
        return total
    full = max_hp(s, q)
    if card == POTION:
        if s.hp[q] == 0:
            return full + 200 * GEAR_COUNT[s.gear[q]]
        return full - s.hp[q] - 300
    return power(s, t, q) * (s.hp[q] // full)


def sort(s, t, out, n):
    """Insertion sort by ``order``, stable, larger first."""
    for i in range(n):  # the value goes into the upper bits while we sort
        out[i] += (order(s, t, out[i]) + 1024) * 32768
    for i in range(1, n):
        action = out[i]
        j = i
        while j > 0 and out[j - 1] >> 15 < action >> 15:
            out[j] = out[j - 1]
            j -= 1
        out[j] = action
    for i in range(n):
        out[i] &= 32767


def listed(s, t, out):
    """What the domain calls legal: all or the pruned list, sorted or not; END if it is empty."""
    how = t.rules[PRUNED]
    n = list_actions(s, t, out, how)
    while n == 0 and how != 0:  # nothing worth doing: then anything
        how = 0
        n = list_actions(s, t, out, how)
    if n == 0:
        out[0] = END
        return 1
    if t.rules[SORTED]:
        sort(s, t, out, n)
    return n
