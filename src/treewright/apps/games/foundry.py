"""Foundry: a small game with four actions a turn, made to be solved exactly.

Ore becomes iron, iron becomes tools, tools are sold or used for a raid.  Selling pays more the
more tools are in hand, so the order of a turn's actions matters: what looks best at once
(selling early) is often not part of the best turn.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from numpy import int8

from treewright.library.domain import Domain, record
from treewright.random import below

MINE, SMELT, FORGE, SELL, RAID = range(5)
NAMES = ("mine two ore", "smelt two ore", "forge a tool", "sell a tool", "raid two ore")
ACTIONS = 4  # a turn
TURNS = 6  # of both players together


def worth(s, side):
    """Coins, and what goods would bring, in tenths of a coin."""
    at = side * 4
    return 10 * s.goods[at + 3] + 12 * s.goods[at + 2] + 7 * s.goods[at + 1] + 3 * s.goods[at]


def listed(s, out):
    """What the player can afford."""
    at = s.player * 4
    n = 0
    if s.goods[at] < 9:
        out[n] = MINE
        n += 1
    if s.goods[at] >= 2:
        out[n] = SMELT
        n += 1
    if s.goods[at + 1] >= 1:
        out[n] = FORGE
        n += 1
    if s.goods[at + 2] >= 1:
        out[n] = SELL
        n += 1
        if s.goods[4 - at] >= 2:
            out[n] = RAID
            n += 1
    return n


class Foundry(Domain):
    """Two players, three turns of four actions each; the richer one wins."""

    id = "foundry-v1"
    players = 2
    max_actions = 5
    max_length = ACTIONS * TURNS
    keys = 5
    state = record(
        goods=(int8, 8),  # ore, iron, tools, coins of each player
        player=int8,
        left=int8,  # actions of this turn
        turn=int8,
    )

    def start(s, ore=2):
        if not 0 <= ore <= 9:
            raise ValueError(f"ore must be 0 to 9, not {ore!r}")
        s.goods[0] = ore
        s.goods[4] = ore
        s.left = ACTIONS

    def legal(s, out):
        return listed(s, out)

    def play(s, action):
        at = s.player * 4
        if action == MINE:
            s.goods[at] = min(9, s.goods[at] + 2)
        elif action == SMELT:
            s.goods[at] -= 2
            s.goods[at + 1] += 1
        elif action == FORGE:
            s.goods[at + 1] -= 1
            s.goods[at + 2] += 1
        elif action == SELL:
            s.goods[at + 3] += s.goods[at + 2]
            s.goods[at + 2] -= 1
        else:
            s.goods[at + 2] -= 1
            s.goods[4 - at] -= 2
            s.goods[at] = min(9, s.goods[at] + 2)
        s.left -= 1
        if s.left == 0:
            s.left = ACTIONS
            s.turn += 1
            s.player = 1 - s.player

    def ended(s):
        return s.turn == TURNS

    def rewards(s, out):
        mine, theirs = s.goods[3], s.goods[7]
        out[0] = 1.0 if mine > theirs else 0.0 if mine < theirs else 0.5
        out[1] = 1.0 - out[0]

    def value(s, out):
        out[0] = 0.5 + (worth(s, 0) - worth(s, 1)) / 2000.0
        out[1] = 1.0 - out[0]

    def rollout(s, rng, out):
        return int(out[below(rng, listed(s, out))])

    def describe(s, action):
        return NAMES[action]

    def render(s):
        lines = [
            "player {}: ore {} iron {} tools {} coins {}".format(
                side + 1, *(s.goods[side * 4 + i] for i in range(4))
            )
            for side in (0, 1)
        ]
        return "\n".join(
            [*lines, f"turn {s.turn + 1}, player {s.player + 1}, {s.left} actions left"]
        )
