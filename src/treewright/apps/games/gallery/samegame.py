"""A SameGame board and the best game that was found for it."""

from typing import Any

from treewright.apps.games.samegame import SIDE, SameGame
from treewright.library.options import Options, Rollout
from treewright.library.position import Position
from treewright.library.search import Search
from treewright.workshop.gallery.piece import Piece, figure, opened, png

SIMULATIONS, C = 100_000, 0.02
COLOURS = ("#ffffff", "#0072B2", "#D55E00", "#009E73", "#F0C93D", "#9A6FB0")
SHOWN = 8


def piece(seed: int) -> Piece:
    domain = SameGame(seed=seed)
    search = Search(domain, Options(c=C, rollout=Rollout(policy="domain")), seed=seed)
    result = search.run(SIMULATIONS)
    boards = _boards(domain, result.best_sequence)
    last = len(boards) - 1
    picked = [round(i * last / (SHOWN - 1)) for i in range(SHOWN)]
    drawn = figure(9.0, 4.9)
    for axes, at in zip(drawn.subplots(2, SHOWN // 2).flat, picked, strict=True):
        stones, score = boards[at]
        _draw(axes, stones, f"move {at}: {score:,} points")
    return Piece(
        "A SameGame solution",
        f"treewright gallery --only samegame --seed {seed}",
        f"Remove groups of one colour; large groups count more, and an empty board most. The best "
        f"of {SIMULATIONS:,} simulated games has {last} moves and, less the cost of what is left, "
        f"{5000 * (result.best_score or 0):,.0f} points; here are {SHOWN} moments of it. "
        "treewright watch samegame --policy domain shows such a game move by move.",
        [png(drawn, "Eight positions of a SameGame solution")],
        page=opened(
            "games",
            domain="samegame",
            settings={"seed": seed},
            c=C,
            policy="domain",
            simulations=SIMULATIONS,
            seed=seed,
        ),
    )


def _boards(domain: SameGame, actions: list[int]) -> list[tuple[list[int], int]]:
    """The stones and points before the first action and after each."""
    position = Position(domain)
    found = []
    for action in [None, *actions]:
        if action is not None:
            position.play(action)
        stones = [int(position.state.colour[i]) for i in range(SIDE * SIDE)]
        found.append((stones, int(position.state.score)))
    return found


def _draw(axes: Any, stones: list[int], title: str) -> None:
    from matplotlib.colors import ListedColormap

    grid = [[stones[column * SIDE + row] for column in range(SIDE)] for row in range(SIDE)]
    axes.pcolormesh(grid, cmap=ListedColormap(COLOURS), vmin=0, vmax=5, edgecolors="white", lw=0.6)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_color("0.85")
    axes.set_title(title, fontsize=9)
