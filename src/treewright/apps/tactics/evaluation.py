"""The heuristic evaluation that all agents share, and what one action changes in it.

A standing unit counts its health, twice its class's full health, its square and twice its
equipment; a body once its class's full health and its equipment; a unit card 1.75 times the
full health; an Inferno 750.  A finished game is worth ±60,000, a draw 0.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64

from treewright.apps.tactics.board import HEIGHT
from treewright.apps.tactics.effects import (
    FIRST_LINK,
    SECOND_LINK,
    assault_bonus,
    behind,
    inferno_damage,
    link_damage,
    links,
    power,
    struck,
)
from treewright.apps.tactics.state import (
    ATTACK,
    DROP,
    HEAL,
    LIMIT,
    LIMIT_FIRST,
    MIRRORED,
    MOVE,
    SWAP,
)
from treewright.apps.tactics.units import (
    BASE_HP,
    CARDS,
    CRYSTAL,
    GEAR_BIT,
    GEAR_WORTH,
    INFERNO,
    KNIGHT,
    MAX_HP,
    POTION,
    SCALE_BIT,
    SCROLL_BIT,
    SQUARE_WORTH,
    WIZARD,
)
from treewright.library.domain import inlined, lowest_bit

WIN = 60000


@inlined
def worth(s, t, q):
    """What the standing unit or crystal on a square counts."""
    k = s.unit[q]
    return (
        s.hp[q]
        + 2 * BASE_HP[k]
        + SQUARE_WORTH[k * 6 + t.terrain[q]]
        + 2 * GEAR_WORTH[k * 16 + s.gear[q]]
    )


@inlined
def body_worth(s, q):
    k = s.unit[q]
    return BASE_HP[k] + GEAR_WORTH[k * 16 + s.gear[q]]


@inlined
def material(s, t, side):
    """U(p): a player's units on the board, in hand and in the deck."""
    total = int64(0)
    m = s.up[side] | s.gem[side]
    while m != 0:
        low = m & -m
        m ^= low
        total += worth(s, t, lowest_bit(low))
    m = s.down[side]
    while m != 0:
        low = m & -m
        m ^= low
        total += body_worth(s, lowest_bit(low))
    at = side * CARDS
    total += 1750 * (s.hand[at] + s.deck[at])
    for card in range(1, INFERNO):
        total += 1400 * (s.hand[at + card] + s.deck[at + card])
    return total


def infernos(s, side):
    """I(p): the value of unused Infernos."""
    at = side * CARDS + INFERNO
    return 750 * (s.hand[at] + s.deck[at])


def evaluate(s, t, side):
    """The raw evaluation for a player.

    The testbed does not mirror the Inferno term for the second player; with MIRRORED the two
    players' evaluations are opposite.
    """
    board = int64(0)
    cards = int64(0)
    if s.over:
        board = int64(0 if s.winner == 0 else WIN if s.winner == 1 else -WIN)
    else:
        for who in range(2):
            sign_of = 1 - 2 * who
            board += sign_of * material(s, t, who)
            cards += sign_of * infernos(s, who)
    if side == 0:
        return board + cards
    return -board - cards if t.rules[MIRRORED] else cards - board


def shares(s, t, out):
    """Both players' evaluations as numbers in [0, 1]."""
    mine = evaluate(s, t, 0)
    out[0] = (mine + WIN) / (2.0 * WIN)
    out[1] = 1.0 - out[0]
    if not t.rules[MIRRORED] and s.over == 0:
        out[1] += (infernos(s, 0) - infernos(s, 1)) / float(WIN)


# ---------------------------------------------------------------- one action, without playing it


@inlined
def strike_gain(s, t, q, loss):
    """What a loss of health of an enemy is worth to the mover."""
    if s.hp[q] > loss:
        return int64(loss)
    if s.unit[q] == CRYSTAL:
        if s.gem[1 - s.player] == int64(1) << q:
            return int64(4 * WIN)  # ends the game; corrected by the caller
        return worth(s, t, q)
    return worth(s, t, q) - body_worth(s, q)


