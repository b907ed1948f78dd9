"""Where the moves end: leaps that the engine's own ticks find, and nothing that can't be done."""

import random

import numpy as np
import pytest

from treewright.apps.levels.check import fly
from treewright.apps.levels.experiments import exact_kernel
from treewright.apps.levels.experiments.false_rejects import flown, judged, mutant
from treewright.apps.levels.level import Level
from treewright.apps.levels.physics import LARGE, SMALL, TILE
from treewright.apps.levels.player import play
from treewright.apps.levels.ways import UNKNOWN, ways_to_goal

STAIRS = Level(
    (
        "---------------------------",
        "---------------------------",
        "---------------------------",
        "---------------------------",
        "---------------------------",
        "----------------S----------",
        "---------------------------",
        "---------------------------",
        "---------------------------",
        "----------X--------XX------",
        "---------XXX-------XX------",
        "--------XXXX-------XX------",
        "-------XXXX--------X--XXXXX",
        "XXXXXXXXXXX--------X--XXXXX",
    )
)


def test_a_run_over_stairs_and_a_jump_on_from_it():
    """The hole of eight under a brick at which the moves alone give up."""
    assert not play(STAIRS, "large", leaps=False).playable
    report = play(STAIRS, "large")
    assert report.playable
    assert flown(STAIRS, report, LARGE)
    (leap,) = [step for step in report.path if step.move.keys]
    assert leap.move.name.startswith("leap")
    left = ways_to_goal(STAIRS, "large").left
    assert left[report.start[1], report.start[0]] < UNKNOWN


@pytest.mark.parametrize("seed", [0, 3, 6])
def test_mutants_that_only_leaps_finish(seed):
    level = mutant(seed)
    assert not play(level, "large", leaps=False).playable
    report = play(level, "large")
    assert report.playable
    assert flown(level, report, LARGE)
    assert judged(level, LARGE) == exact_kernel.FINISHED


def test_what_the_exact_search_exhausts_is_refused():
    level = mutant(7)
    assert judged(level, LARGE) == exact_kernel.EXHAUSTED
    assert not play(level, "large").playable


@pytest.mark.parametrize(("wide", "can"), [(10, True), (13, False)])
def test_a_gap_after_a_long_run_up(wide, can):
    """By the engine's tables ten columns can be jumped after a run, and no more."""
    ground = "X" * 14 + "-" * wide + "X" * 8
    level = Level((*["-" * len(ground)] * 9, ground))
    assert play(level, "small").playable == can


def test_a_thin_or_hidden_tile_is_nothing_to_rely_on():
    """A wall of seven with a hidden block as the only step: an engine need not show it in time."""
    rows = [list("-" * 24) for _ in range(13)] + [list("X" * 24)]
    for row in range(6, 13):
        rows[row][14] = "X"
    rows[9][12] = "X"
    solid = Level(tuple("".join(row) for row in rows))
    assert play(solid, "small").playable
    rows[9][12] = "2"
    hidden = Level(tuple("".join(row) for row in rows))
    assert not play(hidden, "small").playable


def test_leaps_end_where_they_say_from_a_little_beside_too():
    dice = random.Random(1)
    level = mutant(3)
    cells = np.asarray(level.stops, np.uint8)
    here = (report := play(level, "small")).start
    for step in report.path:
        if step.move.keys:
            for _ in range(5):
                beside = dice.uniform(-0.05, 0.05)
                _, (x, y) = fly(step, here, SMALL, cells, np.zeros_like(cells), beside)
                assert (int(x // TILE), int(y // TILE)) == (step.column, step.row)
        here = (step.column, step.row)
