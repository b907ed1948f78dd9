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
    Cell,
    ahead,
    common,
    default,
    duel,
    everywhere,
    rank_of,
    ranks,
    running_times,
    somewhere,
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

DEFAULT = "default"
FIRST = 6  # instances 1 to 5 were for development
SLOW = ["shgo", "optuna", "optuna-cma"]  # these are run with small budgets only
ANYTIME = [n for n in NAMES if n not in (*PLANNED, *SLOW)]  # one run shows every budget
LONG = ["staged", *(n for n in ANYTIME if n != "la-mcts")]


def verdict(rows: Rows) -> Verdict:
    cells = table(rows)
    most = {key: (cell, everywhere(cell, default(*key))) for key, cell in cells.items()}
    best, shown, fewest, lines = _ranked(most)
    wide = {key: (cell, somewhere(cell, default(*key))) for key, cell in cells.items()}
    wide_best, wide_shown, _, wide_lines = _ranked(wide)
    trees = [(key, share) for key, cell in cells.items() if (share := duel(cell, "runs", ABLATED))]
    better = sum(share.low > 0.5 for _, share in trees)
    apart = [
        (own, name, key, share)
        for name in NAMES
        for key, cell in cells.items()
        if (own := default(*key)) != name != ABLATED and name in cell
        if name not in most[key][1] and name not in wide[key][1]
        if (share := duel(cell, own, name))
    ]
    more = (
        f" Among all methods, on the problems that each was run on, it is first in {wide_best} of "
        f"{len(wide_lines)}, and shown to be in {wide_shown}."
    )
    return judge(
        f"The default has the best mean rank in {best} of {len(lines)} pairs of dimension and "
        f"budget, and is shown to have it in {shown}, where the 95 % interval of its rank less "
        f"that of the next method lies below 0.{more if wide_lines else ''} `runs` beats itself "
        f"without its tree in {better} of {len(trees)}, where the interval lies above one half.\n\n"
        f"Mean ranks, with the 95 % interval of the default, and its rank less that of the best of "
        f"the others:\n{''.join(lines)}\n\n"
        + (f"The same with all methods:\n{''.join(wide_lines)}\n\n" if wide_lines else "")
        + "Problems on which `runs` is better with its tree than without (ties count half):\n"
        + "".join(_share_line(key, share) for key, share in trees)
        + ("\n\nProblems on which the default is better than another method:\n" if apart else "")
        + "".join(_share_line(key, share, f"{own} than {n}, ") for own, n, key, share in apart)
        + "\n\nAll in all",
        shown == len(lines) and wide_shown == len(wide_lines) and better == len(trees),
        enough=fewest >= len(FUNCTIONS),
    )


def _ranked(
    cells: Mapping[tuple[int, int], tuple[Cell, list[str]]],
) -> tuple[int, int, int, list[str]]:
    """How often the default is first, how often that is shown, on how many problems; the lines."""
    best, shown, fewest, lines = 0, 0, 0, []
    for (n, mark), (cell, names) in cells.items():
        if names:
            places = ranks(cell, names)
            other, gap = ahead(places, names[0])
            best += gap.difference < 0
            shown += gap.high < 0
            count = len(places[names[0]])
            fewest = min(fewest or count, count)
            line = _rank_line(places, names[0], other, gap)
            where = f"{n} dimensions, {mark:,} evaluations per dimension, {count} problems of "
            lines.append(f"\n- {where}{_instances(cell, names)}: {line}")
    return best, shown, fewest, lines


def _instances(cell: Cell, names: list[str]) -> str:
    there = sorted({instance for _, instance in common(cell, names)})
    if len(there) == 1:
        return f"instance {there[0]}"
    if there == list(range(there[0], there[-1] + 1)):
        return f"instances {there[0]} to {there[-1]}"
    return f"instances {', '.join(map(str, there))}"


def _rank_line(places: Mapping[str, list[float]], own: str, other: str, gap: Comparison) -> str:
    ours = rank_of(places, own)
    found = sorted((rank_of(places, name).value, name) for name in places)
    listed = ", ".join(f"{name} {value:.2f}" for value, name in found)
    return (
        f"{listed}; {own} {ours.low:.2f} to {ours.high:.2f}, less {other} {gap.difference:+.2f} "
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
    for (n, mark), cell in table(rows).items():
        if names := everywhere(cell, default(n, mark)):
            for name, places in ranks(cell, names).items():
                shown = DEFAULT if name == names[0] else name
                by[shown][mark].append(math.fsum(places) / len(places))
    labels = {DEFAULT: "default of minimize", **NAMES}
    for name in (n for n in labels if n in by):
        points = [(mark, sum(r) / len(r)) for mark, r in sorted(by[name].items())]
        axes.plot(*zip(*points, strict=True), marker="o", ms=4, label=labels[name], **_style(name))
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.set_xlabel("evaluations per dimension")
    axes.set_ylabel("mean rank (1 is best)")
    if by:
        axes.legend(fontsize=8, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.16))


def _style(name: str) -> dict[str, Any]:
    """Ours in the first colour; the others share the rest, and the later ones are dotted."""
    if name.startswith(("runs", DEFAULT)):
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
    claim="The default of `minimize` has the best mean rank over the 24 functions at every budget: "
    "local runs with a tree that shares the evaluations out among them, and three planned stages "
    "from 5,000 evaluations per dimension on in three dimensions and more. The former are better "
    "with the tree than without.",
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
            _grid(ANYTIME, [20], [1000], 1),
            _grid(LONG, [2, 5, 10], [MARKS[-1]], 2),
            _grid(PLANNED, [2, 5, 10], [10, 30, 100, 300, 1000], 10),
            _grid(SLOW, [2, 5, 10], [100], 10),
            _grid(SLOW[:1] + SLOW[2:], [2, 5, 10], [300], 10),
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
    groups=("per_dimension", "dimensions", "method"),
    verdict=verdict,
    draw=draw,
)
