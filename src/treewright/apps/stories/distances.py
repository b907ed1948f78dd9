"""How much stories differ: the sets of their actions, and the edits from one to the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from treewright.apps.stories.story import Story


@dataclass(frozen=True)
class Variety:
    """Mean distances over all pairs, from 0 (the same) to 1 (nothing in common)."""

    stories: int
    different: int
    jaccard: float  # 1 - common actions / all actions
    edits: float  # Levenshtein distance / length of the longer one
    jaccard_kinds: float  # the same for kinds of actions, without who and what
    edits_kinds: float
    score_lost: float  # how much less the others score than the first, on average


def variety(stories: Sequence[Story]) -> Variety:
    whole = [s.actions for s in stories]
    kinds = [[e.action for e in s.events] for s in stories]
    return Variety(
        len(stories),
        len({tuple(a) for a in whole}),
        _mean(whole, jaccard),
        _mean(whole, edit_distance),
        _mean(kinds, jaccard),
        _mean(kinds, edit_distance),
        _lost([s.score for s in stories]),
    )


def _lost(scores: list[float]) -> float:
    others = scores[1:]
    return scores[0] - sum(others) / len(others) if others else 0.0


def _mean(lists: list[list[str]], distance) -> float:  # type: ignore[no-untyped-def]
    pairs = list(combinations(lists, 2))
    return sum(distance(a, b) for a, b in pairs) / len(pairs) if pairs else 0.0


def jaccard(a: Sequence[str], b: Sequence[str]) -> float:
    """1 - |a ∩ b| / |a ∪ b|."""
    both = set(a) | set(b)
    return 1.0 - len(set(a) & set(b)) / len(both) if both else 0.0


def edit_distance(a: Sequence[str], b: Sequence[str]) -> float:
    """Insertions, deletions and replacements from one to the other, by the longer length."""
    if not a and not b:
        return 0.0
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, start=1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1] / max(len(a), len(b))
