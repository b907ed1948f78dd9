"""The store of rows: one SQLite file, shared by any number of runners.

A runner *claims* a cell before it computes it and writes the row and drops the claim in one
transaction when the cell ends, so a cell is either finished or not begun.  A claim carries its
owner's host, process and last sign of life; the claims of the dead are taken over.
"""

import contextlib
import json
import os
import socket
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Self

import treewright
from treewright.library.reading import json_of
from treewright.workshop.experiments import provenance
from treewright.workshop.experiments.experiment import Cell, ExperimentError, Row

LEASE = 60.0  # seconds without a sign of life after which a claim may be taken over
BEAT = 10.0
FUTURE = 60.0  # seconds by which the clocks of two hosts may differ
VERSION = 1
SCHEMA = """
CREATE TABLE IF NOT EXISTS cells (
    experiment TEXT NOT NULL, settings TEXT NOT NULL, seed INTEGER NOT NULL, code TEXT NOT NULL,
    data TEXT, error TEXT,
    version TEXT NOT NULL, git TEXT NOT NULL, machine TEXT NOT NULL,
    cpu_seconds REAL NOT NULL, wall_seconds REAL NOT NULL, finished REAL NOT NULL,
    PRIMARY KEY (experiment, settings, seed, code)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (
    experiment TEXT NOT NULL, settings TEXT NOT NULL, seed INTEGER NOT NULL, code TEXT NOT NULL,
    owner TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, alive REAL NOT NULL,
    PRIMARY KEY (experiment, settings, seed, code)
) WITHOUT ROWID;
"""


class StoreError(ExperimentError):
    """A store that can't be read or written."""


class Claim(Enum):
    """What became of asking for a cell."""

    MINE = "mine"
    DONE = "done"
    BUSY = "busy"  # another runner is at it


@dataclass(frozen=True)
class Key:
    """A cell together with the code that computes it."""

    experiment: str
    cell: Cell
    code: str

    @property
    def columns(self) -> tuple[str, str, int, str]:
        return (self.experiment, self.cell.key, self.cell.seed, self.code)


@dataclass(frozen=True)
class Outcome:
    """How a cell ended: a row, or the text of what it raised; and where, if not here."""

    row: Row | None
    error: str | None
    cpu_seconds: float
    wall_seconds: float
    machine: str = ""


@dataclass(frozen=True)
class Stored:
    """A finished cell as the store keeps it."""

    settings: dict[str, Any]
    seed: int
    code: str
    row: Row | None
    error: str | None
    version: str
    git: str
    machine: str
    cpu_seconds: float
    wall_seconds: float
    finished: float

    @property
    def values(self) -> dict[str, Any]:
        """Settings, seed and results in one dictionary."""
        return self.settings | {"seed": self.seed} | (self.row or {})


def default_path() -> Path:
    """``$TREEWRIGHT_STORE``, or a file in the user's data directory."""
    override = os.environ.get("TREEWRIGHT_STORE")
    if override:
        return Path(override)
    import platformdirs

    return Path(platformdirs.user_data_dir("treewright")) / "experiments.sqlite"


