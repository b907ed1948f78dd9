"""BBOB: our methods beside SciPy's, CMA-ES, NGOpt and Optuna's, from few evaluations to many."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from treewright.apps.functions.bbob import FUNCTIONS
from treewright.apps.functions.experiments.bbob_counted import EXACT, MARKS, STEPS
from treewright.apps.functions.experiments.bbob_ranks import (
    ABLATED,
    NAMES,
    PLANNED,
    ahead,
    duel,
    rank_of,
    ranks,
    running_times,
    table,
)
from treewright.apps.functions.experiments.bbob_runs import run, uses
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Rows,
    Verdict,
    judge,
)
from treewright.workshop.experiments.plots import COLOURS
from treewright.workshop.experiments.stats import Comparison, Interval

FIRST = 6  # instances 1 to 5 were for development
ANYTIME = [
    name for name in NAMES if name not in (*PLANNED, "shgo", "optuna", "optuna-cma")
]  # one run shows what they have at every budget
SLOW = ["shgo", "optuna", "optuna-cma"]  # and so do these, at small budgets


def verdict(rows: Rows) -> Verdict:
    cells = table(rows)
    placed = {key: found for key, cell in cells.items() if (found := ranks(cell))}
    best, shown, lines = 0, 0, []
    for (n, mark), places in placed.items():
        other, gap = ahead(places)
        best += gap.difference < 0
        shown += gap.high < 0
        lines.append(_rank_line(n, mark, places, other, gap))
    trees = [(key, share) for key, cell in cells.items() if (share := duel(cell, "runs", ABLATED))]
    better = sum(share.low > 0.5 for _, share in trees)
    apart = [
        (name, key, share)
        for name in NAMES
        for key, cell in cells.items()
        if name in cell and name != ABLATED and name not in placed.get(key, {})
        if (share := duel(cell, "runs", name))
    ]
    fewest = min((len(places["runs"]) for places in placed.values()), default=0)
    return judge(
        f"`runs` has the best mean rank in {best} of {len(placed)} pairs of dimension and budget, "
        f"and is shown to have it in {shown}, where the 95 % interval of its rank less that of the "
        f"next method lies below 0. It beats itself without its tree in {better} of {len(trees)}, "
        f"where the interval lies above one half.\n\nMean ranks, with the 95 % interval of `runs`, "
        f"and its rank less that of the best of the others:\n{''.join(lines)}\n\nProblems on which "
        f"`runs` is better with its tree than without (ties count half):\n"
        f"{''.join(_share_line(key, share) for key, share in trees)}"
        f"{''.join(_share_line(key, share, f'against {name}, ') for name, key, share in apart)}\n\n"
        "All in all",
        shown == len(placed) and better == len(trees),
        enough=fewest >= len(FUNCTIONS),
    )


def _rank_line(
    n: int, mark: int, places: Mapping[str, list[float]], other: str, gap: Comparison
) -> str:
    own = rank_of(places, "runs")
    found = sorted((rank_of(places, name).value, name) for name in places)
    listed = ", ".join(f"{name} {value:.2f}" for value, name in found)
    return (
        f"\n- {n} dimensions, {mark:,} evaluations per dimension, {own.n} problems: {listed}; runs "
        f"{own.low:.2f} to {own.high:.2f}, less {other} {gap.difference:+.2f} "
        f"({gap.low:+.2f} to {gap.high:+.2f})"
    )


def _share_line(key: tuple[int, int], share: Interval, against: str = "") -> str:
    n, mark = key
    return (
        f"\n- {against}{n} dimensions, {mark:,}: {share.value:.0%} ({share.low:.0%} to "
        f"{share.high:.0%}) of {share.n}"
    )


def draw(rows: Rows, axes: Any) -> None:
    """Mean ranks over the budget, the mean of all dimensions; and expected running times."""
    left, right = axes.figure.add_gridspec(1, 2)
    axes.figure.set_size_inches(11, 5)
    axes.set_subplotspec(left)
    _draw_times(rows, axes.figure.add_subplot(right))
    by: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (_, mark), cell in table(rows).items():
        for name, places in ranks(cell).items():
            by[name][mark].append(math.fsum(places) / len(places))
    for name in (n for n in NAMES if n in by):
        points = [(mark, sum(r) / len(r)) for mark, r in sorted(by[name].items())]
        axes.plot(*zip(*points, strict=True), marker="o", ms=4, label=NAMES[name], **_style(name))
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.set_xlabel("evaluations per dimension")
    axes.set_ylabel("mean rank (1 is best)")
    axes.legend(fontsize=8, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.16))


def _style(name: str) -> dict[str, Any]:
    """Ours in the first colour; the others share the rest, and the later ones are dotted."""
    if name.startswith("runs"):
        return {"color": COLOURS[0], "ls": "--" if name == ABLATED else "-", "lw": 2}
    number = [n for n in NAMES if not n.startswith("runs")].index(name)
    others = COLOURS[1:]
    return {"color": others[number % len(others)], "ls": "-" if number < len(others) else ":"}


def _draw_times(rows: Rows, axes: Any) -> None:
    """How many targets of all functions are expected to be reached within a running time."""
    times = running_times(rows)
    for name in (n for n in NAMES if n in times):
        reached = sorted(t for t in times[name] if t < math.inf)
        shares = [(k + 1) / len(times[name]) for k in range(len(reached))]
        axes.step(reached, shares, where="post", **_style(name))
    axes.set_xscale("log")
    axes.set_xlabel("expected evaluations per dimension")
    axes.set_ylabel(f"share of functions and targets ({STEPS[0]:g} to {EXACT:g})")


def _grid(methods: Iterable[str], dims: Sequence[int], budgets: Sequence[int], seeds: int) -> Grid:
    return Grid(
        {
            "function": list(FUNCTIONS),
            "dimensions": dims,
            "method": list(methods),
            "per_dimension": budgets,
        },
        seeds,
        FIRST,
    )


EXPERIMENT = Experiment(
    name="bbob",
    title="BBOB: few evaluations and many",
    claim="Local runs with a tree that shares the evaluations out among them have the best mean "
    "rank over the 24 functions at every budget, and are better with the tree than without.",
    source="our own, on the functions of Hansen, Finck, Ros & Auger 2009",
    scales={
        "smoke": [
            Grid(
                {
                    "function": [1, 3],
                    "dimensions": [2],
                    "method": ["runs", "runs-no-tree", "direct"],
                    "per_dimension": [30],
                },
                1,
                FIRST,
            )
        ],
        "laptop": [
            _grid(ANYTIME, [2, 5, 10], [1000], 10),
            _grid(ANYTIME, [20], [300], 3),
            _grid(PLANNED, [2, 5, 10], [10, 30, 100, 300, 1000], 10),
            _grid(SLOW, [2, 5], [100], 10),
        ],
        "paper": [
            _grid(ANYTIME, [2, 5, 10, 20], [MARKS[-1]], 10),
            _grid(PLANNED, [2, 5, 10, 20], MARKS, 10),
            _grid(SLOW, [2, 5, 10], [100], 10),
        ],
    },
    run=run,
    uses=uses,
    measure=Measure("targets", f"share of the targets 100 to {EXACT:g} reached, mean of budgets"),
    groups=("dimensions", "method"),
    verdict=verdict,
    draw=draw,
)
