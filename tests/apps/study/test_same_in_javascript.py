"""The browser's game and ours are the same, number by number, after every tick."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from study_worlds import GYM, scribble, world_of

from treewright.apps.levels import game, physics
from treewright.apps.levels.finish import play_live
from treewright.apps.levels.generate import generate, own_levels
from treewright.apps.levels.replay import _compiled, decode
from treewright.apps.levels.world import World
from treewright.apps.study import bots

ENGINE = Path(bots.__file__).parent / "static" / "engine.mjs"
needs_node = pytest.mark.skipif(
    shutil.which("node") is None, reason="node is not installed: the browser's game can't be run"
)


def run_in_node(jobs):
    script = Path(__file__).parent / "run_game.mjs"
    out = subprocess.run(
        ["node", str(script), str(ENGINE)], input=json.dumps(jobs), capture_output=True, text=True
    )
    assert out.returncode == 0, out.stderr
    return json.loads(out.stdout)


def run_here(world, runs):
    """The same digests from the compiled step."""
    now, digests = world.begin(), []
    events, trace = np.zeros((30_000, 4), np.int32), np.zeros((0, 2))
    step = _compiled()
    for key in decode(runs):
        if now.status[game.OUTCOME] != game.PLAYING:
            break
        step(*now.arrays, events, np.array([key]), trace)
        hashed = hashlib.md5(now.body.tobytes() + now.status.astype(float).tobytes())
        for part in (now.things, now.cells, now.coins):
            hashed.update(part.tobytes())
        digests.append(hashed.hexdigest()[:8])
    return digests, events[: now.status[game.EVENTS]].tolist()


@needs_node
def test_same_numbers_after_every_tick(levels):
    """Players who get far, and scribbles of every key, over generated levels."""
    dice = np.random.default_rng(1)
    jobs = []
    up_first = [[2, 6], [0, 20], [8, 9], [0, 60]]  # for the power-up
    for number, level in enumerate(levels):
        world = World(level, number)
        skills = [bots.EXPERIENCED, bots.Skill(6, 0.2, 0.0)]
        played = [bots.attempt(world, skill, seed) for skill in skills for seed in range(4)]
        played += [scribble(dice, 600) for _ in range(60)]
        played.append(play_live(level, seed=number).runs)
        jobs += [(world, runs) for runs in played]
    for seed in range(3):
        gym = world_of(GYM, seed)
        jobs += [(gym, up_first + scribble(dice, 900)) for _ in range(60)]
        jobs.append((gym, [[game.GIVE_UP | 2, 1], [2, 9]]))
    found = run_in_node([{"world": w.to_dict(), "runs": r} for w, r in jobs])
    ticks, kinds = 0, set()
    for (world, runs), theirs in zip(jobs, found["games"], strict=True):
        digests, events = run_here(world, runs)
        first = next((i for i, d in enumerate(digests) if d != theirs["digests"][i]), None)
        assert first is None, f"{world.level.where}: tick {first} differs"
        assert events == theirs["events"]
        ticks += len(digests)
        kinds |= {e[1] for e in events}
    assert ticks > 20_000
    assert kinds == set(range(1, 17)), "every kind of event has happened somewhere"


@needs_node
def test_levels_finished_with_enemies_alive_are_won_in_javascript_too():
    """Whole levels of 320 slices by the search player; TREEWRIGHT_ALIVE=100 plays a hundred."""
    domain = own_levels()
    jobs = []
    for seed in range(int(os.environ.get("TREEWRIGHT_ALIVE", "2"))):
        level = generate(domain, 31_000 + seed).level
        played = play_live(level, seed)
        assert played.finished, played.text
        jobs.append((World(level), played.runs))
    found = run_in_node([{"world": w.to_dict(), "runs": r} for w, r in jobs])["games"]
    for (world, runs), theirs in zip(jobs, found, strict=True):
        assert run_here(world, runs) == (theirs["digests"], theirs["events"])
        assert theirs["events"][-1][1] == game.E_WIN
    print(f"{len(jobs)} levels, {sum(len(g['digests']) for g in found):,} ticks")


@needs_node
def test_touch_gamepad_and_keyboard_play_a_level_to_its_end(levels):
    """The page's player without a page: each device starts it, pauses it, and presses the keys."""
    level = levels[0]
    runs, world = play_live(level, seed=0).runs, World(level)
    jobs = [
        {"world": world.to_dict(), "runs": runs, "device": device}
        for device in ("touch", "gamepad", "keyboard")
    ]
    script = Path(__file__).parent / "run_inputs.mjs"
    out = subprocess.run(
        ["node", str(script), str(ENGINE.parent / "play.mjs")],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
    )
    assert out.returncode == 0, out.stderr
    for job, found in zip(jobs, json.loads(out.stdout), strict=True):
        assert found["phases"] == ["waiting", "playing", "waiting", "playing"], job["device"]
        assert found["tape"] == runs, job["device"]
        assert found["won"]


@needs_node
def test_same_constants():
    theirs = run_in_node([])["constants"]
    for name, value in theirs.items():
        ours = getattr(game, name) if hasattr(game, name) else getattr(physics, name)
        assert ours == value, name
    own = {n for n, v in vars(game).items() if n.isupper() and isinstance(v, (int, float))}
    assert own <= set(theirs)
