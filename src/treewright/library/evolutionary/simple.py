"""Agents that do not search, and the playing of a given turn."""

import numpy as np

from treewright.errors import OptionError
from treewright.library.domain import Domain
from treewright.library.evolutionary.agent import Agent, Budget, Plan, stream, turn_program

FOLLOW, RANDOM, GREEDY = range(3)


class Turn:
    """Plays turns by compiled rules: a given list of actions, at random, or greedily."""

    def __init__(self, domain: Domain, length: int) -> None:
        self._compiled = turn_program(domain, "simple_kernel.py", "turn")
        self._length = length
        self._domain = domain
        self._buffer = np.zeros(domain.max_actions + 1, np.int32)
        self._work = np.zeros(1, domain.state)
        self._out = np.zeros(domain.players)

    def follow(self, state: np.ndarray, actions: list[int]) -> None:
        """Play a turn's actions on ``state``, in place; an illegal one is refused."""
        played = self._call(state, FOLLOW, np.array([*actions, -1], np.int32), len(actions), 0)[0]
        if played < len(actions):
            raise OptionError(
                f"action {actions[played]} (number {played + 1} of the turn) is not legal here"
            )

    def player(self, state: np.ndarray) -> int:
        """Whose turn it is."""
        return self._call(state, FOLLOW, np.zeros(1, np.int32), 0, 0)[2]

    def over(self, state: np.ndarray) -> bool:
        """Whether the game has ended."""
        return self._call(state, FOLLOW, np.zeros(1, np.int32), 0, 0)[3]

    def value_after(self, state: np.ndarray, actions: list[int]) -> float:
        """What the mover has after a turn; ``state`` is not changed."""
        given = np.array([*actions, -1], np.int32)
        return self._call(state.copy(), FOLLOW, given, len(actions), 0)[1]

    def by_itself(self, state: np.ndarray, mode: int, seed: int) -> Plan:
        """Play a whole turn on ``state``, in place, at random or greedily."""
        actions = np.zeros(self._length + 1, np.int32)
        played, value, _, _ = self._call(state, mode, actions, self._length, seed)
        return Plan([int(a) for a in actions[:played]], value, 1)

    def _call(
        self, state: np.ndarray, mode: int, actions: np.ndarray, length: int, seed: int
    ) -> tuple[int, float, int, bool]:
        played, value, mover, over = self._compiled.call(
            state,
            self._compiled.tables,
            stream(seed),
            mode,
            actions,
            length,
            self._buffer,
            self._work,
            self._out,
        )
        return int(played), float(value), int(mover), bool(over)


class RandomActions(Agent):
    """Any legal action, each as likely."""

    mode = RANDOM

    def __init__(self, domain: Domain, length: int) -> None:
        super().__init__(domain, length)
        self._turn = Turn(domain, length)

    def plan(self, state: np.ndarray, budget: Budget, seed: int = 0) -> Plan:
        return self._turn.by_itself(state.copy(), self.mode, seed)


class GreedyAction(RandomActions):
    """The action whose next state evaluates best, for each action point (Justesen et al.)."""

    mode = GREEDY
