"""The queue of jobs: processes, fairness, cancelling, what a crash leaves."""

import contextlib
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from treewright.workshop.jobs import Busy, JobError, Manager, NoJob
from treewright.workshop.jobs.manager import BACKGROUND, MOST_WAITING_EACH
from treewright.workshop.jobs.store import KEPT, Store

pytest.importorskip("pydantic", reason="the studio is not installed")
KINDS = {"wait": "slow_jobs:WAIT", "local": "slow_jobs:LOCAL"}


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """The processes get our path."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.fixture
def manager(tmp_path):
    found = Manager(tmp_path / "work", 2, KINDS)
    yield found
    found.close()


def until(true, seconds=60):
    for _ in range(seconds * 100):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it never happened")


def over(manager, *jobs):
    until(lambda: not any(manager.look(job.id).open for job in jobs))
    return [manager.look(job.id).state for job in jobs]


def running(manager, *jobs):
    until(lambda: all(manager.look(job.id).preview for job in jobs))


def alive(pid):
    """Whether a process runs; what has ended and was not waited for does not."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_jobs_end_in_every_way(manager):
    """Done, failed with a sentence, failed by a bug, and a process that dies; work goes on."""
    good = manager.start("wait", {"name": "x"})
    ways = {way: manager.start("wait", {"fails": way}) for way in ("sentence", "bug", "dies")}
    last = manager.start("wait", {"name": "last"})
    states = over(manager, good, *ways.values(), last)
    assert states == ["done", "failed", "failed", "failed", "done"]
    assert manager.look(ways["sentence"].id).words == "this can't be"
    assert "RuntimeError: a bug" in manager.look(ways["bug"].id).words
    assert "has died" in manager.look(ways["dies"].id).words
    assert manager.data(good.id) == {"name": "x"}
    assert manager.file(good.id, "a.txt") == b"text"
    assert manager.exported(last.id, "text")[:2] == (b"last", "text/plain")
    with pytest.raises(NoJob, match="no format 'txt'"):
        manager.exported(last.id, "txt")
    with pytest.raises(NoJob):
        manager.file(good.id, "../a.txt")
    with pytest.raises(NoJob):
        manager.look("../../etc/passwd")
    with pytest.raises(NoJob, match="did you mean 'wait'"):
        manager.start("wai", {})
    with pytest.raises(ValueError, match="name"):
        manager.start("wait", {"name": "x" * 21})
    with pytest.raises(JobError, match="failed, so it has no result"):
        manager.data(ways["bug"].id)
    assert manager.ask("slow_jobs:answer", 2, 3) == 5
    with pytest.raises(JobError, match="not this"):
        manager.ask("slow_jobs:refuse")
    manager.rate(good.id, 1)
    assert manager.look(good.id).rating == 1
    manager.forget(good.id)
    with pytest.raises(NoJob):
        manager.look(good.id)


def test_a_quick_question_does_not_wait_for_a_slow_one(manager, tmp_path):
    there = tmp_path / "there"
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(manager.ask, "slow_jobs:when_there", str(there), slow=True)
        assert manager.ask("slow_jobs:answer", 2, 3) == 5
        assert not slow.done()
        there.touch()
        assert slow.result(30) == "there"


def test_a_question_that_computes_without_end_is_given_up(manager, monkeypatch):
    monkeypatch.setattr("treewright.workshop.jobs.manager.MOST_ANSWER", 0.2)
    with pytest.raises(JobError, match="no answer within 0 seconds"):
        manager.ask("slow_jobs:compute")
    assert manager.ask("slow_jobs:answer", 2, 3) == 5


def test_a_question_is_not_given_up_because_the_machine_is_busy(manager, monkeypatch, tmp_path):
    monkeypatch.setattr("treewright.workshop.jobs.manager.MOST_ANSWER", 1.0)
    manager.ask("slow_jobs:answer", 2, 3)
    there = tmp_path / "there"
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(manager.ask, "slow_jobs:when_there", str(there))
        time.sleep(1.5)
        there.touch()
        assert answer.result(30) == "there"


