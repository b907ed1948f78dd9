"""What each action does to the board and the hands."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64

from treewright.apps.tactics.board import (
    ASSAULTS,
    BOARD,
    DEFENSE,
    HEIGHT,
    OWN_DEPLOY,
    POWER,
    SQUARES,
    WIDTH,
)
from treewright.apps.tactics.legal import standing
from treewright.apps.tactics.turns import clear, finish
from treewright.apps.tactics.units import (
    BASE_HP,
    CARDS,
    CRYSTAL,
    FORCE,
    GEAR_BIT,
    INFERNO,
    KNIGHT,
    MAGICAL,
    MAX_HP,
    POTION,
    RESISTANCE,
    SCALE_BIT,
    SCROLL_BIT,
    SHELTER,
    TWICE,
    WIZARD,
)
from treewright.library.domain import count_bits, inlined, lowest_bit

FIRST_LINK, SECOND_LINK = 75, 56  # per cent of the full damage after a jump


@inlined
def power(s, t, q):
    """The strength of the unit on a square, for attacking and healing."""
    g = s.gear[q]
    p = FORCE[s.unit[q] * 16 + g]
    if t.terrain[q] == POWER:
        p += 100
    return p * 3 if g & SCROLL_BIT else p


@inlined
def struck(s, t, f, q, strength):
    """What an attack from ``f`` takes from the unit on ``q``; no bonus against crystals yet.

    ``strength`` is :func:`power` of the attacker.
    """
    k = s.unit[f]
    what = s.unit[q] * 16 + s.gear[q]
    resistance = RESISTANCE[MAGICAL[k] * 96 + what] + SHELTER[k] * (t.terrain[q] == DEFENSE)
    twice = TWICE[k * 2 + (t.near[SQUARES + f] >> q & 1)]
    return strength * twice * (100 - resistance) // 200


def assault_bonus(s, t):
    """300 against crystals for each assault square that the mover's units hold."""
    return 300 * count_bits(s.up[s.player] & t.zone[ASSAULTS])


def carry(s, f, q, side):
    """Bring the unit or body on ``f`` to ``q``; a body there disappears."""
    if (s.down[0] | s.down[1]) >> q & 1:
        clear(s, q)
    s.unit[q] = s.unit[f]
    s.hp[q] = s.hp[f]
    s.gear[q] = s.gear[f]
    s.unit[f] = 0
    s.hp[f] = 0
    s.gear[f] = 0
    flip = (int64(1) << f) | (int64(1) << q)
    if s.up[side] >> f & 1:
        s.up[side] ^= flip
    else:
        s.down[side] ^= flip


def hit(s, t, q, loss):
    """An enemy of the mover loses health: a unit may fall, a crystal may break."""
    foe = 1 - s.player
    hp = s.hp[q] - loss
    if hp > 0:
        s.hp[q] = hp
    elif s.unit[q] == CRYSTAL:
        clear(s, q)
        if s.gem[foe] == 0:
            finish(s, t)
    else:
        bit = int64(1) << q
        s.hp[q] = 0
        s.up[foe] ^= bit
        s.down[foe] |= bit


