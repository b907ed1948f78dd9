"""Go games for experiments on strength: our engine by name, GNU Go, one game with each colour."""

import contextlib
import io
from collections.abc import Iterator

from treewright.apps.go.gtp.client import Client, find
from treewright.apps.go.gtp.engine import Engine, MoveBudget
from treewright.apps.go.gtp.match import Inside, Talker, play
from treewright.apps.go.gtp.player import Style
from treewright.workshop.experiments.experiment import ExperimentError, Row


def ours(style: Style, simulations: int, size: int) -> Talker:
    return Inside(Engine(io.StringIO(), style, MoveBudget(simulations), size=size))


@contextlib.contextmanager
def gnu_go(level: int, seed: int) -> Iterator[Talker]:
    """GNU Go that takes dead stones before it passes, so that the board can be counted."""
    options = ["--mode", "gtp", "--level", str(level), "--seed", str(seed + 1)]
    rules = ["--chinese-rules", "--capture-all-dead"]
    with Client([find_gnu_go(), *options, *rules]) as client:
        yield client


def find_gnu_go() -> str:
    """Its path."""
    found = find("gnugo")
    if found is None:
        raise ExperimentError(
            "this experiment plays against GNU Go 3.8, which is not installed: "
            "on Debian and Ubuntu it is the package gnugo"
        )
    return found


def pair(player: Talker, opponent: Talker, size: int) -> Row:
    """Two games, one with each colour, as a row from the player's side."""
    wins = []
    moves = 0
    for colour, both in ((1, (player, opponent)), (2, (opponent, player))):
        played = play(*both, size=size)
        wins.append(0.5 if played.winner == 0 else float(played.winner == colour))
        moves += len(played.game.moves)
    return {"score": sum(wins) / 2, "games": 2, "moves": moves}
