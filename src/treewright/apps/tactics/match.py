"""One game between two agents."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.apps.tactics.agents import agent
from treewright.apps.tactics.domain import HeroAcademy
from treewright.apps.tactics.state import AP
from treewright.apps.tactics.turns import return_hand
from treewright.kernel.interpreted import RecordProxy
from treewright.kernel.rng import stream_seed
from treewright.library.evolutionary import Agent, Budget, Turn


@dataclass(frozen=True)
class PlayedGame:
    """What was played: turn by turn the actions, the winner (0: draw) and the evaluations made."""

    turns: list[list[int]]
    winner: int
    evaluations: tuple[int, int]


def view(state: np.ndarray, open_hands: bool) -> np.ndarray:
    """What the player to move knows: the opponent's hand lies in his deck, unless it is open."""
    seen = state.copy()
    if not open_hands:
        return_hand(RecordProxy(seen), 1 - int(seen[0]["player"]))
    return seen


def play_game(
    domain: HeroAcademy,
    players: tuple[Agent, Agent],
    budget: Budget,
    seed: int = 0,
    open_hands: bool = False,
    progress: Callable[[list[list[int]]], object] | None = None,
) -> PlayedGame:
    """Play from the domain's start; the same seed gives the same game.

    ``progress`` is told the turns so far, after each.
    """
    ap = int(domain.tables["rules"][AP])
    referee = Turn(domain, ap)
    state = np.zeros(1, domain.state)
    state[0] = domain.new_state()._record[0]
    turns: list[list[int]] = []
    spent = [0, 0]
    while not state[0]["over"]:
        side = int(state[0]["player"])
        plan = players[side].plan(
            view(state, open_hands), budget, stream_seed(seed, len(turns)) >> 2
        )
        spent[side] += plan.evaluations
        referee.follow(state, plan.actions)
        turns.append(plan.actions)
        if progress is not None:
            progress(turns)
    return PlayedGame(turns, int(state[0]["winner"]), (spent[0], spent[1]))


def play_named(
    names: tuple[str, str],
    ap: int,
    budget: Budget,
    seed: int,
    deck_seeds: tuple[int, int],
    **settings: Any,
) -> PlayedGame:
    """A game of two agents by name; ``settings`` are the game's."""
    open_hands = bool(settings.pop("open_hands", False))
    domain = HeroAcademy(ap=ap, deck_seeds=deck_seeds, **settings)
    players = (agent(names[0], ap, **settings), agent(names[1], ap, **settings))
    return play_game(domain, players, budget, seed, open_hands)
