"""Greedy Turn (Justesen et al.): depth-first over whole turns, with a transposition table."""

import numpy as np

from treewright.errors import OptionError
from treewright.library.domain import Domain
from treewright.library.evolutionary.agent import Agent, Budget, Plan, limits, turn_program

TABLE = 2**20  # entries of the transposition table


class GreedyTurn(Agent):
    """Every sequence of actions in the order of the list, as far as the budget goes.

    A state that was reached before is not searched again.  ``deepest`` is the original's limit
    of six actions; without it all action points are searched.
    """

    def __init__(self, domain: Domain, length: int, *, deepest: int | None = None) -> None:
        super().__init__(domain, length)
        if deepest is not None and (type(deepest) is not int or deepest < 1):
            raise OptionError(f"deepest must be a whole number, at least 1; not {deepest!r}")
        self.deepest = min(deepest or length, length)
        self._compiled = turn_program(domain, "greedy_turn_kernel.py", "explore")
        self._states = np.zeros(length + 2, domain.state)
        size = domain.state.itemsize  # states are hashed in the largest words that fit
        word = next(w for w in (np.int64, np.int32, np.int16, np.int8) if size % w().itemsize == 0)
        self._words = self._states.view(word).reshape(length + 2, -1)
        self._lists = np.zeros((length + 1, domain.max_actions + 1), np.int32)
        self._table = np.zeros(TABLE, np.int64)
        self._out = np.zeros(domain.players)

    def plan(self, state: np.ndarray, budget: Budget, seed: int = 0) -> Plan:
        self._states[0] = state[0]
        self._table[:] = 0
        places = np.zeros((self.length + 1, 2), np.int64)  # next action and length of each list
        best = np.zeros(self.length + 1, np.int32)
        # evaluations made, actions of the best turn, depth, whether everything was searched
        progress = np.zeros(4, np.int64)
        progress[2] = -1
        value = np.array([-np.inf])
        for limit in limits(budget, progress):
            self._compiled.call(
                self._states,
                self._words,
                self._compiled.tables,
                self._lists,
                places,
                self._table,
                self._out,
                best,
                value,
                progress,
                self.deepest,
                limit,
            )
            if progress[3]:
                break
        actions = [int(a) for a in best[: int(progress[1])]]
        return Plan(actions, float(value[0]), int(progress[0]))
