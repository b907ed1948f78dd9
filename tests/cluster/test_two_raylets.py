"""What must hold on two raylets, in one test: to start them takes longer than to use them.

``make cluster-test`` runs it, and tries the same by the command, ten times and with more that goes
wrong.  It is not in the ordinary run: on a busy machine Ray may take minutes to start.
"""

import os
import random
import signal
import threading
import time

import pytest

import treewright as tw
from treewright.apps.games.connect_four import ConnectFour
from treewright.apps.games.nim import Nim

pytestmark = pytest.mark.skipif(
    "TREEWRIGHT_CLUSTER_TEST" not in os.environ, reason="make cluster-test runs it"
)


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
    raylets.add()
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
    done = rows_of_cells(raylets, engine, "failing", "paper", only={"pause": ["0.0"]})
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


def one_search_on_both(address):
    """As two threads would find it; a share that is lost costs its part."""
    options = tw.Options(c=0.7, solver=True)
    near = tw.Search(ConnectFour(), options, seed=3, workers=2)
    with tw.ClusterSearch(
        ConnectFour(), options, seed=3, workers=2, cluster=address, early=False
    ) as far:
        for _ in range(2):
            one, other = near.run(3_000), far.run(3_000)
            assert other.trees == one.trees == 2
            assert one.children == other.children
            assert (one.best, one.simulations, one.created) == (
                other.best,
                other.simulations,
                other.created,
            )
            near.commit(one.best)
            far.commit(one.best)
        far._early = True
        merges = []
        soon = far.run(seconds=3600, progress=merges.append, until=lambda seen: len(merges) == 2)
        assert soon.stopped == "until"
        assert merges[0].simulations <= merges[1].simulations == soon.simulations
        import ray

        ray.kill(far._shares[1])
        kept = far.run(2_000)
        assert list(far._shares) == [0]
        assert kept.simulations > soon.simulations
        assert kept.best in dict(kept.variation)
    with pytest.raises(tw.TreewrightError, match="workers=99: the cluster has"):
        tw.ClusterSearch(ConnectFour(), workers=99, cluster=address)


def a_decided_search_stops(address):
    """Nim with five stones: whoever takes one leaves a lost position, and that is soon clear."""
    with tw.ClusterSearch(Nim(heap=5), workers=1, cluster=address, seed=1) as far:
        found = far.run(3_000)
    assert found.stopped == "decided"
    assert found.best == 1
    assert found.simulations < 3_000
    assert found.visits - found.children[1].visits > 3_000 - found.simulations


def sets_are_the_same(address, tmp_path):
    """Levels in shards, tuning and a plain function: the map of a cluster is Python's map."""
    from treewright.library.cluster.jobs import Cluster
    from treewright.library.options import Options
    from treewright.workshop.tuning import Task, parse

    with Cluster(address) as there:
        task = Task("connect-four", {}, Options(), parse(["c"]), 20, 4)
        values = {"c": 1.0}
        assert task.scores(values, range(4)) == task.scores(values, range(4), there.map)
        bounds, how = [(-5.0, 5.0)] * 2, {"budget": 60, "seed": 4}
        here = tw.minimize(bowl, bounds, **how)
        there.carry(bowl)
        assert tw.minimize(bowl, bounds, workers=there.map, **how).curve == here.curve
        with pytest.raises(tw.DomainError, match="the function raised ValueError: too far"):
            tw.minimize(steep, bounds, workers=there.map, **how)


def bowl(x):
    return float(sum(v * v for v in x))


def steep(x):
    raise ValueError("too far")


def test_on_two_raylets(member, tmp_path):
    from treewright.workshop.experiments.executors import executor

    the_driver_dies(member, "cut")
    with executor("", None, member.address) as engine, pytest.MonkeyPatch.context() as patch:
        assert engine.slots == 2
        the_rest_is_computed_though_a_raylet_is_killed(member, engine, "cut")
        cells_that_fail_are_reported(member, engine)
        other_code_is_refused(member, engine, patch)
        one_search_on_both(member.address)
        a_decided_search_stops(member.address)
        sets_are_the_same(member.address, tmp_path)
