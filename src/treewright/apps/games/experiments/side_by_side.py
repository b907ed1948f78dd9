"""Many games at once between two players who are asked about all their positions together."""

from collections.abc import Callable, Sequence

from treewright.library.forest import Forest
from treewright.library.position import Position
from treewright.library.search import Search

Player = Callable[[Sequence[Position], int], Sequence[int]]
"""From positions and a seed to actions; whatever it says of a position that has ended."""


def by_forest(forest: Forest, simulations: int) -> Player:
    """A tree for each position."""

    def play(positions: Sequence[Position], seed: int) -> Sequence[int]:
        forest.begin(positions, seed=seed * len(positions))
        return forest.run(simulations).best.tolist()  # type: ignore[no-any-return]

    return play


def by_search(search: Search, simulations: int) -> Player:
    """One search for one position after the other; its stream of random numbers goes on."""

    def one(position: Position) -> int:
        if position.ended:
            return -1
        search.begin(position.state)
        return search.run(simulations).best

    return lambda positions, seed: [one(position) for position in positions]


def match(player: Player, opponent: Player, openings: Sequence[Position], seed: int) -> list[float]:
    """The player's reward in each game; every opening is played twice, so that both begin.

    The openings have the same number of moves, and players take turns.
    """
    halves = [[opening.copy() for opening in openings] for _ in range(2)]  # by the player's side
    ply = len(openings[0].history)
    while not all(game.ended for half in halves for game in half):
        for who, chosen in enumerate((player, opponent)):
            half = halves[(ply + who) % 2]
            for game, action in zip(half, chosen(half, seed * 97 + 2 * ply + who), strict=True):
                if not game.ended:
                    game.follow(int(action))
        ply += 1
    return [game.rewards()[side] for side in range(2) for game in halves[side]]
