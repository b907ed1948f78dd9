"""Features: each from a game whose events are known."""

import numpy as np
import pytest
from study_worlds import GYM, holding, scribble, world_of

from treewright.apps.levels import game
from treewright.apps.levels.physics import JUMP, LEFT, RIGHT, SPEED
from treewright.apps.levels.replay import Attempt, replay
from treewright.apps.study.features import FEATURES, SECOND, features

FLAT = "------------------------F\nXXXXXXXXXXXXXXXXXXXXXXXXX"


def of(world, *attempts):
    played = [replay(world, runs) for runs in attempts]
    return features(world.totals, world.level.goal_column, played)


def test_times_of_a_walk():
    found = of(world_of(FLAT), holding((RIGHT, 20), (0, 60), (LEFT | SPEED, 8), (0, 92)))
    assert found["total_time"] == pytest.approx(180 / SECOND)
    parts = [found[f"time_{k}"] for k in ("left", "right", "still")]
    assert sum(parts) == pytest.approx(found["total_time"])
    assert min(parts) > 0
    assert 0 < found["time_running"] <= 8 / SECOND + 1e-9
    assert found["run_presses"] == 1
    assert found["time_small"] == pytest.approx(found["total_time"])


def test_attempts_add_up_and_the_last_is_the_completion():
    world = world_of("------------F\nXXXX--XXXXXXX")
    died, won = (
        holding((RIGHT, 90)),
        holding((0, 2), (RIGHT | SPEED, 2), (RIGHT | SPEED | JUMP, 8), (RIGHT, 60)),
    )
    found = of(world, died, won)
    assert (found["attempts"], found["deaths"], found["deaths_gap"]) == (2, 1, 1)
    assert found["finished"] == 1
    assert found["progress"] == 1
    assert found["completion_time"] == pytest.approx(replay(world, won).ticks / SECOND)
    assert found["total_time"] > found["completion_time"]


def test_jumps_presses_and_aims():
    found = of(
        world_of(FLAT), holding((0, 2), (JUMP, 3), (0, 20), (JUMP, 8), (0, 3), (JUMP, 2), (0, 30))
    )
    assert found["jump_presses"] == 3, "pressed once in the air"
    assert found["jumps"] == 2
    assert found["aimless_jumps"] == 2
    assert found["unused_jumps"] == 2


def test_counts_from_a_made_up_log():
    """Kills, items and modes, straight from the definition."""
    rows = [
        (1, game.E_KEYS, 2 | 4),
        (1, game.E_GO, 1),
        (10, game.E_BUMP, game.POWER_BLOCK),
        (20, game.E_ITEM, 0),
        (20, game.E_POWER, 1),
        (25, game.E_KEYS, 2),
        (30, game.E_STOMP, game.GREEN),
        (40, game.E_KICK, game.GREEN),
        (44, game.E_SHELL, game.GOOMBA),
        (45, game.E_SHELL, game.FLOWER),
        (50, game.E_BUMP, game.BRICK),
        (50, game.E_BREAK, 0),
        (60, game.E_COIN, 0),
        (80, game.E_HURT, game.BULLET),
        (80, game.E_POWER, 0),
        (100, game.E_DIE, game.BULLET),
    ]
    log = np.array([(t, e, v, 0) for t, e, v in rows], np.int32)
    life = Attempt(game.DIED, game.BULLET, 100, 1, log, np.zeros((100, 2)))
    world = world_of(GYM)
    found = features(world.totals, 50, [life])
    assert (found["kills"], found["kills_stomp"], found["kills_shell"]) == (3, 1, 2)
    assert (found["kills_green_turtle"], found["kills_goomba"], found["kills_flower"]) == (1, 1, 1)
    assert found["shells_kicked"] == 1
    assert found["time_large"] == pytest.approx(60 / SECOND)
    assert found["mode_switches"] == 2
    assert found["deaths_bullet"] == 1
    assert (found["power_blocks"], found["empty_blocks"], found["blocks_broken"]) == (1, 1, 1)
    assert found["power_block_share"] == 1
    assert found["time_running"] == pytest.approx(24 / SECOND)
    assert found["coin_share"] == pytest.approx(1 / (world.totals.coins + world.totals.coin_blocks))


def test_every_feature_has_a_number_a_category_and_a_place_in_the_docs(root):
    found = of(world_of(GYM), scribble(np.random.default_rng(0), 300))
    assert set(found) == {f.name for f in FEATURES}
    assert {f.category for f in FEATURES} == {
        "time",
        "jump",
        "death",
        "item",
        "kill",
        "miscellaneous",
    }
    text = (root / "docs" / "study.md").read_text()
    for feature in FEATURES:
        assert f"`{feature.name}` | {feature.definition}" in text, feature.name


def test_nothing_played_is_nothing():
    world = world_of(GYM)
    assert features(world.totals, 60, [])["attempts"] == 0
