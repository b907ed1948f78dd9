"""Go as jobs of the studio: one move of the engine with what it thinks, and the score."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, model_validator

from treewright.workshop.jobs.work import Export, Report, Result, Work

MOST_MOVES = 1000
SHOWN = 24  # candidates, each with its line
LINE = 10
Move = Annotated[str, Field(pattern=r"^[bw] ([A-HJ-T](1[0-9]|[1-9])|pass)$")]
Moves = Annotated[list[Move], Field(max_length=MOST_MOVES, description='as "b D4", "w pass"')]


class Played(BaseModel):
    """A game so far."""

    size: Literal[9, 13, 19] = 9
    komi: float = Field(7.5, ge=-100, le=100)
    handicap: int = Field(0, ge=0, le=9)
    stones: Moves = Field([], description="what stood on the board before the first move")
    moves: Moves = []
    rates: list[float | None] = Field(
        [], max_length=MOST_MOVES, description="Black's chances after each move, as far as known"
    )

    @model_validator(mode="after")
    def right(self) -> Self:
        if self.handicap == 1:
            raise ValueError("a handicap is two stones or more")
        return self


class Think(Played):
    """A move of the engine."""

    simulations: int = Field(3000, ge=10, le=200_000)
    seconds: float | None = Field(None, gt=0, le=60, description="a clock instead")
    search: Literal["default", "mc-rave", "rave", "uct", "light"] = "default"
    seed: int = Field(0, ge=0, le=2**31)
    resign: float = Field(0.05, ge=0, le=0.5, description="give up below these chances")


def game_of(played: Played) -> Any:
    """The game, with every rule checked."""
    from treewright.apps.go.gtp.game import Game
    from treewright.apps.go.setup import to_point

    game = Game(played.size, played.komi)
    if played.handicap:
        game.fixed_handicap(played.handicap)
    if played.stones:
        placed = [(_colour(m), to_point(m[2:], played.size)) for m in played.stones]
        game.place(placed, 1)
    for move in played.moves:
        game.play(_colour(move), to_point(move[2:], played.size))
    return game


def _colour(move: str) -> int:
    return 1 if move[0] == "b" else 2


def shown(given: dict[str, Any]) -> dict[str, Any]:
    """A position for the page: stones, what may be played, who is to play."""
    from treewright.apps.go.board import EMPTY
    from treewright.apps.go.setup import to_vertex

    played = Played.model_validate(given)
    game = game_of(played)
    colour = game.to_play
    points = game.points()
    return {
        "stones": {to_vertex(p, game.size): game.at(p) for p in points if game.at(p) != EMPTY},
        "legal": [to_vertex(p, game.size) for p in points if game.forbidden(colour, p) is None],
        "to_play": colour,
        "over": game.over,
        "last": played.moves[-1][2:] if played.moves else "",
    }


def think(settings: Think, report: Report) -> Result:
    """The engine's move, and what it thinks of the others; as ``treewright gtp`` plays."""
    from treewright.apps.go.gtp.player import Player, style
    from treewright.apps.go.setup import to_vertex
    from treewright.workshop.searching.inspector import Kept, growing

    game = game_of(settings)
    colour = game.to_play
    player = Player(style(settings.search, seed=settings.seed, resign=settings.resign))
    report(None, "compiling, if this board is new")

    kept = Kept()

    def seen(now: Any) -> bool:
        share = now.share if settings.seconds is None else min(1.0, now.seconds / settings.seconds)
        words = f"{now.simulations:,} simulations"
        report(share, words, lambda: {"search": growing(now.search)})
        return False

    simulations = settings.simulations if settings.seconds is None else None
    thought = player.choose(game, colour, simulations, settings.seconds, seen)
    found = thought.result
    candidates: list[dict[str, Any]] = []
    if found is not None and player.search is not None:
        kept.look(player.search, found.seconds)
        tree = player.search.tree
        for child in [c for c in found.children if c.visits][:SHOWN]:
            line = tree.principal_variation(child.action)[:LINE]
            candidates.append(
                {
                    "at": to_vertex(child.action, game.size),
                    "visits": child.visits,
                    "value": child.value,
                    "rave": child.rave,
                    "line": [to_vertex(action, game.size) for action, _ in line],
                }
            )
    move = "resign" if thought.point is None else to_vertex(thought.point, game.size)
    value = candidates[0]["value"] if candidates else None
    rate = None if value is None else value if colour == 1 else 1 - value
    return Result(
        settings.model_dump(mode="json")
        | {
            "move": move,
            "colour": colour,
            "candidates": candidates,
            "rate": rate,
            "took": {}
            if found is None
            else {
                "simulations": found.simulations,
                "nodes": found.nodes,
                "seconds": found.seconds,
                "simulations a second": round(found.simulations / max(found.seconds, 1e-6)),
            },
        },
        kept.files,
    )


