"""Levels finished with their enemies alive: the way to the goal from everywhere, and the search."""

import numpy as np
import pytest

import treewright as tw
from treewright.apps.levels import game
from treewright.apps.levels.check import check
from treewright.apps.levels.finish import play_live
from treewright.apps.levels.generate import own_corpus
from treewright.apps.levels.level import Level
from treewright.apps.levels.live import FOLLOW, Live
from treewright.apps.levels.player import play
from treewright.apps.levels.replay import encode, replay
from treewright.apps.levels.ways import UNKNOWN, ways_to_goal
from treewright.apps.levels.world import World

STEPS = """
--------------------------
--------------------------
--------------------------
-----------------XXX------
------------XX------------
--------XX----------------
-M-----------------------F
XXXXXX--XXXXXX--XXXXXX--XX
"""


def drawing(text):
    rows = text.split()
    air = ("-" * len(rows[0]),) * (14 - len(rows))
    return Level((*air, *rows))


def test_every_tile_of_the_path_leads_on():
    """The cost that is left falls along the checker's own path to 0 at the goal."""
    level = own_corpus()[1]
    ways = ways_to_goal(level, "small")
    left = [ways.left[row, column] for column, row in play(level, "small").tiles]
    assert left == sorted(left, reverse=True)
    assert left[-1] == 0
    moves = ways.next_move[ways.left < UNKNOWN]
    assert (moves >= -1).all()
    assert (moves >= 0).sum() == (ways.left[ways.left < UNKNOWN] > 0).sum()


def test_who_follows_the_way_arrives_where_nobody_is_in_the_way():
    """The checker's moves, with the steps between their stances, in the game itself."""
    level = drawing(STEPS)
    position = tw.Position(Live(World(level), ways_to_goal(level, "small")))
    while not position.ended:
        position.follow(FOLLOW)
    state = position.state
    assert state.status[game.OUTCOME] == game.WON
    keys = [int(state.log[i]) for i in range(int(state.status[game.TICK]))]
    again = replay(World(level), encode(keys))
    assert (again.outcome, again.ticks) == (game.WON, len(keys))


@pytest.fixture(scope="module")
def crowded():
    """A road on which whoever just follows the way meets somebody."""
    ground = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXX---XXXXXXXXXXXXXXX"
    enemies = "-M---------g-------k-----------------g---------F"
    return drawing(f"{enemies} {ground}")


def test_the_search_finishes_with_enemies_alive(crowded):
    played = play_live(crowded, seed=1)
    assert played.finished, played.text
    assert replay(World(crowded), played.runs).outcome == game.WON
    assert "finished with its enemies alive" in check(crowded, "small", seed=1).text


def test_the_same_seed_plays_the_same_keys(crowded):
    assert play_live(crowded, seed=2).runs == play_live(crowded, seed=2).runs


def test_what_cannot_be_finished_alive_is_said():
    """A corridor of one tile, and a shell of an enemy in it: nothing to jump over."""
    roof, ground = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"
    level = drawing(f"{roof} -M-------g--g--g--g--g--g---F- {ground}")
    assert check(level, "small").passes
    played = play_live(level, seed=1, simulations=8, retries=1)
    assert not played.finished
    assert "the search got to column" in played.text
    assert replay(World(level), played.runs).outcome != game.WON


def test_what_appears_later_finds_the_same_places(crowded):
    """Rows that only fill the record stand first, so that bullets and items get the same ones."""
    domain = Live(World(crowded), ways_to_goal(crowded, "small"))
    things, own = domain.tables["things"], World(crowded).begin().things
    assert np.array_equal(things[-len(own) :], own)
    assert (things[: -len(own), game.MODE] == game.GONE).all()
    assert domain.tables["status"][game.SLOT] == len(things) - 24
