"""Judging turns after the opponent's reply, which Baier & Cowling leave open (section V)."""

import numpy as np

from treewright.errors import OptionError
from treewright.kernel.rng import stream_seed
from treewright.library.domain import Domain
from treewright.library.evolutionary.agent import Agent, Budget, Plan, stream, turn_program
from treewright.library.evolutionary.burning import Burning
from treewright.library.evolutionary.simple import Turn


class QuickReply:
    """Chooses among turns by what they are worth before and after play by Greedy Action.

    The opponent replies with a turn of Greedy Action; if ``actions`` are more than that turn has,
    the mover goes on in the same way, and so on.  ``weight`` is what the end of it counts.
    """

    def __init__(self, domain: Domain, actions: int, weight: float) -> None:
        if not 0 <= weight <= 1:
            raise OptionError(f"the weight of a reply must be between 0 and 1, not {weight!r}")
        self.actions = actions
        self.weight = weight
        self._compiled = turn_program(domain, "reply_kernel.py", "choose")
        self._work = np.zeros(2, domain.state)
        self._buffer = np.zeros(domain.max_actions + 1, np.int32)
        self._out = np.zeros(domain.players)

    def choose(
        self, ends: np.ndarray, values: np.ndarray, mover: int, seed: int
    ) -> tuple[int, int]:
        """The row of the best turn, given the states behind the turns, and the replies made."""
        row, replies = self._compiled.call(
            ends,
            values,
            self._compiled.tables,
            stream(seed),
            self.actions,
            self.weight,
            mover,
            self._work,
            self._buffer,
            self._out,
        )
        return int(row), int(replies)


class Replied(Agent):
    """Plans several turns and plays the one after which the opponent's best reply is worst.

    One agent plans, another replies; both get the same share of the budget for each turn.  Two
    players whose values add up to 1 are assumed.
    """

    def __init__(self, planner: Agent, replier: Agent, *, plans: int = 4) -> None:
        super().__init__(planner.domain, planner.length)
        if planner.domain.players != 2:
            raise OptionError(f"{planner.domain.name} must have two players for replies")
        if type(plans) is not int or plans < 1:
            raise OptionError(f"plans must be a whole number, at least 1; not {plans!r}")
        self.planner = planner
        self.replier = replier
        self.plans = plans
        self._turn = Turn(planner.domain, planner.length)

    def plan(self, state: np.ndarray, budget: Budget, seed: int = 0) -> Plan:
        part = self._part(budget)
        best: Plan | None = None
        spent = 0
        for i in range(self.plans):
            own = stream_seed(seed, i) >> 2
            found = self.planner.plan(state, part, own)
            after = state.copy()
            self._turn.follow(after, found.actions)
            value = found.value
            spent += found.evaluations
            if not self._turn.over(after):
                reply = self.replier.plan(after, part, own)
                value = 1.0 - reply.value
                spent += reply.evaluations
            if best is None or value > best.value:
                best = Plan(found.actions, value, 0)
        assert best is not None
        return Plan(best.actions, best.value, spent)

    def _part(self, budget: Budget) -> Budget:
        share = 2 * self.plans
        if budget.evaluations is not None:
            return Budget(evaluations=max(1, budget.evaluations // share))
        assert budget.seconds is not None
        return Budget(seconds=budget.seconds / share)

    @property
    def burning(self) -> Burning | None:
        return self.planner.burning

    @property
    def turn_so_far(self) -> list[int]:
        return self.planner.turn_so_far
