"""What is copied: runs of slices found in the corpus, and slices shared by two levels.

Runs are found while a level grows, by a suffix automaton over all levels of the corpus
(Blumer et al. 1985): its state is the longest end of the level so far that is a run of the
corpus.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import functools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from treewright.kernel.specialise import specialise
from treewright.library.program import ImportedFunctions


@dataclass(frozen=True)
class Automaton:
    """States by number: length and link of each; edges sorted by slice."""

    length: np.ndarray
    link: np.ndarray
    first: np.ndarray  # edges of state i are first[i] to first[i + 1]
    symbol: np.ndarray
    target: np.ndarray

    def tables(self) -> dict[str, np.ndarray]:
        return {
            "copy_length": self.length,
            "copy_link": self.link,
            "copy_first": self.first,
            "copy_symbol": self.symbol,
            "copy_target": self.target,
        }


def automaton(levels: Sequence[Sequence[int]]) -> Automaton:
    """The suffix automaton of all levels together."""
    length, link = [0], [-1]
    edges: list[dict[int, int]] = [{}]
    for line in levels:
        last = 0
        for symbol in line:
            last = _extend(length, link, edges, last, symbol)
    first = np.cumsum([0] + [len(e) for e in edges]).astype(np.int32)
    flat = [pair for e in edges for pair in sorted(e.items())]
    return Automaton(
        np.array(length, np.int32),
        np.array(link, np.int32),
        first,
        np.array([symbol for symbol, _ in flat], np.int32),
        np.array([target for _, target in flat], np.int32),
    )


def _extend(
    length: list[int], link: list[int], edges: list[dict[int, int]], last: int, symbol: int
) -> int:
    """Add one symbol after the state ``last``; the new last state."""
    known = edges[last].get(symbol)
    if known is not None and length[known] == length[last] + 1:
        return known

    def add(size: int, of: dict[int, int]) -> int:
        length.append(size)
        link.append(0)
        edges.append(of)
        return len(length) - 1

    def split(at: int, target: int) -> int:
        """A copy of ``target`` for the shorter ends that lead to it from ``at``."""
        clone = add(length[at] + 1, dict(edges[target]))
        link[clone] = link[target]
        link[target] = clone
        while at >= 0 and edges[at].get(symbol) == target:
            edges[at][symbol] = clone
            at = link[at]
        return clone

    if known is not None:
        return split(last, known)
    new = add(length[last] + 1, {})
    at = last
    while at >= 0 and symbol not in edges[at]:
        edges[at][symbol] = new
        at = link[at]
    if at >= 0:
        target = edges[at][symbol]
        link[new] = target if length[target] == length[at] + 1 else split(at, target)
    return new


def follow(t, state, run, symbol):
    """The automaton's state and the length of the copied run after one more slice."""
    while True:
        low = t.copy_first[state]
        high = t.copy_first[state + 1]
        while low < high:
            middle = (low + high) // 2
            if t.copy_symbol[middle] < symbol:
                low = middle + 1
            else:
                high = middle
        if low < t.copy_first[state + 1] and t.copy_symbol[low] == symbol:
            return t.copy_target[low], run + 1
        if state == 0:
            return 0, 0
        state = t.copy_link[state]
        run = t.copy_length[state]


def longest_run(levels: Automaton, line: Sequence[int]) -> tuple[int, int]:
    """(length, end) of the longest run of a level that one level of the corpus contains."""
    t = SimpleNamespace(**{k: v.tolist() for k, v in levels.tables().items()})
    state = run = 0
    best = (0, 0)
    for at, symbol in enumerate(line):
        state, run = follow(t, state, run, symbol)
        best = max(best, (run, at + 1))
    return best


# ----------------------------------------------------------------------- two levels compared


@functools.cache
def _compiled() -> Any:
    text = Path(__file__).parent / "copies_kernel.py"
    return specialise(ImportedFunctions(), {}, (text,), "most_shared").most_shared


class Shelf:
    """The levels kept so far; says how much a new one shares with the nearest of them."""

    def __init__(self, longest: int) -> None:
        """``longest``: slices of the longest level that will come."""
        self._number: dict[Hashable, int] = {}
        self._lines = np.zeros((0, longest), np.int32)
        self._lengths = np.zeros(0, np.int64)

    def _numbers(self, line: Sequence[Hashable]) -> np.ndarray:
        found = [self._number.setdefault(symbol, len(self._number)) for symbol in line]
        return np.array(found, np.int32)

    def nearest(self, line: Sequence[Hashable], but: int | None = None) -> float:
        """The largest share of slices in order with any level on the shelf; 0 if empty.

        ``but``: the number of a level that does not count, such as the line itself.
        """
        a = self._numbers(line)
        matches = np.zeros((len(self._number), len(a) // 64 + 1), np.uint64)
        for i, symbol in enumerate(a):
            matches[symbol, i // 64] |= np.uint64(1) << np.uint64(i % 64)
        lines, lengths = self._lines, self._lengths
        if but is not None:
            lines, lengths = np.delete(lines, but, axis=0), np.delete(lengths, but)
        return float(_compiled()(matches, a, lines, lengths, np.empty(matches.shape[1], np.uint64)))

    def add(self, line: Sequence[Hashable]) -> None:
        row = np.zeros((1, self._lines.shape[1]), np.int32)
        row[0, : len(line)] = self._numbers(line)
        self._lines = np.concatenate([self._lines, row])
        self._lengths = np.append(self._lengths, len(line))
