"""Replaying recordings of the original testbed: every number in them against ours."""

import contextlib
import gzip
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from treewright.apps.tactics import evaluation, ordering, rules
from treewright.apps.tactics.board import SQUARES
from treewright.apps.tactics.domain import HeroAcademy
from treewright.apps.tactics.notation import action_text, place, read_action, read_state, to_json
from treewright.apps.tactics.state import DISCARD, DROP, STATE
from treewright.apps.tactics.units import INFERNO
from treewright.errors import OptionError, TreewrightError
from treewright.library.program import Program
from treewright.library.reading import json_of

BATCH = 512
KEYS = ("g", "n", "legal", "kept", "keptSwap", "keptInferno", "eval", "evalWin")


class CheckedRules:
    """The functions that `verify_kernel.py` is compiled with."""

    functions: ClassVar[Any] = {
        "list_actions": ordering.list_actions,
        "order": ordering.order,
        "act": rules.act,
        "evaluate": evaluation.evaluate,
    }

    def __init__(self, domain: HeroAcademy) -> None:
        self.tables = domain.tables
        self.table_names = domain.table_names
        self._parts = domain.fingerprint_parts()

    def fingerprint_parts(self) -> tuple[Any, ...]:
        return self._parts


@dataclass
class Verdict:
    """What a file's replay found."""

    path: str
    records: int = 0
    agreed: int = 0
    games: int = 0
    differences: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)  # the first difference of each kind

    @property
    def ok(self) -> bool:
        return not self.differences

    def differs(self, kind: str, where: str, ours: Any, theirs: Any) -> None:
        self.differences[kind] += 1
        text = f"{where}: {kind}: recorded {_short(theirs)}, ours {_short(ours)}"
        self.first.setdefault(kind, text)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 300 else text[:297] + "..."


def verify(path: Path, progress: Callable[[int], object] | None = None) -> Verdict:
    """Replay one file; ``progress`` gets the number of records so far."""
    found = Verdict(str(path))
    replay = _Replay(found)
    for number, line in _lines(path):
        where = f"{path.name}, line {number}"
        with _sentences(where):
            replay.take(line, where)
        if progress is not None and number % 500 == 0:
            progress(found.records)
    with _sentences(path.name):
        replay.flush()
    return found


@contextlib.contextmanager
def _sentences(where: str) -> Iterator[None]:
    """Whatever a record has that no record may have is said with its place."""
    try:
        yield
    except OptionError as error:
        raise OptionError(f"{where}: {error}") from error
    except KeyError as error:
        raise OptionError(f"{where}: key {error.args[0]!r} is missing") from error
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise OptionError(f"{where}: this is not a record of FORMAT.md ({error})") from error


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                line = json_of(text, f"{path.name}, line {number}", OptionError)
                if not isinstance(line, dict):
                    raise OptionError(f"{path.name}, line {number}: a record is a JSON object")
                yield number, line
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        if isinstance(error, TreewrightError):
            raise
        why = getattr(error, "strerror", None) or error
        raise OptionError(f"{path} can't be read as a gzip file: {why}") from error


