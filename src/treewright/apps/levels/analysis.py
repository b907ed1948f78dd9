"""Many levels measured together, as a table and as an expressive range."""

import io
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treewright.apps.levels import metrics
from treewright.apps.levels.chain import Chain
from treewright.apps.levels.copies import Shelf, automaton
from treewright.apps.levels.level import Level
from treewright.apps.levels.tiles import LevelError
from treewright.errors import MissingExtra
from treewright.library.writing import write_whole

SHOWN = (
    "length",
    "gaps",
    "enemies",
    "rewards",
    "linearity",
    "leniency",
    "density",
    "kl_2x2",
    "kl_3x3",
    "copied_run",
    "nearest",
)
BINS = 12  # of each side of the expressive range


def analyse(levels: Sequence[Level], chain: Chain) -> dict[str, Any]:
    """Every level's numbers, and what only a set of levels has."""
    runs = automaton(chain.levels)
    base = {size: metrics.pooled(chain.corpus, size) for size in (2, 3)}
    shelf = Shelf(max(level.length for level in levels))
    for level in levels:
        shelf.add(level.columns)
    rows: list[dict[str, Any]] = []
    for i, level in enumerate(levels):
        numbers = metrics.analyse(level, chain, runs, base)
        nearest = shelf.nearest(level.columns, but=i)
        rows.append({"level": level.where, **numbers, "nearest": nearest})
    return {
        "levels": rows,
        "all": {
            "levels": len(rows),
            **{name: statistics.fmean(row[name] for row in rows) for name in SHOWN[:-2]},
            "copied_run": max(row["copied_run"] for row in rows),
            "nearest": max(row["nearest"] for row in rows),
            **{
                f"kl_{n}x{n}_together": metrics.divergence(metrics.pooled(levels, n), base[n])
                for n in (2, 3)
            },
            "range_filled": filled([(r["linearity"], r["leniency"]) for r in rows]),
        },
    }


def filled(points: Sequence[tuple[float, float]]) -> int:
    """How many cells of the expressive range hold a level.

    It spans a linearity of 0 to 3 and a leniency of -0.4 to 0.2.
    """
    cells = set()
    for linear, lenient in points:
        x = min(max(int(linear / 3 * BINS), 0), BINS - 1)
        y = min(max(int((lenient + 0.4) / 0.6 * BINS), 0), BINS - 1)
        cells.add((x, y))
    return len(cells)


def table(found: dict[str, Any], most: int = 40) -> str:
    """For people: a line for each level, then the means (and the largest of the last two)."""
    rows = found["levels"]
    head = ["level", *SHOWN]
    lines = [[Path(r["level"]).name, *(_short(r[n]) for n in SHOWN)] for r in rows[:most]]
    whole = found["all"]
    lines.append(["all", *(_short(whole[n]) for n in SHOWN)])
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    text = []
    for line in [head, *lines]:
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        text.append("  ".join([line[0].ljust(widths[0]), *cells[1:]]))
    if len(rows) > most:
        text.insert(-1, f"… {len(rows) - most} more")
    text.append(
        f"all levels together: KL to the corpus {whole['kl_2x2_together']:.4f} (2x2), "
        f"{whole['kl_3x3_together']:.4f} (3x3); copied_run and nearest are the largest; "
        f"{whole['range_filled']} of {BINS * BINS} cells of the expressive range are filled"
    )
    return "\n".join(text)


def _short(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3g}"


def plot_range(found: dict[str, Any], chain: Chain, path: Path) -> None:
    """Linearity by leniency: how many levels fall where, with the corpus over it; a PNG."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("plotting", "experiments") from None
    figure = Figure(figsize=(6, 4.6), layout="constrained")
    axes = figure.subplots()
    points = [(r["linearity"], r["leniency"]) for r in found["levels"]]
    draw_range(axes, points, chain)
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=130)
    write_whole(path, out.getvalue(), LevelError)


def draw_range(axes: Any, points: Sequence[tuple[float, float]], chain: Chain) -> None:
    corpus = chain.corpus
    xs, ys = zip(*points, strict=True)
    if len(points) >= 50:
        axes.hexbin(xs, ys, gridsize=24, mincnt=1, cmap="Blues")
    else:
        axes.scatter(xs, ys, s=18, color="#2f6fb3", label="levels")
    axes.scatter(
        [metrics.linearity(c) for c in corpus],
        [metrics.leniency(c) for c in corpus],
        s=26,
        marker="x",
        color="#c0392b",
        label="corpus",
    )
    axes.set_xlabel("linearity (mean distance from a straight floor, rows)")
    axes.set_ylabel("leniency (per slice)")
    axes.legend(frameon=False)
