"""Liar's dice: bid what all dice show together, of which you see your own."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int8

from treewright.library.domain import Domain, record
from treewright.random import below, stream

FACES = 6
MOST = 6  # dice of each player
LIAR = 0


class LiarsDice(Domain):
    """Two players roll ``dice`` each and bid in turns, until one calls the other a liar.

    A bid says that at least this many of all dice show a face; each must be higher than the last:
    more dice, or as many with a higher face.  If the last bid is true, who doubted it loses; else
    its bidder does.  Action 0 calls the last bidder a liar; ``1 + FACES * (count - 1) + face`` is
    a bid.  One round, in which no face is wild.
    """

    id = "liars-dice-v1"
    players = 2
    max_actions = 1 + 2 * MOST * FACES
    max_length = max_actions
    keys = max_actions
    state = record(shown=(int8, 2 * FACES), dice=int8, bid=int8, player=int8, loser=int8)

    def start(s, dice=5, seed=0):
        if type(dice) is not int or not 1 <= dice <= MOST:
            raise ValueError(f"dice must be 1 to {MOST}, not {dice!r}")
        s.dice = dice
        s.loser = -1
        rng = stream(seed)
        roll(s, 0, rng)
        roll(s, 1, rng)

    def legal(s, out):
        n = 0
        if s.bid > 0:
            out[0] = LIAR
            n = 1
        for bid in range(s.bid + 1, 2 * s.dice * FACES + 1):
            out[n] = bid
            n += 1
        return n

    def play(s, action):
        if action == LIAR:
            s.loser = s.player if is_true(s) else 1 - s.player
        else:
            s.bid = action
        s.player = 1 - s.player

    def ended(s):
        return s.loser >= 0

    def rewards(s, out):
        out[1 - s.loser] = 1.0

    def determinise(s, rng, player):
        roll(s, 1 - player, rng)

    def describe(s, action):
        return "liar" if action == LIAR else bid_of(action)

    def render(s):
        return f"{shown(s, 0)} and {shown(s, 1)}, {last(s)}"

    def view(s, player):
        if s.loser >= 0:
            return f"your dice: {shown(s, player)}, theirs: {shown(s, 1 - player)}, {last(s)}"
        return f"your dice: {shown(s, player)}, {last(s)}"


def roll(s, player, rng):
    """All dice of a player, anew."""
    for face in range(FACES):
        s.shown[player * FACES + face] = 0
    for _ in range(s.dice):
        s.shown[player * FACES + below(rng, FACES)] += 1


def is_true(s):
    """Whether the dice show what the last bid says."""
    face = (s.bid - 1) % FACES
    count = s.shown[face] + s.shown[FACES + face]
    return count > (s.bid - 1) // FACES


def bid_of(action: int) -> str:
    """``3x5`` for three fives."""
    return f"{(action - 1) // FACES + 1}x{(action - 1) % FACES + 1}"


def shown(s, player):
    """A player's dice in words."""
    return " ".join(str(f + 1) for f in range(FACES) for _ in range(s.shown[player * FACES + f]))


def last(s):
    return f"last bid {bid_of(s.bid)}" if s.bid else "no bid yet"
