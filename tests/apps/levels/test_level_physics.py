"""The player: engine constants, moves, what can be reached, and that nothing else is accepted."""

import functools
import json
import random
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from treewright.apps.levels import extract, moves, physics, reach
from treewright.apps.levels.check import check, fly
from treewright.apps.levels.formats import read_corpus
from treewright.apps.levels.generate import own_corpus
from treewright.apps.levels.level import Level
from treewright.apps.levels.moves import ABOVE, as_tables, every_move, to_the_right
from treewright.apps.levels.physics import JUMP, LARGE, LEFT, RIGHT, SMALL, SPEED, TILE, VX, X, Y
from treewright.apps.levels.player import Map, play

ROW = 10  # of the floor in the little worlds below


def world(columns=60, rows=14, floor=range(60)):
    cells = np.zeros((rows, columns), np.uint8)
    cells[ROW, list(floor)] = 1
    return cells, np.zeros_like(cells)


def standing(column=5):
    return physics.at_rest(TILE * column + 8.0, physics.stand_on(ROW - 1))


# ------------------------------------------------------------------------- engine constants


@pytest.mark.parametrize(
    ("hold", "apex", "ticks"),
    [(1, 26.11, 9), (2, 39.41, 11), (3, 47.38, 12), (4, 53.89, 13), (6, 62.64, 15), (8, 66.5, 16)],
)
def test_a_jump_rises_as_measured_in_the_engine(hold, apex, ticks):
    cells, seen = world()
    body = standing()
    ground = body[Y]
    highest, time = 0.0, 0
    while time == 0 or not body[physics.GROUNDED]:
        physics.tick(body, JUMP if time < hold else 0, SMALL, cells, seen)
        highest = max(highest, ground - body[Y])
        time += 1
    assert highest == pytest.approx(apex, abs=0.01)
    assert time == ticks


