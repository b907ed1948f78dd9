"""Planning a whole turn of a multi-action game: agents over the domain interface.

A *turn* is the run of decisions of one player.  A *plan*, or genome, is the list of its actions.
Every agent here takes any compiled domain with ``value``; two more functions of a domain make
them faster: ``allowed(s, action)`` and ``greedy(s, rng, out)``.
"""

from treewright.evolutionary.agent import Agent, Budget, Plan
from treewright.evolutionary.emcts import EvolutionaryMCTS
from treewright.evolutionary.greedy_turn import GreedyTurn
from treewright.evolutionary.oep import Evolution, OnlineEvolution
from treewright.evolutionary.reply import Replied
from treewright.evolutionary.simple import GreedyAction, RandomActions, Turn
from treewright.evolutionary.tree import TurnMCTS

__all__ = [
    "Agent",
    "Budget",
    "Evolution",
    "EvolutionaryMCTS",
    "GreedyAction",
    "GreedyTurn",
    "OnlineEvolution",
    "Plan",
    "RandomActions",
    "Replied",
    "Turn",
    "TurnMCTS",
]
