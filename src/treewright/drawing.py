"""Pictures of search trees."""

import math
from pathlib import Path
from typing import Any

from treewright.errors import MissingExtra, OptionError, TreewrightError
from treewright.search import Search
from treewright.tree import Shown

FORMATS = (".svg", ".png", ".pdf", ".dot")


def draw_tree(search: Search, out: Path, depth: int = 3, top: int = 4) -> int:
    """Draw the top of the tree to a file and return how many nodes it shows.

    Boxes hold the action, visits and mean value for the player who moved there; the thicker a
    line, the larger the share of its parent's visits; colour runs from red (0) to green (1).
    """
    if out.suffix not in FORMATS:
        raise OptionError(f"{out}: draw to one of {', '.join(FORMATS)}")
    shown = list(search.tree.walk(depth, top))
    try:
        if out.suffix == ".dot":
            out.write_text(search.tree.to_dot(depth, top) + "\n")
        else:
            _figure(shown, search).savefig(out, bbox_inches="tight", dpi=110)
    except OSError as error:
        raise TreewrightError(f"{out} can't be written: {error.strerror}") from error
    return len(shown)


def layout(shown: list[Shown]) -> dict[int, float]:
    """A place from left to right for each node: leaves side by side, parents above the middle."""
    children: dict[int, list[int]] = {}
    for node in shown:
        children.setdefault(node.parent, []).append(node.node)
    place: dict[int, float] = {}
    leaves = iter(range(len(shown)))

    def put(node: int) -> float:
        below = [put(child) for child in children.get(node, [])]
        place[node] = sum(below) / len(below) if below else float(next(leaves))
        return place[node]

    put(shown[0].node)
    return place


def _figure(shown: list[Shown], search: Search) -> Any:
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("drawing a tree", "tree") from None
    mpl.rcParams["svg.hashsalt"] = "treewright"  # the same tree gives the same file
    place = layout(shown)
    visits = {n.node: n.visits for n in shown}
    depths = max(n.depth for n in shown)
    wide = max(place.values()) + 1
    figure = Figure(figsize=(max(5.0, 1.05 * wide), 1.0 + 1.25 * depths))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    for node in shown:
        x, y = place[node.node], -node.depth
        if node.parent >= 0:
            share = node.visits / max(1, visits[node.parent])
            axes.plot(
                [place[node.parent], x], [y + 1, y], color="0.55", lw=0.6 + 7 * share, zorder=1
            )
        face = "#f2f2f2" if node.parent < 0 or math.isnan(node.value) else _colour(node.value)
        axes.text(
            x,
            y,
            _text(node),
            ha="center",
            va="center",
            fontsize=8,
            zorder=2,
            bbox={"boxstyle": "round,pad=0.35", "fc": face, "ec": "0.3"},
        )
    title = f"{search.domain.name}: {visits[0]:,} simulations"
    axes.set_title(title, fontsize=10, y=1.02)
    axes.set_xlim(-0.7, wide - 0.3)
    axes.set_ylim(-depths - 0.5, 0.5)
    return figure


def _text(node: Shown) -> str:
    if node.parent < 0:
        return f"root\n{node.visits:,}"
    return f"{node.label}\n{node.visits:,}\n{node.value:.2f}"


def _colour(value: float) -> tuple[float, float, float]:
    v = min(1.0, max(0.0, value))
    red, green = (0.96, 0.72, 0.68), (0.70, 0.89, 0.72)
    return tuple(r + (g - r) * v for r, g in zip(red, green, strict=True))  # type: ignore[return-value]
