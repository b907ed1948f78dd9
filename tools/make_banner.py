"""Draw the README's picture: one of everything that the applications make.

    python tools/make_banner.py docs/images/banner.png

needs Matplotlib, Pillow and cairosvg.  All but the Go board, which is searched here, are pictures
of ``docs/images``.
"""

import io
import sys
from pathlib import Path
from typing import Any

import cairosvg
from matplotlib.figure import Figure
from PIL import Image

from treewright.apps.go.board import BLACK, EMPTY
from treewright.apps.go.gallery import _board
from treewright.apps.go.gtp.game import Game
from treewright.apps.go.gtp.player import Player, style
from treewright.apps.go.setup import to_point

IMAGES = Path(__file__).parent.parent / "docs" / "images"
GAME = ["E5", "G6", "C4", "F7"]
SIMULATIONS = 20_000


def picture(name: str, box: tuple[float, float, float, float] = (0, 0, 1, 1)) -> Image.Image:
    """A part of one of our pictures: left, top, right and bottom as shares of it."""
    path = IMAGES / name
    data = cairosvg.svg2png(url=str(path), scale=2) if path.suffix == ".svg" else path.read_bytes()
    whole = Image.open(io.BytesIO(data)).convert("RGBA")
    page = Image.new("RGBA", whole.size, "white")
    page.alpha_composite(whole)
    w, h = page.size
    return page.crop((int(box[0] * w), int(box[1] * h), int(box[2] * w), int(box[3] * h)))


def show(figure: Figure, place: tuple[float, float, float, float], image: Image.Image, title: str):
    axes = figure.add_axes(place)
    axes.imshow(image)
    axes.set_anchor("NW")  # where its title begins
    axes.set_axis_off()
    axes.set_title(title, fontsize=10, loc="left")


def go_board(figure: Figure, place: tuple[float, float, float, float]) -> None:
    """A position, and how often the search has tried each move there."""
    game = Game(9)
    for number, vertex in enumerate(GAME):
        game.play(BLACK if number % 2 == 0 else 3 - BLACK, to_point(vertex, 9))
    player = Player(style("default", seed=1))
    children = player.prepare(game, game.to_play).run(SIMULATIONS).children
    axes: Any = figure.add_axes(place)
    _board(axes, game)
    most = children[0].visits
    for child in children:
        row, column = divmod(child.action, game.size + 1)
        empty = child.action in game.points() and game.at(child.action) == EMPTY
        if empty and child.visits > most / 60:
            size = 22 * (child.visits / most) ** 0.4
            axes.plot(column, row, "o", ms=size, mfc="#2f6fb3", mec="none", alpha=0.75, zorder=3)
            share = f"{child.visits / SIMULATIONS:.0%}"
            if child.visits > most / 12:
                axes.text(column, row, share, fontsize=6, color="white", ha="center", va="center")
    axes.set_anchor("NW")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title("Go: where the search looks", fontsize=10, loc="left")


def main(out: Path) -> None:
    figure = Figure(figsize=(13, 8.6), dpi=110, facecolor="white")
    show(figure, (0.01, 0.65, 0.98, 0.32), picture("level.png", (0, 0, 1, 0.245)), "")
    figure.text(0.011, 0.978, "A level, and the way through it", fontsize=10)
    show(figure, (0.01, 0.35, 0.33, 0.30), picture("map-dungeon.png"), "A dungeon")
    go_board(figure, (0.365, 0.35, 0.22, 0.30))
    board = picture("tactics.png", (0.5, 0.52, 1, 0.97))
    show(figure, (0.62, 0.35, 0.37, 0.30), board, "Hero Academy, a tactics game")
    story = picture("story.svg", (0.02, 0.31, 0.62, 0.55))
    show(figure, (0.01, 0.01, 0.34, 0.29), story, "A story: what led to what")
    tree = picture("tree.png", (0, 0.3, 1, 0.75))
    show(figure, (0.365, 0.01, 0.25, 0.29), tree, "A search tree")
    maps = picture("map-wishes.png")
    show(figure, (0.62, 0.01, 0.37, 0.29), maps, "Maps of rooms and of corridors")
    figure.savefig(out)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
