"""What a search thinks of each move, in the dialects that clients read.

``lz`` is Leela Zero's (numbers are whole, of 10,000), ``kata`` KataGo's (fractions, with score
and ownership), ``plain`` Sabaki's own ``analyze`` (fractions, always with a point).
"""

import math
from dataclasses import dataclass, field
from typing import Literal

from treewright.apps.go.gtp.estimate import estimate
from treewright.apps.go.gtp.game import Game, IllegalMove
from treewright.apps.go.gtp.protocol import Refused
from treewright.apps.go.setup import to_vertex
from treewright.library.result import Child
from treewright.library.search import Search

Dialect = Literal["lz", "kata", "plain"]
PLAYOUTS = {9: 60, 13: 30}  # for score and ownership; fewer on larger boards
VARIATION = 12
IGNORED = ("minmoves", "rootinfo", "pvvisits", "movesownership", "ownershipstdev", "pvedgevisits")


@dataclass(frozen=True)
class Request:
    """The arguments of an analysis command."""

    colour: int | None = None
    interval: float = 1.0  # seconds
    most: int = 30
    ownership: bool = False
    avoid: dict[int, set[str]] = field(default_factory=dict)  # by colour, in capitals
    allow: dict[int, set[str]] = field(default_factory=dict)

    def shows(self, colour: int, vertex: str) -> bool:
        """Whether a move shall be looked at."""
        if vertex.upper() in self.avoid.get(colour, ()):
            return False
        return colour not in self.allow or vertex.upper() in self.allow[colour]


def _is_count(word: str) -> bool:
    return word.isdecimal() and len(word) < 10


def request(arguments: tuple[str, ...], colours: dict[str, int]) -> Request:
    """Read ``B 50``, ``50``, ``interval 50`` and the keywords of KataGo.

    ``avoid b C3,D4 1`` and ``allow b C3 1`` choose which of the first moves are shown; the search
    itself looks at all of them, so that its tree serves the game as well.
    """
    words = list(arguments)
    colour = colours.get(words[0].lower()) if words else None
    if colour is not None:
        words.pop(0)
    interval, most, ownership = 1.0, 30, False
    chosen: dict[str, dict[int, set[str]]] = {"avoid": {}, "allow": {}}
    while words:
        word = words.pop(0).lower()
        if _is_count(word):
            interval = int(word) / 100
            continue
        value = words.pop(0).lower() if words else ""
        if word in chosen and value in colours and len(words) > 1 and _is_count(words[1]):
            vertices = words.pop(0).upper().split(",")
            chosen[word].setdefault(colours[value], set()).update(vertices)
            words.pop(0)  # until which depth; only the first move is chosen here
            continue
        if word == "interval" and _is_count(value):
            interval = int(value) / 100
        elif word == "maxmoves" and _is_count(value) and int(value) > 0:
            most = int(value)
        elif word == "ownership" and value in ("true", "false"):
            ownership = value == "true"
        elif word not in IGNORED or not value:
            raise Refused(
                f"{word} {value}".strip() + " is not understood; give a colour and an "
                "interval in centiseconds, such as B 50"
            )
    interval = min(max(interval, 0.01), 1e6)
    return Request(colour, interval, most, ownership, chosen["avoid"], chosen["allow"])


def info(game: Game, colour: int, search: Search, asked: Request, dialect: Dialect) -> str:
    """One line about the moves that the search has tried, the best first."""
    children = [c for c in search.result().children if c.visits > 0]
    children = [c for c in children if asked.shows(colour, to_vertex(c.action, game.size))]
    children = [c for c in children if game.forbidden(colour, c.action) is None][: asked.most]
    total = sum(c.prior or 0.0 for c in children)
    playouts = PLAYOUTS.get(game.size, 60 if game.size < 9 else 12)
    words = []
    for order, child in enumerate(children):
        line = [point for point, _ in search.tree.principal_variation(child.action)[:VARIATION]]
        prior = (child.prior or 0.0) / total if total > 0 else 1.0 / len(children)
        winrate, low = child.value or 0.0, lower(child)
        words += ["info", "move", to_vertex(child.action, game.size), "visits", str(child.visits)]
        if dialect == "lz":
            for name, value in (("winrate", winrate), ("prior", prior), ("lcb", low)):
                words += [name, str(round(10_000 * value))]
        else:
            words += ["winrate", f"{winrate:.6f}", "prior", f"{prior:.6f}", "lcb", f"{low:.6f}"]
        if dialect == "kata":
            lead = _lead(game, colour, child.action, playouts)
            words += ["utility", f"{2 * winrate - 1:.6f}"]
            words += ["scoreMean", f"{lead:.3f}", "scoreLead", f"{lead:.3f}"]
        pv = [to_vertex(point, game.size) for point in line]
        words += ["order", str(order), "pv", *pv]
    if asked.ownership and dialect == "kata" and words:
        sign = 1 if colour == 1 else -1
        owners = estimate(game, colour, 4 * playouts).ownership
        words += ["ownership", *(f"{sign * owners[p]:.3f}" for p in game.points())]
    return " ".join(words)


def lower(child: Child) -> float:
    """The lower end of the 95 % interval of a win rate."""
    p, n = child.value or 0.0, child.visits
    return max(0.0, p - 1.96 * math.sqrt(max(p * (1 - p), 0.25 / n) / n))


def upper(child: Child) -> float:
    """Its upper end."""
    p, n = child.value or 0.0, child.visits
    return min(1.0, p + 1.96 * math.sqrt(max(p * (1 - p), 0.25 / n) / n))


def _lead(game: Game, colour: int, point: int, playouts: int) -> float:
    """By how much a colour is ahead after a move."""
    after = Game(game.size, game.komi, game.suicide, game.stones, game.first, list(game.moves))
    try:
        after.play(colour, point)
    except IllegalMove:
        return 0.0
    lead = estimate(after, 3 - colour, playouts).lead
    return lead if colour == 1 else -lead
