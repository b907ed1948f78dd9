"""The rules of Hero Academy as plain functions of a state ``s`` and the tables ``t``.

An action is one number: kind, first operand (a square or a card) and target square, six bits
each.  ``up``, ``down`` and ``gem`` are the squares of each player's standing units, bodies and
crystals; ``unit``, ``hp`` and ``gear`` say what stands there and are 0 on empty squares.
"""

from numpy import int8, int16, int32, int64

from treewright.domain import inlined, record
from treewright.domains.tactics.board import (
    ASSAULTS,
    BIT,
    BOARD,
    DEFENSE,
    HEIGHT,
    OWN_DEPLOY,
    POWER,
    SQUARES,
    WIDTH,
)
from treewright.domains.tactics.units import (
    BASE_HP,
    CARDS,
    CLERIC,
    CRYSTAL,
    FORCE,
    HAND,
    INFERNO,
    KNIGHT,
    MAGICAL,
    MAGICAL_RESISTANCE,
    MAX_HP,
    NINJA,
    PHYSICAL_RESISTANCE,
    POTION,
    REACH,
    RUNEMETAL,
    SCALE_BIT,
    SCROLL_BIT,
    SPEED,
    TWICE_NEAR,
    WIZARD,
)

END, MOVE, ATTACK, HEAL, SWAP, DROP, DISCARD = range(7)  # kinds of actions

# what the table `rules` holds
AP, LIMIT, LIMIT_FIRST, MIRRORED, PRUNED, SORTED, AUTO_END, GREEDY = range(8)
RULES = 8

STATE = record(
    up=(int64, 2),
    down=(int64, 2),
    gem=(int64, 2),
    seed=(int32, 2),
    hp=(int16, SQUARES),
    turn=int16,
    unit=(int8, SQUARES),
    gear=(int8, SQUARES),
    hand=(int8, 2 * CARDS),
    deck=(int8, 2 * CARDS),
    held=(int8, 2),  # cards in each hand
    left=(int8, 2),  # cards in each deck
    player=int8,
    ap=int8,
    over=int8,
    winner=int8,  # -1 while it runs, 0 draw, 1, 2
)


def action_of(kind, a, b):
    return kind * 4096 + a * 64 + b


# ----------------------------------------------------------------------------- legal actions


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
        q = BIT[low % 67]
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
        if t.between[f * SQUARES + BIT[low % 67]] & foes:
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
def list_unit(s, t, f, free, bodies, foes, out, n):
    """Append the actions of the unit on square ``f``."""
    moves, heals, swaps, attacks = targets(s, t, f, free, bodies, foes)
    head = f * 64
    others = heals | swaps | attacks
    m = moves | others
    while m != 0:
        low = m & -m
        m ^= low
        kind = MOVE
        if low & others:
            kind = HEAL if low & heals else (SWAP if low & swaps else ATTACK)
        out[n] = kind * 4096 + head + BIT[low % 67]
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
        q = BIT[low % 67]
        if card == POTION:
            fits = s.hp[q] != MAX_HP[s.unit[q] * 16 + s.gear[q]]
        else:
            fits = s.gear[q] & (1 << (card - RUNEMETAL)) == 0
        if fits:
            found |= low
    return found


def list_card(s, t, card, squares, out, n):
    """Append the drops of a card."""
    head = DROP * 4096 + card * 64
    m = squares
    while m != 0:
        low = m & -m
        m ^= low
        out[n] = head + BIT[low % 67]
        n += 1
    return n


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
        n = list_unit(s, t, BIT[low % 67], free, bodies, foes, out, n)
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
            f = BIT[low % 67]
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


# ----------------------------------------------------------------------------------- effects


@inlined
def power(s, t, q):
    """The strength of the unit on a square, for attacking and healing."""
    g = s.gear[q]
    p = FORCE[s.unit[q] * 16 + g]
    if t.terrain[q] == POWER:
        p += 100
    return p * 3 if g & SCROLL_BIT else p


@inlined
def damage(s, t, f, q):
    """What an attack from ``f`` takes from the unit on ``q``; no bonus against crystals yet."""
    k = s.unit[f]
    what = s.unit[q] * 16 + s.gear[q]
    if MAGICAL[k]:
        resistance = MAGICAL_RESISTANCE[what]
    else:
        resistance = PHYSICAL_RESISTANCE[what] + (20 if t.terrain[q] == DEFENSE else 0)
    twice = TWICE_NEAR[k] if t.near[SQUARES + f] >> q & 1 else 2
    return power(s, t, f) * twice * (100 - resistance) // 200


def assault_bonus(s, t):
    """300 against crystals for each assault square that the mover's units hold."""
    m = s.up[s.player] & t.zone[ASSAULTS]
    bonus = 0
    while m != 0:
        m &= m - 1
        bonus += 300
    return bonus


def clear(s, q):
    """Take away whatever lies on a square."""
    keep = ~(int64(1) << q)
    s.unit[q] = 0
    s.hp[q] = 0
    s.gear[q] = 0
    for side in range(2):
        s.up[side] &= keep
        s.down[side] &= keep
        s.gem[side] &= keep


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


