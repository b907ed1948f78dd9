"""A domain's state with methods: for playing, checking and testing, not for speed."""

import types
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from treewright.errors import DomainError, OptionError, TreewrightError
from treewright.kernel.interpreted import Cells
from treewright.library import shown
from treewright.library.blame import from_traceback
from treewright.library.domain import CHANCE, Domain

T = TypeVar("T")
REDRAWS = 20  # a line that needs more is seldom worth showing


class _Room(Cells):
    """Where ``legal`` lists the actions; one that has no room is the domain's mistake."""

    __slots__ = ("domain",)

    def __init__(self, domain: Domain) -> None:
        super().__init__(np.full(domain.max_actions, -1, np.int32))
        self.domain = domain

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, int) and index >= len(self):
            raise self.too_many()
        super().__setitem__(index, value)

    def too_many(self) -> DomainError:
        return DomainError(
            f"{self.domain.name}: legal() listed more than max_actions={len(self)} actions"
        )


class Position:
    """One state of a domain, interpreted.

    >>> p = Position(Nim(heap=3))
    >>> p.legal()
    [1, 2, 3]
    """

    def __init__(self, domain: Domain, state: Any = None) -> None:
        self.domain = domain
        self.state = domain.new_state() if state is None else domain.check_state(state)
        self._hooks = domain.interpreted
        self._tables = domain.interpreted_tables
        self.history: list[int] = []

    def copy(self) -> "Position":
        other = Position.__new__(Position)
        other.__dict__.update(self.__dict__)
        other.state = self.domain.copy_state(self.state)
        other.history = list(self.history)
        return other

    @property
    def player(self) -> int:
        return self._ask("player", int)

    @property
    def ended(self) -> bool:
        return self._ask("ended", bool)

    def legal(self) -> list[int]:
        """The legal actions, or the outcomes where chance decides."""
        out = _Room(self.domain)
        n = self._ask("legal", int, out)
        if n > len(out):
            raise out.too_many()
        return [out[i] for i in range(n)]

    def play(self, action: int) -> None:
        if action not in self.legal():
            raise OptionError(f"action {action} is not legal in this position")
        self.follow(action)

    def follow(self, action: int) -> None:
        """Play an action that a search has listed.

        It is not looked up again: with ``Options(bound=True)`` what is listed depends on the best
        reward at that time.
        """
        self._ask("play", bool, action)
        self.history.append(action)

    def rewind(self, root: "Position") -> None:
        """Take back what was played since this position was a copy of ``root``."""
        self._ask("rewind", bool, root.state)
        self.history = list(root.history)

    def rewards(self) -> list[float]:
        return self._numbers("rewards")

    def value(self) -> list[float]:
        return self._numbers("value")

    def key(self, action: int) -> int:
        return self._ask("amaf_key", int, action)

    def state_key(self) -> int:
        """What the domain's ``key`` says of the state."""
        return self._ask("key", int)

    def weight(self, action: int) -> float:
        return self._ask("weight", float, action)

    def prior(self, action: int) -> tuple[float, float]:
        return self._ask("prior", _two_numbers, action)

    def chance(self, rng: Any) -> int:
        """A sampled chance outcome."""
        return self._ask("sample_chance", int, rng)

    def determinise(self, rng: Any, player: int) -> None:
        """Redraw what a player may not know."""
        self._ask("determinise", bool, rng, player)

    def redraw(self, player: int, rng: Any, action: int) -> bool:
        """Redraw what a player may not know until an action is legal; False if it never is."""
        for _ in range(REDRAWS):
            if action in self.legal():
                return True
            self.determinise(rng, player)
        return False

    @property
    def is_chance(self) -> bool:
        return self.player == CHANCE

    def describe(self, action: int) -> str:
        """The action's label."""
        own = self.domain.function("describe")
        return str(self._call(own, action)) if own else str(action)

    def render(self) -> str:
        own = self.domain.function("render")
        return str(self._call(own)) if own else repr(self.state)

    def picture(self) -> str | None:
        """The state as SVG, if the domain draws it."""
        own = self.domain.function("picture")
        return str(self._call(own)) if own else None

    @property
    def standing(self) -> str:
        """Who is to move, or how it ended, in words."""
        if self.ended:
            return f"ended, rewards {', '.join(f'{r:g}' for r in self.rewards())}"
        if self.is_chance:
            return "chance decides"
        return f"player {self.player} to move" if self.domain.players > 1 else "to move"

    def __repr__(self) -> str:
        played = f" after {shown.count_of(len(self.history), 'action')}" if self.history else ""
        return f"<Position of {self.domain.name}{played}: {self.standing}>"

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        return shown.position_html(self)

    def view(self, player: int) -> str:
        """The state as text, for one player: with what they may know, if the domain can say."""
        own = self.domain.function("view")
        return str(self._call(own, player)) if own else self.render()

    def _ask(self, hook: str, kind: Callable[[Any], T], *arguments: Any) -> T:
        """What a function of the domain says; what it raises becomes a sentence with its line."""
        try:
            return kind(self._hooks[hook](self.state, self._tables, *arguments))
        except TreewrightError:
            raise
        except Exception as error:
            raise DomainError(from_traceback(error, self.domain)) from error

    def _call(self, function: types.FunctionType, *arguments: Any) -> Any:
        if function.__code__.co_varnames[1:2] == ("t",):
            return function(self.state, self._tables, *arguments)
        return function(self.state, *arguments)

    def _numbers(self, hook: str) -> list[float]:
        out = Cells(np.zeros(self.domain.players))
        self._ask(hook, bool, out)
        return [out[i] for i in range(self.domain.players)]


def _two_numbers(pair: Any) -> tuple[float, float]:
    value, visits = pair
    return float(value), float(visits)


def state_of(domain: Domain, given: Any) -> Any:
    """The state of a position, or a state itself, if it is one of this domain's."""
    return domain.check_state(given.state if isinstance(given, Position) else given)
