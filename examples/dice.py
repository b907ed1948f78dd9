"""Chance: the dice game Pig, where a one loses the turn's points.

A state in which chance decides has ``player(s) == tw.CHANCE``; ``legal`` lists the outcomes and
``sample_chance`` draws one.
"""

from numpy import int8, int16

import treewright as tw
from treewright.random import below

GOAL = 40
ROLL, HOLD = 0, 1


class Pig(tw.Domain):
    """Roll as often as you dare, hold to keep the points; first to 40."""

    players = 2
    max_actions = 6
    max_length = 10_000
    state = tw.record(score=(int16, 2), turn=int16, mover=int8, rolling=int8)

    def start(s, turn=0):
        s.turn = turn

    def player(s):
        return tw.CHANCE if s.rolling else s.mover

    def legal(s, out):
        if s.rolling:
            for face in range(6):
                out[face] = face + 1
            return 6
        out[0] = ROLL
        out[1] = HOLD
        return 2 if s.turn > 0 else 1

    def play(s, action):
        if s.rolling:
            s.rolling = 0
            if action == 1:
                s.turn = 0
                s.mover = 1 - s.mover
            else:
                s.turn += action
        elif action == ROLL:
            s.rolling = 1
        else:
            s.score[s.mover] += s.turn
            s.turn = 0
            s.mover = 1 - s.mover

    def ended(s):
        return s.score[0] >= GOAL or s.score[1] >= GOAL

    def rewards(s, out):
        out[0 if s.score[0] >= GOAL else 1] = 1.0

    def sample_chance(s, rng):
        return 1 + below(rng, 6)

    def describe(s, action):
        return f"die {action}" if s.rolling else ("roll", "hold")[action]


if __name__ == "__main__":
    for turn in (4, 12, 20, 28):
        result = tw.Search(Pig(turn=turn), tw.Options(c=1.0), seed=1).run(200_000)
        print(f"{turn} points in this turn: {result.label} (wins {result.value:.0%})")
