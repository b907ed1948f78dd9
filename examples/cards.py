"""A game with hidden cards: tricks with twelve cards, four in each hand and four that nobody has.

The search knows its own hand and what was played, and nothing else: ``determinise`` deals the rest
anew in each simulation.  Try also: treewright play examples/cards.py:Tricks
"""

import random

from numpy import int8

import treewright as tw
from treewright.random import below

RANKS, CARDS, HAND = 6, 12, 4  # a card is RANKS * suit + rank
HIDDEN, PLAYED = 2, 3  # where a card is: with player 0 or 1, with nobody, or on the table


class Tricks(tw.Domain):
    """Follow suit if you can; the higher card of the suit that was led takes the trick."""

    players = 2
    max_actions, max_length, keys = HAND, 2 * HAND, CARDS
    state = tw.record(
        place=(int8, CARDS), void=(int8, (2, 2)), led=int8, won=(int8, 2), player=int8
    )

    def start(s, seed=0):
        s.led = -1
        for i, card in enumerate(random.Random(seed).sample(range(CARDS), CARDS)):
            s.place[card] = i // HAND

    def legal(s, out):
        n = 0
        for follow in (True, False):
            for card in range(CARDS):
                suits = s.led < 0 or card // RANKS == s.led // RANKS
                if s.place[card] == s.player and suits == follow:
                    out[n] = card
                    n += 1
            if n > 0:
                break
        return n

    def play(s, action):
        s.place[action] = PLAYED
        if s.led < 0:
            s.led = action
            s.player = 1 - s.player
            return
        suit = s.led // RANKS
        if action // RANKS != suit:
            s.void[s.player, suit] = 1  # now everybody knows that there is none left
        if action // RANKS != suit or action < s.led:
            s.player = 1 - s.player  # who led takes the trick, and leads again
        s.won[s.player] += 1
        s.led = -1

    def ended(s):
        return s.won[0] + s.won[1] == HAND

    def rewards(s, out):
        out[0], out[1] = s.won[0] / HAND, s.won[1] / HAND

    def determinise(s, rng, player):
        """Deal the other hand anew, of the cards that it may have, all hands equally likely."""
        need = left = 0
        for card in range(CARDS):
            need += s.place[card] == 1 - player
            left += possible(s, card, 1 - player)
        for card in range(CARDS):
            if possible(s, card, 1 - player):
                taken = below(rng, left) < need
                s.place[card] = 1 - player if taken else HIDDEN
                need -= taken
                left -= 1

    def describe(s, action):
        return "♠♥"[action // RANKS] + "9TJQKA"[action % RANKS]

    def view(s, player):
        hand = " ".join(Tricks.describe(s, c) for c in range(CARDS) if s.place[c] == player)
        return f"hand {hand}; led {s.led}; tricks {s.won[0]} to {s.won[1]}"


def possible(s, card, player):  # may the player have this card, as far as the others know?
    return (s.place[card] == player or s.place[card] == HIDDEN) and not s.void[
        player, card // RANKS
    ]


if __name__ == "__main__":
    print(tw.check(Tricks()))
    won = 0.0
    for seed in range(40):
        game = tw.Search(Tricks(seed=seed), tw.Options(c=0.7), seed=seed)
        while not game.position.ended:
            lowest = game.position.legal()[0]
            game.commit(game.run(200).best if game.position.player == seed % 2 else lowest)
        won += game.position.rewards()[seed % 2] / 40
    print(f"against somebody who plays the lowest card it takes {won:.0%} of the tricks")
