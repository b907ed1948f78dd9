"""A study's SQLite file: made whole, opened for one transaction, or kept open by a server.

A server keeps one connection with a write-ahead log.  A transaction then appends to that log and
waits for nobody who reads; what was acknowledged survives the end of the server, however it ends.
"""

import contextlib
import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from treewright.apps.study.errors import StudyError
from treewright.library.reading import json_of
from treewright.library.writing import whole

SCHEMA = """
CREATE TABLE study (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE levels (
    id INTEGER PRIMARY KEY, variant INTEGER NOT NULL, copy INTEGER NOT NULL,
    rows TEXT NOT NULL, UNIQUE (variant, copy));
CREATE TABLE participants (
    id TEXT PRIMARY KEY, number INTEGER NOT NULL, consented TEXT NOT NULL, experience TEXT,
    finished TEXT, simulated INTEGER NOT NULL DEFAULT 0);
CREATE TABLE plays (
    id INTEGER PRIMARY KEY, participant TEXT NOT NULL REFERENCES participants ON DELETE CASCADE,
    slot INTEGER NOT NULL, pair INTEGER NOT NULL, side TEXT NOT NULL, variant INTEGER NOT NULL,
    level INTEGER NOT NULL REFERENCES levels, finished TEXT, UNIQUE (participant, slot));
CREATE TABLE inputs (
    play INTEGER NOT NULL REFERENCES plays ON DELETE CASCADE, attempt INTEGER NOT NULL,
    first INTEGER NOT NULL, runs TEXT NOT NULL, stored TEXT NOT NULL,
    PRIMARY KEY (play, attempt, first));
CREATE TABLE answers (
    participant TEXT NOT NULL REFERENCES participants ON DELETE CASCADE, pair INTEGER NOT NULL,
    challenge TEXT NOT NULL, preference TEXT NOT NULL, answered TEXT NOT NULL,
    PRIMARY KEY (participant, pair));
"""


class StudyFile:
    """Transactions on the file at ``path``; any thread may ask for one."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise StudyError(f"there is no study at {path}; make one with: treewright study new")
        self.path = path
        self._alone = threading.Lock()  # threads wait in line; SQLite would let them poll
        self._kept: sqlite3.Connection | None = None

    @staticmethod
    def make(path: Path, facts: dict[str, Any], levels: Sequence[tuple[int, int, str]]) -> None:
        """A new file with its facts and levels (variant, copy, rows); whole or not at all.

        Only its owner may read it, because participants' ids let anybody act for them; SQLite gives
        the files that it keeps beside it the same mode.
        """
        if path.exists():
            raise StudyError(f"{path} exists already; a study is never overwritten")
        with (
            whole(path, StudyError, private=True) as part,
            sentences(path),
            contextlib.closing(sqlite3.connect(part)) as db,
            db,
        ):
            db.execute("PRAGMA journal_mode=MEMORY")  # no second file that could be left behind
            db.executescript(SCHEMA)
            db.executemany(
                "INSERT INTO study VALUES (?, ?)", [(k, json.dumps(v)) for k, v in facts.items()]
            )
            db.executemany("INSERT INTO levels (variant, copy, rows) VALUES (?, ?, ?)", levels)

    def facts(self) -> dict[str, Any]:
        """What is known of the study as a whole."""
        with self.open() as db:
            found = dict(db.execute("SELECT name, value FROM study").fetchall())
        return {n: json_of(text, f"{self.path}: {n}", StudyError) for n, text in found.items()}

    @contextlib.contextmanager
    def open(self, write: bool = False) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it, or nothing.  Who only reads keeps nobody from writing."""
        with self._alone, sentences(self.path), self._connection() as db:
            try:
                db.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep one connection with a write-ahead log meanwhile; then it is one file again."""
        with contextlib.closing(self._connect()) as db:
            with sentences(self.path):
                db.execute("PRAGMA journal_mode=WAL")
            self._kept = db
            try:
                yield
            finally:
                self._kept = None
                with contextlib.suppress(sqlite3.Error):  # somebody reads it: the log stays
                    db.execute("PRAGMA journal_mode=DELETE")

    def forget_log(self) -> None:
        """Nothing that was deleted may stay in the write-ahead log."""
        with self._alone, sentences(self.path), self._connection() as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        if self._kept is not None:
            yield self._kept
            return
        with contextlib.closing(self._connect()) as db:
            yield db

    def _connect(self) -> sqlite3.Connection:
        with sentences(self.path):
            db = sqlite3.connect(
                self.path, timeout=30, isolation_level=None, check_same_thread=False
            )
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA foreign_keys=ON")
        return db


@contextlib.contextmanager
def sentences(path: Path) -> Iterator[None]:
    """What SQLite says, as one sentence about this study."""
    try:
        yield
    except (sqlite3.Error, OverflowError) as error:
        busy = any(word in str(error) for word in ("locked", "full", "readonly", "I/O"))
        raise StudyError(
            f"{path} can't be used: {error}" if busy else f"{path} is no study: {error}"
        ) from error


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