@inlined
def removed_gain(s, q):
    """What the disappearance of a body is worth to the mover."""
    if s.down[s.player] >> q & 1:
        return -body_worth(s, q)
    return body_worth(s, q) if s.down[1 - s.player] >> q & 1 else int64(0)


def pushed_gain(s, t, f, q, fell):
    """A Knight's push: the target's new square, and a body that it lands on."""
    to = behind(s, t, f, q)
    if to < 0:
        return int64(0)
    found = removed_gain(s, to)
    if not fell:
        k = s.unit[q] * 6
        found += SQUARE_WORTH[k + t.terrain[q]] - SQUARE_WORTH[k + t.terrain[to]]
    return found


@inlined
def attack_gain(s, t, f, q, strength, bonus):
    """What an attack is worth: ``strength`` is the attacker's, ``bonus`` against crystals."""
    k = s.unit[f]
    loss = struck(s, t, f, q, strength) + bonus * (s.unit[q] == CRYSTAL)
    found = strike_gain(s, t, q, loss)
    if k == KNIGHT and s.unit[q] != CRYSTAL:
        found += pushed_gain(s, t, f, q, s.hp[q] <= loss)
    elif k == WIZARD:
        found += chain_gain(s, t, f, q, strength, bonus, s.hp[q] <= loss)
    return found


@inlined
def scroll_used(s, f):
    """A Scroll is consumed."""
    k = s.unit[f] * 16
    g = s.gear[f]
    return 2 * (GEAR_WORTH[k + (g & ~SCROLL_BIT)] - GEAR_WORTH[k + g])


@inlined
def link_gain(s, t, f, q, strength, per_cent, bonus):
    """What one jump of a chain is worth, and the crystal that it breaks as a mask."""
    loss = link_damage(s, t, f, q, strength, per_cent, bonus)
    broken = int64(1) << q if s.unit[q] == CRYSTAL and s.hp[q] <= loss else int64(0)
    return strike_gain(s, t, q, loss), broken


def chain_gain(s, t, f, q, strength, bonus, first_broke):
    """The two jumps of a chain; the crystals that break are counted for the end of the game."""
    broken = int64(1) << q if first_broke and s.unit[q] == CRYSTAL else int64(0)
    found = int64(0)
    first, second = links(s, t, f, q)
    if first >= 0:
        more, fell = link_gain(s, t, f, first, strength, FIRST_LINK, bonus)
        found += more
        broken |= fell
    if second >= 0:
        more, fell = link_gain(s, t, f, second, strength, SECOND_LINK, bonus)
        found += more
        broken |= fell
    if broken != 0 and broken == s.gem[1 - s.player]:
        return int64(4 * WIN)
    return found


@inlined
def inferno_price(s, t):
    """An own Inferno counts 750, except that the testbed charges the second player for it."""
    return int64(750 if s.player == 1 and not t.rules[MIRRORED] else -750)


def inferno_bound(s, t):
    """No Inferno gains more: the most of what three columns side by side hold."""
    foe = 1 - s.player
    bonus = assault_bonus(s, t)
    column = int64(-9)
    here = int64(0)
    before = int64(0)
    earlier = int64(0)
    most = int64(0)
    m = s.up[foe] | s.down[foe] | s.gem[foe]
    while m != 0:
        low = m & -m
        m ^= low
        q = lowest_bit(low)
        step = q // HEIGHT - column
        if step > 0:
            column += step
            earlier = before if step == 1 else here if step == 2 else int64(0)
            before = here if step == 1 else int64(0)
            here = int64(0)
        if s.down[foe] & low:
            here += body_worth(s, q)
        else:
            loss = inferno_damage(s, q, bonus)
            if s.unit[q] == CRYSTAL and s.hp[q] <= loss:
                return int64(4 * WIN)  # perhaps the end of the game
            here += strike_gain(s, t, q, loss)
        most = max(most, earlier + before + here)
    return most + inferno_price(s, t)


