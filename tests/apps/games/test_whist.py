"""Knockout Whist beside its rules in plain Python, written from the rule book alone."""

import random
from collections import Counter
from itertools import combinations

import pytest

import treewright as tw
from treewright.apps.games.whist import KnockoutWhist, name_of, names_of
from treewright.random import stream

ORDER = "23456789TJQKA"


class Table:
    """The same game as lists of words; deals are copied from the domain, which has the dice."""

    def __init__(self, position):
        s = position.state
        self.hands = [names_of(s.hand[p]).split() for p in range(s.seats)]
        self.trumps = "CDHS"[s.trump]
        self.tricks = [0] * s.seats
        self.left = list(range(s.seats))
        self.to_move = 0
        self.trick = []
        self.winner = None

    def legal(self):
        if self.trumps is None:
            return ["clubs", "diamonds", "hearts", "spades"]
        hand = self.hands[self.to_move]
        led = self.trick[0][1][1] if self.trick else None
        return sorted([card for card in hand if card[1] == led] or hand)

    def play(self, word, dealt):
        """``dealt`` is asked for the next hands when all cards are played."""
        if self.trumps is None:
            self.trumps = word[0].upper()
            return
        self.hands[self.to_move].remove(word)
        self.trick.append((self.to_move, word))
        if len(self.trick) < len(self.left):
            after = self.left[self.left.index(self.to_move) + 1 :] + self.left
            self.to_move = after[0]
            return
        led = self.trick[0][1][1]
        suit = self.trumps if any(card[1] == self.trumps for _, card in self.trick) else led
        able = [(ORDER.index(card[0]), who) for who, card in self.trick if card[1] == suit]
        self.to_move = max(able)[1]
        self.tricks[self.to_move] += 1
        self.trick = []
        if not any(self.hands):
            self.end_hand(dealt)

    def end_hand(self, dealt):
        self.left = [p for p in self.left if self.tricks[p]]
        if len(self.left) == 1:
            self.winner = self.left[0]
            return
        most = [p for p in self.left if self.tricks[p] == max(self.tricks)]
        self.hands, self.to_move = dealt()
        assert self.to_move in most
        self.trumps, self.tricks = None, [0] * len(self.tricks)


@pytest.mark.parametrize("players", [2, 3, 4, 7])
def test_the_rules(players):
    for seed in range(12):
        dice = random.Random(seed)
        position = tw.Position(KnockoutWhist(players=players, seed=seed))
        table = Table(position)
        size = 7
        while table.winner is None:
            assert not position.ended
            assert position.player == table.to_move
            words = {position.describe(a): a for a in position.legal()}
            assert sorted(words) == table.legal()
            word = dice.choice(sorted(words))
            position.play(words[word])
            before = table.trumps
            table.play(word, lambda p=position: (hands(p), p.player))
            if before is not None and table.trumps is None:
                size -= 1
                assert {len(h) for h in table.hands} <= {0, size}
                cards = [c for h in table.hands for c in h]
                assert len(cards) == len(set(cards)) == size * len(table.left)
        assert position.ended
        assert position.rewards() == [float(p == table.winner) for p in range(players)]


def hands(position):
    s = position.state
    return [names_of(s.hand[p]).replace("-", "").split() for p in range(s.seats)]


def test_the_card_that_was_turned_up_is_in_no_hand():
    for seed in range(20):
        s = tw.Position(KnockoutWhist(seed=seed)).state
        (turned,) = names_of(s.gone).split()
        assert turned[1] == "CDHS"[s.trump]
        assert not any(s.hand[p] & s.gone for p in range(2))


def test_every_deal_that_fits_is_as_likely():
    """Three players, two of them known to lack a suit: the draws beside a list of all deals."""
    position = tw.Position(KnockoutWhist(players=3, hand=2, ranks=3, seed=4))
    s = position.state
    s.gone |= 1 << 12
    s.hand[1] = s.hand[2] = 0
    unseen = [c for c in range(52) if s.pack >> c & 1 and not (s.gone | s.hand[0]) >> c & 1]
    s.void[1], s.void[2] = 0b0011, 0b0100
    possible = [
        (a, b)
        for a in combinations([c for c in unseen if c // 13 not in (0, 1)], 2)
        for b in combinations([c for c in unseen if c // 13 != 2 and c not in a], 2)
    ]
    for p in (1, 2):
        s.hand[p] = sum(1 << c for c in possible[0][p - 1])
    rng = stream(1)
    draws = 60 * len(possible)
    found = Counter()
    for _ in range(draws):
        position.determinise(rng, 0)
        found[tuple(tuple(c for c in unseen if s.hand[p] >> c & 1) for p in (1, 2))] += 1
    assert found.keys() == set(possible)
    square = sum((n - 60) ** 2 / 60 for n in found.values())
    freedom = len(possible) - 1
    assert abs(square - freedom) < 5 * (2 * freedom) ** 0.5  # chi-square, five deviations


def test_a_player_sees_their_own_hand_only():
    position = tw.Position(KnockoutWhist(seed=3))
    cards = [name_of(c) for c in range(52) if position.state.hand[1] >> c & 1]
    assert not any(card in position.view(0) for card in cards)
    assert all(card in position.render() for card in cards)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"players": 8}, "players must be 2 to 7, not 8"),
        ({"hand": 0}, "hand must be 1 to 13, not 0"),
        ({"ranks": 3}, "12 cards are too few for 2 players with 7 each, and one to turn up"),
    ],
)
def test_settings_are_checked(settings, said):
    with pytest.raises(tw.OptionError, match=said):
        tw.make("knockout-whist", **settings)