class Store:
    """An open store; safe to use from several threads."""

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        self.path = path or default_path()
        self.owner = uuid.uuid4().hex
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._beating = False
        self._ahead: dict[Key, tuple[float | None, float]] = {}
        with self._sentences():
            self._db = self._open_read_only() if read_only else self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._stop.set()
        with self._lock:
            self._db.close()

    # ------------------------------------------------------------------------- claiming

    def claim(self, key: Key, *, again: bool = False) -> Claim:
        """Ask for a cell; ``again`` asks for one whose last attempt raised."""
        with self._transaction():
            found = self._one("SELECT error FROM cells WHERE", key)
            if found is not None and not (again and found[0] is not None):
                return Claim.DONE
            held = self._one("SELECT owner, host, pid, alive FROM claims WHERE", key)
            if held is not None and held[0] != self.owner and self._lives(key, *held[1:]):
                return Claim.BUSY
            self._db.execute(
                "INSERT OR REPLACE INTO claims VALUES (?,?,?,?,?,?,?,?)",
                (*key.columns, self.owner, socket.gethostname(), os.getpid(), time.time()),
            )
            return Claim.MINE

    def finish(self, key: Key, outcome: Outcome) -> bool:
        """Write a cell's row and drop its claim; False if the claim was taken over meanwhile."""
        data = None if outcome.row is None else json.dumps(outcome.row)
        made = (
            treewright.__version__,
            provenance.commit(),
            outcome.machine or provenance.machine(),
        )
        took = (outcome.cpu_seconds, outcome.wall_seconds)
        with self._transaction():
            held = self._one("SELECT owner FROM claims WHERE", key)
            if held is None or held[0] != self.owner:
                return False
            self._db.execute(
                "INSERT OR REPLACE INTO cells VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                (*key.columns, data, outcome.error, *made, *took, time.time()),
            )
            self._drop(key)
            return True

    def keep_alive(self) -> None:
        """Renew this runner's claims from a thread until the store is closed."""
        if self._beating:
            return
        self._beating = True

        def beat() -> None:
            while not self._stop.wait(BEAT):
                with contextlib.suppress(StoreError, sqlite3.ProgrammingError), self._transaction():
                    self._db.execute(
                        "UPDATE claims SET alive = ? WHERE owner = ?", (time.time(), self.owner)
                    )

        threading.Thread(target=beat, name="treewright-heartbeat", daemon=True).start()

    # -------------------------------------------------------------------------- reading

    def finished(self, experiment: str) -> list[Stored]:
        """Every finished cell of an experiment, whatever code computed it, oldest first."""
        with self._lock, self._sentences():
            found = self._db.execute(
                "SELECT settings, seed, code, data, error, version, git, machine, cpu_seconds, "
                "wall_seconds, finished FROM cells WHERE experiment = ? ORDER BY finished",
                (experiment,),
            ).fetchall()
        return [self._stored(row) for row in found]

    # ------------------------------------------------------------------------ internals

    def _stored(self, row: Any) -> Stored:
        """A row as it was written, or a sentence that names it."""
        where = f"the store {self.path} is damaged: the cell with seed {row[1]} and code {row[2]}"
        settings = _object(row[0], where)
        return Stored(
            settings, row[1], row[2], None if row[3] is None else _object(row[3], where), *row[4:]
        )

    def _lives(self, key: Key, host: str, pid: int, alive: float) -> bool:
        """Whether the owner of a claim may still be computing.

        A stamp that is ahead of our clock says nothing about now.  Its owner lives as long as the
        stamp moves; the longest that it may stand still is a lease, by our own clock.
        """
        if alive <= time.time() + FUTURE:
            return _is_alive(host, pid, alive)
        stamp, since = self._ahead.get(key, (None, 0.0))
        if stamp != alive:
            self._ahead[key] = (alive, time.monotonic())
            return True
        return time.monotonic() - since < LEASE

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = self._connect(f"file:{_quoted(self.path)}")
        try:
            if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                self._create(db)
            db.execute("PRAGMA synchronous = FULL")
        except BaseException:
            db.close()
            raise
        return db

    def _create(self, db: sqlite3.Connection) -> None:
        self._refuse_others(db)
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")

    def _open_read_only(self) -> sqlite3.Connection:
        if not self.path.exists():
            raise StoreError(f"there is no store {self.path}: run an experiment first")
        try:
            db = self._connect(f"file:{_quoted(self.path)}?mode=ro")
            db.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.OperationalError:  # WAL needs a file beside it, which nobody may write
            db = self._connect(f"file:{_quoted(self.path)}?immutable=1")
        try:
            if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                self._refuse_others(db)
                raise StoreError(f"there is nothing in the store {self.path}")
        except BaseException:
            db.close()
            raise
        return db

    def _connect(self, uri: str) -> sqlite3.Connection:
        return sqlite3.connect(
            uri, uri=True, timeout=60.0, isolation_level=None, check_same_thread=False
        )

    def _refuse_others(self, db: sqlite3.Connection) -> None:
        newer = db.execute("PRAGMA user_version").fetchone()[0] > VERSION
        names = {r[0] for r in db.execute("SELECT name FROM sqlite_master")}
        if newer and "cells" in names:
            raise StoreError(f"{self.path} was written by a newer version of Treewright")
        if names - {"cells", "claims"}:
            raise StoreError(f"{self.path} is a database of something else")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, self._sentences():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # a full disk may have rolled back
                    self._db.execute("ROLLBACK")
                raise

    def _one(self, select: str, key: Key) -> Any:
        where = "experiment = ? AND settings = ? AND seed = ? AND code = ?"
        return self._db.execute(f"{select} {where}", key.columns).fetchone()

    def _drop(self, key: Key) -> None:
        self._db.execute(
            "DELETE FROM claims WHERE experiment = ? AND settings = ? AND seed = ? AND code = ? "
            "AND owner = ?",
            (*key.columns, self.owner),
        )

    @contextlib.contextmanager
    def _sentences(self) -> Iterator[None]:
        """What SQLite and the system say, as one sentence about this store."""
        try:
            yield
        except OSError as error:
            raise StoreError(f"the store {self.path} can't be used: {error.strerror}") from error
        except sqlite3.ProgrammingError:
            raise
        except sqlite3.Error as error:
            raise StoreError(_sentence(self.path, str(error))) from error


def _object(text: Any, where: str) -> dict[str, Any]:
    data = json_of(text if isinstance(text, str) else "", where, StoreError)
    if not isinstance(data, dict):
        raise StoreError(f"{where} holds something else than names with values")
    return data


def _sentence(path: Path, said: str) -> str:
    if "full" in said:
        return f"the disk with the store {path} is full: nothing half is kept, go on with more room"
    unopened = "unable to open" in said
    if "readonly" in said or (unopened and path.exists() and not os.access(path, os.W_OK)):
        return f"the store {path} is read-only: choose another with --store"
    if "not a database" in said or "malformed" in said:
        return f"{path} is not a store, or is damaged: choose another with --store"
    if "locked" in said:
        return f"the store {path} was locked for a minute by another program"
    if unopened:
        return f"the store {path} can't be opened: choose another with --store"
    return f"the store {path} can't be used: {said}"


def _quoted(path: Path) -> str:
    from urllib.parse import quote

    return quote(str(path.absolute()))


def _is_alive(host: str, pid: int, alive: float) -> bool:
    """Whether the owner of a claim may still be computing."""
    if time.time() - alive > LEASE:
        return False
    if host != socket.gethostname():
        return True
    if os.name == "nt":  # there, asking after a process would end it
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
