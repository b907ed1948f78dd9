"""Evolutionary MCTS (Baier & Cowling III-C): the kernel on turns and their mutations."""

import numpy as np

from treewright.domain import Domain
from treewright.evolutionary.agent import Agent, Budget, Plan
from treewright.evolutionary.burning import Burning
from treewright.evolutionary.mutations import NOTHING, mutations
from treewright.options import Options, Rollout

# The paper burns 20 bridges at 200 ms, 40 at 1 s and 100 at 5 s a turn; its EMCTS evaluated about
# 1,300 to 34,000 turns in these times.  At each of these budgets we found about 20 evaluations
# before each commit to be best (docs/tactics.md).
PER_PHASE = 20


class EvolutionaryMCTS(Agent):
    """Starts from Greedy Action's turn; C = 0, evaluation at the leaf, bridge-burning phases.

    Plays the best turn that was ever evaluated.  ``phases``: so many whatever the budget, as in
    the paper; by default one for every 20 evaluations.  ``reply`` judges each turn after so many
    actions of a greedy reply by the opponent.
    """

    def __init__(
        self,
        domain: Domain,
        length: int,
        *,
        phases: int | None = None,
        c: float = 0.0,
        reply: int = 0,
    ) -> None:
        super().__init__(domain, length)
        self.phases = phases
        self.reply = reply
        options = Options(
            c=c, rollout=Rollout(depth=0), dense=True, choose="value", keep_state=True
        )
        space = mutations(domain, length, reply)
        self._burning = Burning(space, options, "64MiB")
        self._genome = np.zeros(1, space.state)

    def plan(self, state: np.ndarray, budget: Budget, seed: int = 0) -> Plan:
        root = self._genome[0]
        root["states"][0] = state[0]
        root["dice"] = seed
        root["length"] = 0
        root["worth"] = NOTHING
        for name in ("valid", "clean", "changed", "forced", "listed"):
            root[name] = 0
        root["most"] = self.length
        root["reply"] = self.reply
        self._burning.begin(self._genome, seed, 0)
        self._burning.burn(1, 2)  # the empty genome has one child: Greedy Action's turn
        if self.phases is None:
            self._burning.run_short(PER_PHASE, budget)
        else:
            self._burning.run(self.phases, budget)
        best = self._burning.best_state
        actions = [best.genes[i] for i in range(best.length)]
        return Plan(actions, best.worth, self._burning.simulations - 1)
