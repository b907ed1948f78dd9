"""Looking back at a game: the win rate along it, and the moves that cost most."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from treewright.apps.go.board import PASS
from treewright.apps.go.gtp.analysis import lower, upper
from treewright.apps.go.gtp.game import NAMES, Game
from treewright.apps.go.gtp.player import Player, Style
from treewright.apps.go.setup import to_vertex
from treewright.errors import MissingExtra


@dataclass(frozen=True)
class View:
    """What a search says of a position: Black's share of wins, with its 95 % interval."""

    black: float
    low: float
    high: float


@dataclass(frozen=True)
class Step:
    """One move.  All shares of wins are Black's.

    ``before`` is what the preferred move would have given, ``after`` what the played one gave,
    both as a search sees it that begins with the opponent's reply: a search is optimistic for
    whoever moves first in it, so only searches with the same player to move can be compared.
    ``rate`` is for the graph: the mean of both players' views, just before and after the move.
    """

    number: int
    colour: int
    vertex: str
    before: float
    after: float
    preferred: str
    rate: float
    sure: bool = False  # whether the intervals of before and after part

    @property
    def loss(self) -> float:
        """What the move cost the player who made it."""
        change = self.after - self.before
        return -change if self.colour == 1 else change


@dataclass(frozen=True)
class Review:
    """The whole game, move by move; ``swings`` are the costliest moves."""

    size: int
    steps: list[Step]

    def swings(self, most: int = 5, least: float = 0.05) -> list[Step]:
        costly = sorted(self.steps, key=lambda step: -step.loss)
        return [step for step in costly if step.sure and step.loss >= least][:most]


def review(
    game: Game,
    style: Style,
    simulations: int | None,
    seconds: float | None = None,
    progress: Callable[[int], object] | None = None,
) -> Review:
    """Search every position of a game, and each that the search would rather have had.

    Ctrl-C ends it with the moves that were looked at.
    """
    player = Player(style)

    def look(at: Game, colour: int) -> tuple[View, int]:
        """What the search says of a position with a colour to move, and its best move."""
        if at.over:
            share = 0.5 + 0.5 * (at.score() > 0) - 0.5 * (at.score() < 0)
            return View(share, share, share), PASS
        result = player.prepare(at, colour).run(simulations, seconds=seconds)
        if result.stopped == "interrupt":
            raise KeyboardInterrupt
        best = next(c for c in result.children if at.forbidden(colour, c.action) is None)
        ends = (lower(best), best.value or 0.0, upper(best))
        low, share, high = ends if colour == 1 else tuple(1 - end for end in reversed(ends))
        return View(share, low, high), best.action

    steps: list[Step] = []
    with contextlib.suppress(KeyboardInterrupt):
        now, best = look(game.before(1), game.moves[0][0]) if game.moves else (None, PASS)
        for i, (colour, point) in enumerate(game.moves):
            at, then = game.before(i + 1), game.before(i + 2)
            other = game.moves[i + 1][0] if i + 1 < len(game.moves) else then.to_play
            after, reply = look(then, other)
            before = after
            if best != point:
                at.play(colour, best)
                before, _ = look(at, other)
            assert now is not None
            steps.append(_step(i + 1, colour, point, now, before, after, best, game.size))
            now, best = after, reply
            if progress is not None:
                progress(i + 1)
    return Review(game.size, steps)


def _step(
    number: int,
    colour: int,
    point: int,
    now: View,
    before: View,
    after: View,
    best: int,
    size: int,
) -> Step:
    parted = before.low > after.high if colour == 1 else before.high < after.low
    return Step(
        number,
        colour,
        to_vertex(point, size),
        before.black,
        after.black,
        to_vertex(best, size),
        (now.black + after.black) / 2,
        parted,
    )


def comments(found: Review) -> list[str]:
    """For SGF: the win rate after each move, and the better move where one was missed."""
    costly = {step.number for step in found.swings(most=len(found.steps))}
    texts = []
    for step in found.steps:
        text = f"Black {step.rate:.1%}"
        if step.number in costly:
            text += f"; {NAMES[step.colour].upper()} lost {step.loss:.1%}, better {step.preferred}"
        texts.append(text)
    return texts


def draw(found: Review, axes: Any, title: str = "") -> None:
    """The win rate along the game, the biggest swings marked."""
    rates = [100 * step.rate for step in found.steps]
    numbers = [step.number for step in found.steps]
    axes.plot(numbers, rates, color="#1d2327", lw=1.6)
    axes.axhline(50, color="0.7", lw=0.8)
    axes.fill_between(numbers, rates, 50, color="#0072B2", alpha=0.12)
    for step in found.swings():
        high = step.rate < 0.5
        axes.plot(step.number, 100 * step.rate, "o", color="#D55E00", ms=5)
        axes.annotate(
            f"{step.number} {NAMES[step.colour].upper()} {step.vertex}",
            (step.number, 100 * step.rate),
            xytext=(0, -12 if high else 8),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            color="#D55E00",
        )
    axes.set_ylim(0, 100)
    axes.set_xlim(0, max(numbers, default=1))
    axes.set_xlabel("move")
    axes.set_ylabel("Black wins, %")
    if title:
        axes.set_title(title, fontsize=10)


def graph(found: Review, title: str = "") -> Any:
    """The same as a figure of its own."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("the win-rate graph", "go") from None
    figure = Figure(figsize=(9, 3.6), layout="constrained", dpi=110)
    draw(found, figure.subplots(), title)
    return figure
