"""Draws, the end of a turn and the end of the game."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64

from treewright.apps.tactics.state import AP, LIMIT, LIMIT_FIRST
from treewright.apps.tactics.units import CARDS, HAND, INFERNO
from treewright.library.domain import lowest_bit


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
        clear(s, lowest_bit(low))
    if s.gem[1 - me] == 0 or s.turn >= t.rules[LIMIT] or not has_units(s, 0) or not has_units(s, 1):
        finish(s, t)
        return
    fill_hand(s, me)
    s.player = 1 - me
    fill_hand(s, 1 - me)
    s.ap = t.rules[AP]
    s.turn += 1
