"""A study on disk: one SQLite file, one transaction for each thing that happens.

What a participant does next follows from the file alone (``next_step``), so a reload, a crash of
the browser or of the server, and any number of participants at once lose nothing: who comes back
goes on at the tick that was last stored.  Participants are random ids; deleting one deletes
everything that belongs to it.
"""

import contextlib
import json
import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from treewright.apps.levels import game
from treewright.apps.levels.level import Level
from treewright.apps.levels.player_model import EXPERIENCE
from treewright.apps.levels.replay import Runs, decode, replay
from treewright.apps.levels.tiles import LevelError
from treewright.apps.levels.world import ENGINE, World
from treewright.apps.study.errors import StudyError
from treewright.apps.study.features import features
from treewright.apps.study.file import StudyFile, now
from treewright.apps.study.protocol import ATTEMPTS, PAIRS, VARIANTS, assignment, difference
from treewright.apps.study.running import Running, Shelf, cut
from treewright.library.reading import json_of

FORMAT = 1
ABANDONED = timedelta(hours=24)  # after which an unfinished participant's place is given again


@dataclass(frozen=True)
class Step:
    """What comes next: ``play`` a slot, ``ask`` about a pair, ``experience``, ``done``."""

    kind: str
    pair: int = 0
    side: str = ""
    slot: int = 0


