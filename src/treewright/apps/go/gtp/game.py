"""A game of Go as an engine keeps it: stones set up, moves with their colours, komi.

The board itself is the domain's, run by the interpreter; the whole history is kept, so that
positional superko holds at every move and any move can be taken back.
"""

from dataclasses import dataclass, field
from typing import Any

from treewright.apps.go.board import BLACK, EMPTY, PASS, WHITE
from treewright.apps.go.domain import Go
from treewright.apps.go.setup import draw, handicap_points, to_vertex
from treewright.errors import TreewrightError

NAMES = {BLACK: "b", WHITE: "w"}
Move = tuple[int, int]  # colour and point
SUPERKO = "superko: it repeats a position"


class IllegalMove(TreewrightError, ValueError):  # noqa: N818 - reads as what it is
    """A move that the rules forbid."""


def over(moves: list[Move]) -> bool:
    """Whether the last two moves were passes."""
    return len(moves) >= 2 and all(point == PASS for _, point in moves[-2:])


@dataclass
class Game:
    """The moves of one game; ``stones`` were on the board before the first of them."""

    size: int = 9
    komi: float = 7.5
    suicide: bool = False
    stones: list[Move] = field(default_factory=list)
    first: int = BLACK  # who begins after ``stones``
    moves: list[Move] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.replay()

    @property
    def to_play(self) -> int:
        return 3 - self.moves[-1][0] if self.moves else self.first

    @property
    def over(self) -> bool:
        return over(self.moves)

    def at(self, point: int) -> int:
        return int(self.state.colour[point])

    def points(self) -> list[int]:
        """Every point, the top row first, each from the left."""
        width = self.size + 1
        return [r * width + c for r in range(self.size, 0, -1) for c in range(1, width)]

    def forbidden(self, colour: int, point: int) -> str | None:
        """Why the rules forbid a move, or None."""
        if point == PASS:
            return None
        if self.at(point) != EMPTY:
            return "there is a stone"
        self.state.player = colour - 1
        if not self.domain.allows(self.state, point):
            return "ko" if point == self.state.ko else "suicide"
        if self.domain.hash_after(self.state, point) in self._seen:
            return SUPERKO
        return None

    def play(self, colour: int, point: int, repeats: bool = False) -> str | None:
        """Play a move, or raise and change nothing.

        With ``repeats`` superko forbids nothing: what it says of the move is returned.
        """
        why = self.forbidden(colour, point)
        if why and not (repeats and why == SUPERKO):
            raise IllegalMove(f"{to_vertex(point, self.size)} is not legal ({why})")
        self._move(colour, point)
        self.moves.append((colour, point))
        return why

    def undo(self) -> None:
        if not self.moves:
            raise IllegalMove("there is no move to take back")
        self.moves.pop()
        self.replay()

    def place(self, stones: list[Move], first: int) -> None:
        """Put stones on an empty board, and say who begins."""
        points = [point for _, point in [*self.stones, *stones]]
        for point in points:
            if points.count(point) > 1:
                raise IllegalMove(f"there are two stones at {to_vertex(point, self.size)}")
        before = self.stones, self.first
        self.stones, self.first = [*self.stones, *stones], first
        try:
            self.replay()
        except ValueError as error:
            self.stones, self.first = before
            self.replay()
            raise IllegalMove(str(error)) from error

    def fixed_handicap(self, count: int) -> list[int]:
        """Handicap stones where GTP puts them."""
        try:
            points = handicap_points(self.size, count)
        except ValueError as error:
            raise IllegalMove(str(error)) from error
        self.place([(BLACK, p) for p in points], WHITE)
        return points

    def score(self) -> float:
        """Black's area minus White's, minus komi, as the stones stand."""
        return self.domain.score(self.state)

    def searchable(self, colour: int, **playout: Any) -> Go:
        """The position as a domain with a colour to move.

        After two passes players may still go on, to take dead stones: the search is told of one.
        """
        moves = list(self.moves)
        while over(moves):
            moves.pop()
        text = [f"{NAMES[c]} {to_vertex(p, self.size)}" for c, p in moves]
        return Go(
            self.size,
            komi=self.komi,
            suicide=self.suicide,
            diagram=self._diagram(),
            moves=" ".join([*text, NAMES[colour]]),
            **playout,
        )

    def render(self) -> str:
        self.state.player = self.to_play - 1
        self.state.last = self.moves[-1][1] if self.moves else PASS
        return draw(self.state, self.size)

    def before(self, number: int) -> "Game":
        """The game just before its move of this number, counted from 1."""
        kept = self.moves[: max(0, number - 1)]
        return Game(self.size, self.komi, self.suicide, list(self.stones), self.first, kept)

    def set_komi(self, komi: float) -> None:
        self.komi = komi
        self.replay()

    def replay(self) -> None:
        """Make the board again from the stones and moves."""
        self.domain = Go(self.size, komi=self.komi, suicide=self.suicide, diagram=self._diagram())
        self.state = self.domain.new_state()
        self._seen = {self.domain.hash(self.state)}
        for colour, point in self.moves:
            self._move(colour, point)

    def _move(self, colour: int, point: int) -> None:
        self.state.player = colour - 1
        self.domain.move(self.state, point)
        self.state.moves = 0  # its limit is for playouts
        if point != PASS:
            self._seen.add(self.domain.hash(self.state))

    def _diagram(self) -> str:
        if not self.stones:
            return ""
        placed = {point: colour for colour, point in self.stones}
        marks = "".join(".XO"[placed.get(p, EMPTY)] for p in self.points())
        return "\n".join(
            marks[i : i + self.size] for i in range(0, self.size * self.size, self.size)
        )
