"""The testbed's rollout policy: a random card or unit, then its best action or any."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int64

from treewright.apps.tactics.legal import enterable, list_squares, list_unit, placements
from treewright.apps.tactics.ordering import order
from treewright.apps.tactics.state import DISCARD, DROP, END, GREEDY
from treewright.apps.tactics.units import CARDS
from treewright.library.domain import count_bits, lowest_bit
from treewright.random import below, uniform


def list_random_unit(s, t, rng, out):
    """The actions of a random own unit that has any."""
    me = s.player
    free = enterable(s, t)
    bodies = s.down[0] | s.down[1]
    foes = s.up[1 - me] | s.gem[1 - me]
    count = count_bits(s.up[me])
    m = s.up[me]
    while count > 0:
        k = m
        for _ in range(below(rng, count)):
            k &= k - 1
        low = k & -k
        n = list_unit(s, t, lowest_bit(low), free, bodies, foes, out, 0)
        if n > 0:
            return n
        m ^= low
        count -= 1
    return 0


def list_random_card(s, t, rng, out):
    """The actions of a random kind of card in hand that has any."""
    me = s.player
    tried = 0
    while True:
        count = 0
        for card in range(CARDS):
            if s.hand[me * CARDS + card] > 0 and tried >> card & 1 == 0:
                count += 1
        if count == 0:
            return 0
        left = below(rng, count)
        for card in range(CARDS):
            if s.hand[me * CARDS + card] > 0 and tried >> card & 1 == 0:
                if left == 0:
                    squares = placements(s, t, card)
                    n = list_squares(DROP * 4096 + card * 64, squares, out, 0)
                    if s.left[me] > 0:
                        out[n] = DISCARD * 4096 + card * 64
                        n += 1
                    if n > 0:
                        return n
                    tried |= 1 << card
                    break
                left -= 1


def choose(s, t, rng, out):
    """With 1/4 a card, else a unit; then its best action with probability GREEDY, else any."""
    if s.ap <= 0:
        return END
    card = uniform(rng) < 0.25
    n = 0
    for _ in range(2):  # the other kind if this one has nothing to do
        if n == 0 and card:
            n = list_random_card(s, t, rng, out)
        elif n == 0:
            n = list_random_unit(s, t, rng, out)
        card = not card
    if n == 0:
        return END
    if t.rules[GREEDY] < 1000 and uniform(rng) * 1000.0 >= t.rules[GREEDY]:
        return int(out[below(rng, n)])
    best = int64(-1000000)
    ties = 0
    at = 0
    for i in range(n):
        value = order(s, t, out[i])
        if value > best:
            best = value
            at = i
            ties = 1
        elif value == best:
            ties += 1
            if below(rng, ties) == 0:
                at = i
    return int(out[at])
