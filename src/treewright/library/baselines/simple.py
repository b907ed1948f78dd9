"""Players that do not search."""

import math
from typing import Any

from treewright.errors import OptionError
from treewright.library.position import Position
from treewright.random import below


def random_action(position: Position, rng: Any) -> int:
    """Any legal action, each as likely (``rng`` from ``treewright.random.stream``)."""
    legal = position.legal()
    return int(legal[below(rng, len(legal))])


def greedy_action(position: Position, rng: Any) -> int:
    """The action whose next state is worth most to the player who moves; ties at random.

    An ended state counts its rewards, any other the domain's ``value``; without ``value`` only
    a move that ends the game is seen.
    """
    if position.is_chance:
        raise OptionError("chance decides here: there is no greedy action")
    player = position.player
    best: list[int] = []
    best_worth = -math.inf
    for action in position.legal():
        worth = _worth(position, action, player)
        if worth > best_worth:
            best, best_worth = [action], worth
        elif worth == best_worth:
            best.append(action)
    return int(best[below(rng, len(best))])


def _worth(position: Position, action: int, player: int) -> float:
    after = position.copy()
    after.play(action)
    if after.ended:
        return after.rewards()[player]
    if position.domain.function("value") is not None:
        return after.value()[player]
    return 0.5  # between a loss and a win
