"""The Markov chain of vertical slices (section "Markov Chain Generation").

A state is the last two slices.  From it the chain goes to any *pattern* of one to eight slices
that followed these two somewhere in the corpus, with the probability that it did (Figure 1).
Transitions into states that were never seen to go on are left out, so the chain has no dead end.
The state before the first slice is ``()``; its patterns are the ways in which levels begin.
"""

import functools
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treewright.apps.levels.level import LONGEST, Level
from treewright.apps.levels.tiles import LevelError
from treewright.library.reading import json_of, text_of
from treewright.library.writing import write_whole

HISTORY, WIDEST = 2, 8
MOST_HISTORY, MOST_WIDEST = 8, 32
FORMAT = "treewright-chain-1"

State = tuple[int, ...]
Pattern = tuple[int, ...]


@dataclass(frozen=True)
class Chain:
    """What was learnt: slices by number, and for each state its patterns with their counts."""

    slices: tuple[str, ...]
    levels: tuple[tuple[int, ...], ...]  # the corpus, as slice numbers
    names: tuple[str, ...]
    history: int
    widest: int
    transitions: dict[State, dict[Pattern, int]] = field(repr=False)
    dead_ends: int = 0  # states that were left out

    @property
    def height(self) -> int:
        return len(self.slices[0])

    @property
    def starts(self) -> dict[Pattern, int]:
        return self.transitions[()]

    @functools.cached_property
    def corpus(self) -> tuple[Level, ...]:
        """The levels that were learnt from."""
        return tuple(
            Level.of_columns([self.slices[i] for i in line], name)
            for line, name in zip(self.levels, self.names, strict=True)
        )

    @functools.cached_property
    def shorter(self) -> dict[State, dict[Pattern, int]]:
        """With a slice less of history: which slices follow, and how often.

        For where two slices of history would copy a level of the corpus on and on.  What follows
        leads back into a state of the chain.
        """
        found: dict[State, dict[Pattern, int]] = {}
        for line in self.levels if self.history > 1 else ():
            for at in range(self.history, len(line) + 1):
                state = line[at - self.history : at]
                if state in self.transitions:
                    counts, last = found.setdefault(state[:-1], {}), state[-1:]
                    counts[last] = counts.get(last, 0) + 1
        return found

    def after(self, state: State, pattern: Pattern) -> State:
        return _after(state, pattern, self.history)

    def sample(self, length: int, seed: int) -> Level:
        """Plain chain sampling: one walk, whatever comes of it (the baseline of the paper)."""
        rng = random.Random(seed)
        found: list[int] = []
        state: State = ()
        while len(found) < length:
            options = self.transitions[state]
            fitting = [p for p in options if len(p) <= length - len(found)] or list(options)
            (pattern,) = rng.choices(fitting, [options[p] for p in fitting])
            found += pattern
            state = self.after(state, pattern)
        return Level.of_columns([self.slices[i] for i in found[:length]], f"chain sample {seed}")

    def summary(self) -> dict[str, Any]:
        """Size, branching and dead ends, for people and programs."""
        states = {s: p for s, p in self.transitions.items() if s}
        single = [sum(len(pattern) == 1 for pattern in p) for p in states.values()]
        return {
            "levels": len(self.levels),
            "slices": sum(map(len, self.levels)),
            "distinct_slices": len(self.slices),
            "history": self.history,
            "widest": self.widest,
            "states": len(states),
            "transitions": sum(map(len, states.values())),
            "branching": round(sum(single) / len(single), 3),
            "states_that_branch": sum(n > 1 for n in single),
            "dead_ends": self.dead_ends,
        }

    def save(self, path: Path) -> None:
        states = sorted(self.transitions)
        data = {
            "format": FORMAT,
            "history": self.history,
            "widest": self.widest,
            "dead_ends": self.dead_ends,
            "slices": self.slices,
            "names": self.names,
            "levels": self.levels,
            "states": states,
            "transitions": [
                [[list(pattern), n] for pattern, n in sorted(self.transitions[state].items())]
                for state in states
            ],
        }
        write_whole(path, json.dumps(data, separators=(",", ":")) + "\n", LevelError)

    def _check(self, where: str) -> None:
        """Refuse what a search could not walk: it looks nothing up twice."""
        Level.of_columns(list(self.slices), where)
        known = range(len(self.slices))

        def listed(numbers: Sequence[Any], most: int) -> bool:
            return 0 < len(numbers) <= most and all(type(n) is int and n in known for n in numbers)

        good = (
            all(type(n) is int for n in (self.history, self.widest, self.dead_ends))
            and 1 <= self.history <= MOST_HISTORY
            and 1 <= self.widest <= MOST_WIDEST
            and () in self.transitions
            and len(self.levels) == len(self.names) > 0
            and all(listed(line, LONGEST) for line in self.levels)
            and all(isinstance(name, str) for name in self.names)
        )
        room = max(self.widest, self.history) if good else 0
        for state, patterns in self.transitions.items() if good else ():
            good = good and (state == () or listed(state, self.history)) and len(patterns) > 0
            for pattern, count in patterns.items():
                good = good and listed(pattern, room) and type(count) is int and count > 0
                good = good and self.after(state, pattern) in self.transitions
        if not good:
            raise LevelError(f"{where}: this chain file is damaged; make one with level learn")

    @classmethod
    def load(cls, path: Path) -> "Chain":
        try:
            data = json_of(text_of(path, LevelError), str(path), LevelError)
            if data["format"] != FORMAT:
                raise LevelError(f"{path}: this is no chain file of ours (format {FORMAT!r})")
            found = cls(
                tuple(data["slices"]),
                tuple(map(tuple, data["levels"])),
                tuple(data["names"]),
                data["history"],
                data["widest"],
                {
                    tuple(state): {tuple(pattern): n for pattern, n in patterns}
                    for state, patterns in zip(data["states"], data["transitions"], strict=True)
                },
                data["dead_ends"],
            )
            found._check(str(path))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LevelError(f"{path}: this is no chain file; make one with level learn") from error
        return found


