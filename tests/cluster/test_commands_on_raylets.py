"""Experiments on two raylets by the command, as in ``make cluster-test``: minutes, not seconds."""

import json
import os
import random
import re
import signal
import subprocess
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
    "optimize wing.py:drag --dim 3 --bounds 0,1 --budget 100",
)
WING = """
import json  # which Numba can't compile


def drag(x):
    return json.loads(json.dumps(sum((v - 0.3) ** 2 for v in x)))
"""
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


@pytest.mark.parametrize(
    ("edited", "said"),
    [
        ("import ray; ray.__version__ = '2.1.0'", "runs another version of Ray or of Python"),
        ("import treewright; treewright.__version__ = '0.0.1'", "the driver has 0.0.1: install"),
    ],
    ids=["ray", "treewright"],
)
def test_another_version_on_the_driver_is_refused(raylets, edited, said):
    run = ("experiment", "run", "far", "--quiet", "--cluster", raylets.address)
    out, err = raylets.call(*run, store="unlike", before=edited, code=2)
    assert out == ""
    assert err.count("\n") == 1
    assert said in err
    print(err.strip())
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
    """The whole command beside the same on processes, in turns: to start and to end counts."""
    spent = {"ray": 0.0, "processes": 0.0}
    for trial in range(2):
        for engine, how in (
            ("ray", ("--cluster", raylets.address)),
            ("processes", ("--workers", "2")),
        ):
            began = time.monotonic()
            found = raylets.run(
                "--scale", "paper", "--only", "pause=1.0", *how, store=f"{engine}-{trial}"
            )
            spent[engine] += time.monotonic() - began
            print(f"{engine}: {found['seconds']:.2f} s for {found['computed']} cells of 1 s")
    ratio = spent["ray"] / spent["processes"]
    print(f"whole commands: {spent}; Ray takes {ratio:.3f} times as long as processes")
    assert ratio <= 1.1


def test_strength_of_two_trees(member):
    """Two trees of N/2 on two raylets against one of N/2, and beside one of N; Connect Four."""
    import treewright as tw
    from treewright.apps.games.connect_four import ConnectFour
    from treewright.workshop.experiments.stats import rate

    half, games = 250, int(os.environ.get("TREEWRIGHT_CLUSTER_GAMES", "300"))
    with tw.ClusterSearch(ConnectFour(), workers=2, cluster=member.address, seed=10) as far:
        for budget in (half, 2 * half):
            near = tw.Search(ConnectFour(), seed=78)
            share = rate(
                sum(points(far, near, 2 * half, budget, g % 2) for g in range(games)), games
            )
            print(
                f"two trees of {half} on two raylets against one of {budget}: {share.value:.1%} "
                f"({share.low:.1%} to {share.high:.1%}, {games} games)"
            )
            if budget == half:
                assert share.low > 0.5


def points(far, near, ours, theirs, seat):
    """What the search far away wins in one game, with empty trees at each move."""
    import treewright as tw

    game = tw.Position(near.domain)
    while not game.ended:
        search, simulations = (far, ours) if game.player == seat else (near, theirs)
        search.begin(game.state)
        game.play(search.run(simulations).best)
    return game.rewards()[seat]


def test_levels_in_shards(raylets, tmp_path):
    """The same files from two raylets as from here, though each machine writes its own."""
    run = ("level", "generate", "--count", "250", "--length", "40", "--rollouts", "20", "--json")
    run += ("--shared", "1")  # so short ones are much alike
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


def test_a_disk_is_full(raylets, tmp_path):
    """A real one, of 32 KiB, on which the workers are to write their shards."""
    mount = ("mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(tmp_path))
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("NO DISK CAN BE MOUNTED HERE: a full one on a worker is not tested")
    run = ("level", "generate", "--count", "300", "--length", "40", "--rollouts", "20")
    try:
        target = ("--shared", "1", "--quiet", "--shards", str(tmp_path / "set"))
        out, err = raylets.call(*run, *target, "--cluster", raylets.address, code=2)
        left = [p.name for p in (tmp_path / "set").iterdir() if p.stat().st_size == 0]
    finally:
        subprocess.run(("umount", str(tmp_path)), check=True)
    assert out == ""
    assert re.search(r"can't write .* to file://.*: No space left on device", err)
    assert err.count("\n") == 1
    assert left == []
    print(err.strip())


def test_sets_by_the_command(raylets):
    """Stories, maps, games and levels are those of one machine."""
    (raylets.folder / "wing.py").write_text(WING)
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


def test_the_page_runs_as_printed(member, root, capsys):
    shown = re.findall(
        r"^```python\n(.*?)^```", (root / "docs" / "cluster.md").read_text(), re.S | re.M
    )
    assert shown
    for block in shown:
        exec(block.replace('"auto"', repr(member.address)), {})
    assert " 2 " in capsys.readouterr().out
