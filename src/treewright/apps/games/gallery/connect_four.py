"""A game of Connect Four, with what each side thought of it."""

from typing import Any

from treewright.apps.games.connect_four import HEIGHT, WIDTH, ConnectFour
from treewright.library.options import Options, Rave
from treewright.library.search import Search
from treewright.workshop.gallery.piece import Piece, figure, opened, png

SIDES = (
    ("UCT, 4,000 simulations", 4_000, Options()),
    ("MC-RAVE, 4,000 simulations", 4_000, Options(rave=Rave(k=300))),
)
COLOURS = ("#D55E00", "#E8B800")


def piece(seed: int) -> Piece:
    moves, hopes, end = _game(seed)
    drawn = figure(9.0, 3.7)
    board, graph = drawn.subplots(1, 2, width_ratios=(1, 1.15))
    _draw_board(board, moves)
    _draw_hopes(graph, hopes)
    return Piece(
        "A game of Connect Four",
        f"treewright gallery --only connect-four --seed {seed}",
        f"{SIDES[0][0]} a move (red, begins) against {SIDES[1][0]} a move (yellow). Stones are "
        f"numbered in the order of play; the graph is each side's own estimate of red's chances. "
        f"{end}.",
        [png(drawn, "The final board, and the win rate over the game")],
        page=opened("games", domain="connect-four", moves=moves),
    )


def _game(seed: int) -> tuple[list[int], list[float], str]:
    """The columns played, the first player's chances before each, and how it ended."""
    domain = ConnectFour()
    searches = [Search(domain, side[2], seed=seed + i) for i, side in enumerate(SIDES)]
    moves: list[int] = []
    hopes: list[float] = []
    while not searches[0].position.ended:
        mover = len(moves) % 2
        result = searches[mover].run(SIDES[mover][1])
        hopes.append(result.value if mover == 0 else 1.0 - result.value)
        moves.append(result.best)
        for search in searches:
            search.commit(result.best)
    reward = searches[0].position.rewards()[0]
    ends = {1.0: "Red wins", 0.0: "Yellow wins"}
    return moves, hopes, ends.get(reward, "The game is drawn")


def _draw_board(axes: Any, moves: list[int]) -> None:
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-0.6, WIDTH - 0.4)
    axes.set_ylim(-0.6, HEIGHT - 0.4)
    height = [0] * WIDTH
    for column in range(WIDTH):
        for row in range(HEIGHT):
            axes.scatter(column, row, s=430, c="#e9eef2", edgecolors="#c3ccd3")
    for at, column in enumerate(moves):
        axes.scatter(column, height[column], s=430, c=COLOURS[at % 2], edgecolors="0.3")
        axes.text(column, height[column], str(at + 1), ha="center", va="center", fontsize=8)
        height[column] += 1


def _draw_hopes(axes: Any, hopes: list[float]) -> None:
    places = range(1, len(hopes) + 1)
    axes.axhline(50, color="0.7", lw=1, ls="--")
    axes.plot(places, [100 * h for h in hopes], color="0.35", lw=1.2, zorder=1)
    for side in (0, 1):
        own = [i for i in range(len(hopes)) if i % 2 == side]
        axes.scatter(
            [i + 1 for i in own],
            [100 * hopes[i] for i in own],
            c=COLOURS[side],
            edgecolors="0.3",
            label=SIDES[side][0].split(",")[0],
            zorder=2,
        )
    axes.set_ylim(-4, 104)
    axes.set_xlabel("move")
    axes.set_ylabel("red's chances (%)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
