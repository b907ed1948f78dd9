"""Figures in one plain style: a line with error bars for each method."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treewright.errors import MissingExtra
from treewright.library.writing import whole
from treewright.workshop.experiments.experiment import Experiment, Rows
from treewright.workshop.experiments.summary import estimate

# Okabe and Ito's colours, which colour-blind readers can tell apart, with a shape for print
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
STYLE = {
    "font.size": 10,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "0.9",
    "legend.frameon": False,
}


def save(experiment: Experiment, rows: Rows, out: Path) -> None:
    """Draw the experiment's figure to a PNG file."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("drawing a figure", "experiments") from None
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        axes = figure.subplots()
        experiment.draw(rows, axes)
        figure.suptitle(experiment.title, fontsize=11, x=0.01, ha="left")
        with whole(out) as part:
            figure.savefig(part, dpi=120)


def curves(
    experiment: Experiment,
    rows: Rows,
    axes: Any,
    *,
    x: str,
    by: str,
    names: dict[str, str] | None = None,
    log: bool = True,
    even: float | None = None,
) -> None:
    """The experiment's measure over ``x``, one line with error bars for each value of ``by``."""
    measure = experiment.measure
    percent = 100 if measure.kind == "rate" else 1
    kinds = list(dict.fromkeys(row[by] for row in rows))
    if even is not None:
        axes.axhline(percent * even, color="0.6", lw=1, ls="--", zorder=0)
    for at, kind in enumerate(kinds):
        groups: dict[Any, list[Any]] = {}
        for row in rows:
            if row[by] == kind:
                groups.setdefault(row[x], []).append(row)
        places = sorted(groups)
        found = [estimate(measure, groups[place]) for place in places]
        axes.errorbar(
            places,
            [percent * f.value for f in found],
            yerr=_bars(found, percent),
            color=COLOURS[at % len(COLOURS)],
            marker=MARKERS[at % len(MARKERS)],
            ms=5,
            lw=1.6,
            capsize=3,
            label=(names or {}).get(str(kind), str(kind)),
        )
    if log:
        axes.set_xscale("log")
        _plain_ticks(axes, sorted({row[x] for row in rows}))
    axes.set_xlabel(x)
    axes.set_ylabel(measure.label + (" (%)" if percent == 100 else ""))
    labels = axes.get_legend_handles_labels()[1]
    columns = 3 if max(map(len, labels)) < 20 else 2
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.15)}  # where it covers nothing
    axes.legend(ncols=columns, fontsize=9, **below)


def bars(
    experiment: Experiment, rows: Rows, axes: Any, *, by: str, even: float | None = None
) -> None:
    """The experiment's measure for each value of ``by``: a horizontal bar with its interval."""
    measure = experiment.measure
    percent = 100 if measure.kind == "rate" else 1
    kinds = list(dict.fromkeys(row[by] for row in rows))
    found = [estimate(measure, [row for row in rows if row[by] == kind]) for kind in kinds]
    if even is not None:
        axes.axvline(percent * even, color="0.6", lw=1, ls="--", zorder=0)
    axes.barh(
        [str(kind) for kind in kinds],
        [percent * f.value for f in found],
        xerr=_bars(found, percent),
        color=COLOURS[0],
        alpha=0.8,
        height=0.65,
        error_kw={"ecolor": "0.3", "capsize": 3, "lw": 1.2},
    )
    axes.invert_yaxis()
    axes.set_xlabel(measure.label + (" (%)" if percent == 100 else ""))


def _bars(found: Sequence[Any], percent: float) -> list[list[float]]:
    """Half bars below and above; none where one run gives no interval."""
    below = [percent * max(0.0, f.value - f.low) if f.low > -1e300 else 0.0 for f in found]
    above = [percent * max(0.0, f.high - f.value) if f.high < 1e300 else 0.0 for f in found]
    return [below, above]


def _plain_ticks(axes: Any, places: list[Any]) -> None:
    from matplotlib.ticker import NullLocator

    axes.set_xticks(places, [f"{place:,}" for place in places])
    axes.xaxis.set_minor_locator(NullLocator())
