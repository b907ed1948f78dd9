"""The game as a domain: can a level be finished with its enemies alive?

A state is the whole game (game.py) with the keys pressed so far.  An action holds some keys for a
few ticks, or follows the checker's way to the goal (ways.py) for a while; rollouts follow that way
most of the time.  The game is deterministic, so the best line that was simulated can be played.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np
from numpy import float64, int8, int32, int64

from treewright.apps.levels import extract, game
from treewright.apps.levels.game import (
    DIED,
    GOAL,
    OUTCOME,
    PLAYING,
    STATUS,
    THING,
    TICK,
    WON,
    tick,
)
from treewright.apps.levels.physics import (
    BODY,
    GROUNDED,
    JUMP,
    LEFT,
    MAY_JUMP,
    RIGHT,
    RUN,
    SPEED,
    STILL,
    TILE,
    VX,
    VY,
    WALK,
    X,
    Y,
)
from treewright.apps.levels.ways import UNKNOWN, Ways
from treewright.apps.levels.world import World
from treewright.library.domain import Domain, record
from treewright.library.options import Options, Rollout
from treewright.random import below, uniform

FOLLOW = 0  # the action that goes the checker's way
FOLLOW_TICKS = 10
# keys, how long the jump key is held, ticks: the other actions
HELD = np.array(
    [[RIGHT | SPEED, hold, max(hold + 2, 5)] for hold in (0, 1, 4, 8)]
    + [[RIGHT, hold, max(hold + 2, 5)] for hold in (0, 3, 8)]
    + [[0, 0, 6], [0, 8, 10], [LEFT, 0, 6], [LEFT | SPEED, 0, 6], [LEFT, 8, 10]],
    np.int64,
)
ACTIONS = len(HELD) + 1
OFF_THE_WAY = 0.2  # the share of a rollout's actions that are drawn from all
NEAR = 0.6  # pixels from its stance from which a move succeeds
SETTLED = 0.05  # downward speed that a landing may have left before a fall begins
DEATH = 30.0  # columns that a death costs
HURRY = 0.02  # columns that a tick costs

OPTIONS = Options(
    c=0.5,
    normalise=True,
    rollout=Rollout(policy="domain", depth=10),
    max_backup=0.5,
    choose="max",
)


def brake(body, forward):
    """The keys that stop a body which moves forward (extract.keys_at)."""
    speed = body[VX] * forward
    behind = LEFT if forward > 0 else RIGHT
    if speed >= RUN:
        return behind | SPEED
    if speed >= WALK - STILL:
        return behind
    return 0


def way_keys(s, t):
    """The keys of this tick on the checker's way: a move under way, or what prepares the next."""
    if s.move >= 0:
        recipe = t.recipes[s.move]
        keys = extract.keys_at(
            s.clock, recipe[5], recipe[1], recipe[2], recipe[3], recipe[4], s.body
        )
        busy = max(max(recipe[1], 0) + recipe[4], max(-recipe[1], 0) + recipe[2])
        if s.clock >= busy and s.body[GROUNDED] and s.body[VX] == 0.0:
            s.move = -1
        s.clock += 1
        if s.move >= 0:
            return keys
    if not s.body[GROUNDED]:
        return RIGHT
    column = int(s.body[X] // TILE)
    row = int(s.body[Y] // TILE)
    if row < 0 or row >= s.cells.shape[0] or column < 0 or column >= t.next_move.shape[1]:
        return RIGHT
    move = t.next_move[row, column]
    if move < 0:
        return RIGHT
    recipe = t.recipes[move]
    forward = recipe[5]
    if recipe[2] == 0 and walks_on(s, t, row, column, forward):
        return (RIGHT if forward > 0 else LEFT) | SPEED
    if s.body[VX] != 0.0:
        return brake(s.body, 1 if s.body[VX] > 0.0 else -1)
    miss = s.body[X] - (TILE * column + TILE / 2 + forward * extract.STANCES[recipe[0]])
    if abs(miss) > NEAR:
        return LEFT if miss > 0.0 else RIGHT
    if recipe[2] > 0 and not s.body[MAY_JUMP]:
        return 0
    if recipe[6] and s.body[VY] > SETTLED:
        return 0
    s.move = move
    s.clock = 1
    return extract.keys_at(0, forward, recipe[1], recipe[2], recipe[3], recipe[4], s.body)


def walks_on(s, t, row, column, forward):
    """Whether the next tiles are walked too, so that one need not stop on each."""
    for k in range(1, 4):
        at = column + k * forward
        if at < 0 or at >= t.next_move.shape[1]:
            return False
        if at == s.status[GOAL]:
            return True
        move = t.next_move[row, at]
        if move < 0 or t.recipes[move, 2] > 0 or t.recipes[move, 5] != forward:
            return False
    return True


def press(s, keys):
    """One tick, written down."""
    s.log[s.status[TICK]] = keys
    tick(s.cells, s.coins, s.seen, s.body, s.status, s.things, s.events, keys)


def look(s, t):
    """What is left to the goal, from the ground that was last stood on."""
    if not s.body[GROUNDED]:
        return
    column = int(s.body[X] // TILE)
    row = int(s.body[Y] // TILE)
    if 0 <= row < t.left.shape[0] and 0 <= column < t.left.shape[1]:  # noqa: SIM102
        if t.left[row, column] < UNKNOWN:
            s.left = t.left[row, column]


class Live(Domain):
    """``Live(world, ways)``: play a level with everything in it alive."""

    players = 1
    max_actions = ACTIONS
    max_length = game.LIMIT

    def __init__(self, world: World, ways: Ways) -> None:
        self.world = world
        begin = world.begin()
        rows, columns = begin.cells.shape
        wide = max(512, 1 << (columns - 1).bit_length())
        many = max(128, 1 << (len(begin.things) - 1).bit_length())
        grid = (int8, (rows, wide))
        self.state = record(
            cells=grid,
            coins=grid,
            seen=grid,
            body=(float64, BODY),
            status=(int64, STATUS),
            things=(float64, (many, THING)),
            events=(int32, (1, 4)),
            log=(int8, game.LIMIT + 1),  # keys by tick
            left=float64,
            move=int32,  # of the checker's, if one is under way
            clock=int32,
        )
        things = np.zeros((many, THING))
        things[:, game.MODE] = game.GONE
        before = many - len(begin.things)  # first, so that what appears later finds the same places
        things[before:] = begin.things
        status = begin.status.copy()
        status[game.SLOT] += before
        column, row = world.level.start
        super().__init__(
            tables={
                "cells": begin.cells,
                "coins": begin.coins,
                "body": begin.body,
                "status": status,
                "things": things,
                "next_move": ways.next_move,
                "left": ways.left,
                "recipes": ways.recipes,
                "whole": np.array([max(ways.left[row, column], 1.0)]),
                "held": HELD,
            }
        )

    def start(s, t):
        for row in range(t.cells.shape[0]):
            for column in range(t.cells.shape[1]):
                s.cells[row, column] = t.cells[row, column]
                s.coins[row, column] = t.coins[row, column]
        for i in range(len(t.body)):
            s.body[i] = t.body[i]
        for i in range(len(t.status)):
            s.status[i] = t.status[i]
        for i in range(t.things.shape[0]):
            for k in range(t.things.shape[1]):
                s.things[i, k] = t.things[i, k]
        s.left = t.whole[0]
        s.move = -1

    def legal(s, t, out):
        for i in range(ACTIONS):
            out[i] = i
        return ACTIONS

    def play(s, t, action):
        follow = action == FOLLOW
        plan = t.held[max(action - 1, 0)]
        if not follow:
            s.move = -1
        for time in range(FOLLOW_TICKS if follow else plan[2]):
            if s.status[OUTCOME] != PLAYING:
                break
            keys = plan[0] | (JUMP if time < plan[1] else 0)
            press(s, way_keys(s, t) if follow else keys)
        look(s, t)

    def ended(s):
        return s.status[OUTCOME] != PLAYING

    def rewards(s, t, out):
        out[0] = worth(s, t)

    def value(s, t, out):
        out[0] = worth(s, t)

    def rollout(s, t, rng, out):
        return below(rng, ACTIONS) if uniform(rng) < OFF_THE_WAY else FOLLOW

    def describe(s, action):
        return "the checker's way" if action == FOLLOW else f"keys {action}"

    def render(s):
        return f"tick {s.status[TICK]}, x {s.body[X]:.0f}, {s.left:.0f} columns to go"


def worth(s, t):
    """The share of the way that is done, less what a death and the time cost; 1 at the goal."""
    if s.status[OUTCOME] == WON:
        return 1.0
    lost = DEATH if s.status[OUTCOME] == DIED else 0.0
    return (t.whole[0] - s.left - lost - HURRY * s.status[TICK]) / (t.whole[0] + DEATH + 200.0)
