"""Knockout Whist: a card game in which nobody sees the other hands.

It is the game of the example program that the authors of information-set MCTS published (Cowling,
Powley and Whitehouse, AI Factory newsletter, January 2013), here with the trumps that
its players choose.  A card is ``13 * suit + rank``; sets of cards are bits of one number.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

from numpy import int8, int64, uint64

from treewright.errors import OptionError
from treewright.library.domain import Domain, count_bits, lowest_bit, record
from treewright.random import below, bits, uniform

SUITS, RANKS, CARDS = 4, 13, 52
SEATS = 7
SUIT = (1 << RANKS) - 1  # the cards of the first suit
NAMES = ("clubs", "diamonds", "hearts", "spades")
LETTERS = "23456789TJQKA"


class KnockoutWhist(Domain):
    """Follow suit, take a trick in each hand or be out; the last player left wins.

    In the first hand each of the ``players`` gets ``hand`` cards and the next card is turned up
    for trumps; each further hand has one card less.  Whoever takes most tricks (by lot, if several
    do) sees the new cards, names trumps and leads.  A player without a trick is out; there is no
    "dog's life".  Actions are cards to play, and ``52 + suit`` to name trumps.  ``ranks`` of
    each suit, from the ace down, are in the pack.
    """

    id = "knockout-whist-v1"
    max_actions = RANKS
    max_length = 700
    keys = CARDS + SUITS
    state = record(
        dice=(uint64, 1),  # for the deals to come
        hand=(int64, SEATS),
        gone=int64,  # cards that were played in this hand, and the one that was turned up
        pack=int64,
        card=(int8, SEATS),  # on the table; -1 is none
        void=(int8, SEATS),  # suits that a player could not follow, as bits
        tricks=(int8, SEATS),
        out=(int8, SEATS),
        seats=int8,
        size=int8,  # cards that each player got in this hand
        trump=int8,  # -1: it is to be named
        lead=int8,  # the suit to follow; -1 for whoever leads
        player=int8,
        winner=int8,  # -1 while it runs
    )

    def __init__(self, players: int = 2, hand: int = 7, ranks: int = RANKS, **more: Any) -> None:
        for name, value, low, high in (
            ("players", players, 2, SEATS),
            ("hand", hand, 1, RANKS),
            ("ranks", ranks, 1, RANKS),
        ):
            if type(value) is not int or not low <= value <= high:
                raise OptionError(f"{name} must be {low} to {high}, not {value!r}")
        if players * hand + 1 > SUITS * ranks:
            raise OptionError(
                f"{SUITS * ranks} cards are too few for {players} players with {hand} each, and "
                f"one to turn up"
            )
        self.players = players
        super().__init__(players=players, hand=hand, ranks=ranks, **more)

    def start(s, players=2, hand=7, ranks=RANKS, seed=0):
        s.dice[0] = seed
        s.seats = players
        s.size = hand
        s.winner = -1
        for suit in range(SUITS):
            s.pack |= (SUIT >> (RANKS - ranks) << (RANKS - ranks)) << (RANKS * suit)
        left = deal(s)
        turned = take(left, s.dice)
        s.gone = int64(1) << turned
        s.trump = turned // RANKS

    def legal(s, out):
        n = 0
        if s.trump < 0:
            for suit in range(SUITS):
                out[suit] = CARDS + suit
            return SUITS
        cards = playable(s)
        while cards:
            out[n] = lowest_bit(cards)
            n += 1
            cards &= cards - 1
        return n

    def play(s, action):
        if action >= CARDS:
            s.trump = action - CARDS
            return
        me = s.player
        bit = int64(1) << action
        suit = action // RANKS
        if s.lead < 0:
            s.lead = suit
        elif suit != s.lead:
            s.void[me] |= 1 << s.lead
        s.hand[me] ^= bit
        s.gone |= bit
        s.card[me] = action
        s.player = next_seat(s, me)
        if s.card[s.player] >= 0:
            end_trick(s)

    def ended(s):
        return s.winner >= 0

    def rewards(s, out):
        out[s.winner] = 1.0

    def determinise(s, rng, player):
        s.dice[0] = bits(rng)
        while not redeal(s, rng, player):
            pass

    def describe(s, action):
        return NAMES[action - CARDS] if action >= CARDS else name_of(action)

    def render(s):
        hands = [f"player {p + 1}: {names_of(s.hand[p])}" for p in range(s.seats)]
        return "\n".join([table_of(s), *hands])

    def view(s, player):
        return f"{table_of(s)}\nyour hand: {names_of(s.hand[player])}"


def take(cards, rng):
    """One of a set of cards."""
    while True:
        card = below(rng, CARDS)
        if cards >> card & 1:
            return card


def deal(s):
    """A new hand for all who are still in; returns what is left of the pack."""
    left = s.pack
    s.gone = 0
    s.lead = -1
    for p in range(s.seats):
        s.hand[p] = 0
        s.card[p] = -1
        s.void[p] = 0
        s.tricks[p] = 0
        if not s.out[p]:
            for _ in range(s.size):
                bit = int64(1) << take(left, s.dice)
                s.hand[p] |= bit
                left ^= bit
    return left


def playable(s):
    """The cards that the player to move may play: of the suit that was led, if there are any."""
    cards = s.hand[s.player]
    if s.lead >= 0:
        following = cards & (int64(SUIT) << (RANKS * s.lead))
        if following:
            return following
    return cards


def next_seat(s, p):
    """Who comes after a player, among those who are still in."""
    while True:
        p = p + 1 if p + 1 < s.seats else 0
        if not s.out[p]:
            return p


def end_trick(s):
    """The highest trump, or else the highest card of the suit that was led, takes the trick."""
    best = -1
    taker = 0
    for p in range(s.seats):
        card = s.card[p]
        if card >= 0:
            worth = card % RANKS
            if card // RANKS == s.trump:
                worth += 2 * RANKS
            elif card // RANKS == s.lead:
                worth += RANKS
            if worth > best:
                best = worth
                taker = p
            s.card[p] = -1
    s.tricks[taker] += 1
    s.lead = -1
    s.player = taker
    if s.hand[taker] == 0:
        end_hand(s)


def end_hand(s):
    """Who took no trick is out; if more than one is left, another hand is dealt."""
    most = 0
    left = 0
    for p in range(s.seats):
        if s.tricks[p] == 0:
            s.out[p] = 1
        else:
            left += 1
        most = max(most, s.tricks[p])
    if left == 1:
        s.winner = s.player
        return
    ties = 0
    for p in range(s.seats):
        if s.tricks[p] == most:
            ties += 1
            if below(s.dice, ties) == 0:
                s.player = p
    s.size -= 1
    s.trump = -1
    deal(s)


def redeal(s, rng, player):
    """Deal the cards that a player does not see anew to the others; False: try again.

    Each of the others gets cards of suits that they may have.  How many ways there are for one
    depends on what those before took of these suits: each deal is accepted in proportion to that,
    so that all deals that fit are equally likely.
    """
    unseen = s.pack & ~s.gone & ~s.hand[player]
    count = count_bits(unseen)
    left = unseen
    dealt = 0
    for p in range(s.seats):
        if p == player or s.hand[p] == 0:
            continue
        size = count_bits(s.hand[p])
        may = int64(0)
        for suit in range(SUITS):
            if not s.void[p] >> suit & 1:
                may |= int64(SUIT) << (RANKS * suit)
        free = count_bits(left & may)
        most = min(count_bits(unseen & may), count - dealt)
        chance = 1.0
        for i in range(size):
            chance *= (free - i) / (most - i)
        if chance < 1.0 and uniform(rng) >= chance:
            return False
        cards = int64(0)
        for _ in range(size):
            bit = int64(1) << take(left & may, rng)
            cards |= bit
            left ^= bit
        s.hand[p] = cards
        dealt += size
    return True


def name_of(card: int) -> str:
    """``QH`` for the queen of hearts."""
    return LETTERS[card % RANKS] + NAMES[card // RANKS][0].upper()


def names_of(cards: int) -> str:
    """A hand in words, suit by suit."""
    return " ".join(name_of(c) for c in range(CARDS) if cards >> c & 1) or "-"


def table_of(s: Any) -> str:
    """What everybody sees."""
    lines = [f"{s.size} cards each, trumps: {NAMES[s.trump] if s.trump >= 0 else 'to be named'}"]
    for p in range(s.seats):
        state = "out" if s.out[p] else f"{s.tricks[p]} tricks"
        card = f", plays {name_of(s.card[p])}" if s.card[p] >= 0 else ""
        turn = ", to move" if p == s.player and s.winner < 0 else ""
        lines.append(f"player {p + 1}: {state}{card}{turn}")
    return "\n".join([*lines, f"gone: {names_of(s.gone)}"])
