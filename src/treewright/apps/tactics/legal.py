"""Which actions are legal: listing them all, and testing one."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64

from treewright.apps.tactics.board import BOARD, OWN_DEPLOY, SQUARES
from treewright.apps.tactics.state import ATTACK, DISCARD, DROP, END, HEAL, MOVE, SWAP
from treewright.apps.tactics.units import (
    CARDS,
    CLERIC,
    GEAR_BIT,
    INFERNO,
    MAX_HP,
    NINJA,
    POTION,
    REACH,
    SPEED,
)
from treewright.library.domain import inlined, lowest_bit


@inlined
def standing(s):
    """Every square that nobody can enter."""
    return s.up[0] | s.up[1] | s.gem[0] | s.gem[1]


@inlined
def enterable(s, t):
    """Squares that the mover's units may enter: free ground and bodies, no enemy deploy."""
    return t.zone[BOARD] & ~(standing(s) | t.zone[OWN_DEPLOY + 1 - s.player])


@inlined
def wounded(s, me):
    """The own standing units below their full health."""
    found = int64(0)
    m = s.up[me]
    while m != 0:
        low = m & -m
        m ^= low
        q = lowest_bit(low)
        if s.hp[q] < MAX_HP[s.unit[q] * 16 + s.gear[q]]:
            found |= low
    return found


@inlined
def sighted(s, t, f, targets, foes):
    """Those of the targets that no standing enemy hides (line of sight)."""
    found = targets
    m = targets
    while m != 0:
        low = m & -m
        m ^= low
        if t.between[f * SQUARES + lowest_bit(low)] & foes:
            found ^= low
    return found


@inlined
def targets(s, t, f, free, bodies, foes):
    """Where the unit on ``f`` can move, heal, swap and attack."""
    me = s.player
    k = s.unit[f]
    moves = t.near[SPEED[k] * SQUARES + f] & free
    swaps = int64(0)
    heals = int64(0)
    if k == CLERIC:
        heals = (moves & bodies) | (t.near[2 * SQUARES + f] & wounded(s, me))
        moves &= ~bodies
    elif k == NINJA:
        swaps = s.up[me] ^ (int64(1) << f)
    attacks = t.near[REACH[k] * SQUARES + f] & foes
    if attacks != 0:
        attacks = sighted(s, t, f, attacks, foes)
    return moves, heals, swaps, attacks


@inlined
def list_squares(head, squares, out, n):
    """Append the actions of one kind: ``head + square``."""
    m = squares
    while m != 0:
        out[n] = head + lowest_bit(m)
        m &= m - 1
        n += 1
    return n


@inlined
def list_unit(s, t, f, free, bodies, foes, out, n):
    """Append the actions of the unit on square ``f``."""
    moves, heals, swaps, attacks = targets(s, t, f, free, bodies, foes)
    head = f * 64
    others = heals | swaps | attacks
    if others == 0:
        return list_squares(MOVE * 4096 + head, moves, out, n)
    m = moves | others
    while m != 0:
        low = m & -m
        m ^= low
        # without branches, which could not be predicted
        kind = MOVE + (ATTACK - MOVE) * (low & attacks != 0)
        kind += (HEAL - MOVE) * (low & heals != 0) + (SWAP - MOVE) * (low & swaps != 0)
        out[n] = kind * 4096 + head + lowest_bit(low)
        n += 1
    return n


def placements(s, t, card):
    """The squares on which a card may be dropped."""
    me = s.player
    if card < INFERNO:
        return t.zone[OWN_DEPLOY + me] & ~standing(s)
    if card == INFERNO:
        return t.zone[BOARD]
    found = int64(0)
    m = s.up[me] | s.down[me] if card == POTION else s.up[me]
    while m != 0:
        low = m & -m
        m ^= low
        q = lowest_bit(low)
        if card == POTION:
            fits = s.hp[q] != MAX_HP[s.unit[q] * 16 + s.gear[q]]
        else:
            fits = s.gear[q] & GEAR_BIT[card] == 0
        if fits:
            found |= low
    return found


def list_units(s, t, out, n):
    """Append the actions of all units of the player to move."""
    me = s.player
    free = enterable(s, t)
    bodies = s.down[0] | s.down[1]
    foes = s.up[1 - me] | s.gem[1 - me]
    m = s.up[me]
    while m != 0:
        low = m & -m
        m ^= low
        n = list_unit(s, t, lowest_bit(low), free, bodies, foes, out, n)
    return n


def nothing_listed(s, t):
    """Whether the player has points left but nothing to do."""
    me = s.player
    if s.up[me] != 0:
        free = enterable(s, t)
        foes = s.up[1 - me] | s.gem[1 - me]
        m = s.up[me]
        while m != 0:
            low = m & -m
            m ^= low
            f = lowest_bit(low)
            k = s.unit[f]
            near = t.near[2 * SQUARES + f] if k != NINJA else t.near[3 * SQUARES + f]
            if near & free:  # a move, or a Cleric's heal
                return False
            if k == CLERIC and near & wounded(s, me):
                return False
            if k == NINJA and s.up[me] != low:
                return False
            if sighted(s, t, f, t.near[REACH[k] * SQUARES + f] & foes, foes):
                return False
    for card in range(CARDS):
        if s.hand[me * CARDS + card] > 0 and (s.left[me] > 0 or placements(s, t, card)):
            return False
    return True


def allowed(s, t, action):
    """Whether an action is legal now, without listing the others."""
    kind = action >> 12
    if s.ap <= 0 or kind == END:
        return kind == END and (s.ap <= 0 or nothing_listed(s, t))
    me = s.player
    a = (action >> 6) & 63
    b = action & 63
    if kind == DROP:
        return s.hand[me * CARDS + a] > 0 and placements(s, t, a) >> b & 1 != 0
    if kind == DISCARD:
        return s.hand[me * CARDS + a] > 0 and s.left[me] > 0
    if s.up[me] >> a & 1 == 0:
        return False
    k = s.unit[a]
    bit = int64(1) << b
    if kind == MOVE:
        free = enterable(s, t)
        if k == CLERIC:
            free &= ~(s.down[0] | s.down[1])
        return t.near[SPEED[k] * SQUARES + a] & free & bit != 0
    if kind == ATTACK:
        foes = s.up[1 - me] | s.gem[1 - me]
        if t.near[REACH[k] * SQUARES + a] & foes & bit == 0:
            return False
        return t.between[a * SQUARES + b] & foes == 0
    if kind == HEAL:
        if k != CLERIC or t.near[2 * SQUARES + a] & bit == 0:
            return False
        if (s.down[0] | s.down[1]) & bit:
            return enterable(s, t) & bit != 0
        return s.up[me] & bit != 0 and s.hp[b] < MAX_HP[s.unit[b] * 16 + s.gear[b]]
    return k == NINJA and a != b and s.up[me] & bit != 0
