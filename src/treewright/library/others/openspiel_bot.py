"""The search as a bot of OpenSpiel's; this module is imported only where that is installed."""

from typing import Any

import pyspiel

from treewright.errors import OptionError
from treewright.library.others.domain import Player
from treewright.library.others.openspiel import OpenSpielGame


class SearchBot(pyspiel.Bot):  # type: ignore[misc]
    """Searches the state it is shown; its games follow each other in one stream of numbers."""

    def __init__(self, player: Player, game: OpenSpielGame) -> None:
        super().__init__()
        self._player = player
        self._game = game
        self._name = str(game.state.get_game())

    def step(self, state: Any) -> int:
        """The action to play."""
        name = str(state.get_game())
        if name != self._name:
            raise OptionError(f"this bot plays {self._name}, not {name}")
        return self._player.choose(self._game.at(state))

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """The action, and the probability of each: the bot plays nothing else."""
        chosen = self.step(state)
        return [(a, 1.0 if a == chosen else 0.0) for a in state.legal_actions()], chosen

    def restart(self) -> None:
        """Nothing is kept from one move to the next."""

    def restart_at(self, state: Any) -> None:
        """Nothing is kept from one move to the next."""
