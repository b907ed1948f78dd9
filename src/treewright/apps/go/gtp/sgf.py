"""Game records, through sgfmill."""

import datetime
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import treewright
from treewright.apps.go.board import BLACK, LARGEST, PASS, SMALLEST, WHITE
from treewright.apps.go.gtp.game import NAMES, Game, IllegalMove
from treewright.errors import MissingExtra, TreewrightError
from treewright.library.reading import bytes_of

MOST_BYTES = 2**22
MOST_NODES = 5_000
COLOUR = {"b": BLACK, "w": WHITE}


class SgfError(TreewrightError):
    """A file that is no usable record of a game of Go."""


def _sgfmill() -> Any:
    try:
        from sgfmill import sgf, sgf_grammar
    except ImportError:
        raise MissingExtra("SGF", "go") from None
    return sgf, sgf_grammar


def read(path: Path) -> Game:
    """The main line of a file's first game."""
    return parse(bytes_of(path, SgfError, MOST_BYTES), str(path))


def parse(data: bytes, where: str = "SGF") -> Game:
    """The main line of the first game: set-up stones first, then moves."""
    sgf, grammar = _sgfmill()
    try:
        root = grammar.parse_sgf_game(data).sequence[0]
        _check_game(root, where)
        record = sgf.Sgf_game.from_bytes(data)
        size = record.get_size()
        handicap = record.get_handicap() or 0
    except (ValueError, LookupError, OverflowError, RecursionError) as error:
        raise SgfError(f"{where}: this is not SGF: {error}") from None
    if not SMALLEST <= size <= LARGEST:
        raise SgfError(f"{where}: the board is {size}x{size}; {SMALLEST} to {LARGEST} can be read")
    nodes = record.get_main_sequence()
    if len(nodes) > MOST_NODES:
        raise SgfError(
            f"{where}: the record has {len(nodes):,} moves; {MOST_NODES:,} are the most that are "
            "read"
        )
    game = Game(size, _komi(root, size, where), first=WHITE if handicap else BLACK)
    for number, node in enumerate(nodes):
        try:
            _apply(game, node, size)
        except (IllegalMove, ValueError) as error:
            raise SgfError(f"{where}: node {number}: {error}") from None
    return game


def _text(root: dict[str, list[bytes]], name: str) -> str:
    """What a property of the root says, on one line, or nothing."""
    return " ".join(root.get(name, [b""])[0].decode("utf-8", "replace").split())


def _check_game(root: dict[str, list[bytes]], where: str) -> None:
    """Refuse other games, and boards that are no square."""
    game, size = _text(root, "GM"), _text(root, "SZ")
    if game not in ("", "1"):
        raise SgfError(f"{where}: GM[{game[:20]}] says that this is not Go, which is GM[1]")
    if ":" in size:
        raise SgfError(f"{where}: the board is no square, SZ[{size[:20]}]")
    if size and not (size.isascii() and size.isdecimal() and len(size) < 4):
        raise SgfError(f"{where}: SZ[{size[:20]}] is no size of a board")


def _komi(root: dict[str, list[bytes]], size: int, where: str) -> float:
    """In half points; 7.5 if there is none, or an empty one."""
    text = _text(root, "KM")
    if not text:
        return 7.5
    if not re.fullmatch(r"[-+]?[0-9]{0,9}([.,][0-9]{0,9})?", text, re.ASCII) or text in "-+.,":
        raise SgfError(f"{where}: KM[{text[:20]}] is no number")
    komi = round(2 * float(text.replace(",", "."))) / 2
    if abs(komi) > 2 * size * size:
        raise SgfError(
            f"{where}: KM[{text}] is larger than the board; servers that count in hundredths of a "
            "stone write 375 for 7.5 points"
        )
    return komi


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
        game.play(COLOUR[colour], _point(at, size), repeats=True)


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
    record = _sgfmill()[0].Sgf_game(size=game.size)
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
