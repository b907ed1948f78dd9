"""Does ``determinise`` redraw what a player may not know, and nothing else?

What a player sees is what the domain's ``view`` shows them, who is to move, and their own actions
if it is them.  A draw must leave all that as it is.  Whether it fits what they have seen *before*
shows only by living through the game again: from an earlier position, redrawn for the same
player, whatever shows them the same sights is played.  Where few states are possible all of
them turn up that way, and a draw that is not among them contradicts the past.
"""

from collections import Counter
from itertools import pairwise, zip_longest
from typing import Any

from treewright.library.domain import Domain
from treewright.library.position import Position
from treewright.random import below, stream

DRAWS = 48  # that are compared with what is possible
FEW = 12  # different ones among them: more can't be told apart from what is merely rare
LIVES = 200  # for one position
LOOKS_BACK = 20  # in all games together: they take longer than everything else
OFTEN = 6  # each possible state must turn up this often, or some may be missing
BACK = 5  # actions that are lived through again


class HiddenCheck:
    """Looks at every position of random games, and at the past of one in each game."""

    def __init__(self, domain: Domain, report: Any, seed: int) -> None:
        self._players = range(domain.players)
        self._shows = domain.function("view") is not None
        self._report = report
        self._rng = stream(seed + 1)
        self._changed = False
        self._looks_back = LOOKS_BACK

    def look(self, position: Position) -> None:
        """Draw once for each player, and compare what they see."""
        if self._report.problems:
            return
        for player in self._players:
            guess = self._drawn(position, player)
            before, after = self._sight(position, player), self._sight(guess, player)
            if before != after:
                self._report.add(
                    f"determinise() changed what player {player} can see: "
                    f"{_difference(before, after)}"
                )
                return
            if not guess.legal():
                self._report.add("determinise() led to a state without a legal action")
            self._changed = self._changed or self._all(guess) != self._all(position)

    def look_back(self, trail: list[Position]) -> None:
        """Compare draws at one position of a game with what can have led there."""
        if not self._shows or len(trail) < 2 or self._report.problems or not self._looks_back:
            return
        player = below(self._rng, len(self._players))
        now = 1 + below(self._rng, len(trail) - 1)
        then = max(0, now - BACK)
        drawn = {self._all(self._drawn(trail[now], player)) for _ in range(DRAWS)}
        if not 1 < len(drawn) <= FEW:
            return
        self._looks_back -= 1
        lives = (self._live(trail[then : now + 1], player) for _ in range(LIVES))
        possible = Counter(state for state in lives if state is not None)
        if possible and min(possible.values()) >= OFTEN and not drawn <= set(possible):
            self._report.add(
                f"determinise() drew a state that contradicts what player {player} has seen before"
            )

    def end(self) -> None:
        alone = len(self._players) == 1  # who sees nothing of what was redrawn
        if self._shows and not alone and not self._changed and not self._report.problems:
            self._report.add("determinise() never changed anything that a player can see")

    def _drawn(self, position: Position, player: int) -> Position:
        guess = position.copy()
        guess.determinise(self._rng, player)
        return guess

    def _sight(self, position: Position, player: int) -> tuple[str, ...]:
        """What one player sees."""
        mine = not position.ended and position.player == player
        actions = [position.describe(a) for a in position.legal()] if mine else []
        shown = position.view(player) if self._shows else ""
        return (f"player {position.player} is to move", " ".join(actions), *shown.splitlines())

    def _all(self, position: Position) -> tuple[Any, ...]:
        """What all players see together, which tells one state from another."""
        return tuple(self._sight(position, player) for player in self._players)

    def _live(self, trail: list[Position], player: int) -> tuple[Any, ...] | None:
        """Where another life with the same sights ends; None if it comes to a dead end."""
        here = self._drawn(trail[0], player)
        for before, after in pairwise(trail):
            wanted = self._sight(after, player)
            actions = after.history[-1:] if before.player == player else here.legal()
            fits = []
            for action in actions:
                there = here.copy()
                there.follow(action)
                if self._sight(there, player) == wanted:
                    fits.append(there)
            if not fits:
                return None
            here = fits[below(self._rng, len(fits))]
        return self._all(here)


def _difference(before: tuple[str, ...], after: tuple[str, ...]) -> str:
    """The first line that is another."""
    lines = zip_longest(before, after, fillvalue="")
    was, now = next((a, b) for a, b in lines if a != b)
    return f"{was!r} has become {now!r}"
