"""What a player can't know: the opponent's hand, and which cards will be drawn."""

# mypy: allow-untyped-defs, no-check-untyped-defs

import numpy as np

from treewright.apps.tactics.turns import return_hand
from treewright.apps.tactics.units import CARDS
from treewright.kernel.interpreted import RecordProxy
from treewright.library.evolutionary import Agent, Budget, Plan
from treewright.library.evolutionary.burning import Burning
from treewright.random import below, stream

SEEDS = 100_000  # of a deck's own generator, which needs no more to draw any card


def redraw(s, rng, player):
    """Deal the opponent another hand from the cards not played yet, and shuffle both decks."""
    other = 1 - player
    held = s.held[other]
    return_hand(s, other)
    for _ in range(held):
        index = below(rng, s.left[other])
        card = other * CARDS
        while index >= s.deck[card]:
            index -= s.deck[card]
            card += 1
        s.deck[card] -= 1
        s.hand[card] += 1
        s.left[other] -= 1
        s.held[other] += 1
    for side in range(2):
        s.seed[side] = below(rng, SEEDS)


class Blind(Agent):
    """Plans with a guess of what is hidden, whatever it is shown."""

    def __init__(self, planner: Agent) -> None:
        super().__init__(planner.domain, planner.length)
        self.planner = planner

    def plan(self, state: np.ndarray, budget: Budget, seed: int = 0) -> Plan:
        guess = state.copy()
        redraw(RecordProxy(guess), stream(seed), int(state[0]["player"]))
        return self.planner.plan(guess, budget, seed)

    @property
    def burning(self) -> Burning | None:
        return self.planner.burning

    @property
    def turn_so_far(self) -> list[int]:
        return self.planner.turn_so_far
