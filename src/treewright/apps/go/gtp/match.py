"""Matches between GTP engines, with our own board as the referee (as gogui-twogtp does)."""

import contextlib
import io
import shlex
from dataclasses import dataclass
from typing import Any, Protocol

from treewright.apps.go.board import BLACK, WHITE
from treewright.apps.go.gtp.client import Client, EngineError
from treewright.apps.go.gtp.engine import Engine, MoveBudget
from treewright.apps.go.gtp.game import NAMES, Game, IllegalMove, Move
from treewright.apps.go.gtp.player import style
from treewright.apps.go.setup import to_point, to_vertex
from treewright.errors import OptionError


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

    def __reduce__(self) -> tuple[Any, ...]:
        """From another machine: the moves travel, and the board is set up again."""
        game = self.game
        return _replayed, (self.winner, self.result, game.size, game.komi, list(game.moves))


def _replayed(winner: int, result: str, size: int, komi: float, moves: list[Move]) -> Played:
    game = Game(size, komi)
    for colour, point in moves:
        game.play(colour, point)
    return Played(winner, result, game)


@dataclass(frozen=True)
class Pairing:
    """Two engines by their commands (``treewright`` is ours), and how they play."""

    first: str
    second: str
    size: int
    komi: float
    simulations: int | None
    seconds: float | None
    seed: int


def play_numbered(pairing: Pairing, number: int) -> Played:
    """One game of a match, which depends on no other: both begin anew, the colours alternate."""
    with contextlib.ExitStack() as engines:

        def start(command: str, side: int) -> Talker:
            if command != "treewright":
                return engines.enter_context(Client(words_of(command)))
            own = style(resign=0.05, seed=pairing.seed + 2 * number + side)
            budget = MoveBudget(pairing.simulations, pairing.seconds)
            return Inside(Engine(io.StringIO(), own, budget))

        both = (start(pairing.first, 0), start(pairing.second, 1))
        black = number % 2
        return play(both[black], both[1 - black], pairing.size, pairing.komi)


def words_of(command: str) -> list[str]:
    """An engine's command as the shell would read it."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise OptionError(f"the engine's command {command!r} can't be read: {error}") from error
    if not words:
        raise OptionError("an engine's command is empty: give one such as 'gnugo --mode gtp'")
    return words


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
