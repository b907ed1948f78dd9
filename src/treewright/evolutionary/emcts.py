"""Evolutionary MCTS (Baier & Cowling III-C): the kernel on turns and their mutations."""

import numpy as np

from treewright.domain import Domain
from treewright.evolutionary.agent import Agent, Budget, Plan
from treewright.evolutionary.burning import Burning
from treewright.evolutionary.mutations import NOTHING, mutations
from treewright.options import Options, Rollout

# The paper burns 20 bridges at 200 ms, 40 at 1 s and 100 at 5 s a turn.  Its EMCTS evaluated a
# fifth of what OEP did: about 1,300, 6,800 and 34,000 turns in these times.  The limits lie
# between them.
PHASES = ((3_000, 20), (15_000, 40))
MOST_PHASES = 100
RATE = 300_000  # evaluations a second that we expect, for budgets in time


def phases_for(budget: Budget) -> int:
    """The paper's number of phases for about as many evaluations."""
    expected = budget.evaluations or (budget.seconds or 0.0) * RATE
    return next((n for limit, n in PHASES if expected < limit), MOST_PHASES)


class EvolutionaryMCTS(Agent):
    """Starts from Greedy Action's turn; C = 0, evaluation at the leaf, bridge-burning phases.

    Plays the best turn that was ever evaluated.  ``phases``: by default those of the paper for
    the budget.  ``reply`` judges each turn after so many
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
        options = Options(c=c, rollout=Rollout(depth=0), dense=True, choose="value")
        space = mutations(domain, length, reply)
        self._burning = Burning(space, options, (phases or MOST_PHASES) + 1, "64MiB")
        self._genome = np.zeros(1, space.state)

    def plan(self, state: np.ndarray, budget: Budget, seed: int = 0) -> Plan:
        root = self._genome[0]
        root["states"][0] = state[0]
        root["dice"] = seed
        root["length"] = 0
        root["worth"] = NOTHING
        root["reply"] = self.reply
        self._burning.begin(self._genome, seed, 0)
        self._burning.burn(1, 2)  # the empty genome has one child: Greedy Action's turn
        self._burning.run(self.phases or phases_for(budget), budget)
        best = self._burning.kept[0]
        actions = [int(a) for a in best["genes"][: best["length"]]]
        return Plan(actions, float(best["worth"]), self._burning.simulations - 1)