def learn(levels: Sequence[Level], history: int = HISTORY, widest: int = WIDEST) -> Chain:
    """Count every pattern after every state of the corpus."""
    if not levels:
        raise LevelError("the corpus is empty: there is no level to learn from")
    if history < 1 or widest < 1:
        raise LevelError(f"history={history} and widest={widest} must be at least 1")
    height = max(level.height for level in levels)
    number: dict[str, int] = {}
    corpus: list[tuple[int, ...]] = []
    for level in levels:
        columns = level.unmarked().with_rows(height).columns
        corpus.append(tuple(number.setdefault(column, len(number)) for column in columns))
    counts: dict[State, dict[Pattern, int]] = defaultdict(dict)
    for line in corpus:
        for at in (0, *range(history, len(line))):
            known = counts[line[max(0, at - history) : at]]
            low, high = (1, widest) if at else (history, max(widest, history))
            for end in range(at + low, min(at + high, len(line)) + 1):
                pattern = line[at:end]
                known[pattern] = known.get(pattern, 0) + 1
    seen = {line[i : i + history] for line in corpus for i in range(len(line) - history + 1)}
    alive = _alive(counts, history)
    transitions = {
        state: {
            pattern: n
            for pattern, n in counts[state].items()
            if _after(state, pattern, history) in alive
        }
        for state in alive
    }
    choice = any(len({pattern[0] for pattern in p}) > 1 for p in transitions.values())
    if () not in alive or not choice:
        raise LevelError(
            f"the corpus is too small for a chain: {len(corpus)} level(s), the longest of "
            f"{max(map(len, corpus))} slices, and nowhere a choice of how to go on; add levels"
        )
    return Chain(
        tuple(number),
        tuple(corpus),
        tuple(level.where for level in levels),
        history,
        widest,
        transitions,
        len(seen) - (len(alive) - 1),
    )


def _after(state: State, pattern: Pattern, history: int) -> State:
    return pattern[-history:] if len(pattern) >= history else (*state, *pattern)[-history:]


def _alive(counts: dict[State, dict[Pattern, int]], history: int) -> set[State]:
    """The states from which the chain can go on for ever."""
    alive = set(counts)
    while True:
        stuck = {
            state
            for state in alive
            if not any(_after(state, pattern, history) in alive for pattern in counts[state])
        }
        if not stuck:
            return alive
        alive -= stuck
