"""Nim, solved for every heap."""

from treewright.apps.games.nim import Nim
from treewright.library.options import Options
from treewright.library.search import Search
from treewright.workshop.gallery.piece import Piece, figure, opened, png

HEAPS = range(1, 22)
SIMULATIONS = 200_000  # at most: a solved search stops
WIN, LOSS = "#009E73", "#D55E00"


def piece(seed: int) -> Piece:
    drawn = figure(8.4, 1.9)
    axes = drawn.subplots()
    axes.set_axis_off()
    axes.set_xlim(0.4, HEAPS[-1] + 0.6)
    axes.set_ylim(-0.9, 1.2)
    for heap in HEAPS:
        best = Search(Nim(heap=heap), Options(solver=True), seed=seed).run(SIMULATIONS).children[0]
        won = best.proven == 1.0
        axes.add_patch(_tile(heap, WIN if won else LOSS))
        axes.text(heap, 0.45, str(heap), ha="center", va="center", color="white", fontsize=11)
        axes.text(heap, -0.45, f"−{best.action}" if won else "lost", ha="center", va="center")
    return Piece(
        "Nim, solved",
        f"treewright gallery --only nim --seed {seed}",
        "Take one to three stones; whoever takes the last one wins. The solver proves every heap: "
        "green ones are won for the player to move, with the number to take below; multiples of "
        "four are lost. For one heap: treewright search nim --set heap=21 --solver.",
        [png(drawn, "Heaps of 1 to 21 stones, won or lost")],
        page=opened(
            "games",
            domain="nim",
            settings={"heap": HEAPS[-1]},
            solver=True,
            simulations=SIMULATIONS,
            seed=seed,
        ),
    )


def _tile(heap: int, colour: str):  # type: ignore[no-untyped-def]
    from matplotlib.patches import FancyBboxPatch

    box = "round,pad=0,rounding_size=0.15"
    return FancyBboxPatch((heap - 0.42, 0.0), 0.84, 0.9, boxstyle=box, fc=colour, ec="none")
