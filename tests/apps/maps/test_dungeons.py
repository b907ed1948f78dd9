"""Dungeons: locks that can be opened, and pictures."""

import itertools

import numpy as np
import pytest

import treewright as tw
from treewright.apps.maps import scene
from treewright.apps.maps.dungeon import dungeon
from treewright.apps.maps.dungeon_result import make_dungeon
from treewright.apps.maps.locks import Floors
from treewright.apps.maps.ways import distances

# two rooms and a corridor with a door between them
HALL = np.array([[int(c) for c in row] for row in ("11111111", "10011001", "10000001", "11111111")])


def walk(rows, start, doors, keys):
    """Somebody who goes everywhere, takes every key and opens the doors that it fits: each cell
    he enters, and how many locks he could open; cell by cell, on its own."""
    seen, have, waiting = {start}, set(), [start]
    while waiting:
        x, y = waiting.pop()
        if (x, y) in keys:
            have.add(keys.index((x, y)))
            waiting += [d for d in seen if d in doors]
        if (x, y) in doors and doors.index((x, y)) not in have:
            continue  # stands before it
        for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if rows[cell[1]][cell[0]] != "#" and cell not in seen:
                seen.add(cell)
                waiting.append(cell)
    locked = {d for i, d in enumerate(doors) if i not in have}
    return seen - locked, have


def test_floors_are_reached_as_by_a_flood():
    floors = Floors(HALL)
    away = distances(HALL, (1, 1))
    for y, x in np.argwhere(HALL == 0).tolist():
        assert floors.steps((1, 1), (x, y)) == away[y, x]
    assert floors.steps((1, 1), (6, 1), floors.set_of([(3, 2)])) is None
    left = floors.set_of([(1, 1), (2, 1), (1, 2), (2, 2)])
    assert floors.reach((1, 1), floors.set_of([(3, 2)])) == left


def test_keys_open_doors():
    floors = Floors(HALL)
    assert floors.open_up((1, 1), [(3, 2)], [(1, 2)]) == floors.floor
    assert floors.open_up((1, 1), [(3, 2)], [(6, 1)]) != floors.floor  # the key is behind it
    assert floors.walk((1, 1), (6, 1), [(3, 2)], [(1, 2)]) == 1 + 6
    assert floors.walk((1, 1), (6, 1), [(3, 2)], [(6, 2)]) == -1
    assert floors.doorways(HALL, {(1, 1), (2, 1), (1, 2), (2, 2)}, (1, 1)) == [(3, 2)]


@pytest.mark.parametrize("seed", range(6))
def test_every_lock_of_a_dungeon_can_be_opened(seed):
    made = make_dungeon(40, 26, seed, locks=3, rooms=8, simulations=15)
    plan, things = made.plan, made.plan.things
    doors, keys = things["doors"], things["keys"]
    assert len(doors) == len(keys) >= 1
    entered, have = walk(made.rows, plan.entrance, doors, keys)
    assert len(have) == len(doors)
    floor = {(int(x), int(y)) for y, x in np.argwhere(plan.walls == 0)}
    assert entered == floor  # the exit and all treasure among it
    # each door parts something from the entrance
    for door in doors:
        alone, _ = walk(made.rows, plan.entrance, [door], [])
        assert alone < floor - {door}
    everything = [*itertools.chain(*things.values()), plan.entrance, plan.exit]
    assert len(set(everything)) == len(everything)
    assert "".join(made.rows).count("A") == "".join(made.rows).count("a") == 1


def test_locks_make_the_walk_longer():
    made = make_dungeon(seed=3, simulations=60)
    plan, floors = made.plan, Floors(made.plan.walls)
    doors, keys = plan.things["doors"], plan.things["keys"]
    direct = floors.steps(plan.entrance, plan.exit)
    assert floors.walk(plan.entrance, plan.exit, doors, keys) > direct


def test_a_dungeon_without_locks():
    made = make_dungeon(40, 26, 1, locks=0, simulations=10)
    assert made.locks == []
    assert set(made.scores) == {"rooms", "monsters", "treasure", "traps"}
    with pytest.raises(tw.OptionError, match="locks must be a whole number from 0 to 40"):
        dungeon(locks=-1)


def test_a_picture_shows_every_kind_of_thing():
    made = make_dungeon(40, 26, 2, locks=2, simulations=10)
    pixels = made.paint(8)
    assert pixels.shape == (26 * 8, 40 * 8, 3)
    empty = scene.paint(made.plan.walls, [], 8)
    for x, y in [*itertools.chain(*made.plan.things.values()), made.plan.exit]:
        here = np.s_[y * 8 : (y + 1) * 8, x * 8 : (x + 1) * 8]
        assert (pixels[here] != empty[here]).any()
    assert made.paint(16).shape == (26 * 16, 40 * 16, 3)
    assert all(len(row) == 8 for s in scene.SPRITES.values() for row in s.split("|"))


def test_locks_for_tiled():
    layers = {layer.name: layer for layer in make_dungeon(40, 26, 2, simulations=10).layers()}
    assert [thing.kind for thing in layers["locks"].things] == ["locked door", "key"] * 2