def test_running_gets_as_fast_as_measured():
    """Pixels a tick after 1, 2, 4, 8 and 12 tiles from rest, and the top speed of walking."""
    cells, seen = world()
    body = standing()
    start, speeds = body[X], {}
    for _ in range(40):
        before = body[X]
        physics.tick(body, RIGHT | SPEED, SMALL, cells, seen)
        speeds.setdefault(int((body[X] - start) // TILE), body[X] - before)
    assert [round(speeds[k], 1) for k in (1, 2, 4, 8, 12)] == [5.5, 6.6, 8.2, 9.7, 10.4]
    body = standing()
    for _ in range(80):
        before = body[X]
        physics.tick(body, RIGHT, SMALL, cells, seen)
    assert body[X] - before == pytest.approx(5.45, abs=0.01)


def test_falling_is_as_measured():
    cells, seen = world(floor=[])
    body = standing()
    body[physics.VY] = 0.0
    fallen = []
    for _ in range(8):
        physics.tick(body, 0, SMALL, cells, seen)
        fallen.append(body[Y] - physics.stand_on(ROW - 1))
    assert [pytest.approx(f, abs=0.1) for f in fallen] == [
        0.0,
        3.0,
        8.5,
        16.3,
        25.8,
        37.0,
        49.4,
        63.0,
    ]


def test_a_wall_stops_and_a_ceiling_ends_the_jump():
    cells, seen = world()
    cells[ROW - 1, 8] = 1
    body = standing()
    for _ in range(40):
        physics.tick(body, RIGHT | SPEED, SMALL, cells, seen)
    assert body[X] == 8 * TILE - physics.HALF_WIDTH - 1
    assert body[VX] == 0.0 or abs(body[VX]) < 2
    cells, seen = world()
    cells[ROW - 3, :] = 1  # two free rows
    body = standing()
    lowest = body[Y]
    for _ in range(20):
        physics.tick(body, JUMP, SMALL, cells, seen)
        lowest = min(lowest, body[Y])
    assert lowest - SMALL == (ROW - 2) * TILE


# ------------------------------------------------------------------------------------ moves


def test_the_shipped_moves_are_what_the_physics_gives():
    """Every recipe is flown again, and looks at exactly the cells that are written down."""
    numba = pytest.importorskip("numba")
    from treewright.kernel.rebind import Rebinder

    again = Rebinder(numba.njit).function(extract.cells_of_move)
    cells = np.zeros((extract.ROWS, extract.COLUMNS), np.uint8)
    seen = np.zeros((2, *cells.shape), np.uint8)
    for player, height in (("small", SMALL), ("large", LARGE)):
        for move in every_move(player):
            empty, solid = np.zeros((2, extract.WIDEST + 1), np.int64)
            recipe = np.array(move.recipe)
            forward = 1 if move.dx > 0 else -1
            kind = again(recipe, move.dx, move.dy, forward, height, cells, seen, empty, solid)
            assert kind == (extract.TOUCHING if move.touches else extract.CLEAN)
            width = abs(move.dx) + 1
            assert tuple(empty[:width]) == move.empty
            assert tuple(solid[:width]) == move.solid


def land_on_thin(move, height, slack):
    """Where a move ends if its landing tile is there for a falling player only."""
    row, column, forward = 20, 30, 1 if move.dx > 0 else -1
    stance, delay, hold, speed, push, runway = move.recipe
    start = np.zeros((45, 61), np.uint8)
    for i in range(runway + 1):
        start[row + 1, column + forward * i] = 1
    both = start.copy()
    both[row + 1 + move.dy, column + move.dx] = 1
    x = TILE * column + 8.0 + forward * extract.STANCES[stance] + slack
    body = physics.at_rest(x, physics.stand_on(row))
    busy = max(max(delay, 0) + push, max(-delay, 0) + hold)
    for time in range(extract.LIMIT):
        physics.steer(body, extract.keys_at(time, forward, delay, hold, speed, push, body))
        physics.move(body, body[VX], 0.0, height, start, np.zeros_like(start))
        falling = body[physics.VY] > 0
        physics.move(
            body, 0.0, body[physics.VY], height, both if falling else start, np.zeros_like(start)
        )
        physics.settle(body)
        if time >= busy and body[physics.GROUNDED] and body[VX] == 0.0:
            break
    return int(body[X] // TILE) - column, int(body[Y] // TILE) - row


def test_a_move_that_leans_on_the_landing_tile_is_not_used_on_a_jump_through_platform():
    """Such a platform is no wall from the side, and no ceiling from below."""
    leaning = 0
    for player, height in (("small", SMALL), ("large", LARGE)):
        for move in (m for m in every_move(player) if m.dy <= -2 and m.run_up == 0):
            lands = all(
                land_on_thin(move, height, slack) == (move.dx, move.dy) for slack in (-0.6, 0.6)
            )
            assert lands or move.touches, move.name
            leaning += not lands
    assert leaning > 20
    for tile, accepted in (("X", True), ("%", False)):
        columns = ["-" * 12 + "XX", "-" * 8 + tile + "-" * 5]
        for player in ("small", "large"):
            assert play(Level.of_columns(columns), player, leaps=False).playable == accepted


def test_there_are_moves_of_every_sort():
    for player in ("small", "large"):
        right = to_the_right(player)
        assert {m.run_up for m in right} == {0}
        reached = {dy: max(m.dx for m in right if m.dy == dy) - 1 for dy in range(-4, 7)}
        assert list(reached.values()) == [4, 5, 6, 7, 8, 8, 9, 10, 10, 11, 12]  # the fact sheet's
        assert not any(m.dy < -4 for m in every_move(player))
        assert {m.run_up for m in every_move(player)} == {0, 3, 7}
        assert any(m.dx < 0 for m in every_move(player))
        assert any(m.name == "walk 1 right" for m in right)


@pytest.mark.parametrize("player", ["small", "large"])
def test_the_moves_from_rest_land_where_the_reference_does(player, shared):
    text = (shared / "levels/physics" / f"templates-{player}.json").read_text()
    theirs = {(t["dx"], t["dy"]) for t in json.loads(text)["templates"]}
    ours = {(m.dx, m.dy) for m in to_the_right(player)}
    assert theirs == {(dx, dy) for dx, dy in ours if dy <= 10}


def gap_level(runway, gap, up, rows=20):
    """A runway, a gap, and a wide platform so many rows higher; nothing else."""
    floor = rows - 7
    landing = floor - up
    grid = [["-"] * (runway + gap + 6) for _ in range(rows)]
    for column in range(runway):
        grid[floor][column] = "X"
    for column in range(runway + gap, runway + gap + 6):
        grid[landing][column] = "X"
    return Level(tuple("".join(row) for row in grid))


def jump_table(data):
    """Our own table (tools/make_jump_table.py): the runways, the widest gaps by height."""
    table = json.loads((data / "levels/jumps.json").read_text())
    gaps = {int(up): row for up, row in table["widest gap by height"].items()}
    return table["runways"], gaps


def test_our_jump_table_is_the_references(data, shared):
    runways, gaps = jump_table(data)
    text = (shared / "levels/physics/jump-tables.txt").read_text()
    lines = text.split("RUN wide landing")[1].split("WALK")[0].splitlines()
    assert runways == [int(k) for k in lines[1].split()[1:]]
    theirs = {int(up): [int(n) for n in row] for up, *row in map(str.split, lines[2:])}
    assert gaps == {up: row for up, row in theirs.items() if up >= -6}


def test_no_jump_is_accepted_that_the_table_forbids(data):
    """All gap widths and heights, run-ups of 1 to 24 tiles, both players.

    The table is of one jump from rest, as the moves are; leaps (test_leaps.py) may do more.
    """
    runways, gaps = jump_table(data)
    accepted = forbidden = 0
    for up, limits in gaps.items():
        for at, runway in enumerate(runways):
            most = max(limits[: at + 1])  # one may start later on the runway
            for player in ("small", "large"):
                for gap in range(1, most + 3):
                    if play(gap_level(runway, gap, up), player, leaps=False).playable:
                        accepted += 1
                        forbidden += gap > most
    assert forbidden == 0
    assert accepted > 1500
    for runway, gaps in {1: (1, 5), 8: (2, 4), 24: (3,)}.items():  # nor by a leap, 5 up
        assert not any(play(gap_level(runway, gap, 5)).playable for gap in gaps)


def test_levels_that_can_not_be_finished_are_refused(data):
    """A gap under a low ceiling, a gap that is too wide, a wall that is too high."""
    for player in ("small", "large"):
        levels = read_corpus(data / "levels/corpus")
        refused = [Path(one.where).stem for one in levels if not play(one, player).playable]
        assert refused == ["stuck-high-wall", "stuck-long-gap", "stuck-low-ceiling"]
        assert len(levels) == 6


@pytest.mark.parametrize("leaps", [False, True])
def test_the_twenty_public_levels_are_accepted(shared, leaps):
    """All of them; the moves alone miss one, for an eight-tile gap under a brick."""
    for player in ("small", "large"):
        refused = [
            Path(level.where).stem
            for level in read_corpus(shared / "levels/corpus")
            if not play(level, player, leaps).playable
        ]
        assert refused == ([] if leaps else ["mario-3-1"])


def test_our_own_levels_can_be_finished_by_both_players():
    for level in own_corpus():
        for player in ("small", "large"):
            found = check(level, player)
            assert found.report.playable, found.text


# ----------------------------------------------------------------------------- random levels


def random_level(seed, length=40, tiles="XS?EEo"):
    """Rough ground with gaps, walls, ceilings and platforms; many can't be finished."""
    rng = random.Random(seed)
    columns, height, hole = [], 2, 0
    for x in range(length):
        if hole:
            hole -= 1
        elif rng.random() < 0.12 and 3 < x < length - 3:
            hole = rng.randrange(1, 12)
        if rng.random() < 0.25:
            height = min(max(height + rng.randrange(-4, 5), 1), 7)
        ground = 0 if hole else height
        column = ["-"] * (14 - ground) + ["X"] * ground
        for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
            row = rng.randrange(0, 13)
            if column[row] == "-":
                column[row] = rng.choice(tiles)
        columns.append("".join(column))
    columns[0] = columns[-1] = "-" * 12 + "XX"
    return Level.of_columns(columns)


@functools.cache
def rough(seed, player):
    """A random level, and how it was played."""
    level = random_level(seed)
    return level, play(level, player)


@pytest.mark.parametrize("player", ["small", "large"])
def test_an_accepted_path_can_be_flown_in_the_level_itself(player):
    """Soundness: the keys of every move, in the exact engine, among everything that is there.

    A leap begins nearer to its place than a move, and may end anywhere on its tile.
    """
    height = LARGE if player == "large" else SMALL
    flown = refused = 0
    for seed in range(60):
        level, report = rough(seed, player)
        refused += not report.playable
        cells = np.asarray(level.stops, np.uint8)
        here = report.start
        for step in report.path:
            slack, edge = (0.05, 0) if step.move.keys else (0.6, 4)
            for beside in (-slack, 0.0, slack):
                _, (x, y) = fly(step, here, height, cells, np.zeros_like(cells), beside)
                assert y == physics.stand_on(step.row), (seed, step)
                left, right = step.column * TILE + edge, (step.column + 1) * TILE - edge
                assert left <= x < right, (seed, step)
                flown += 1
            here = (step.column, step.row)
    assert flown > 1000
    assert 0 < refused < 55


def taps(body, aim):
    """Keys that bring a player within 0.6 pixels of a place, a tap and a stop at a time."""
    if body[VX] != 0.0:
        return LEFT if body[VX] > 0 else RIGHT
    return 0 if abs(aim - body[X]) <= 0.6 else RIGHT if aim > body[X] else LEFT


@pytest.mark.parametrize("player", ["small", "large"])
def test_a_path_can_be_played_in_one_go_from_start_to_goal(player):
    """One sequence of keys, from a single body: rest, tap to the stance, move, and so on."""
    level = own_corpus()[14]
    report = play(level, player)
    height = LARGE if player == "large" else SMALL
    cells = np.asarray(level.stops, np.uint8)
    seen = np.zeros_like(cells)
    column, row = report.start
    body = physics.at_rest(TILE * column + 8.0, physics.stand_on(row))
    for step in report.path:
        stance, delay, hold, speed, push, _ = step.move.recipe
        forward = 1 if step.move.dx > 0 else -1
        aim = TILE * column + 8.0 + forward * extract.STANCES[stance]
        waited = 0
        while waited < 40:  # what is left of the last fall wears off
            keys = taps(body, aim)
            waited += keys == 0
            physics.tick(body, keys, height, cells, seen)
        busy = max(max(delay, 0) + push, max(-delay, 0) + hold)
        time = 0
        while time <= busy or not body[physics.GROUNDED] or body[VX] != 0.0:
            keys = extract.keys_at(time, forward, delay, hold, speed, push, body)
            physics.tick(body, keys, height, cells, seen)
            time += 1
            assert time < extract.LIMIT, step
        column, row = step.column, step.row
        assert (body[X] // TILE, body[Y]) == (column, physics.stand_on(row)), step
    assert column == level.goal_column
    assert sum(m.move.jumps for m in report.path) > 5


def slow_reach(level, player):
    """The reachable tiles by the moves from rest, to the right, without any bit tricks."""
    at = Map(level, player)
    found = {level.start}
    for column in range(1, level.length):
        for row in at.rows[column]:
            if any(
                (column - m.dx, row - m.dy) in found and at.allows(m, column - m.dx, row - m.dy)
                for m in to_the_right(player)
            ):
                found.add((column, row))
    return found


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**6), player=st.sampled_from(["small", "large"]))
def test_reaching_column_by_column_is_reaching(seed, player):
    level = random_level(seed, 30, "XS?EEo%")
    t = SimpleNamespace(**as_tables(to_the_right(player)))
    s = SimpleNamespace(n=0, far=0, stops=[0] * 32, carries=[0] * 32, reach=[0] * 32)
    found = set()
    for column, tiles in enumerate(level.columns):
        stops, carries, stand, thin = reach.column_masks(tiles, player == "large")
        s.n = column
        if column == 0:
            s.stops[0], s.carries[0] = stops, carries
            s.reach[0] = 1 << (ABOVE + level.start[1])
        else:
            reach.append_column(s, t, stops, carries, stand, thin)
        found |= {(column, r) for r in range(14) if s.reach[column % 32] >> (ABOVE + r) & 1}
    assert found == slow_reach(level, player)


def test_what_the_large_player_can_do_the_small_one_can_do_too():
    for seed in range(40):
        if rough(seed, "large")[1].playable:
            assert rough(seed, "small")[1].playable, seed


def test_the_report_says_where_it_ends_and_why():
    columns = ["-" * 12 + "XX"] * 5 + ["-" * 14] * 12 + ["-" * 12 + "XX"] * 4
    found = check(Level.of_columns(columns, "wide.txt"))
    assert not found.report.playable
    assert found.report.farthest == (4, 11)
    assert "column 5 of 21, row 12: a gap of 12 columns" in found.text
    wall = ["-" * 12 + "XX"] * 5 + ["-" * 4 + "X" * 10] * 3
    assert "the next floor is 8 up" in check(Level.of_columns(wall)).text
    assert found.picture()[:4] == b"\x89PNG"
    floating = Level(("M---", "----", "----", "XXXX"))
    assert "there is no floor below the start" in check(floating).text
    low = Level(("----", "XXXX", "----", "XXXX"))
    assert "no room to stand at the start" in check(low, "large").text


def test_moves_file_is_compact():
    text = Path(moves.__file__).with_name("data") / "moves.json"
    assert text.stat().st_size < 1_500_000
