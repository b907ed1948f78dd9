"""MCTS over single actions: vanilla, non-exploring, bridge-burning; one kernel, switched."""

import numpy as np

from treewright.library.domain import Domain
from treewright.library.evolutionary.agent import Agent, Budget, Plan
from treewright.library.evolutionary.burning import Burning
from treewright.library.evolutionary.simple import Turn
from treewright.library.options import Options, Rollout


class TurnMCTS(Agent):
    """A tree of the turn's actions; rollouts by the domain's policy to the end of the turn.

    ``c``: exploration (0 is non-exploring).  ``phases``: 1 is plain MCTS, the number of actions
    of a turn is BB-MCTS.  The best means are followed as deep as the tree goes; then the rollout
    policy completes the turn.
    """

    def __init__(self, domain: Domain, length: int, *, c: float, phases: int = 1) -> None:
        super().__init__(domain, length)
        self.phases = phases
        options = Options(
            c=c,
            horizon="turn",
            rollout=Rollout("domain"),
            expand="listed",
            choose="value",
        )
        self._burning = Burning(domain, options, "256MiB")
        self._turn = Turn(domain, length)

    def plan(self, state: np.ndarray, budget: Budget, seed: int = 0) -> Plan:
        player = self._turn.player(state)
        self._burning.begin(state, seed, player)
        self._burning.run(self.phases, budget)
        self._burning.complete(self.length)
        actions = self._burning.chosen
        return Plan(actions, self._turn.value_after(state, actions), self._burning.simulations)

    @property
    def burning(self) -> Burning:
        return self._burning

    @property
    def turn_so_far(self) -> list[int]:
        """Without what the rollout policy would add."""
        below = self._burning.tree.principal_variation()
        return [*self._burning.history, *(action for action, _ in below)]
