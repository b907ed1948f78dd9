"""Matches between GTP engines, with our own board as the referee (as gogui-twogtp does)."""

import io
from dataclasses import dataclass
from typing import Protocol

from treewright.apps.go.board import BLACK, WHITE
from treewright.apps.go.gtp.client import EngineError
from treewright.apps.go.gtp.engine import Engine
from treewright.apps.go.gtp.game import NAMES, Game, IllegalMove
from treewright.apps.go.setup import to_point, to_vertex


class Talker(Protocol):
    """Anything that answers GTP commands."""

    def send(self, line: str) -> str: ...


class Inside:
    """Our engine in this process, spoken to in GTP all the same."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def send(self, line: str) -> str:
        out = io.StringIO()
        self.engine.out = out
        self.engine.handle(line)
        text = out.getvalue()
        if not text.startswith("="):
            raise EngineError(f"treewright refused {line!r}: {text[1:].strip()}")
        return text[1:].strip()


@dataclass(frozen=True)
class Played:
    """One game: the winner's colour (0 for a tie), how it ended as in SGF, and its moves."""

    winner: int
    result: str
    game: Game


def play(black: Talker, white: Talker, size: int = 9, komi: float = 7.5) -> Played:
    """One game to two passes, a resignation or four moves a point; the stones are counted.

    The referee's area is right where dead stones have been taken: engines must play on until
    then (GNU Go: ``--capture-all-dead``).
    """
    engines = {BLACK: black, WHITE: white}
    for engine in engines.values():
        engine.send(f"boardsize {size}")
        engine.send("clear_board")
        engine.send(f"komi {komi:g}")
    game = Game(size, komi)
    while not game.over and len(game.moves) < 4 * size * size:
        colour = game.to_play
        vertex = engines[colour].send(f"genmove {NAMES[colour]}")
        if vertex.lower() == "resign":
            return Played(3 - colour, f"{NAMES[3 - colour].upper()}+R", game)
        try:
            game.play(colour, to_point(vertex, size))
        except (IllegalMove, ValueError) as error:
            raise EngineError(f"{NAMES[colour]} played {vertex}: {error}") from error
        engines[3 - colour].send(f"play {NAMES[colour]} {to_vertex(game.moves[-1][1], size)}")
    score = game.score()
    if score == 0:
        return Played(0, "0", game)
    winner = BLACK if score > 0 else WHITE
    return Played(winner, f"{NAMES[winner].upper()}+{abs(score):g}", game)
