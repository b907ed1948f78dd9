"""A domain's state with methods: for playing, checking and testing, not for speed."""

import types
from typing import Any

import numpy as np

from treewright.errors import DomainError, OptionError
from treewright.kernel.interpreted import Cells
from treewright.library import shown
from treewright.library.domain import CHANCE, Domain

REDRAWS = 20  # a line that needs more is seldom worth showing


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
        return int(self._hooks["player"](self.state, self._tables))

    @property
    def ended(self) -> bool:
        return bool(self._hooks["ended"](self.state, self._tables))

    def legal(self) -> list[int]:
        """The legal actions, or the outcomes where chance decides."""
        room = self.domain.max_actions
        out = Cells(np.full(room, -1, np.int32))
        try:
            n = int(self._hooks["legal"](self.state, self._tables, out))
        except IndexError:
            n = room + 1
        if n > room:
            raise DomainError(
                f"{self.domain.name}: legal() listed more than max_actions={room} actions"
            )
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
        self._hooks["play"](self.state, self._tables, action)
        self.history.append(action)

    def rewind(self, root: "Position") -> None:
        """Take back what was played since this position was a copy of ``root``."""
        self._hooks["rewind"](self.state, self._tables, root.state)
        self.history = list(root.history)

    def rewards(self) -> list[float]:
        return self._numbers("rewards")

    def value(self) -> list[float]:
        return self._numbers("value")

    def key(self, action: int) -> int:
        return int(self._hooks["amaf_key"](self.state, self._tables, action))

    def state_key(self) -> int:
        """What the domain's ``key`` says of the state."""
        return int(self._hooks["key"](self.state, self._tables))

    def weight(self, action: int) -> float:
        return float(self._hooks["weight"](self.state, self._tables, action))

    def prior(self, action: int) -> tuple[float, float]:
        value, visits = self._hooks["prior"](self.state, self._tables, action)
        return float(value), float(visits)

    def chance(self, rng: Any) -> int:
        """A sampled chance outcome."""
        return int(self._hooks["sample_chance"](self.state, self._tables, rng))

    def determinise(self, rng: Any, player: int) -> None:
        """Redraw what a player may not know."""
        self._hooks["determinise"](self.state, self._tables, rng, player)

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

    def _call(self, function: types.FunctionType, *arguments: Any) -> Any:
        if function.__code__.co_varnames[1:2] == ("t",):
            return function(self.state, self._tables, *arguments)
        return function(self.state, *arguments)

    def _numbers(self, hook: str) -> list[float]:
        out = Cells(np.zeros(self.domain.players))
        self._hooks[hook](self.state, self._tables, out)
        return [out[i] for i in range(self.domain.players)]


def state_of(domain: Domain, given: Any) -> Any:
    """The state of a position, or a state itself, if it is one of this domain's."""
    return domain.check_state(given.state if isinstance(given, Position) else given)
