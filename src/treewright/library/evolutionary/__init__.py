"""Planning a whole turn of a multi-action game: agents over the domain interface.

A *turn* is the run of decisions of one player.  A *plan*, or genome, is the list of its actions.
Every agent here takes any compiled domain with ``value``; two more functions of a domain make
them faster: ``allowed(s, action)`` and ``greedy(s, rng, out)``.
"""

from treewright.library.evolutionary.agent import Agent, Budget, Plan
from treewright.library.evolutionary.emcts import EvolutionaryMCTS
from treewright.library.evolutionary.greedy_turn import GreedyTurn
from treewright.library.evolutionary.oep import Evolution, OnlineEvolution
from treewright.library.evolutionary.reply import Replied
from treewright.library.evolutionary.simple import GreedyAction, RandomActions, Turn
from treewright.library.evolutionary.tree import TurnMCTS

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
