"""Stores that others have written to."""

import sqlite3
import time
from types import SimpleNamespace

import pytest

from treewright.workshop.experiments import store as stores
from treewright.workshop.experiments.experiment import Cell
from treewright.workshop.experiments.store import Claim, Key, Outcome, Store, StoreError

KEY = Key("toy", Cell((("n", 1),), 0), "code")


@pytest.mark.parametrize("column", ["settings", "data"])
@pytest.mark.parametrize(
    "text", ["{", "[]", "5", "null", "", "[" * 100_000, '{"a": 1e999}', b"\xff\xfe"]
)
def test_rows_that_are_no_json(column, text, tmp_path):
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        assert store.claim(KEY) is Claim.MINE
        store.finish(KEY, Outcome({"x": 1.0}, None, 0.0, 0.0))
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE cells SET {column} = ?", (text,))
    db.close()
    with Store(path) as store:
        with pytest.raises(StoreError, match="damaged") as raised:
            store.finished("toy")
        assert "\n" not in str(raised.value)


def test_a_claim_from_the_future_does_not_block_for_ever(tmp_path, monkeypatch):
    """The clock of its host is wrong; whether it lives is seen by whether its stamp moves."""
    now = [0.0]
    monkeypatch.setattr(stores, "time", SimpleNamespace(time=time.time, monotonic=lambda: now[0]))
    path = tmp_path / "s.sqlite"
    with Store(path) as store, sqlite3.connect(path, isolation_level=None) as db:

        def stamp(when):
            db.execute("DELETE FROM claims")
            row = (*KEY.columns, "other", "elsewhere", 1, when)
            db.execute("INSERT INTO claims VALUES (?,?,?,?,?,?,?,?)", row)

        ahead = time.time() + 365 * 86400
        for beat in range(4):
            stamp(ahead + beat)
            assert store.claim(KEY) is Claim.BUSY
            now[0] += 0.5 * stores.LEASE
        assert store.claim(KEY) is Claim.BUSY
        now[0] += 0.6 * stores.LEASE
        assert store.claim(KEY) is Claim.MINE
    db.close()