def searched(settings: Think) -> Any:
    """The domain of the engine's search."""
    from treewright.apps.go.gtp.player import style

    game = game_of(settings)
    return game.searchable(game.to_play, **style(settings.search).playout)


def score(settings: Played, report: Report) -> Result:
    """The score, with what playouts hold for dead taken off."""
    from treewright.apps.go.gtp.estimate import dead_stones, score_without
    from treewright.apps.go.setup import to_vertex

    report(None, "playing it out")
    game = game_of(settings)
    dead = dead_stones(game)
    lead = score_without(game, dead)
    winner = "Black" if lead > 0 else "White"
    return Result(
        settings.model_dump(mode="json")
        | {
            "lead": lead,
            "result": f"{winner[0]}+{abs(lead):g}" if lead else "0",
            "says": f"{winner} wins by {abs(lead):g}" if lead else "a draw",
            "dead": [to_vertex(p, game.size) for p in sorted(dead)],
        }
    )


def from_sgf(data: bytes) -> dict[str, Any]:
    """A game record as the settings of a game."""
    from treewright.apps.go.gtp.game import NAMES
    from treewright.apps.go.gtp.sgf import parse
    from treewright.apps.go.setup import to_vertex
    from treewright.errors import OptionError

    game = parse(data, "the game record")
    if game.size not in (9, 13, 19):
        raise OptionError(f"this page has boards of 9, 13 and 19 lines, not {game.size}")

    def words(moves: list[tuple[int, int]]) -> list[str]:
        return [f"{NAMES[c]} {to_vertex(p, game.size)}" for c, p in moves]

    found = {
        "size": game.size,
        "komi": game.komi,
        "stones": words(game.stones),
        "moves": words(game.moves),
    }
    return Played.model_validate(found).model_dump(mode="json")


def to_sgf(data: dict[str, Any]) -> bytes:
    """A game as a record."""
    from treewright.apps.go.gtp.sgf import write

    fields = Played.model_fields
    return write(
        game_of(Played(**{k: v for k, v in data.items() if k in fields})), data.get("result", "")
    ).encode()


def _with_move(write: Callable[[dict[str, Any]], bytes]) -> Callable[[dict[str, Any]], bytes]:
    """The game with the engine's own move at its end."""

    def written(data: dict[str, Any]) -> bytes:
        name = "bw"[data["colour"] - 1]
        if data["move"] == "resign":
            return write(data | {"result": f"{'WB'[data['colour'] - 1]}+R"})
        return write(data | {"moves": [*data["moves"], f"{name} {data['move']}"]})

    return written


THINK = Work(
    "A move of Go",
    Think,
    think,
    {"sgf": Export(".sgf", "application/x-go-sgf", _with_move(to_sgf))},
    domain=searched,
)
SCORE = Work(
    "The score of a game of Go",
    Played,
    score,
    {"sgf": Export(".sgf", "application/x-go-sgf", to_sgf)},
)
