"""Keeps a set of levels, as a whole, near the corpus.

What is hard to finish or to vary is rarer in playable levels than in the corpus, and a single level
can't tell.  Of several candidates for the next place in a set, the one is taken with which the
tile patterns of all levels together are nearest to the corpus's: the sum of both KL divergences
(metrics.py), so that neither too many nor too few of a pattern go unnoticed.
"""

import functools
from collections import Counter
from collections.abc import Sequence

from treewright.apps.levels import metrics
from treewright.apps.levels.level import Level

SIZE = 2  # of the patterns: 2 x 2 tiles


class Balance:
    """The patterns of the levels kept so far, beside the corpus's."""

    def __init__(self, corpus: Sequence[Level]) -> None:
        self._levels = corpus
        self._kept: Counter[tuple[str, ...]] = Counter()

    @functools.cached_property
    def _corpus(self) -> Counter[tuple[str, ...]]:
        """Counted when candidates are compared: a single level needs none of it."""
        return metrics.pooled(self._levels, SIZE)

    def add_nearest(self, candidates: Sequence[Level]) -> int:
        """Keep one of the candidates, and say which."""
        pools = [self._kept + metrics.windows(level, SIZE, SIZE) for level in candidates]
        best = 0
        if len(pools) > 1:
            best = min(range(len(pools)), key=lambda i: self._distance(pools[i]))
        self._kept = pools[best]
        return best

    def _distance(self, pool: Counter[tuple[str, ...]]) -> float:
        there = metrics.divergence(pool, self._corpus)
        return there + metrics.divergence(self._corpus, pool)