class _Replay:
    """Collects steps and compares them a batch at a time."""

    def __init__(self, found: Verdict) -> None:
        self.found = found
        self.domain: HeroAcademy | None = None
        self.steps: list[tuple[str, dict[str, Any]]] = []
        self.last: dict[str, Any] | None = None
        self.before = np.zeros(BATCH, STATE)
        self.wanted = np.zeros(BATCH, STATE)
        self.actions = np.zeros(BATCH, np.int64)
        self.room = np.zeros((BATCH, 3, 2000), np.int32)

    def take(self, line: dict[str, Any], where: str) -> None:
        kind = line["type"]
        if kind == "step":
            if self.domain is None:
                raise OptionError("a step before any game or state line")
            for key in KEYS:
                line[key]
            self._continues(line, where)
            self.before[len(self.steps)] = read_state(line["before"])[0]
            self.wanted[len(self.steps)] = read_state(line["after"])[0]
            self.actions[len(self.steps)] = read_action(line["action"])
            self.steps.append((where, line))
            if len(self.steps) == BATCH:
                self.flush()
        elif kind in ("game", "state"):
            self.flush()
            self.last = None
            self.found.games += 1
            self.domain = HeroAcademy(
                testbed=True, ap=line["ap"], first_ap=line["firstAp"], turn_limit=line["limit"]
            )
            if kind == "game":
                self._dealt(line, where)
                self.last = line["start"]
        else:
            raise OptionError(f"key 'type' is {kind!r}: game, state or step")

    def _continues(self, line: dict[str, Any], where: str) -> None:
        """In a game file, each step begins where the one before it ended."""
        if self.last is not None and line["n"] >= 0:
            if line["before"] != self.last:
                self.found.differs("order", where, self.last, line["before"])
            self.last = line["after"]

    def _dealt(self, line: dict[str, Any], where: str) -> None:
        """The opening position follows from the two deck seeds."""
        seeds = [line["deckSeed1"], line["deckSeed2"]]
        domain = HeroAcademy(ap=line["ap"], first_ap=line["firstAp"], deck_seeds=seeds)
        start = to_json(domain.new_state()._record[0])
        if start != line["start"]:
            self.found.differs("start", where, start, line["start"])

    def flush(self) -> None:
        steps, self.steps = self.steps, []
        if not steps or self.domain is None:
            return
        count = len(steps)
        before, wanted, actions = self.before[:count], self.wanted[:count], self.actions[:count]
        after = np.zeros_like(before)
        counts = np.zeros((len(steps), 2), np.int64)
        evaluations = np.zeros((len(steps), 2), np.int64)
        text = Path(__file__).parent / "verify_kernel.py"
        program = Program(CheckedRules(self.domain), (text,), "examine")
        tables = program.tables
        program.call(before, after, tables, actions, self.room, counts, evaluations)
        for i, (where, line) in enumerate(steps):
            wrong = sum(self.found.differences.values())
            n, kept = (int(c) for c in counts[i])
            legal = [_text(a) for a in self.room[i, 0, :n]]
            self._compare(line, where, "legal", legal)
            pruned = self.room[i, 2, :kept]
            self._compare(line, where, "kept", kept)
            swaps = sorted(_text(a) for a in pruned if a >> 12 == DISCARD)
            self._compare(line, where, "keptSwap", swaps)
            self._compare(line, where, "keptInferno", self._targets(before[i], pruned))
            if "value" in line:
                self._compare(line, where, "value", [int(v) for v in self.room[i, 1, :n]])
            if after[i].tobytes() != wanted[i].tobytes():
                self._compare(line, where, "after", to_json(after[i]))
            raw = [int(v) for v in evaluations[i]]
            self._compare(line, where, "eval", raw)
            shares = [(v + evaluation.WIN) / (2 * evaluation.WIN) for v in raw]
            if any(abs(a - b) > 1e-12 for a, b in zip(shares, line["evalWin"], strict=True)):
                self._compare(line, where, "evalWin", shares)
            self.found.records += 1
            self.found.agreed += sum(self.found.differences.values()) == wrong

    def _compare(self, line: dict[str, Any], where: str, kind: str, ours: Any) -> None:
        if line[kind] != ours:
            at = f"{where} (g {line['g']}, n {line['n']}, action {line['action']})"
            self.found.differs(kind, at, ours, line[kind])

    def _targets(self, record: np.void, pruned: np.ndarray) -> list[str]:
        """The target sets of the Infernos that are kept, as the recordings write them."""
        assert self.domain is not None
        foe = 1 - int(record["player"])
        foes = int(record["up"][foe] | record["down"][foe] | record["gem"][foe])
        found = []
        for action in pruned:
            if action >> 6 == DROP * 64 + INFERNO:
                hit = int(self.domain.tables["ring"][action & 63]) & foes
                found.append(" ".join(place(q) for q in range(SQUARES) if hit >> q & 1))
        return sorted(found)


_texts: dict[int, str] = {}


def _text(action: Any) -> str:
    number = int(action)
    if number not in _texts:
        _texts[number] = action_text(number)
    return _texts[number]
