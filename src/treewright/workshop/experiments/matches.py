"""Matches between searches, for experiments on strength."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from treewright.kernel.rng import stream_seed
from treewright.library.domain import Domain
from treewright.library.options import Options
from treewright.library.position import Position
from treewright.library.search import Search
from treewright.random import stream


def random_move(position: Position, dice: random.Random) -> int:
    """A policy: any legal move."""
    return dice.choice(position.legal())


@dataclass(frozen=True)
class Contestant:
    """Who plays: a search with a budget per move; without one, a policy.

    ``kind`` makes the search: :class:`treewright.Search`, or a baseline with its signature.
    """

    simulations: int = 0
    options: Options = field(default_factory=Options)
    workers: int = 1
    policy: Callable[[Position, random.Random], int] = random_move
    kind: Callable[..., Search] = Search


def play(domain: Domain, players: Sequence[Contestant], seed: int) -> list[float]:
    """One game; every move is searched afresh.  Returns each player's reward."""
    dice = random.Random(seed)
    searches = [
        p.kind(domain, p.options, seed=seed + i, workers=p.workers, memory="64MiB")
        if p.simulations
        else None
        for i, p in enumerate(players)
    ]
    position = Position(domain)
    outcomes = stream(stream_seed(seed, -1))  # no search has this one
    while not position.ended:
        mover = position.player
        search = searches[mover] if mover >= 0 else None
        if position.is_chance:
            action = position.chance(outcomes)
        elif search is None:
            action = players[mover].policy(position, dice)
        else:
            result = search.run(players[mover].simulations)
            if result.stopped == "interrupt":  # half a search is no move
                raise KeyboardInterrupt
            action = result.best
        position.play(action)
        for other in searches:
            if other is not None:
                other.commit(action)
                other.begin()
    return position.rewards()


def play_numbered(
    domain: Domain, player: Contestant, opponent: Contestant, game: int, seed: int
) -> float:
    """One game of a match: ``player``'s reward; the two take turns to begin."""
    first = game % 2 == 0
    both = (player, opponent) if first else (opponent, player)
    # two streams a game, far from those of the neighbouring seeds
    return play(domain, both, stream_seed(seed, game) % 2**62)[0 if first else 1]


def match(domain: Domain, player: Contestant, opponent: Contestant, games: int, seed: int) -> dict:  # type: ignore[type-arg]
    """``games`` games in which the two take turns to begin, as a row from ``player``'s side."""
    won = [play_numbered(domain, player, opponent, game, seed) for game in range(games)]
    return {
        "score": sum(won) / games,
        "games": games,
        "wins": sum(r == 1.0 for r in won),
        "draws": sum(r == 0.5 for r in won),
    }
