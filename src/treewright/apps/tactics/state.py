"""The state of a game, and actions as numbers.

An action is one number: kind, first operand (a square or a card) and target square, six bits
each.  ``up``, ``down`` and ``gem`` are the squares of each player's standing units, bodies and
crystals; ``unit``, ``hp`` and ``gear`` say what stands there and are 0 on empty squares.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int8, int16, int32, int64, uint8

from treewright.apps.tactics.board import SQUARES
from treewright.apps.tactics.units import CARDS
from treewright.library.domain import record

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
    unit=(uint8, SQUARES),
    gear=(uint8, SQUARES),
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
