"""What must hold on two raylets, in one test: to start them takes longer than to use them.

``make cluster-test`` tries the same by the command, ten times and with more that goes wrong.
"""

import random
import signal
import sys
import threading
import time

import pytest

import treewright as tw


def rows_of_cells(raylets, engine, store, scale, **more):
    """Run the experiment in this process; its progress."""
    from treewright.workshop.experiments.registry import experiment
    from treewright.workshop.experiments.runner import run
    from treewright.workshop.experiments.store import Store

    with Store(raylets.folder / store) as opened:
        return run(experiment("far"), opened, engine, scale=scale, **more)


def the_driver_dies(raylets, store):
    """By the command, as a user would; what was finished is there."""
    run = ("experiment", "run", "far", "--scale", "laptop", "--cluster", raylets.address)
    process = raylets.start(*run, store=store)
    while len(raylets.rows(store)) < 3:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert 3 <= len(raylets.rows(store)) < 40


def the_rest_is_computed_though_a_raylet_is_killed(raylets, engine, store):
    from treewright.workshop.experiments.executors import executor

    moment = random.uniform(0.0, 5.0)
    killer = threading.Timer(moment, raylets.kill)
    killer.start()
    before = len(raylets.rows(store))
    done = rows_of_cells(raylets, engine, store, "laptop")
    killer.join()
    assert (done.done, done.failed) == (40, 0), f"after {moment:.2f} s: {done.errors}"
    assert done.computed == 40 - before
    for name, workers in (("threads", 20), ("processes", 2)):
        scale = "laptop" if name == "threads" else "smoke"
        with executor(name, workers) as here:
            rows_of_cells(raylets, here, name, scale)
    assert raylets.rows(store) == raylets.rows("threads")
    rows_of_cells(raylets, engine, "ray", "smoke")
    assert raylets.rows("ray") == raylets.rows("processes")
    assert len(raylets.rows("ray")) == 12


def cells_that_fail_are_reported(raylets, engine):
    done = rows_of_cells(raylets, engine, "failing", "paper")
    assert (done.done, done.failed) == (4, 3)
    said = " ".join(done.errors)
    assert "ValueError: no way" in said
    assert "MemoryError: way=greedy pause=0.0 seed=0 needs more memory than there is" in said
    assert "way=crash pause=0.0 seed=0: its process died 2 times" in said


def other_code_is_refused(raylets, engine, monkeypatch):
    from treewright.library.cluster import jobs

    cluster = engine._cluster
    monkeypatch.setattr(jobs, "likeness", lambda where: {"code": "0" * 12})
    monkeypatch.setattr(cluster, "_like", {})
    with pytest.raises(tw.TreewrightError, match=r"has code .* install the same on every machine"):
        rows_of_cells(raylets, engine, "unlike", "smoke")
    assert raylets.rows("unlike") == []
    monkeypatch.undo()


def test_on_two_raylets(raylets, monkeypatch):
    monkeypatch.syspath_prepend(raylets.folder / "modules")
    monkeypatch.setenv("FAR_LOG", str(raylets.log))
    from treewright.library.applications import applications
    from treewright.library.cluster.likeness import _code
    from treewright.workshop.experiments.executors import executor

    applications.cache_clear()
    _code.cache_clear()
    try:
        the_driver_dies(raylets, "whole")
        with executor("", None, raylets.address) as engine, pytest.MonkeyPatch.context() as patch:
            assert engine.slots == 2
            the_rest_is_computed_though_a_raylet_is_killed(raylets, engine, "whole")
            cells_that_fail_are_reported(raylets, engine)
            other_code_is_refused(raylets, engine, patch)
    finally:
        applications.cache_clear()
        _code.cache_clear()
        sys.modules.pop("far", None)
