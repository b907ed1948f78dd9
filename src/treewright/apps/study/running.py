"""Attempts under way, kept as games, so that a batch of keys costs its own ticks and no others."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from treewright.apps.levels import game
from treewright.apps.levels.replay import Runs, decode, step
from treewright.apps.levels.world import World

MOST_KEPT = 1000  # games; each is about as large as its level


class Running:
    """An attempt after the keys so far."""

    def __init__(self, world: World, attempt: int, runs: Sequence[Sequence[int]] = ()) -> None:
        self.attempt = attempt
        self.ticks = 0
        self.first = 0  # the tick at which the last batch began
        self._now = world.begin()
        self._events = np.zeros((1, 4), np.int32)  # nobody asks for them here
        self.play(runs)

    def play(self, runs: Sequence[Sequence[int]]) -> int:
        """Go on with these keys; how many ticks of them came before the attempt was over."""
        if self.outcome != game.PLAYING or not runs:
            return 0
        self.first = self.ticks
        played = step(self._now, decode(runs), self._events)
        self.ticks += played
        return played

    @property
    def outcome(self) -> int:
        return int(self._now.status[game.OUTCOME])


class Shelf:
    """The last attempt of each play, if it still is what the study's file holds."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._games: OrderedDict[int, Running] = OrderedDict()
        self.most = most

    def find(self, play: int, attempt: int, first: int) -> Running | None:
        """The game of a play whose last batch in the file is this one."""
        found = self._games.get(play)
        return found if found and (found.attempt, found.first) == (attempt, first) else None

    def put(self, play: int, running: Running) -> None:
        self._games[play] = running
        self._games.move_to_end(play)
        if len(self._games) > self.most:
            self._games.popitem(last=False)


def cut(runs: Sequence[Sequence[int]], first: int, last: int) -> Runs:
    """The ticks from ``first`` to before ``last`` of runs."""
    kept: Runs = []
    at = 0
    for keys, n in runs:
        begin, end = max(at, first), min(at + n, last)
        at += n
        if begin < end:
            kept.append([keys, end - begin])
    return kept