class Store:
    """What happens in a study, as transactions on its file; any thread may use it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = StudyFile(path)
        self._worlds: dict[int, World] = {}
        self._shelf = Shelf()
        self.about = self._file.facts()
        if self.about.get("format") != FORMAT:
            raise StudyError(f"{path} is a study of another version; this one reads {FORMAT}")
        if self.about.get("engine") != ENGINE:
            raise StudyError(
                f"{path} was played with version {self.about.get('engine')} of the game, and this "
                f"is {ENGINE}: its keys would give another game"
            )

    @classmethod
    def create(cls, path: Path, levels: dict[int, list[Level]], **about: Any) -> "Store":
        """A new study with the levels of each variant; the file appears whole or not at all."""
        if sorted(levels) != list(range(1, len(VARIANTS) + 1)):
            raise StudyError("a study needs levels of all eight variants")
        facts = {"format": FORMAT, "engine": ENGINE, "created": now(), "seed": 0} | about
        rows = [(v, i, a.text()) for v, made in levels.items() for i, a in enumerate(made)]
        StudyFile.make(path, facts, rows)
        return cls(path)

    def kept_open(self) -> contextlib.AbstractContextManager[None]:
        """For a server: one connection for all transactions meanwhile, with a write-ahead log."""
        return self._file.kept_open()

    # ------------------------------------------------------------------------ participants

    def enrol(self, simulated: bool = False) -> str:
        """A new participant, who has consented, in the first free place of the plan; the id."""
        name = secrets.token_urlsafe(12)
        with self._file.open(write=True) as db:
            number = self._free_place(db, simulated)
            db.execute(
                "INSERT INTO participants (id, number, consented, simulated) VALUES (?, ?, ?, ?)",
                (name, number, now(), int(simulated)),
            )
            copies = db.execute("SELECT max(copy) + 1 FROM levels").fetchone()[0]
            for i, slot in enumerate(assignment(number, self.about["seed"]), 1):
                (level,) = db.execute(
                    "SELECT id FROM levels WHERE variant = ? AND copy = ?",
                    (slot.variant, number % (copies or 1)),
                ).fetchone() or (None,)
                if level is None:
                    raise StudyError(f"{self.path} is damaged: a level is missing")
                db.execute(
                    "INSERT INTO plays (participant, slot, pair, side, variant, level) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    (name, i, slot.pair, slot.side, slot.variant, level),
                )
        return name

    @staticmethod
    def _free_place(db: sqlite3.Connection, simulated: bool) -> int:
        """The smallest number of the plan that nobody holds; who left long ago holds none."""
        since = (datetime.now(UTC) - ABANDONED).isoformat(timespec="seconds")
        taken = {
            row[0]
            for row in db.execute(
                "SELECT number FROM participants WHERE simulated = ? "
                "AND (finished IS NOT NULL OR consented > ?)",
                (int(simulated), since),
            )
        }
        return next(n for n in range(len(taken) + 1) if n not in taken)

    def forget(self, participant: str) -> None:
        """Delete everything of a participant."""
        with self._file.open(write=True) as db:
            db.execute("PRAGMA secure_delete=ON")
            found = db.execute("DELETE FROM participants WHERE id = ?", (participant,)).rowcount
        self._file.forget_log()
        if not found:
            raise StudyError("there is no such participant; the data may be deleted already")

    def participants(self) -> list[dict[str, Any]]:
        with self._file.open() as db:
            return [
                dict(r) for r in db.execute("SELECT * FROM participants ORDER BY consented, id")
            ]

    def next_step(self, participant: str) -> Step:
        """What comes next for a participant, from what is stored."""
        with self._file.open() as db:
            found = db.execute(
                "SELECT experience FROM participants WHERE id = ?", (participant,)
            ).fetchone()
            if found is None:
                raise StudyError("there is no such participant; the data may be deleted already")
            answered = {
                row[0]
                for row in db.execute(
                    "SELECT pair FROM answers WHERE participant = ?", (participant,)
                )
            }
            plays = db.execute(
                "SELECT slot, pair, side, finished FROM plays WHERE participant = ? ORDER BY slot",
                (participant,),
            ).fetchall()
        for pair in range(1, PAIRS + 1):
            for play in plays:
                if play["pair"] == pair and play["finished"] is None:
                    return Step("play", pair, play["side"], play["slot"])
            if pair not in answered:
                return Step("ask", pair)
        return Step("done" if found["experience"] else "experience")

    # ------------------------------------------------------------------------------ playing

    def _play(self, db: sqlite3.Connection, participant: str, slot: int) -> sqlite3.Row:
        if not 0 < slot < 100:  # SQLite knows no whole number beyond 64 bits
            raise StudyError("there is no such level of this participant")
        found: sqlite3.Row | None = db.execute(
            "SELECT * FROM plays WHERE participant = ? AND slot = ?", (participant, slot)
        ).fetchone()
        if found is None:
            raise StudyError(f"there is no level {slot} of this participant")
        return found

    def world(self, participant: str, slot: int) -> World:
        with self._file.open() as db:
            return self._world(db, self._play(db, participant, slot)["level"])

    def _world(self, db: sqlite3.Connection, level: int) -> World:
        if level not in self._worlds:
            found = db.execute("SELECT rows FROM levels WHERE id = ?", (level,)).fetchone()
            if found is None:
                raise StudyError(f"{self.path} is damaged: a level is missing")
            rows = tuple(found["rows"].split())
            self._worlds[level] = World(Level(rows, f"level {level}"), level)
        return self._worlds[level]

    def attempts(self, participant: str, slot: int) -> list[Runs]:
        """The recorded keys of a level, attempt by attempt; the last may be under way."""
        with self._file.open() as db:
            return _recorded(db, self._play(db, participant, slot)["id"])

    def record(
        self, participant: str, slot: int, attempt: int, first: int, runs: Sequence[Sequence[int]]
    ) -> dict[str, Any]:
        """Store a batch of keys that begins at tick ``first`` of an attempt (from 1).

        What is stored already, and what comes after the end of the attempt, is not stored, so a
        batch may be sent twice.  Returns how many ticks the attempt has, how it stands, and whether
        the level is finished.
        """
        _check_keys(runs)
        if not (1 <= attempt <= ATTEMPTS and 0 <= first <= game.LIMIT):
            raise StudyError(f"a batch belongs to attempt 1 to {ATTEMPTS} and begins at a tick")
        with self._file.open(write=True) as db:
            play = self._play(db, participant, slot)
            running, latest = self._running(db, play, attempt)
            have = running.ticks
            if first > have:
                raise StudyError(f"attempt {attempt} has {have} ticks; a batch began at {first}")
            fresh = cut(runs, have - first, game.LIMIT)
            if fresh := cut(fresh, 0, running.play(fresh)):
                db.execute(
                    "INSERT INTO inputs VALUES (?, ?, ?, ?, ?)",
                    (play["id"], attempt, have, json.dumps(fresh), now()),
                )
            over = running.outcome == game.WON or (
                running.outcome == game.DIED and attempt == ATTEMPTS
            )
            if over and not play["finished"]:
                db.execute("UPDATE plays SET finished = ? WHERE id = ?", (now(), play["id"]))
            if attempt >= latest:
                self._shelf.put(play["id"], running)
        outcome = ("playing", "won", "died")[running.outcome]
        return {"ticks": running.ticks, "outcome": outcome, "finished": over}

    def _running(
        self, db: sqlite3.Connection, play: sqlite3.Row, attempt: int
    ) -> tuple[Running, int]:
        """An attempt as far as it is stored, and the latest attempt that is."""
        world = self._world(db, play["level"])
        latest, began = db.execute(
            "SELECT attempt, first FROM inputs WHERE play = ? "
            "ORDER BY attempt DESC, first DESC LIMIT 1",
            (play["id"],),
        ).fetchone() or (0, 0)
        if attempt > latest + 1:
            raise StudyError(f"attempt {attempt} can't begin: the one before is not over")
        asked = min(attempt, latest)
        found = self._shelf.find(play["id"], asked, began)
        if found is None and asked:
            found = Running(world, asked, _recorded(db, play["id"])[asked - 1])
            found.first = began
        if found is None or attempt > latest:
            if found is not None and (found.outcome == game.PLAYING or play["finished"]):
                raise StudyError(f"attempt {attempt} can't begin: the one before is not over")
            found = Running(world, attempt)
        return found, latest

    # ------------------------------------------------------------------------------ answers

    def variants(self, participant: str, pair: int) -> tuple[int, int]:
        """The variants of a pair, A and B."""
        with self._file.open() as db:
            found = db.execute(
                "SELECT variant FROM plays WHERE participant = ? AND pair = ? ORDER BY side",
                (participant, pair),
            ).fetchall()
        first, second = (row[0] for row in found)
        return first, second

    def answer(self, participant: str, pair: int, challenge: str, preference: str) -> None:
        """The forced choices after a pair: ``A`` or ``B``, for each question."""
        for name, value in (("challenge", challenge), ("preference", preference)):
            if value not in ("A", "B"):
                raise StudyError(f"{name}: the answer is A or B")
        step = self.next_step(participant)
        if (step.kind, step.pair) != ("ask", pair):
            raise StudyError(f"pair {pair} can't be answered now: the next step is {step.kind}")
        with self._file.open(write=True) as db:
            db.execute(
                "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)",
                (participant, pair, challenge, preference, now()),
            )

    def describe_experience(self, participant: str, experience: str) -> None:
        """The self-reported experience; the last question."""
        if experience not in EXPERIENCE:
            raise StudyError(f"experience: it is one of {', '.join(EXPERIENCE)}")
        if (kind := self.next_step(participant).kind) not in ("experience", "done"):
            raise StudyError(f"the experience is asked at the end; the next step is {kind}")
        with self._file.open(write=True) as db:
            db.execute(
                "UPDATE participants SET experience = ?, finished = coalesce(finished, ?) "
                "WHERE id = ?",
                (experience, now(), participant),
            )

    # ---------------------------------------------------------------------------- overview

    def token(self) -> str:
        """The experimenter's: made when it is first asked for, and kept with the study."""
        with self._file.open(write=True) as db:
            db.execute(
                "INSERT OR IGNORE INTO study VALUES ('token', ?)",
                (json.dumps(secrets.token_urlsafe(16)),),
            )
            (text,) = db.execute("SELECT value FROM study WHERE name = 'token'").fetchone()
        return str(json_of(text, f"{self.path}: token", StudyError))

    def progress_rows(self) -> list[dict[str, Any]]:
        """Each participant with the levels and pairs that are done, and when last seen."""
        with self._file.open() as db:
            found = db.execute(
                "SELECT p.*, "
                "(SELECT count(*) FROM plays WHERE participant = p.id AND finished IS NOT NULL) "
                "AS levels, (SELECT count(*) FROM answers WHERE participant = p.id) AS pairs, "
                "max(consented, coalesce(finished, ''), "
                "coalesce((SELECT max(answered) FROM answers WHERE participant = p.id), ''), "
                "coalesce((SELECT max(stored) FROM plays JOIN inputs ON play = plays.id "
                "WHERE participant = p.id), '')) AS seen "
                "FROM participants p ORDER BY consented, id"
            ).fetchall()
        return [dict(row) for row in found]

    def played_counts(self, simulated: bool = False) -> dict[tuple[int, str], int]:
        """How many levels people, or automatic participants, have finished, by variant and side."""
        with self._file.open() as db:
            found = db.execute(
                "SELECT variant, side, count(*) AS n FROM plays JOIN participants p "
                "ON p.id = participant WHERE plays.finished IS NOT NULL AND simulated = ? "
                "GROUP BY variant, side",
                (int(simulated),),
            ).fetchall()
        return {(row["variant"], row["side"]): row["n"] for row in found}

    # -------------------------------------------------------------------------------- rows

    def play_rows(self) -> list[dict[str, Any]]:
        """One row for each finished level: who, what, and all features, from the recorded keys."""
        with self._file.open() as db:
            plays = db.execute(
                "SELECT plays.*, number, experience, simulated FROM plays JOIN participants "
                "ON participants.id = participant WHERE plays.finished IS NOT NULL "
                "ORDER BY consented, participant, slot"
            ).fetchall()
            recorded = [_recorded(db, play["id"]) for play in plays]
            worlds = [self._world(db, play["level"]) for play in plays]
        rows = []
        for play, world, attempts in zip(plays, worlds, recorded, strict=True):
            played = [replay(world, runs) for runs in attempts]
            rows.append(
                {
                    "participant": play["participant"],
                    "simulated": bool(play["simulated"]),
                    "experience": play["experience"],
                    **{k: play[k] for k in ("slot", "pair", "side", "variant", "level")},
                    **features(world.totals, world.level.goal_column, played),
                }
            )
        return rows

    def pair_rows(self) -> list[dict[str, Any]]:
        """One row for each answered pair: variants, differences (A less B) and answers."""
        with self._file.open() as db:
            found = db.execute(
                "SELECT answers.*, experience, simulated, a.variant AS first, b.variant AS second "
                "FROM answers JOIN participants ON participants.id = answers.participant "
                "JOIN plays a ON a.participant = answers.participant AND a.pair = answers.pair "
                "AND a.side = 'A' JOIN plays b ON b.participant = answers.participant "
                "AND b.pair = answers.pair AND b.side = 'B' "
                "ORDER BY consented, answers.participant, answers.pair"
            ).fetchall()
        rows = []
        for row in found:
            gaps, enemies, rewards = difference(row["first"], row["second"])
            rows.append(
                {
                    "participant": row["participant"],
                    "simulated": bool(row["simulated"]),
                    "experience": row["experience"],
                    "pair": row["pair"],
                    "variant_a": row["first"],
                    "variant_b": row["second"],
                    "gaps": gaps,
                    "enemies": enemies,
                    "rewards": rewards,
                    "challenge": row["challenge"],
                    "preference": row["preference"],
                }
            )
        return rows

    def input_rows(self) -> list[dict[str, Any]]:
        """The recorded keys themselves, one row for each attempt."""
        with self._file.open() as db:
            plays = db.execute(
                "SELECT plays.id, participant, slot FROM plays JOIN participants ON "
                "participants.id = participant ORDER BY consented, participant, slot"
            ).fetchall()
            return [
                {
                    "participant": play["participant"],
                    "slot": play["slot"],
                    "attempt": number,
                    "runs": runs,
                }
                for play in plays
                for number, runs in enumerate(_recorded(db, play["id"]), 1)
            ]

    def warm_up(self) -> None:
        """Compile what recording needs before the first participant waits for it."""
        with self._file.open() as db:
            (first,) = db.execute("SELECT min(id) FROM levels").fetchone()
            Running(self._world(db, first), 1, [[0, 1]])

    def levels(self) -> list[dict[str, Any]]:
        with self._file.open() as db:
            return [dict(row) for row in db.execute("SELECT * FROM levels ORDER BY id")]


def _check_keys(runs: Any) -> None:
    try:
        decode(runs)
    except LevelError as error:
        raise StudyError(str(error)) from None


def _recorded(db: sqlite3.Connection, play: int) -> list[Runs]:
    """The keys of a play, by attempt; runs that were cut by a batch are joined."""
    found: dict[int, Runs] = {}
    for attempt, text in db.execute(
        "SELECT attempt, runs FROM inputs WHERE play = ? ORDER BY attempt, first", (play,)
    ):
        runs = found.setdefault(attempt, [])
        stored = json_of(text, "the study's file, a row of keys,", StudyError)
        _check_keys(stored)
        for keys, ticks in stored:
            if runs and runs[-1][0] == keys:
                runs[-1][1] += ticks
            else:
                runs.append([keys, ticks])
    return [found[attempt] for attempt in sorted(found)]
