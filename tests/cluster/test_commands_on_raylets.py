"""Experiments on two raylets by the command, as in ``make cluster-test``: minutes, not seconds."""

import json
import os
import random
import re
import signal
import time

import pytest

KILLS = 10
SETS = (
    "level generate --count 4 --length 40 --rollouts 20 --out set",
    "story generate sherlock --variants 3 --nodes 2000",
    "map generate mcguinness --count 3 --evaluations 2000",
    "go match treewright treewright --games 3 --size 5 --simulations 30",
    "tactics tournament --agents greedy-action,random --games 4",
    "tune connect-four --trials 2 --runs 2 --check 2 --simulations 20 --store STORE",
)
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
    out, err = raylets.call(*arguments, "--only", "pause=0.0", "--quiet", store="failing", code=1)
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


def test_memory_runs_out(raylets, tmp_path):
    """By Ray's own guard, set so low that every cell is over it: reported with its cell."""
    guard = {"RAY_memory_usage_threshold": "0.001", "RAY_memory_monitor_refresh_ms": "50"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in guard.items():
            patch.setenv(name, value)
        run = ("experiment", "run", "far", "--scale", "laptop", "--only", "seed=1", "--quiet")
        out, err = raylets.call(*run, "--only", "way=left", "--cluster", "local", code=1)
    assert "1 failed" in out
    assert "way=left pause=0.4 seed=1: its machine ran out of memory" in err


def test_overhead_of_cells_of_one_second(raylets):
    """Side by side with processes, three times each, in turns; starting counts."""
    import statistics

    spent = {"ray": [], "processes": []}
    for trial in range(3):
        for engine, how in (
            ("ray", ("--cluster", raylets.address)),
            ("processes", ("--workers", "2")),
        ):
            found = raylets.run(
                "--scale", "paper", "--only", "pause=1.0", *how, store=f"{engine}-{trial}"
            )
            spent[engine].append(found["seconds"])
    middle = {engine: statistics.median(times) for engine, times in spent.items()}
    ratio = middle["ray"] / middle["processes"]
    print(f"cells of one second: {spent}; Ray takes {ratio:.3f} times as long as processes")
    assert ratio <= 1.1


def test_strength_of_two_trees(raylets):
    """Two trees of N/2 on two raylets against one of N/2, and beside one of N; Connect Four."""
    import treewright as tw
    from treewright.apps.games.connect_four import ConnectFour
    from treewright.workshop.experiments.stats import rate

    half, games = 500, int(os.environ.get("TREEWRIGHT_CLUSTER_GAMES", "40"))
    domain = ConnectFour()
    start = tw.Position(domain).state
    with tw.ClusterSearch(domain, workers=2, cluster=raylets.address, seed=9) as far:
        for budget in (half, 2 * half):
            won = 0.0
            near = tw.Search(domain, seed=77)
            for game in range(games):
                far.begin(start)
                near.begin(start)
                while not near.position.ended:
                    mine = near.position.player == game % 2
                    search, simulations = (far, 2 * half) if mine else (near, budget)
                    action = search.run(simulations).best
                    for other in (far, near):
                        other.commit(action)
                        if not near.position.ended:
                            other.begin()
                won += near.position.rewards()[game % 2]
            share = rate(won, games)
            print(
                f"two trees of {half} on two raylets against one of {budget}: {share.value:.1%} "
                f"({share.low:.1%} to {share.high:.1%}, {games} games)"
            )
            if budget == half:
                assert share.value > 0.5


def test_levels_in_shards(raylets, tmp_path):
    """The same files from two raylets as from here, though each machine writes its own."""
    run = ("level", "generate", "--count", "250", "--length", "40", "--rollouts", "20", "--json")
    for name, more in (("here", ()), ("there", ("--cluster", raylets.address))):
        raylets.call(*run, "--shards", str(tmp_path / name), *more)
    files = [sorted((tmp_path / name).iterdir()) for name in ("here", "there")]
    assert [f.name for f in files[0]] == [f.name for f in files[1]]
    assert len(files[0]) == 4
    for one, other in zip(*files, strict=True):
        assert one.read_bytes() == other.read_bytes()
    locked = tmp_path / "file"
    locked.write_text("")
    more = ("--shards", str(locked / "below"), "--cluster", raylets.address)
    _, err = raylets.call(*run, *more, code=2)
    assert "can't write index.json" in err


def test_sets_by_the_command(raylets):
    """Stories, maps, games and levels are those of one machine."""
    for line in SETS:
        words = line.split()
        found = []
        for number, more in enumerate(((), ("--cluster", raylets.address))):
            given = [w.replace("STORE", f"tuned-{number}.sqlite") for w in words]
            out, _ = raylets.call(*given, *more, "--json", "--quiet")
            found.append(without_times(json.loads(out)))
        assert found[0] == found[1], words
        print(f"{' '.join(words[:2])}: the same")


def without_times(value):
    """What seconds and the names of stores have to do with is not compared."""
    if isinstance(value, dict):
        dropped = {"seconds", "evaluations_per_second", "store", "found"}
        return {k: without_times(v) for k, v in value.items() if k not in dropped}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def test_the_page_runs_as_printed(raylets, root, capsys):
    shown = re.findall(
        r"^```python\n(.*?)^```", (root / "docs" / "cluster.md").read_text(), re.S | re.M
    )
    assert shown
    for block in shown:
        exec(block.replace('"auto"', repr(raylets.address)), {})
    assert " 2 " in capsys.readouterr().out
