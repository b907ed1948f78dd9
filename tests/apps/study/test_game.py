"""The rules of the game, each in a little world of its own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from study_worlds import GYM, holding, scribble, world_of

from treewright.apps.levels import game, physics
from treewright.apps.levels.physics import JUMP, LEFT, RIGHT
from treewright.apps.levels.replay import decode, encode, replay
from treewright.apps.levels.tiles import LevelError
from treewright.apps.levels.world import World
from treewright.apps.study import bots


def happened(world, runs, event=None):
    """The values of one kind of event, or (event, value) of all but keys, going and landing."""
    found = replay(world, runs).events
    if event is not None:
        return found[found[:, 1] == event, 2].tolist()
    quiet = (game.E_KEYS, game.E_GO, game.E_LAND)
    return [(int(e), int(v)) for _, e, v, _ in found if e not in quiet]


FLAT = "------------------------F\nXXXXXXXXXXXXXXXXXXXXXXXXX"


def test_the_goal_is_reached():
    done = replay(world_of(FLAT), holding((RIGHT, 200)))
    assert (done.outcome, done.events[-1, 1]) == (game.WON, game.E_WIN)
    assert done.ticks < 90


def test_who_falls_dies_by_the_gap():
    done = replay(world_of("-----------F\nXXXX---XXXXX"), holding((RIGHT, 200)))
    assert (done.outcome, done.cause) == (game.DIED, game.BY_GAP)


def test_time_runs_out():
    done = replay(world_of(FLAT), holding((0, game.LIMIT)))
    assert (done.outcome, done.cause, done.ticks) == (game.DIED, game.BY_TIME, game.LIMIT)


@pytest.mark.parametrize(("tile", "kind"), [("g", game.GOOMBA), ("k", game.GREEN), ("r", game.RED)])
def test_walking_into_an_enemy_kills_and_names_it(tile, kind):
    done = replay(world_of(f"-----{tile}-----F\nXXXXXXXXXXXX"), holding((RIGHT, 60)))
    assert (done.outcome, done.cause) == (game.DIED, kind)


def falls_on(tile):
    """A drop onto an enemy that walks below: M starts on a ledge."""
    return world_of(
        f"M-------------\nX-------------\nX-------------\nX--{tile}---X-----F\nXXXXXXXXXXXXXX"
    )


def test_a_stomp_kills_and_bounces():
    done = replay(falls_on("g"), holding((RIGHT, 14), (0, 30)))
    assert done.events[:, 1].tolist().count(game.E_STOMP) == 1
    after = done.events[done.events[:, 1] == game.E_STOMP, 0][0]
    assert done.trace[after + 2, 1] < done.trace[after - 1, 1], "thrown up again"
    assert done.outcome == game.PLAYING


def test_a_shell_is_kicked_and_kills():
    """A stomped turtle lies still, slides when touched and kills what is in its way."""
    world = world_of(
        "\n".join(["M" + "-" * 15, *["X" + "-" * 15] * 2, "X--k----------gF", "X" * 16])
    )
    done = happened(world, holding((RIGHT, 14), (0, 30), (LEFT, 16), (0, 60)))
    assert (game.E_STOMP, game.GREEN) in done
    assert (game.E_KICK, game.GREEN) in done
    assert (game.E_SHELL, game.GOOMBA) in done


def test_red_turtles_turn_at_ledges_and_green_ones_fall():
    for tile, stays in (("r", True), ("k", False)):
        text = f"M-----------F\nXX---------XX\n--------{tile}----\n------XXXX---"
        now = world_of(text).begin()
        for _ in range(200):
            game.tick(*now.arrays, np.zeros((0, 4), np.int32), 0)
        assert (now.things[0, game.MODE] != game.GONE) == stays


def test_a_power_up_makes_large():
    text = "-----?------------\n" + ("-" * 18 + "\n") * 3 + "----M----X-------F\n" + "X" * 18
    done = happened(world_of(text), holding((RIGHT, 4), (0, 20), (JUMP, 9), (0, 120)))
    assert done[1:] == [
        (game.E_BUMP, game.POWER_BLOCK),
        (game.E_ITEM, 0),
        (game.E_POWER, 1),
        (game.E_DUCK, 0),
    ]


def test_a_hit_makes_the_large_player_small():
    now = world_of("M--g-------------F\nXXXXXXXXXXXXXXXXXX").begin()
    now.status[game.IS_LARGE] = 1
    events = np.zeros((50, 4), np.int32)
    for _ in range(60):
        game.tick(*now.arrays, events, 0)
    noted = [(e, v) for _, e, v, _ in events.tolist() if e]
    assert noted[-2:] == [(game.E_HURT, game.GOOMBA), (game.E_POWER, 0)]
    assert now.status[game.OUTCOME] == game.PLAYING


def test_only_the_large_player_breaks_bricks():
    text = (
        "---SS----------------F\n" + ("-" * 22 + "\n") * 3 + "----M-----------------\n" + "X" * 22
    )
    world = world_of(text)
    jump = holding((0, 3), (JUMP, 9), (0, 20))
    assert happened(world, jump) == [(game.E_JUMP, 0), (game.E_BUMP, game.BRICK)]
    now, events = world.begin(), np.zeros((50, 4), np.int32)
    now.status[game.IS_LARGE] = 1
    for key in decode(jump):
        game.tick(*now.arrays, events, int(key))
    assert game.E_BREAK in events[:, 1]


def test_coin_blocks_give_one_coin_and_coins_are_collected():
    text = "----?-Q-----------F\n" + ("-" * 19 + "\n") * 3 + "------M---oo-------\n" + "X" * 19
    done = replay(
        world_of(text), holding((0, 3), (JUMP, 9), (0, 20), (JUMP, 9), (0, 20), (RIGHT, 30))
    )
    assert done.coins == 3
    coins = done.events[done.events[:, 1] == game.E_COIN, 2].tolist()
    assert coins == [1, 0, 0], "the block is empty the second time"


def test_cannons_shoot_and_bullets_kill():
    text = "------------------F\nM----------B-------\nXXXXXXXXXXXXXXXXXXX"
    done = replay(world_of(text), holding((0, 400)))
    assert (done.outcome, done.cause) == (game.DIED, game.BULLET)


def test_a_flower_comes_out_but_not_beside_the_player():
    text = "------------F\n------T------\nM-----[------\nXXXXXXXXXXXXX"
    world = world_of(text)
    now = world.begin()
    heights = set()
    for _ in range(100):
        game.tick(*now.arrays, np.zeros((0, 4), np.int32), 0)
        heights.add(float(now.things[0, physics.Y]))
    assert len(heights) > 10, "it moves"
    now = world.begin()
    now.body[physics.X] = now.things[0, physics.X] - 13
    now.things[0, game.TIMER] = 0
    for _ in range(100):
        game.tick(*now.arrays, np.zeros((0, 4), np.int32), 0)
    assert now.things[0, game.TIMER] == game.FLOWER_UP - 1, "it waits"


def test_who_ducks_does_not_walk():
    world = world_of(FLAT)
    now = world.begin()
    now.status[game.IS_LARGE] = 1
    for _ in range(20):
        game.tick(*now.arrays, np.zeros((0, 4), np.int32), RIGHT | game.DUCK)
    assert now.status[game.DUCKING] == 1
    assert now.body[physics.X] == world.begin().body[physics.X]


def test_jumps_say_what_they_were_aimed_at():
    jump = holding((0, 2), (JUMP, 4), (0, 1))
    assert happened(world_of(FLAT), jump, game.E_JUMP) == [0]
    assert happened(world_of("----------F\nXXXX--XXXXX"), jump, game.E_JUMP) == [2]
    assert happened(world_of("----g-----F\nXXXXXXXXXXX"), jump, game.E_JUMP) == [1]


def test_one_power_up_in_a_level():
    world = world_of(GYM)
    assert world.totals.power_blocks == 1
    assert world.totals.coin_blocks == 3
    assert world.totals.enemies >= 8


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 3))
def test_without_enemies_it_is_the_checkers_physics(seed, which):
    """Where nothing but walls is, every position is that of physics.tick."""
    rows = ["--------------------", "----XX--------XX----", "--------------------"]
    rows += ["--XX-----X---------F", "---------XX---------", "XXXXXXXX-XXXXXXXXXXX"]
    world = world_of("\n".join(rows), which)
    dice = np.random.default_rng(seed)
    runs = [[k & ~game.DUCK, n] for k, n in scribble(dice, 120)]
    done = replay(world, runs)
    now = world.begin()
    for x, y in done.trace:
        key = int(decode(runs)[now.status[game.TICK]])
        now.status[game.TICK] += 1
        physics.tick(now.body, key, physics.SMALL, now.cells, now.seen)
        if now.body[physics.X] < 0:
            now.body[physics.X] = now.body[physics.VX] = 0.0
        assert (now.body[physics.X], now.body[physics.Y]) == (x, y)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32))
def test_compiled_and_interpreted_are_the_same(seed):
    world = world_of(GYM, seed % 5)
    runs = scribble(np.random.default_rng(seed), 150)
    done = replay(world, runs)
    now, events = world.begin(), np.zeros((800, 4), np.int32)
    for key in decode(runs)[: done.ticks]:
        game.tick(*now.arrays, events, int(key))
    assert events[: now.status[game.EVENTS]].tolist() == done.events.tolist()
    assert (now.body[physics.X], now.body[physics.Y]) == tuple(done.trace[-1])


def test_the_same_keys_give_the_same_game():
    world = world_of(GYM)
    runs = scribble(np.random.default_rng(3), 500)
    once, again = replay(world, runs), replay(world, runs)
    assert once.events.tolist() == again.events.tolist()
    assert encode(decode(runs).tolist()) == [[k, n] for k, n in encode(decode(runs))]


@pytest.mark.parametrize(
    "runs",
    [
        [[64, 1]],
        [[-1, 5]],
        [[1, 0]],
        [[1]],
        [[1, 2.5]],
        [[1, 7000]],
        [[1, 4000], [2, 4000]],
        [["1", 2]],
    ],
)
def test_runs_that_are_none_are_refused(runs):
    with pytest.raises(LevelError):
        decode(runs)


def test_players_of_different_skill_really_differ(levels):
    """Who decides faster and errs less gets farther; the same seed plays the same."""
    worlds = [World(level, i) for i, level in enumerate(levels)]
    far = {}
    for name, skill in (("good", bots.Skill(3, 0.0, 0.0)), ("bad", bots.Skill(12, 0.5, 0.0))):
        ends = [replay(w, bots.attempt(w, skill, s)).trace[-1, 0] for w in worlds for s in range(2)]
        far[name] = np.mean(ends)
    assert far["good"] > 1.5 * far["bad"]
    assert bots.attempt(worlds[0], bots.BEGINNER, 5) == bots.attempt(worlds[0], bots.BEGINNER, 5)
