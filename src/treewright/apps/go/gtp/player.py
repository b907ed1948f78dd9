"""Who plays: a search, its budget, and what it keeps from one move to the next."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from treewright.apps.go.board import PASS
from treewright.apps.go.gtp.game import Game, Move
from treewright.apps.go.gtp.openings import known
from treewright.errors import OptionError, nearest
from treewright.library.options import Options, Rave, Rollout
from treewright.library.result import Result
from treewright.library.running import Progress
from treewright.library.search import Search

HEAVY = Rollout("domain")
MC_RAVE = Rave(bias=0.009, first=True, fade=True)
PRIOR_RAVE = replace(MC_RAVE, bias=0.04)  # beside priors AMAF is worth less
DEFAULT = Options(c=0.0, fpu=1.0, rave=PRIOR_RAVE, priors=True, head_start=100.0, rollout=HEAVY)
SEARCHES: dict[str, tuple[Options, dict[str, Any]]] = {
    "default": (DEFAULT, {"margin": 0.04}),
    "mc-rave-priors": (DEFAULT, {}),
    "mc-rave": (Options(c=0.0, fpu=1.0, rave=MC_RAVE, rollout=HEAVY), {}),
    "rave": (Options(c=0.0, fpu=1.0, rave=Rave(k=math.inf, first=True), rollout=HEAVY), {}),
    "uct": (Options(c=0.3, fpu=1.1, rollout=HEAVY), {}),
    "light": (Options(c=0.3, fpu=1.1, rollout=HEAVY), {"playout": "light"}),
}
"""The searches that the surveys compare, by name.

MC-RAVE has the minimum-MSE schedule and no exploration (Gelly & Silver 2011, 5.2)."""


@dataclass(frozen=True)
class Style:
    """How a player thinks, whatever time it has."""

    options: Options = DEFAULT
    playout: dict[str, Any] = field(default_factory=dict)
    workers: int = 1
    memory: str = "512MiB"
    reuse: bool = True  # keep the tree below the moves that were played
    resign: float = 0.0  # give up below this share of wins; 0 never does
    openings: bool = False  # begin with the moves of openings.py, without a search
    seed: int = 0


def style(search: str = "default", **how: Any) -> Style:
    """The style of a search by its name; the default knows openings."""
    if search not in SEARCHES:
        raise OptionError(f"search={search!r} is unknown{nearest(search, SEARCHES)}")
    options, playout = SEARCHES[search]
    how.setdefault("openings", search == "default")
    return Style(options=options, playout=playout, **how)


@dataclass(frozen=True)
class Thought:
    """What a player chose: a point, ``None`` to resign; and the search behind it."""

    point: int | None
    result: Result | None = None


class Player:
    """Plays either colour of a :class:`Game`.

    ``choose`` runs a search from the game's position; the tree below the moves that are
    played since is kept, if they are all in it.
    """

    def __init__(self, style: Style | None = None) -> None:
        self.style = style or Style()
        self.search: Search | None = None
        self._key: Any = None  # the game that the search belongs to
        self._moves: list[Move] = []  # where its root stands
        self._colour = 0
        self._count = 0

    def forget(self) -> None:
        """Drop the tree."""
        self.search = None

    def prepare(self, game: Game, colour: int) -> Search:
        """A search whose root is the game's position with a colour to move."""
        key = (game.size, game.komi, game.suicide, tuple(game.stones), game.first)
        more = game.moves[len(self._moves) :]
        if (
            self.search is None
            or not self.style.reuse
            or key != self._key
            or game.moves[: len(self._moves)] != self._moves
            or not self._follow(more)
            or self._colour != colour
        ):
            self._count += 1
            self.search = self._new_search(game, colour)
            self._colour = colour
        self._key, self._moves = key, list(game.moves)
        return self.search

    def check(self, game: Game) -> None:
        """Refuse now what the first search would refuse, such as memory that is too little."""
        self._new_search(game, game.to_play)

    def compile(self, game: Game) -> None:
        """Compile the search for a game's board; what is played later is the same without it."""
        self._new_search(game, game.to_play).compile()

    def _new_search(self, game: Game, colour: int) -> Search:
        return Search(
            game.searchable(colour, **self.style.playout),
            self.style.options,
            seed=self.style.seed * 1_000_003 + self._count,
            workers=self.style.workers,
            memory=self.style.memory,
            when_full="rollout",
        )

    def _follow(self, moves: list[Move]) -> bool:
        """Move the root along; False if the tree can't."""
        search = self.search
        assert search is not None
        if len(search.history) + len(moves) > search.domain.settings["size"] ** 2:
            return False  # the longer the path, the nearer the limit of moves in a playout
        for colour, point in moves:
            if search.position.ended or colour != self._colour:
                return False
            try:
                search.commit(point)
            except OptionError:  # the search does not list moves that fill an own eye
                return False
            self._colour = 3 - colour
        return not search.position.ended

    def choose(
        self,
        game: Game,
        colour: int,
        simulations: int | None = None,
        seconds: float | None = None,
        until: Callable[[Progress], bool] | None = None,
    ) -> Thought:
        """Look up the openings, or search, and say what to play."""
        if self.style.openings and (opening := known(game, colour)) is not None:
            return Thought(opening)
        if game.moves and game.moves[-1] == (3 - colour, PASS) and wins(game, colour):
            return Thought(PASS)  # the game ends and is won
        search = self.prepare(game, colour)
        result = search.run(simulations, seconds=seconds, until=until)
        return self.decide(game, colour, result)

    def decide(self, game: Game, colour: int, result: Result) -> Thought:
        """The most visited move that the rules allow.

        It passes only where that loses nothing that the stones on the board don't say: a pass
        may be answered by a pass, and then they are counted as they stand.
        """
        allowed = (c for c in result.children if game.forbidden(colour, c.action) is None)
        best = next(allowed)
        if best.action == PASS and not wins(game, colour):
            other = next(allowed, best)
            if other.visits > 0:
                best = other
        if best.value is not None and best.value < self.style.resign:
            return Thought(None, result)
        return Thought(best.action, result)


def wins(game: Game, colour: int) -> bool:
    """Whether a colour wins as the stones stand."""
    score = game.score()
    return score > 0 if colour == 1 else score < 0
