"""Evolutionary MCTS (Baier & Cowling III-C): the kernel on turns and their mutations."""

from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.kernel.interpreted import RecordProxy
from treewright.library.domain import Domain
from treewright.library.evolutionary.agent import Agent, Budget, Plan
from treewright.library.evolutionary.burning import Burning
from treewright.library.evolutionary.mutations import NOTHING, mutations
from treewright.library.evolutionary.reply import QuickReply
from treewright.library.options import Options, Rollout

# Evaluations before a commit: early ones are best at every budget, where the paper fixes the number
# of phases (docs/results/notes/tactics.md).
PER_PHASE = 20


# what the replies may take of a budget; if they need more there are none
REPLIES = 0.1


class EvolutionaryMCTS(Agent):
    """Starts from Greedy Action's turn; C = 0, evaluation at the leaf, bridge-burning phases.

    Plays the best turn that was ever evaluated.  ``phases``: this many whatever the budget, as in
    the paper; by default one for every 20 evaluations.  ``flat`` is the same without a tree: a
    phase evaluates mutations of its own turn only, never mutations of mutations.

    ``reply`` judges every turn after this many actions of a greedy reply by the opponent.  With
    ``reply_among`` only this many of the best committed turns are judged so, at the end, by the
    worth before and after the reply, which counts ``reply_weight``; here ``reply`` may be longer
    than a turn: then the mover answers, greedily too (QuickReply), with the cards that the state
    will deal, which no player knows.  The search gets an evaluation less for every action that the
    replies may have.
    """

    def __init__(
        self,
        domain: Domain,
        length: int,
        *,
        phases: int | None = None,
        flat: bool = False,
        c: float = 0.0,
        reply: int = 0,
        reply_among: int = 0,
        reply_weight: float = 0.5,
    ) -> None:
        super().__init__(domain, length)
        if type(reply_among) is not int or reply_among < 0 or reply_among == 1:
            raise OptionError(f"reply_among must be 0 or at least 2, not {reply_among!r}")
        if reply_among and reply < 1:
            raise OptionError(f"reply_among={reply_among} needs reply, its number of actions")
        self.phases = phases
        self.reply = 0 if reply_among else reply
        self.set_aside = reply_among * reply
        self._quick = QuickReply(domain, reply, reply_weight) if reply_among else None
        options = Options(
            c=c, rollout=Rollout(depth=0), dense=True, choose="value", keep_state=True
        )
        space = mutations(domain, length, self.reply, flat)
        self._burning = Burning(space, options, "64MiB", keep=reply_among)
        self._genome = np.zeros(1, space.state)
        genes = self._genome["genes"].shape[1]
        self._ends = self._burning.kept["states"][:, genes + 1]

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
        quick = self._quick
        if quick is not None and budget.evaluations is not None:
            if self.set_aside <= REPLIES * budget.evaluations:
                budget = Budget(evaluations=budget.evaluations - self.set_aside)
            else:
                quick = None
        self._burning.begin(self._genome, seed, 0)
        self._burning.burn(1, 2)  # the empty genome has one child: Greedy Action's turn
        if self.phases is None:
            self._burning.run_short(PER_PHASE, budget)
        else:
            self._burning.run(self.phases, budget)
        best, replies = self._burning.best_state, 0
        if quick is not None:
            self._burning.keep_best()
            kept = self._burning.kept
            row, replies = quick.choose(self._ends, self._burning.scores, int(best.mover), seed)
            best = RecordProxy(kept[row : row + 1])
        return Plan(_genes(best), best.worth, self._burning.simulations - 1 + replies)

    @property
    def burning(self) -> Burning:
        return self._burning

    @property
    def turn_so_far(self) -> list[int]:
        return _genes(self._burning.best_state)


def _genes(genome: Any) -> list[int]:
    return [genome.genes[i] for i in range(genome.length)]
