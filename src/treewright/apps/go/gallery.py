"""A game of Go that the engine plays against itself, and what it thought of it."""

from dataclasses import replace
from typing import Any

from treewright.apps.go.board import BLACK, EMPTY, PASS
from treewright.apps.go.gtp.game import Game
from treewright.apps.go.gtp.player import Player, style
from treewright.apps.go.gtp.review import Review, Step, draw
from treewright.apps.go.setup import to_vertex
from treewright.workshop.gallery.piece import Piece, figure, opened, png

SIZE, SIMULATIONS, MOVES, RESIGN = 9, 1500, 120, 0.04


def piece(seed: int) -> Piece:
    game, steps, outcome = _game(seed)
    found = Review(SIZE, steps)
    drawn = figure(9.6, 4.4)
    board, rates = drawn.subplots(1, 2, width_ratios=(1, 1.35))
    _board(board, game)
    draw(found, rates)
    return Piece(
        "A game of Go",
        f"treewright gallery --only go --seed {seed}",
        f"MC-RAVE with priors plays both sides of 9x9 at {SIMULATIONS:,} simulations a move "
        f"({len(game.moves)} moves, {outcome}); on the right, Black's chances as both players "
        "saw them. Let engines play each other with treewright go match, and look at a record with "
        "treewright go analyse.",
        [png(drawn, "A Go board and the win rate along the game")],
        page=opened(
            "go",
            size=SIZE,
            komi=game.komi,
            moves=[f"{'bw'[s.colour - 1]} {s.vertex}" for s in steps],
            rates=[round(s.rate, 3) for s in steps],
            simulations=SIMULATIONS,
        ),
    )


def _game(seed: int) -> tuple[Game, list[Step], str]:
    """A game of the engine against itself; each move's view is its own search's."""
    game = Game(SIZE)
    player = Player(style("default", seed=seed, resign=RESIGN))
    steps: list[Step] = []
    rate = 0.5
    while not game.over and len(game.moves) < MOVES:
        colour = game.to_play
        thought = player.choose(game, colour, SIMULATIONS)
        if thought.point is None:
            return game, steps, f"{'WB'[colour - 1]}+R"
        if thought.result is not None:
            value = thought.result.value
            now = value if colour == BLACK else 1 - value
            if steps:  # each player is optimistic: the mean of both views is shown
                steps[-1] = replace(steps[-1], rate=(steps[-1].before + now) / 2)
            rate = now
        game.play(colour, thought.point)
        vertex = to_vertex(thought.point, SIZE)
        steps.append(Step(len(game.moves), colour, vertex, rate, rate, vertex, rate))
    score = game.score()
    return game, steps, f"{'B' if score > 0 else 'W'}+{abs(score):g}"


def _board(axes: Any, game: Game) -> None:
    """Stones with the numbers of their moves."""
    n = game.size
    for i in range(1, n + 1):
        axes.plot([1, n], [i, i], color="#5b4a2e", lw=0.8, zorder=1)
        axes.plot([i, i], [1, n], color="#5b4a2e", lw=0.8, zorder=1)
    numbers = {point: i for i, (_, point) in enumerate(game.moves, 1) if point != PASS}
    for point in game.points():
        colour = game.at(point)
        if colour == EMPTY:
            continue
        row, column = divmod(point, n + 1)
        face = "#111111" if colour == BLACK else "#fafafa"
        axes.plot(column, row, "o", ms=20, mfc=face, mec="#111111", mew=0.8, zorder=2)
        ink = "white" if colour == BLACK else "black"
        number = str(numbers.get(point, ""))
        axes.text(column, row - 0.02, number, color=ink, ha="center", va="center", fontsize=7.5)
    axes.set_facecolor("#e8c887")
    axes.set_xlim(0.3, n + 0.7)
    axes.set_ylim(0.3, n + 0.7)
    axes.set_aspect("equal")
    axes.set_xticks(range(1, n + 1), "ABCDEFGHJKLMNOPQRST"[:n], fontsize=8)
    axes.set_yticks(range(1, n + 1), [str(i) for i in range(1, n + 1)], fontsize=8)
    axes.tick_params(length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)