def knock_back(s, t, f, q):
    """A Knight pushes what it struck one square straight away, fallen or not."""
    foe = 1 - s.player
    if (s.up[foe] | s.down[foe]) >> q & 1 == 0:
        return
    x = 2 * (q // HEIGHT) - f // HEIGHT
    y = 2 * (q % HEIGHT) - f % HEIGHT
    if x < 0 or x >= WIDTH or y < 0 or y >= HEIGHT:
        return
    behind = x * HEIGHT + y
    closed = standing(s) | t.zone[OWN_DEPLOY + s.player]
    if t.zone[BOARD] & ~closed & (int64(1) << behind):
        carry(s, q, behind, foe)


def chained(s, t, last, dx, dy):
    """The next square of a Wizard's chain with its step, or -1: ``square * 16 + code``.

    Straight on is best, then orthogonal before diagonal, north, east; of equals the first.
    """
    foe = 1 - s.player
    m = (s.up[foe] | s.gem[foe]) & t.ring[last]
    best = -1
    found = -1
    while m != 0:
        low = m & -m
        m ^= low
        q = BIT[low % 67]
        ex = q // HEIGHT - last // HEIGHT
        ey = q % HEIGHT - last % HEIGHT
        if (ex == 0 and ey == 0) or (ex == -dx and ey == -dy):
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
            found = q * 16 + (ex + 1) * 4 + ey + 1
    return found


def sign(n):
    return (n > 0) - (n < 0)


def chain(s, t, f, q, bonus):
    """Lightning jumps on, twice, to a neighbour of the last square struck."""
    dx = sign(q // HEIGHT - f // HEIGHT)
    dy = sign(q % HEIGHT - f % HEIGHT)
    last = q
    for jump in range(2):
        found = chained(s, t, last, dx, dy)
        if found < 0:
            return
        last = found >> 4
        dx = ((found >> 2) & 3) - 1
        dy = (found & 3) - 1
        loss = damage(s, t, f, last) * (75 if jump == 0 else 56) // 100
        if s.unit[last] == CRYSTAL:
            loss += bonus
        hit(s, t, last, loss)


def attack(s, t, f, q):
    k = s.unit[f]
    loss = damage(s, t, f, q)
    bonus = assault_bonus(s, t)
    if s.unit[q] == CRYSTAL:
        loss += bonus
    hit(s, t, q, loss)
    if k == KNIGHT:
        knock_back(s, t, f, q)
    elif k == WIZARD:
        chain(s, t, f, q, bonus)
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
        at = BIT[low % 67]
        if s.down[1 - me] & low:
            clear(s, at)
        else:
            hit(s, t, at, inferno_damage(s, at, bonus))


def inferno_damage(s, q, bonus):
    full = 350 + (bonus if s.unit[q] == CRYSTAL else 0)
    return full * (100 - MAGICAL_RESISTANCE[s.unit[q] * 16 + s.gear[q]]) // 100


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
        gear = 1 << (card - RUNEMETAL)
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


# ------------------------------------------------------------------------ turns and the end


def next_seed(seed):
    """The deck's own little generator; a forward model foresees its draws."""
    return seed // 10 if seed > 100000 else (13 * seed + 70) // 10


def draw(s, side):
    """Draw one card: index ``seed mod n`` of the deck in the order of the cards."""
    s.seed[side] = next_seed(s.seed[side])
    index = s.seed[side] % s.left[side]
    for card in range(CARDS):
        index -= s.deck[side * CARDS + card]
        if index < 0:
            s.deck[side * CARDS + card] -= 1
            s.hand[side * CARDS + card] += 1
            s.left[side] -= 1
            s.held[side] += 1
            return


def fill_hand(s, side):
    while s.held[side] < HAND and s.left[side] > 0:
        draw(s, side)


def return_hand(s, side):
    """Put all cards of a hand back into the deck."""
    for card in range(CARDS):
        s.deck[side * CARDS + card] += s.hand[side * CARDS + card]
        s.hand[side * CARDS + card] = 0
    s.left[side] += s.held[side]
    s.held[side] = 0


def has_units(s, side):
    """Units on the board (bodies count), in hand or in the deck."""
    if s.up[side] | s.down[side]:
        return True
    for card in range(INFERNO):
        if s.hand[side * CARDS + card] > 0 or s.deck[side * CARDS + card] > 0:
            return True
    return False


def finish(s, t):
    """The game is over: whoever has a crystal and units wins if the other has not.

    The testbed calls every game that ends in the last turn a draw (LIMIT_FIRST).
    """
    s.over = 1
    s.winner = 0
    if t.rules[LIMIT_FIRST] and s.turn >= t.rules[LIMIT]:
        return
    first = s.gem[0] != 0 and has_units(s, 0)
    second = s.gem[1] != 0 and has_units(s, 1)
    if first != second:
        s.winner = 1 if first else 2


def end_turn(s, t):
    me = s.player
    m = s.down[me]
    while m != 0:
        low = m & -m
        m ^= low
        clear(s, BIT[low % 67])
    if s.gem[1 - me] == 0 or s.turn >= t.rules[LIMIT] or not has_units(s, 0) or not has_units(s, 1):
        finish(s, t)
        return
    fill_hand(s, me)
    s.player = 1 - me
    fill_hand(s, 1 - me)
    s.ap = t.rules[AP]
    s.turn += 1


def act(s, t, action):
    """Carry out an action of the player to move; END is accepted at any time."""
    kind = action >> 12
    if kind == END:
        end_turn(s, t)
        return
    a = (action >> 6) & 63
    b = action & 63
    s.ap -= 1
    if kind == MOVE:
        carry(s, a, b, s.player)
    elif kind == ATTACK:
        attack(s, t, a, b)
    elif kind == HEAL:
        heal(s, t, a, b)
    elif kind == SWAP:
        swap(s, a, b)
    elif kind == DROP:
        drop(s, t, a, b)
    else:
        discard(s, a)


def play(s, t, action):
    """An action; with AUTO_END the one that takes the last point also ends the turn."""
    act(s, t, action)
    if s.ap <= 0 and t.rules[AUTO_END] and s.over == 0 and action >> 12 != END:
        end_turn(s, t)
