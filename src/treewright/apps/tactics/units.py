"""Units, equipment and cards in numbers: the Council team.

Tables are indexed by ``unit * 16 + gear`` where ``gear`` holds one bit for each of the four
kinds of equipment.
"""

from collections.abc import Callable

import numpy as np

KNIGHT, ARCHER, CLERIC, WIZARD, NINJA, CRYSTAL = range(6)
UNIT_NAMES = ("Knight", "Archer", "Cleric", "Wizard", "Ninja", "Crystal")
UNIT_LETTERS = "KACWNX"

# cards: the five units, then these; their order decides the order of actions and of draws
INFERNO, POTION, RUNEMETAL, SCROLL, DRAGONSCALE, HELM = range(5, 11)
CARDS = 11
CARD_LETTERS = "KACWNIPRSDH"
CARD_NAMES = (
    *UNIT_NAMES[:5],
    "Inferno",
    "Revive potion",
    "Runemetal",
    "Scroll",
    "Dragonscale",
    "Shining helm",
)
DECKS = {
    "standard": (3, 3, 3, 3, 1, 2, 2, 3, 2, 3, 3),
    "small": (2, 2, 2, 2, 1, 1, 1, 2, 1, 2, 2),
    "tiny": (1,) * 11,
}
HAND = 6  # cards in a full hand
OPENING_UNITS = 3  # exactly this many units in the opening hand

RUNE_BIT, SCROLL_BIT, SCALE_BIT, HELM_BIT = 1, 2, 4, 8
GEAR_BIT = np.array([0] * RUNEMETAL + [RUNE_BIT, SCROLL_BIT, SCALE_BIT, HELM_BIT], np.int64)
BASE_HP = np.array([1000, 800, 800, 800, 800, 4500], np.int64)
SPEED = np.array([2, 2, 2, 2, 3, 0], np.int64)
REACH = np.array([1, 3, 2, 2, 2, 0], np.int64)
MAGICAL = np.array([0, 0, 1, 1, 0, 0], np.int64)
# twice the damage factor: from afar and next to the target
TWICE = np.array([(2, 2), (2, 1), (2, 2), (2, 2), (2, 4), (2, 0)], np.int64).reshape(-1)
SHELTER = 20 * (1 - MAGICAL)  # resistance on a defense square to a unit's attacks
_POWER = (200, 300, 200, 200, 200, 0)
_PHYSICAL = (20, 0, 0, 0, 0, 0)  # resistance in percent
_MAGICAL = (0, 0, 0, 10, 0, 0)

# what the evaluation adds for a unit's square: plain, assault, defense, power, deploy, deploy
SQUARE_WORTH = np.array(
    [
        (0, 120, 30, 30, -75, -75),
        (0, 40, 80, 120, -75, -75),
        (0, 10, 20, 40, -75, -75),
        (0, 40, 70, 100, -75, -75),
        (0, 50, 60, 70, -75, -75),
        (0, 0, 0, 0, 0, 0),
    ],
    np.int64,
).reshape(-1)
_GEAR_WORTH = (  # Runemetal, Scroll, Dragonscale, helm
    (-30, -10, 60, 20),
    (60, 80, 60, 40),
    (20, 30, 30, 20),
    (60, 80, 50, 40),
    (20, 70, 30, 30),
    (0, 0, 0, 0),
)


def _bits(gear: int) -> list[int]:
    return [gear >> i & 1 for i in range(4)]


def _by_gear(rule: Callable[[int, int], int]) -> np.ndarray:
    return np.array([rule(k, g) for k in range(6) for g in range(16)], np.int64)


MAX_HP = _by_gear(
    lambda k, g: int(BASE_HP[k]) + int(BASE_HP[k]) // 10 * (_bits(g)[2] + _bits(g)[3])
)
FORCE = _by_gear(lambda k, g: _POWER[k] + _POWER[k] // 2 * _bits(g)[0])  # before the square
RESISTANCE = np.concatenate(  # to physical, then to magical attacks
    [
        _by_gear(lambda k, g: _PHYSICAL[k] + 20 * _bits(g)[2]),
        _by_gear(lambda k, g: _MAGICAL[k] + 20 * _bits(g)[3]),
    ]
)
GEAR_WORTH = _by_gear(
    lambda k, g: sum(w for w, on in zip(_GEAR_WORTH[k], _bits(g), strict=True) if on)
)
GEAR_COUNT = np.array([sum(_bits(g)) for g in range(16)], np.int64)

# no action of a kind gains more by the evaluation than this (greedy.py passes over such kinds)
_SQUARE_ROWS = SQUARE_WORTH.reshape(6, 6)
MOST_MOVED = int((_SQUARE_ROWS.max(axis=1) - _SQUARE_ROWS.min(axis=1)).max())
MOST_SWAPPED = 2 * MOST_MOVED
MOST_DROPPED = np.full(CARDS, 4 * 60_000, np.int64)
MOST_DROPPED[POTION] = max(
    1000, 100 + BASE_HP[:CRYSTAL].max() + SQUARE_WORTH.max() + GEAR_WORTH.max()
)
MOST_DROPPED[RUNEMETAL:] = 2 * np.max(_GEAR_WORTH, axis=0)
MOST_DROPPED[DRAGONSCALE:] += MAX_HP[: CRYSTAL * 16].max() // 10
