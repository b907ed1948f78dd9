"""The store: claims, dead owners, and disks that will not have it."""

import contextlib
import os
import sqlite3
import subprocess
import time

import pytest

from treewright.workshop.experiments import store as module
from treewright.workshop.experiments.experiment import Cell
from treewright.workshop.experiments.store import Claim, Key, Outcome, Store, StoreError

KEY = Key("toy", Cell((("size", 1),), 0), "abc")
DONE = Outcome({"points": 1.5}, None, 0.1, 0.2)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "store.sqlite"


def test_a_cell_is_claimed_once_and_finished_once(path):
    with Store(path) as one, Store(path) as two:
        assert one.claim(KEY) is Claim.MINE
        assert two.claim(KEY) is Claim.BUSY
        assert not two.finish(KEY, DONE)
        assert one.finish(KEY, DONE)
        assert not one.finish(KEY, DONE)
        assert two.claim(KEY) is Claim.DONE
        (row,) = two.finished("toy")
        assert row.values == {"size": 1, "seed": 0, "points": 1.5}
        assert row.version
        assert "Python" in row.machine
        assert (row.cpu_seconds, row.wall_seconds) == (0.1, 0.2)


def test_the_claims_of_the_dead_are_taken_over(path, monkeypatch):
    with Store(path) as one, Store(path) as two:
        one.claim(KEY)
        monkeypatch.setattr(module, "LEASE", 0.0)
        assert two.claim(KEY) is Claim.MINE
        assert not one.finish(KEY, DONE)  # late: the cell is another's now
        assert two.finish(KEY, DONE)


def test_a_process_that_is_gone_is_dead_at_once(path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert not module._is_alive(module.socket.gethostname(), gone.pid, time.time())
    assert module._is_alive(module.socket.gethostname(), os.getpid(), time.time())
    assert module._is_alive("elsewhere", gone.pid, time.time())


def test_signs_of_life(path, monkeypatch):
    monkeypatch.setattr(module, "BEAT", 0.05)
    with Store(path) as one:
        one.keep_alive()
        one.claim(KEY)
        before, now, end = None, None, time.monotonic() + 60
        while now == before and time.monotonic() < end:
            now = one._db.execute("SELECT alive FROM claims").fetchone()[0]
            before = before or now
            time.sleep(0.01)
        assert now > before


def test_an_error_is_kept_and_may_be_tried_again(path):
    with Store(path) as store:
        store.claim(KEY)
        store.finish(KEY, Outcome(None, "ValueError: no", 0.0, 0.0))
        assert store.claim(KEY) is Claim.DONE
        assert store.claim(KEY, again=True) is Claim.MINE
        store.finish(KEY, DONE)
        assert store.claim(KEY, again=True) is Claim.DONE


def test_wal(path):
    with Store(path) as store:
        assert store._db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"no database at all, but long enough" * 9, "damaged"), (None, "something else")],
)
def test_what_is_not_a_store(tmp_path, content, said):
    path = tmp_path / "x"
    if content:
        path.write_bytes(content)
    else:
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("CREATE TABLE other (x)")
    for read_only in (False, True):
        with pytest.raises(StoreError, match=said):
            Store(path, read_only=read_only)


def test_a_damaged_store(path):
    with Store(path) as store:
        for seed in range(200):
            key = Key("toy", Cell((("size", 1),), seed), "abc")
            store.claim(key)
            store.finish(key, DONE)
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"), Store(path) as store:
        store.finished("toy")


def test_no_store_yet(path):
    with pytest.raises(StoreError, match="run an experiment first"):
        Store(path, read_only=True)


def test_a_full_database(path):
    """What SQLite says when the disk is full, without filling one."""
    with Store(path) as store:
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="is full"):
            for seed in range(1000):
                key = Key("toy", Cell((("size", 1),), seed), "abc")
                store.claim(key)
                store.finish(key, DONE)
        rows = len(store.finished("toy"))
        store._db.execute("PRAGMA max_page_count = 100000")
        store.claim(key)
        assert store.finish(key, DONE)
        assert len(store.finished("toy")) == rows + 1


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 128 kB, where we may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(disk)], capture_output=True
    )
    if made.returncode:
        pytest.skip("mounting a small disk needs root")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_full_disk_and_read_only_disk(bench, small_disk):
    store = small_disk / "store.sqlite"
    bench.toy(seeds=300)
    run = ("experiment", "run", "toy", "--engine", "threads", "--quiet", "--store", str(store))
    out, err = bench.call(*run, code=2)
    assert err.count("\n") == 1
    assert "is full" in err
    done = len(bench.starts())
    subprocess.run(["mount", "-o", "remount,size=2m", str(small_disk)], check=True)
    bench.toy(seeds=300)
    bench.call(*run, "--only", "seed=0", "--only", "seed=299")
    assert len(bench.starts()) < done + 10  # what was finished was kept
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    out, err = bench.call(*run, code=2)
    assert err.count("\n") == 1
    assert "read-only" in err
    out, err = bench.call("experiment", "show", "toy", "--store", str(store))
    assert "| left |" in out  # reading is still possible
