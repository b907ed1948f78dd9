"""The rules of Hero Academy: an action carried out."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from treewright.apps.tactics.effects import attack, carry, discard, drop, heal, swap
from treewright.apps.tactics.state import ATTACK, AUTO_END, DROP, END, HEAL, MOVE, SWAP
from treewright.apps.tactics.turns import end_turn


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
