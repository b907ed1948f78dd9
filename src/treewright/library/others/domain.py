"""One domain for every game of another library: its states are Python objects that know the rules.

A library needs no more than a :class:`Game`; the kernel's hooks are the same for all of them.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import types
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from treewright.library.domain import Domain
from treewright.library.options import Options
from treewright.library.search import Search

MOST_ACTIONS = 65535  # of one position: what the kernel can list


class Game(Protocol):
    """A game of another library, in the middle of being played."""

    @property
    def ended(self) -> bool: ...
    @property
    def player(self) -> int:
        """Who decides, or ``CHANCE``."""

    def legal(self) -> Sequence[int]:
        """The actions, or the outcomes where chance decides."""

    def play(self, action: int) -> None: ...
    def draw(self, rng: Any) -> int:
        """An outcome where chance decides."""

    def rewards(self) -> Sequence[float]:
        """What each player has got so far, whether the game has ended or not."""

    def copy(self) -> "Game": ...
    def describe(self, action: int) -> str: ...
    def render(self) -> str: ...


class HidingGame(Game, Protocol):
    """One that hides something from its players, and knows how to redraw that."""

    def redraw(self, rng: Any, player: int) -> None: ...
    def view(self, player: int) -> str:
        """What one player has seen."""


class OthersDomain(Domain):
    """A game of another library, searched interpreted."""

    def __init__(
        self,
        name: str,
        begin: Callable[[], Game],
        *,
        players: int,
        actions: int,
        length: int,
        keys: int,
        chance: bool,
        hides: bool = False,
    ) -> None:
        """``actions`` of one position and ``length`` of a game are at most this; ``keys`` is how
        many different actions there are; ``hides``: what ``begin`` gives is a `HidingGame`."""
        self.id = name
        self.state = begin
        self.players = players
        self.max_actions = max(1, min(actions, MOST_ACTIONS))
        self.max_length = max(1, length)
        self.keys = keys
        self._absent: tuple[str, ...] = () if hides else ("determinise", "view")
        self._absent += () if chance else ("sample_chance",)
        super().__init__()

    def function(self, name: str) -> types.FunctionType | None:
        """One of the functions below; a game without chance has no ``sample_chance``, and so on."""
        return None if name in self._absent else super().function(name)

    def start(s):
        """The game begins by itself."""

    def legal(s, out):
        actions = s.legal()
        n = len(actions)
        if n <= len(out):  # else the kernel says that there are too many
            out[:n] = actions
        return n

    def play(s, action):
        s.play(action)

    def ended(s):
        return s.ended

    def player(s):
        return s.player

    def rewards(s, out):
        out[:] = s.rewards()

    def value(s, out):
        out[:] = s.rewards()

    def sample_chance(s, rng):
        return s.draw(rng)

    def determinise(s, rng, player):
        s.redraw(rng, player)

    def view(s, player):
        return s.view(player)

    def copy(s):
        return s.copy()

    def describe(s, action):
        return s.describe(action)

    def render(s):
        return s.render()


class Player:
    """Searches whatever position it is shown, with a new tree each time."""

    def __init__(
        self,
        domain: OthersDomain,
        options: Options | None,
        simulations: int | None,
        seconds: float | None,
        seed: int,
    ) -> None:
        # what a game of somebody else's pays may be on any scale
        self._search = Search(domain, options or Options(normalise=True), seed=seed)
        self._budget: dict[str, Any] = {"simulations": simulations, "seconds": seconds}

    def choose(self, game: Game) -> int:
        """The action to play; with a single one there is nothing to search."""
        actions = game.legal()
        if len(actions) == 1:
            return int(actions[0])
        self._search.begin(game)
        return self._search.run(**self._budget).best
