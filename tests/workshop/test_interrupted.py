"""Kill, resume, share: no finished cell is lost or repeated."""

import contextlib
import random
import signal
import sqlite3
import time


def rows(bench) -> dict:
    if not bench.store.exists():
        return {}
    with contextlib.closing(sqlite3.connect(bench.store)) as db:
        try:
            return {
                r[:3]: r[3:]
                for r in db.execute("SELECT settings, seed, code, data, finished FROM cells")
            }
        except sqlite3.OperationalError:  # killed before the tables were there
            return {}


def report(bench, name: str) -> tuple[str, bytes]:
    bench.call("experiment", "report", "toy", "--scale", "smoke", "--out", name)
    page = (bench.folder / name / "toy.md").read_text()
    return page.split("## How this was made")[0], (bench.folder / name / "toy.png").read_bytes()


def test_killed_ten_times_then_resumed(bench):
    bench.toy(seeds=40)  # 160 cells
    dice = random.Random(1)
    seen: dict = {}
    for kill in range(10):
        engine = ("threads", "processes")[kill % 2]
        before = len(bench.starts())
        process = bench.start(
            "experiment", "run", "toy", "--engine", engine, "--workers", "2", TOY_PAUSE="0.05"
        )
        while kill % 5 and len(bench.starts()) == before:  # twice, kill while it starts up
            time.sleep(0.01)
        time.sleep(dice.uniform(0.0, 0.5))
        assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGKILL)
        process.communicate()
        now = rows(bench)
        assert seen.items() <= now.items()  # what was finished is still there, unchanged
        seen = now
    assert 10 < len(seen) < 160
    found = bench.json("experiment", "run", "toy", "--engine", "threads")
    assert found[0]["done"] == 160
    assert found[0]["computed"] == 160 - len(seen)  # nothing finished was repeated
    assert seen.items() <= rows(bench).items()

    other = bench.another()
    other.toy(seeds=40)
    other.call("experiment", "run", "toy", "--engine", "threads", "--quiet")
    assert report(bench, "a") == report(other, "a")


def test_two_runners_share_the_cells(bench):
    bench.toy(seeds=15)  # 60 cells
    both = [
        bench.start("experiment", "run", "toy", "--engine", engine, "--json", TOY_PAUSE="0.05")
        for engine in ("threads", "processes")
    ]
    ends = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], ends
    started = bench.starts()
    assert len(started) == len(set(started)) == 60
    assert len(rows(bench)) == 60
    for out, _ in ends:  # each waited for the other's cells
        assert '"done": 60' in out


def test_ctrl_c_finishes_what_runs_and_starts_nothing(bench):
    bench.toy(seeds=30)
    process = bench.start("experiment", "run", "toy", "--workers", "2", TOY_PAUSE="0.3")
    while len(bench.starts()) < 3:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "stopped (interrupt)" in out
    assert len(bench.starts()) == len(rows(bench)) < 120


def test_time_limit(bench):
    bench.toy(seeds=30)
    found = bench.json(
        "experiment", "run", "toy", "--time", "1", "--engine", "threads", TOY_PAUSE="0.1"
    )
    assert found[0]["stopped"] == "time"
    assert 0 < found[0]["done"] < 120
