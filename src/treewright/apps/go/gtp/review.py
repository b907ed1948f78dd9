"""Looking back at a game: the win rate after each move, and where it changed most."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from treewright.apps.go.gtp.game import NAMES, Game
from treewright.apps.go.gtp.player import Player, Style
from treewright.apps.go.setup import to_vertex
from treewright.errors import MissingExtra


@dataclass(frozen=True)
class Step:
    """One move: Black's share of wins before and after it, and what the search preferred."""

    number: int
    colour: int
    vertex: str
    before: float
    after: float
    preferred: str

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
        costly = sorted(self.steps, key=lambda step: -step.loss)[:most]
        return [step for step in costly if step.loss >= least]


def review(
    game: Game,
    style: Style,
    simulations: int | None,
    seconds: float | None = None,
    progress: Callable[[int], object] | None = None,
) -> Review:
    """Search every position of a game.

    Ctrl-C ends it with the moves that were looked at.
    """
    player = Player(style)
    values: list[float] = []
    preferred: list[str] = []
    for number in range(len(game.moves) + 1):
        at = game.before(number + 1)
        colour = game.moves[number][0] if number < len(game.moves) else at.to_play
        if at.over:
            values.append(1.0 if at.score() > 0 else 0.0 if at.score() < 0 else 0.5)
            preferred.append("pass")
        else:
            search = player.prepare(at, colour)
            result = search.run(simulations, seconds=seconds)
            best = next(c for c in result.children if at.forbidden(colour, c.action) is None)
            value = best.value if best.value is not None else 0.5
            values.append(value if colour == 1 else 1 - value)
            preferred.append(best.label)
            if result.stopped == "interrupt":
                break
        if progress is not None:
            progress(number)
    steps = [
        Step(i + 1, c, to_vertex(p, game.size), values[i], values[i + 1], preferred[i])
        for i, (c, p) in enumerate(game.moves)
        if i + 1 < len(values)
    ]
    return Review(game.size, steps)


def comments(found: Review) -> list[str]:
    """For SGF: the win rate after each move, and the better move where one was missed."""
    costly = {step.number for step in found.swings(most=len(found.steps))}
    texts = []
    for step in found.steps:
        text = f"Black {step.after:.1%}"
        if step.number in costly:
            text += f"; {NAMES[step.colour].upper()} lost {step.loss:.1%}, better {step.preferred}"
        texts.append(text)
    return texts


def draw(found: Review, axes: Any, title: str = "") -> None:
    """The win rate along the game, the biggest swings marked."""
    rates = [100 * step.after for step in found.steps]
    numbers = [step.number for step in found.steps]
    start = [100 * found.steps[0].before] if found.steps else []
    axes.plot([0, *numbers], start + rates, color="#1d2327", lw=1.6)
    axes.axhline(50, color="0.7", lw=0.8)
    axes.fill_between([0, *numbers], start + rates, 50, color="#0072B2", alpha=0.12)
    for step in found.swings():
        high = step.after < 0.5
        axes.plot(step.number, 100 * step.after, "o", color="#D55E00", ms=5)
        axes.annotate(
            f"{step.number} {NAMES[step.colour].upper()} {step.vertex}",
            (step.number, 100 * step.after),
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
