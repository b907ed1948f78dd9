"""Game records, through sgfmill."""

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import treewright
from treewright.apps.go.board import BLACK, LARGEST, PASS, SMALLEST, WHITE
from treewright.apps.go.gtp.game import NAMES, Game, IllegalMove
from treewright.errors import MissingExtra, TreewrightError

COLOUR = {"b": BLACK, "w": WHITE}


class SgfError(TreewrightError):
    """A file that is no usable record of a game of Go."""


def _sgfmill() -> Any:
    try:
        from sgfmill import sgf
    except ImportError:
        raise MissingExtra("SGF", "go") from None
    return sgf


def read(path: Path) -> Game:
    """The main line of a file's first game."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SgfError(f"{path}: {error.strerror}") from None
    return parse(data, str(path))


def parse(data: bytes, where: str = "SGF") -> Game:
    """The main line of the first game: set-up stones first, then moves."""
    sgf = _sgfmill()
    try:
        record = sgf.Sgf_game.from_bytes(data)
        root = record.get_root()
        size = record.get_size()
        komi = root.get("KM") if root.has_property("KM") else 7.5
        handicap = record.get_handicap() or 0
    except (ValueError, LookupError) as error:
        raise SgfError(f"{where}: this is not SGF: {error}") from None
    if not SMALLEST <= size <= LARGEST:
        raise SgfError(f"{where}: the board is {size}x{size}; {SMALLEST} to {LARGEST} can be read")
    game = Game(size, round(2 * komi) / 2, first=WHITE if handicap else BLACK)
    for number, node in enumerate(record.get_main_sequence()):
        try:
            _apply(game, node, size)
        except (IllegalMove, ValueError) as error:
            raise SgfError(f"{where}: node {number}: {error}") from None
    return game


def _apply(game: Game, node: Any, size: int) -> None:
    """Set-up stones, who moves, and the move of one node."""
    if node.has_setup_stones():
        black, white, empty = node.get_setup_stones()
        taken = {_point(at, size) for at in empty | black | white}
        kept = [(game.at(p), p) for p in game.points() if game.at(p) and p not in taken]
        placed = [
            (c, _point(at, size))
            for c, stones in ((BLACK, black), (WHITE, white))
            for at in sorted(stones)
        ]
        # what was played before is now part of the set-up: superko starts anew
        fresh = Game(game.size, game.komi, game.suicide)
        fresh.place(kept + placed, game.to_play)
        game.stones, game.first, game.moves = fresh.stones, fresh.first, []
        game.replay()
    if node.has_property("PL"):
        game.first = COLOUR[node.get("PL")] if not game.moves else game.first
    colour, at = node.get_move()
    if colour is not None:
        game.play(COLOUR[colour], _point(at, size))


def _point(at: tuple[int, int] | None, size: int) -> int:
    return PASS if at is None else (at[0] + 1) * (size + 1) + at[1] + 1


def _at(point: int, size: int) -> tuple[int, int] | None:
    if point == PASS:
        return None
    row, column = divmod(point, size + 1)
    return row - 1, column - 1


def write(
    game: Game,
    result: str = "",
    names: tuple[str, str] = ("", ""),
    comments: Sequence[str] = (),
) -> str:
    """The game as SGF; ``comments[i]`` goes to the node of move i."""
    record = _sgfmill().Sgf_game(size=game.size)
    root = record.get_root()
    root.set("AP", ("Treewright", treewright.__version__))
    root.set("KM", game.komi)
    root.set("RU", "Chinese")
    root.set("DT", datetime.date.today().isoformat())
    for name, value in (("PB", names[0]), ("PW", names[1]), ("RE", result)):
        if value:
            root.set(name, value)
    if game.stones:
        stones = {c: [_at(p, game.size) for k, p in game.stones if k == c] for c in (BLACK, WHITE)}
        root.set_setup_stones(stones[BLACK], stones[WHITE])
        root.set("PL", NAMES[game.first])
        if game.first == WHITE and not stones[WHITE] and len(stones[BLACK]) > 1:
            root.set("HA", len(stones[BLACK]))
    for i, (colour, point) in enumerate(game.moves):
        node = record.extend_main_sequence()
        node.set_move(NAMES[colour], _at(point, game.size))
        if i < len(comments) and comments[i]:
            node.set("C", comments[i])
    return str(record.serialise().decode("utf-8"))
