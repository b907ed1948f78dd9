"""Liar's dice beside its rules in plain Python."""

import random
from collections import Counter

import pytest

import treewright as tw
from treewright.apps.games.liars_dice import LiarsDice
from treewright.random import stream


def dice_of(position):
    """The dice of both players, as lists of faces, read from the picture."""
    first, second = position.render().split(",")[0].split(" and ")
    return [[int(word) for word in part.split()] for part in (first, second)]


@pytest.mark.parametrize("dice", [1, 3, 5])
def test_the_rules(dice):
    for seed in range(60):
        choose = random.Random(seed)
        position = tw.Position(LiarsDice(dice=dice, seed=seed))
        rolled = [face for one in dice_of(position) for face in one]
        assert len(rolled) == 2 * dice
        ladder = [f"{count}x{face}" for count in range(1, 2 * dice + 1) for face in range(1, 7)]
        bid, player = None, 0
        while True:
            higher = ladder if bid is None else ladder[ladder.index(bid) + 1 :]
            words = {position.describe(a): a for a in position.legal()}
            assert list(words) == (["liar"] if bid else []) + higher
            assert position.player == player
            low = [w for w in words if w in ("liar", *higher[:4])]
            word = choose.choice(low)
            position.play(words[word])
            if word == "liar":
                break
            bid, player = word, 1 - player
        count, face = map(int, bid.split("x"))
        winner = 1 - player if rolled.count(face) >= count else player
        assert position.ended
        assert position.rewards() == [float(p == winner) for p in range(2)]


def test_the_other_dice_are_rolled_again():
    position = tw.Position(LiarsDice(dice=2, seed=1))
    mine, rng, found = dice_of(position)[0], stream(1), Counter()
    for _ in range(3600):
        position.determinise(rng, 0)
        own, other = dice_of(position)
        assert own == mine
        found[tuple(other)] += 1
    for (a, b), n in found.items():
        assert abs(n - (100 if a == b else 200)) < 70  # five deviations
    assert len(found) == 21


def test_settings_are_checked():
    with pytest.raises(tw.OptionError, match="dice must be 1 to 6, not 7"):
        tw.Search(tw.make("liars-dice", dice=7), engine="python")
