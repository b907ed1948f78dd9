"""Experiments on two raylets by the command, as in ``make cluster-test``: minutes, not seconds."""

import os
import random
import signal
import time

import pytest

KILLS = 10
pytestmark = pytest.mark.skipif(
    "TREEWRIGHT_CLUSTER_TEST" not in os.environ, reason="make cluster-test runs it"
)


def test_threads_processes_and_ray_give_the_same_rows(raylets):
    raylets.run("--engine", "threads", "--workers", "2", store="threads")
    raylets.run("--engine", "processes", "--workers", "2", store="processes")
    found = raylets.run("--cluster", raylets.address, store="ray")
    assert (found["done"], found["computed"], found["failed"]) == (12, 12, 0)
    assert raylets.rows("threads") == raylets.rows("processes") == raylets.rows("ray")
    assert len(raylets.rows("ray")) == 12
    assert raylets.run("--cluster", raylets.address, store="ray")["computed"] == 0


def test_a_cell_that_fails_is_reported_with_what_it_was(raylets):
    arguments = ("experiment", "run", "far", "--scale", "paper", "--cluster", raylets.address)
    out, err = raylets.call(*arguments, "--quiet", store="failing", code=1)
    assert "4 of 4 cells" in out
    assert "3 failed" in out
    assert "ValueError: no way" in err
    assert "MemoryError: way=greedy pause=0.0 seed=0 needs more memory than there is" in err
    assert "way=crash pause=0.0 seed=0: its process died 2 times" in err


def test_a_raylet_is_killed(raylets):
    """At a random moment; as often as asked."""
    dice = random.Random(27)
    raylets.run("--scale", "laptop", "--engine", "threads", "--workers", "20", store="whole")
    for kill in range(KILLS):
        store, before = f"killed-{kill}", len(raylets.starts())
        run = ("experiment", "run", "far", "--scale", "laptop", "--json")
        process = raylets.start(*run, "--cluster", raylets.address, store=store)
        while len(raylets.starts()) == before:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        time.sleep(dice.uniform(0.0, 6.0))
        assert process.poll() is None, "it ended before the kill"
        raylets.kill()
        try:
            out, err = process.communicate(timeout=200)
        finally:
            raylets.add()
        assert process.returncode == 0, out + err
        assert out.startswith("["), "Ray has printed among our answer"
        assert raylets.rows(store) == raylets.rows("whole")
        again = len(raylets.starts()) - before - 40
        print(f"kill {kill + 1}: {len(raylets.rows(store))} rows, {again} cells begun again")
        assert 0 <= again <= 3


def test_the_driver_is_killed_and_resumed(raylets):
    before = len(raylets.starts())
    run = ("experiment", "run", "far", "--scale", "laptop", "--cluster", raylets.address)
    process = raylets.start(*run, store="resumed")
    while len(raylets.rows("resumed")) < 5:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    kept = raylets.rows("resumed")
    assert 5 <= len(kept) < 40
    process = raylets.start(*run, "--time", "3", store="resumed")  # and it stops in time
    assert process.wait(timeout=100) == 0, process.communicate()
    more = len(raylets.rows("resumed"))
    here = ("--scale", "laptop", "--engine", "threads", "--workers", "20")
    found = raylets.run(*here, store="resumed")
    assert found["computed"] == 40 - more
    raylets.run(*here, store="whole")
    assert raylets.rows("resumed") == raylets.rows("whole")
    assert set(kept) <= set(raylets.rows("resumed"))
    assert len(raylets.starts()) - before <= 40 + 4 + 40


def test_ctrl_c_keeps_what_runs(raylets):
    run = ("experiment", "run", "far", "--scale", "laptop", "--cluster", raylets.address)
    process = raylets.start(*run, store="interrupted")
    while not raylets.rows("interrupted"):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped (interrupt)" in out
    assert 0 < len(raylets.rows("interrupted")) < 40


def test_other_code_on_the_driver_is_refused(raylets, tmp_path):
    """In one sentence, and nothing is stored."""
    text = (raylets.folder / "modules" / "far.py").read_text()
    (tmp_path / "far.py").write_text(text.replace("Nothing.", "Something."))
    run = ("experiment", "run", "far", "--quiet", "--cluster", raylets.address)
    out, err = raylets.call(*run, store="unlike", first=tmp_path, code=2)
    assert out == ""
    assert err.count("\n") == 1
    assert "has code" in err
    assert "install the same on every machine" in err
    assert raylets.rows("unlike") == []