def test_ten_jobs_are_queued_fairly_and_all_finish(manager, tmp_path):
    """Whoever has asked for many does not keep the others waiting; cancelling ends at once."""
    gate = str(tmp_path / "gate")
    many = [manager.start("wait", {"until": gate}, "ann") for _ in range(6)]
    running(manager, *many[:2])
    background = manager.start("wait", {}, BACKGROUND)
    bob = manager.start("wait", {"until": gate}, "bob")
    cat = [manager.start("wait", {"until": gate}, "cat") for _ in range(2)]
    assert [manager.look(job.id).state for job in (*many, bob)].count("running") == 2
    # a job that runs, and one that waits, are cancelled
    pid = manager.look(many[0].id).preview["pid"]
    manager.cancel(many[0].id)
    manager.cancel(many[5].id)
    assert over(manager, many[0], many[5]) == ["cancelled", "cancelled"]
    until(lambda: not alive(pid))
    running(manager, bob)
    assert manager.look(many[2].id).state == "waiting", "bob goes before ann's next"
    Path(gate).touch()
    rest = [*many[1:5], bob, *cat, background]
    assert over(manager, *rest) == ["done"] * 8
    began = {job.id: manager.look(job.id).began for job in rest}
    assert began[cat[0].id] < began[many[3].id], "cat waited longer than ann"
    assert began[background.id] == max(began.values()), "what nobody waits for comes last"
    assert manager.cancel(bob.id).state == "done", "what is over stays as it is"


def test_the_queue_is_bounded(manager, tmp_path):
    gate = {"until": str(tmp_path / "gate")}
    jobs = [manager.start("wait", gate, "x") for _ in range(2)]
    running(manager, *jobs)
    waiting = [manager.start("wait", gate, "x") for _ in range(MOST_WAITING_EACH)]
    with pytest.raises(Busy, match="are waiting already"):
        manager.start("wait", gate, "x")
    for job in waiting:
        manager.cancel(job.id)
    with pytest.raises(JobError, match="cancel it first"):
        manager.forget(jobs[0].id)


SERVER = """
import sys, time
sys.path.insert(0, {here!r})
from pathlib import Path
from treewright.workshop.jobs import Manager
if __name__ == "__main__":
    m = Manager(Path({folder!r}), 1, {kinds!r})
    done = m.start("wait", {{"name": "kept"}})
    while m.look(done.id).open: time.sleep(0.01)
    cut = m.start("wait", {{"until": {gate!r}}})
    while not m.look(cut.id).preview: time.sleep(0.01)
    waits = m.start("wait", {{"name": "later"}})
    print(done.id, cut.id, waits.id, m.look(cut.id).preview["pid"], flush=True)
    time.sleep(1000)
"""


def test_a_server_that_is_killed_loses_nothing_that_was_finished(tmp_path):
    script = tmp_path / "server.py"
    folder = tmp_path / "work"
    here, gate = str(Path(__file__).parent), str(tmp_path / "never")
    script.write_text(SERVER.format(here=here, folder=str(folder), kinds=KINDS, gate=gate))
    server = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    done, cut, waits, pid = server.stdout.readline().split()
    server.kill()
    server.wait()
    server.stdout.close()
    until(lambda: not alive(pid))
    again = Manager(folder, 1, KINDS)
    try:
        assert again.data(done) == {"name": "kept"}
        assert again.look(cut).state == "cut"
        assert again.look(cut).words == "the studio was ended while this was at work"
        until(lambda: again.look(waits).state == "done")
    finally:
        again.close()


def test_a_kind_that_is_gone_and_a_file_of_another_version(tmp_path):
    store = Store(tmp_path / "studio.sqlite")
    store.add("a", "gone", "", {})
    found = Manager(tmp_path, 1, KINDS)
    assert found.look("a").state == "failed"
    found.close()
    with contextlib.closing(sqlite3.connect(store.path)) as db:
        db.execute("PRAGMA user_version=99")
    with pytest.raises(JobError, match="another version"):
        Store(store.path)
    (tmp_path / "other.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(JobError, match="not a database"):
        Store(tmp_path / "other.sqlite")


def test_old_results_make_room(tmp_path, monkeypatch):
    monkeypatch.setattr("treewright.workshop.jobs.store.KEPT", 3)
    store = Store(tmp_path / "s.sqlite")
    for i in range(6):
        store.add(str(i), "wait", "", {})
        if i == 0:
            store.rate("0", 1)
        store.end(str(i), "done", data={"i": i}, files={"x": b"1"})
    assert [row["id"] for row in store.rows()] == ["5", "4", "3", "0"]
    assert store.file("0", "x") == b"1"
    assert store.file("1", "x") is None
    assert KEPT > 3
