"""Kuhn poker: three cards, one each, one bet; the smallest game with something to hide."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int8

from treewright.errors import OptionError
from treewright.library.domain import Domain, record
from treewright.random import below

CARDS = "JQK"
PASS, BET = range(2)
# what was played, as bits behind a one: 0b101 is "pass, bet"
CHECKED, FOLDED, CALLED, FOLDED_LATE, CALLED_LATE = 0b100, 0b110, 0b111, 0b1010, 0b1011


class KuhnPoker(Domain):
    """Pass or bet a second chip; a bet is called or lost to, and the higher card takes the pot.

    ``deal`` gives the cards of the first and of the second player, such as "QK".  A reward is a
    quarter of what a player wins, from 2 chips lost (0) to 2 chips won (1).
    """

    id = "kuhn-poker-v1"
    players = 2
    max_actions = 2
    max_length = 3
    keys = 2
    state = record(card=(int8, 2), line=int8)

    def start(s, deal="QK"):
        if len(deal) != 2 or deal[0] == deal[1] or any(card not in CARDS for card in deal):
            raise OptionError(f"deal must be two different cards of J, Q and K, not {deal!r}")
        for player in range(2):
            s.card[player] = CARDS.index(deal[player])
        s.line = 1

    def player(s):
        return 0 if s.line == 1 or s.line == 0b101 else 1

    def legal(s, out):
        out[0] = PASS
        out[1] = BET
        return 2

    def play(s, action):
        s.line = 2 * s.line + action

    def ended(s):
        return s.line >= FOLDED or s.line == CHECKED

    def rewards(s, out):
        if s.line == FOLDED:
            chips = 1
        elif s.line == FOLDED_LATE:
            chips = -1
        else:
            chips = 1 if s.line == CHECKED else 2
            if s.card[0] < s.card[1]:
                chips = -chips
        out[0] = (2 + chips) / 4
        out[1] = (2 - chips) / 4

    def determinise(s, rng, player):
        other = below(rng, 2)
        s.card[1 - player] = other if other < s.card[player] else other + 1

    def describe(s, action):
        return "bet" if action == BET else "pass"

    def render(s):
        return f"cards {CARDS[s.card[0]]} and {CARDS[s.card[1]]}, {played(s)}"

    def view(s, player):
        return f"your card: {CARDS[s.card[player]]}, {played(s)}"


def played(s):
    """What was played so far, in words."""
    words = ["bet" if bit == "1" else "pass" for bit in f"{s.line:b}"[1:]]
    return f"so far {', '.join(words) or 'nothing'}"
