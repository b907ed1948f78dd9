"""The study server among strangers."""

import asyncio
import os
import sqlite3
import stat

import pytest

from treewright.apps.levels.level import Level
from treewright.apps.study.errors import StudyError
from treewright.apps.study.store import Store

pytest.importorskip("nicegui", reason="the studio is not installed")

EASY = Level((*["-" * 16] * 12, "-" * 15 + "F", "X" * 16))


@pytest.fixture
def study(tmp_path):
    return Store.create(tmp_path / "s.sqlite", {v: [EASY] for v in range(1, 9)})


@pytest.fixture
def app(study):
    from fastapi import FastAPI

    from treewright.apps.study.addresses import add_addresses

    made = FastAPI()
    add_addresses(made, study)
    return made


def test_a_body_has_a_limit_before_it_is_parsed(app, study):
    from fuzz_http import ask

    who = study.enrol()
    url = f"/api/p/{who}/1/1"
    part = b" " * 2**16

    async def talk():
        said = (b"content-length", str(120 * 2**20).encode())
        status, text, _ = await ask(app, "POST", url, [part], [said])
        assert (status, b"larger than" in text) == (413, True)
        status, text, left = await ask(app, "POST", url, [part] * 2000)  # chunked: no length
        assert (status, b"larger than" in text) == (413, True)
        assert len(left) > 1900  # it did not read on
        status, _, _ = await ask(app, "POST", "/nowhere", [part] * 2000)
        assert status == 413
        status, _, _ = await ask(app, "POST", url, [b'{"first": 0, ', b'"runs": [[2, ', b"5]]}"])
        assert status == 200
        lying = (b"content-length", b"many")
        assert (await ask(app, "POST", url, [b"{}"], [lying]))[0] in (400, 413, 422)

    asyncio.run(talk())
    assert study.attempts(who, 1) == [[[2, 5]]]


def test_no_request_ends_in_500(app, study):
    from fuzz_http import fuzz

    seen, wrong = fuzz(app, study.enrol(), 1500)
    assert not wrong, (len(wrong), seen, wrong[:5])
    assert seen[200] > 0


def test_a_study_is_for_its_owner_only(tmp_path, study):
    from treewright.apps.study.export import export

    def mode(path):
        return stat.S_IMODE(path.stat().st_mode)

    old = os.umask(0)
    try:
        made = Store.create(tmp_path / "open.sqlite", {v: [EASY] for v in range(1, 9)})
        assert mode(made.path) == 0o600
        who = made.enrol()
        made.record(who, 1, 1, 0, [[2, 5]])
        with sqlite3.connect(made.path) as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("UPDATE participants SET simulated = 1")
            db.commit()
            for end in ("-wal", "-shm"):
                assert mode(made.path.with_name(made.path.name + end)) == 0o600
        db.close()
        export(made, tmp_path / "rows")
        for path in (tmp_path / "rows").iterdir():
            assert mode(path) == 0o600, path
    finally:
        os.umask(old)
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE study SET value = 'x' WHERE name = 'format'",
        "UPDATE study SET value = '[' WHERE name = 'title'",
        "DELETE FROM study WHERE name = 'engine'",
        "DELETE FROM study",
        "DELETE FROM levels",
        "UPDATE inputs SET runs = '[[1'",
        "UPDATE inputs SET runs = '[[1, 1e999]]'",
        "UPDATE inputs SET runs = '{}'",
        "UPDATE inputs SET runs = '[[1, -5]]'",
        "UPDATE levels SET rows = 'nothing'",
        "DROP TABLE inputs",
    ],
)
def test_a_damaged_study(damage, tmp_path):
    from treewright.errors import TreewrightError

    made = Store.create(tmp_path / "s.sqlite", {v: [EASY] for v in range(1, 9)}, title="T")
    who = made.enrol()
    made.record(who, 1, 1, 0, [[2, 5]])
    with sqlite3.connect(made.path) as db:
        db.execute("PRAGMA foreign_keys=OFF")
        db.execute(damage)
    db.close()

    def use():
        again = Store(made.path)
        again.attempts(who, 1)
        again.world(who, 1)
        again.record(who, 1, 1, 5, [[2, 5]])
        again.input_rows()
        again.enrol()

    try:
        use()
    except TreewrightError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        pytest.fail(damage)


def test_records_with_any_numbers(study):
    who = study.enrol()
    for attempt, first, runs in (
        (-1, 0, [[2, 5]]),
        (0, 0, [[2, 5]]),
        (2**70, 0, [[2, 5]]),
        (1, -1, [[2, 5]]),
        (1, 2**70, [[2, 5]]),
        (1, 0, [[2**70, 5]]),
        (1, 0, [[2, float("nan")]]),
        (1, 0, [2]),
        (1, 0, None),
    ):
        with pytest.raises(StudyError):
            study.record(who, 1, attempt, first, runs)
    for slot in (-1, 2**70, 0):
        with pytest.raises(StudyError):
            study.record(who, slot, 1, 0, [[2, 5]])
    assert study.attempts(who, 1) == []