def inferno_gain(s, t, q):
    me = s.player
    bonus = assault_bonus(s, t)
    found = inferno_price(s, t)
    broken = int64(0)
    m = t.ring[q] & (s.up[1 - me] | s.down[1 - me] | s.gem[1 - me])
    while m != 0:
        low = m & -m
        m ^= low
        at = lowest_bit(low)
        if s.down[1 - me] & low:
            found += body_worth(s, at)
        else:
            loss = inferno_damage(s, at, bonus)
            if s.gem[1 - me] & low and s.hp[at] <= loss:
                broken |= low
            found += strike_gain(s, t, at, loss)
    if broken != 0 and broken == s.gem[1 - me]:
        return int64(4 * WIN)
    return found


@inlined
def moved_gain(s, t, f, q):
    k = s.unit[f] * 6
    found = SQUARE_WORTH[k + t.terrain[q]] - SQUARE_WORTH[k + t.terrain[f]]
    return found + removed_gain(s, q)


def heal_gain(s, t, f, q):
    if s.down[1 - s.player] >> q & 1:
        return moved_gain(s, t, f, q)
    full = MAX_HP[s.unit[q] * 16 + s.gear[q]]
    if s.hp[q] > 0:
        return min(power(s, t, f) * 3, full - s.hp[q]) + scroll_used(s, f)
    return revived_gain(s, t, q, min(power(s, t, f) * 2, full)) + scroll_used(s, f)


def revived_gain(s, t, q, hp):
    return hp + worth(s, t, q) - body_worth(s, q)


def drop_gain(s, t, card, q):
    k = s.unit[q]
    g = s.gear[q]
    if card < INFERNO:
        square = SQUARE_WORTH[card * 6 + t.terrain[q]]
        # 3 M on the board against 1.75 M in hand
        return BASE_HP[card] * 5 // 4 + square + removed_gain(s, q)
    if card == INFERNO:
        return inferno_gain(s, t, q)
    full = MAX_HP[k * 16 + g]
    if card == POTION:
        if s.hp[q] == 0:
            return revived_gain(s, t, q, 100)
        return int64(min(1000, full - s.hp[q]))
    bit = GEAR_BIT[card]
    found = 2 * (GEAR_WORTH[k * 16 + (g | bit)] - GEAR_WORTH[k * 16 + g])
    if bit >= SCALE_BIT:
        found += min(MAX_HP[k * 16 + (g | bit)], s.hp[q] + s.hp[q] // 10) - s.hp[q]
    return found


def swap_gain(s, t, a, b):
    mine = s.unit[a] * 6
    theirs = s.unit[b] * 6
    return (
        SQUARE_WORTH[mine + t.terrain[b]]
        - SQUARE_WORTH[mine + t.terrain[a]]
        + SQUARE_WORTH[theirs + t.terrain[a]]
        - SQUARE_WORTH[theirs + t.terrain[b]]
    )


def gain(s, t, action):
    """How much an action changes the mover's evaluation, before any end of the turn.

    The same as playing it on a copy and evaluating, at a fraction of the cost: Greedy Action
    asks this of every legal action (greedy.py).
    """
    kind = action >> 12
    a = (action >> 6) & 63
    b = action & 63
    if kind == MOVE:
        return moved_gain(s, t, a, b)
    found = int64(0)
    if kind == ATTACK:
        found = attack_gain(s, t, a, b, power(s, t, a), assault_bonus(s, t)) + scroll_used(s, a)
    elif kind == HEAL:
        return heal_gain(s, t, a, b)
    elif kind == SWAP:
        return swap_gain(s, t, a, b)
    elif kind == DROP:
        found = drop_gain(s, t, a, b)
    if found >= 2 * WIN:
        return ended_gain(s, t)
    return found


def ended_gain(s, t):
    """The change when the action at hand destroys the last enemy crystal."""
    drawn = t.rules[LIMIT_FIRST] and s.turn >= t.rules[LIMIT]
    return (int64(0) if drawn else int64(WIN)) - evaluate(s, t, s.player)