def behind(s, t, f, q):
    """Where a Knight on ``f`` pushes what it struck on ``q``: one square straight on, or -1."""
    x = 2 * (q // HEIGHT) - f // HEIGHT
    y = 2 * (q % HEIGHT) - f % HEIGHT
    if x < 0 or x >= WIDTH or y < 0 or y >= HEIGHT:
        return -1
    found = x * HEIGHT + y
    closed = standing(s) | t.zone[OWN_DEPLOY + s.player]
    return found if t.zone[BOARD] & ~closed & (int64(1) << found) else -1


def knock_back(s, t, f, q):
    """A Knight pushes what it struck one square straight away, fallen or not."""
    foe = 1 - s.player
    if (s.up[foe] | s.down[foe]) >> q & 1 == 0:
        return
    to = behind(s, t, f, q)
    if to >= 0:
        carry(s, q, to, foe)


def next_link(s, t, last, dx, dy):
    """Where lightning jumps on from a square it struck, coming by the step (dx, dy); or -1.

    Straight on is best, then orthogonal before diagonal, north, east; of equals the first.
    """
    foe = 1 - s.player
    m = (s.up[foe] | s.gem[foe]) & t.ring[last] & ~(int64(1) << last)
    best = -1
    found = int64(-1)
    while m != 0:
        q = lowest_bit(m)
        m &= m - 1
        ex = q // HEIGHT - last // HEIGHT
        ey = q % HEIGHT - last % HEIGHT
        if ex == -dx and ey == -dy:  # never back
            continue
        score = 10 if ex == dx and ey == dy else 1
        if ex == 0 or ey == 0:
            score += 4
        if ey < 0:
            score += 2
        if ex > 0:
            score += 1
        if score > best:
            best = score
            found = q
    return found


def sign(n):
    return (n > 0) - (n < 0)


def links(s, t, f, q):
    """The two squares on which a Wizard's lightning strikes after ``q``; -1 where it stops.

    No blow of a chain changes where it goes: it never turns back and never strikes twice.
    """
    first = next_link(s, t, q, sign(q // HEIGHT - f // HEIGHT), sign(q % HEIGHT - f % HEIGHT))
    second = int64(-1)
    if first >= 0:
        dx = first // HEIGHT - q // HEIGHT
        dy = first % HEIGHT - q % HEIGHT
        second = next_link(s, t, first, dx, dy)
    return first, second


@inlined
def link_damage(s, t, f, q, strength, per_cent, bonus):
    """What lightning takes from the unit or crystal on ``q`` after a jump."""
    loss = struck(s, t, f, q, strength) * per_cent // 100
    return loss + bonus if s.unit[q] == CRYSTAL else loss


def chain(s, t, f, q, strength, bonus):
    """Lightning jumps on, twice, to a neighbour of the last square struck."""
    first, second = links(s, t, f, q)
    if first >= 0:
        hit(s, t, first, link_damage(s, t, f, first, strength, FIRST_LINK, bonus))
    if second >= 0:
        hit(s, t, second, link_damage(s, t, f, second, strength, SECOND_LINK, bonus))


def attack(s, t, f, q):
    k = s.unit[f]
    strength = power(s, t, f)
    loss = struck(s, t, f, q, strength)
    bonus = assault_bonus(s, t)
    if s.unit[q] == CRYSTAL:
        loss += bonus
    hit(s, t, q, loss)
    if k == KNIGHT:
        knock_back(s, t, f, q)
    elif k == WIZARD:
        chain(s, t, f, q, strength, bonus)
    s.gear[f] &= ~SCROLL_BIT


def heal(s, t, f, q):
    """A Cleric heals or revives; an enemy's body it tramples."""
    me = s.player
    bit = int64(1) << q
    if s.down[1 - me] & bit:
        carry(s, f, q, me)
        return
    gain = power(s, t, f) * 3
    if s.down[me] & bit:
        gain = power(s, t, f) * 2
        s.down[me] ^= bit
        s.up[me] |= bit
    s.hp[q] = min(s.hp[q] + gain, MAX_HP[s.unit[q] * 16 + s.gear[q]])
    s.gear[f] &= ~SCROLL_BIT


def swap(s, f, q):
    """A Ninja trades places."""
    kind, hp, gear = s.unit[f], s.hp[f], s.gear[f]
    s.unit[f] = s.unit[q]
    s.hp[f] = s.hp[q]
    s.gear[f] = s.gear[q]
    s.unit[q] = kind
    s.hp[q] = hp
    s.gear[q] = gear


def inferno(s, t, q):
    me = s.player
    bonus = assault_bonus(s, t)
    m = t.ring[q] & (s.up[1 - me] | s.down[1 - me] | s.gem[1 - me])
    while m != 0:
        low = m & -m
        m ^= low
        at = lowest_bit(low)
        if s.down[1 - me] & low:
            clear(s, at)
        else:
            hit(s, t, at, inferno_damage(s, at, bonus))


def inferno_damage(s, q, bonus):
    full = 350 + (bonus if s.unit[q] == CRYSTAL else 0)
    return full * (100 - RESISTANCE[96 + s.unit[q] * 16 + s.gear[q]]) // 100


def drop(s, t, card, q):
    me = s.player
    bit = int64(1) << q
    s.hand[me * CARDS + card] -= 1
    s.held[me] -= 1
    if card < INFERNO:
        clear(s, q)
        s.unit[q] = card
        s.hp[q] = BASE_HP[card]
        s.up[me] |= bit
    elif card == INFERNO:
        inferno(s, t, q)
    elif card == POTION:
        full = MAX_HP[s.unit[q] * 16 + s.gear[q]]
        if s.down[me] & bit:
            s.down[me] ^= bit
            s.up[me] |= bit
            s.hp[q] = 100
        else:
            s.hp[q] = min(s.hp[q] + 1000, full)
    else:
        gear = GEAR_BIT[card]
        s.gear[q] |= gear
        if gear >= SCALE_BIT:
            full = MAX_HP[s.unit[q] * 16 + s.gear[q]]
            s.hp[q] = min(full, s.hp[q] + s.hp[q] // 10)


def discard(s, card):
    """Swap card: it goes back into the deck."""
    me = s.player
    s.hand[me * CARDS + card] -= 1
    s.deck[me * CARDS + card] += 1
    s.held[me] -= 1
    s.left[me] += 1
