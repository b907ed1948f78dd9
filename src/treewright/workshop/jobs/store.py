"""Jobs on disk: one SQLite file, one transaction for each thing that happens.

A job is in the file from the moment it is asked for, and its result in the same transaction as its
end, so whatever ends the server can only cut what was under way.
"""

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from treewright.errors import TreewrightError
from treewright.library.writing import json_text

VERSION = 1
KEPT = 1000  # finished jobs; the oldest that nobody has marked are dropped
CUT = "the studio was ended while this was at work"
SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, kind TEXT NOT NULL, owner TEXT NOT NULL,
    settings TEXT NOT NULL, state TEXT NOT NULL, words TEXT NOT NULL DEFAULT '',
    rating INTEGER NOT NULL DEFAULT 0, asked REAL NOT NULL, began REAL, ended REAL, data TEXT);
CREATE TABLE IF NOT EXISTS files (
    job TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE, name TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (job, name));
CREATE INDEX IF NOT EXISTS states ON jobs (state, number);
"""
COLUMNS = "id, number, kind, owner, settings, state, words, rating, asked, began, ended"


class JobError(TreewrightError):
    """A job that is not there, or that can't do what it was asked for."""


class Store:
    """The file; connections are made for each transaction, so any thread may use it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._open() as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, VERSION):
                raise JobError(f"{path} is of another version; this one reads {VERSION}")
            for statement in SCHEMA.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version={VERSION}")

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with contextlib.closing(
                sqlite3.connect(self.path, timeout=30, isolation_level=None)
            ) as db:
                db.row_factory = sqlite3.Row
                db.execute("PRAGMA foreign_keys=ON")
                db.execute("PRAGMA journal_mode=WAL")
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield db
                    db.execute("COMMIT")
                except BaseException:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
        except sqlite3.Error as error:
            raise JobError(f"{self.path}: {error}") from error

    def recover(self) -> list[str]:
        """Mark what a server that ended before has left at work; the ids of what still waits."""
        with self._open() as db:
            db.execute(
                "UPDATE jobs SET state='cut', words=?, ended=? WHERE state='running'",
                (CUT, time.time()),
            )
            rows = db.execute("SELECT id FROM jobs WHERE state='waiting' ORDER BY number")
            return [row["id"] for row in rows]

    def add(self, name: str, kind: str, owner: str, settings: Mapping[str, Any]) -> None:
        with self._open() as db:
            db.execute(
                "INSERT INTO jobs (id, number, kind, owner, settings, state, asked) VALUES "
                "(?, (SELECT coalesce(max(number), 0) + 1 FROM jobs), ?, ?, ?, 'waiting', ?)",
                (name, kind, owner, json_text(settings), time.time()),
            )

    def begin(self, name: str) -> None:
        with self._open() as db:
            db.execute("UPDATE jobs SET state='running', began=? WHERE id=?", (time.time(), name))

    def end(
        self,
        name: str,
        state: str,
        words: str = "",
        data: Any = None,
        files: Mapping[str, bytes] | None = None,
    ) -> None:
        """How a job ended, with all that it leaves."""
        text = None if data is None else json_text(data)
        with self._open() as db:
            db.execute(
                "UPDATE jobs SET state=?, words=?, data=?, ended=? WHERE id=?",
                (state, words, text, time.time(), name),
            )
            db.executemany(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?)",
                [(name, file, content) for file, content in (files or {}).items()],
            )
            db.execute(
                "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE rating <= 0 AND "
                "state NOT IN ('waiting', 'running') ORDER BY number DESC LIMIT -1 OFFSET ?)",
                (KEPT,),
            )

    def rate(self, name: str, rating: int) -> None:
        with self._open() as db:
            db.execute("UPDATE jobs SET rating=? WHERE id=?", (rating, name))

    def forget(self, name: str) -> None:
        with self._open() as db:
            db.execute("DELETE FROM jobs WHERE id=?", (name,))

    def row(self, name: str) -> dict[str, Any] | None:
        """Everything about a job but its result."""
        with self._open() as db:
            found = db.execute(f"SELECT {COLUMNS} FROM jobs WHERE id=?", (name,)).fetchone()
        return None if found is None else _plain(found)

    def rows(self, kind: str = "", most: int = 50) -> list[dict[str, Any]]:
        """The newest jobs first."""
        with self._open() as db:
            found = db.execute(
                f"SELECT {COLUMNS} FROM jobs WHERE ?='' OR kind=? ORDER BY number DESC LIMIT ?",
                (kind, kind, most),
            ).fetchall()
        return [_plain(row) for row in found]

    def data(self, name: str) -> Any:
        """A job's result, or None."""
        with self._open() as db:
            found = db.execute("SELECT data FROM jobs WHERE id=?", (name,)).fetchone()
        return None if found is None or found["data"] is None else json.loads(found["data"])

    def has(self, name: str, file: str) -> bool:
        """Whether a job has left a file."""
        with self._open() as db:
            found = db.execute("SELECT 1 FROM files WHERE job=? AND name=?", (name, file))
            return found.fetchone() is not None

    def file(self, name: str, file: str) -> bytes | None:
        with self._open() as db:
            found = db.execute(
                "SELECT data FROM files WHERE job=? AND name=?", (name, file)
            ).fetchone()
        return None if found is None else bytes(found["data"])


def _plain(row: sqlite3.Row) -> dict[str, Any]:
    found = dict(row)
    found["settings"] = json.loads(found["settings"])
    return found
