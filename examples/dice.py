"""Chance: the dice game Pig, where a one loses the turn's points.

A state in which chance decides has ``player(s) == tw.CHANCE``; ``legal`` lists the outcomes and
``sample_chance`` draws one.

Twenty points are to be held, but by half a percent only, and rollouts with random moves can't see
it: both sides lose most of their turns in them, so that being ahead is worth too much.  Here
``weight`` says what a sensible player does, and both the tree and the rollouts listen to it.
"""

from numpy import int8, int16

import treewright as tw
from treewright.random import below

ROLL, HOLD = 0, 1
TURNS = (4, 12, 20, 28)


class Pig(tw.Domain):
    """Roll as often as you dare, hold to keep the points; first to 40."""

    players = 2
    max_actions = 6
    max_length = 10_000
    state = tw.record(score=(int16, 2), turn=int16, goal=int16, mover=int8, rolling=int8)

    def start(s, turn=0, goal=40):
        s.turn = turn
        s.goal = goal

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
        return s.score[0] >= s.goal or s.score[1] >= s.goal

    def rewards(s, out):
        out[0 if s.score[0] >= s.goal else 1] = 1.0

    def sample_chance(s, rng):
        return 1 + below(rng, 6)

    def weight(s, action):
        """Hold at twenty, or at the goal; roll on where the other is about to win."""
        enough = s.turn >= 20 and s.score[1 - s.mover] < s.goal - 14
        hold = enough or s.score[s.mover] + s.turn >= s.goal
        return 0.95 if hold == (action == HOLD) else 0.05

    def describe(s, action):
        return f"die {action}" if s.rolling else ("roll", "hold")[action]

    def render(s):
        return f"{s.score[0]} : {s.score[1]}, and {s.turn} in this turn"


def advice(turn):
    """What to do with so many points in the first turn of a game."""
    sensible = tw.Options(c=1.0, puct=True, rollout=tw.Rollout("greedy"))
    return tw.Search(Pig(turn=turn), sensible, seed=1).run(200_000)


if __name__ == "__main__":
    for turn in TURNS:
        result = advice(turn)
        print(f"{turn} points in this turn: {result.label} (wins {result.value:.0%})")
