"""Pictures of search trees."""

import io
import math
from pathlib import Path
from typing import Any

from treewright.errors import MissingExtra, OptionError
from treewright.library.search import Search
from treewright.library.tree import Shown
from treewright.library.writing import whole, write_whole

FORMATS = (".svg", ".png", ".pdf", ".dot")


def draw_tree(search: Search, out: Path, depth: int = 3, top: int = 3) -> int:
    """Draw the top of the tree to a file and return how many nodes it shows.

    Boxes hold the action, visits and mean value for the player who moved there; the thicker a
    line, the larger the share of its parent's visits; colour runs from red (0) to green (1), or
    from the lowest to the highest value shown where rewards have another scale.
    """
    if out.suffix not in FORMATS:
        raise OptionError(f"{out}: draw to one of {', '.join(FORMATS)}")
    shown = list(search.tree.walk(depth, top))
    if out.suffix == ".dot":
        write_whole(out, search.tree.to_dot(depth, top) + "\n")
    else:
        figure = _figure(shown, search.domain.name)
        with whole(out) as part:
            _save(figure, part, out.suffix[1:])
    return len({node.node for node in shown})


def drawn(shown: list[Shown], name: str, kind: str, letters: str = "path") -> bytes:
    """The same picture as ``svg``, ``png`` or ``pdf``, of the nodes that are shown.

    With ``letters="none"`` the words of an SVG are text, which is short and can be searched.
    """
    part = io.BytesIO()
    _save(_figure(shown, name), part, kind, letters)
    return part.getvalue()


def _save(figure: Any, part: Any, kind: str, letters: str = "path") -> None:
    from matplotlib import rc_context

    undated = {"metadata": {"Date": None}} if kind == "svg" else {}
    # the same tree gives the same file
    with rc_context({"svg.hashsalt": "treewright", "svg.fonttype": letters}):
        figure.savefig(part, format=kind, bbox_inches="tight", dpi=110, **undated)


def layout(shown: list[Shown]) -> dict[int, float]:
    """A row for each node: leaves below each other, parents beside the middle of theirs.

    A node with several parents is beside the first.
    """
    children: dict[int, list[int]] = {}
    met = set()
    for node in shown:
        if node.node not in met:
            children.setdefault(node.parent, []).append(node.node)
            met.add(node.node)
    place: dict[int, float] = {}
    leaves = iter(range(len(shown)))

    def put(node: int) -> float:
        below = [put(child) for child in children.get(node, [])]
        place[node] = sum(below) / len(below) if below else float(next(leaves))
        return place[node]

    put(shown[0].node)
    return place


def _figure(shown: list[Shown], name: str) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("drawing a tree", "tree") from None
    row = layout(shown)
    depth: dict[int, int] = {}
    low, high = scale(shown)
    depths = max(n.depth for n in shown)
    rows = max(row.values()) + 1
    column = 1.4 + 0.075 * max(len(n.label) for n in shown)  # inches
    figure = Figure(figsize=(column * (depths + 1), 0.6 + 0.36 * rows))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    for node in shown:
        is_new = node.node not in depth
        x, y = depth.setdefault(node.node, node.depth), -row[node.node]
        if node.parent >= 0:
            from_x, from_y = depth[node.parent], -row[node.parent]
            width = 0.6 + 7 * node.share
            axes.plot([from_x, x], [from_y, y], color="0.65", lw=width, zorder=1)
        if not is_new:  # one more parent
            continue
        unknown = node.parent < 0 or math.isnan(node.value)
        face = "#f2f2f2" if unknown else _colour((node.value - low) / (high - low))
        box = {"boxstyle": "round,pad=0.3", "fc": face, "ec": "0.35", "lw": 0.8}
        style: dict[str, Any] = {
            "ha": "center",
            "va": "center",
            "fontsize": 8,
            "zorder": 2,
            "bbox": box,
        }
        axes.text(x, y, _text(node), parse_math=False, **style)  # a $ is a $
    title = f"{name}: {shown[0].visits:,} simulations"
    axes.set_title(title, fontsize=10, parse_math=False)
    axes.set_xlim(-0.5, depths + 0.5)
    axes.set_ylim(-rows + 0.4, 0.6)
    return figure


def scale(shown: list[Shown]) -> tuple[float, float]:
    """Between which values colours run: 0 and 1, unless a value is outside."""
    values = [n.value for n in shown if n.parent >= 0 and not math.isnan(n.value)]
    if all(0.0 <= v <= 1.0 for v in values):
        return 0.0, 1.0
    low, high = min(values), max(values)
    return (low, high) if low < high else (low - 1.0, high)


def _text(node: Shown) -> str:
    if node.parent < 0:
        return f"{node.visits:,} visits"
    value = f"{node.value:.2f}" if 0.0 <= node.value <= 1.0 else f"{node.value:.4g}"
    return f"{node.label}:  {node.visits:,}  ({value})"


def _colour(value: float) -> tuple[float, float, float]:
    v = min(1.0, max(0.0, value))
    red, green = (0.96, 0.72, 0.68), (0.70, 0.89, 0.72)
    return tuple(r + (g - r) * v for r, g in zip(red, green, strict=True))  # type: ignore[return-value]
