"""BBOB: our methods beside SciPy's, CMA-ES, NGOpt and Optuna's, from few evaluations to many."""

import math
from collections import defaultdict
from collections.abc import Mapping
from statistics import median
from typing import Any

from treewright.apps.functions.bbob import FUNCTIONS
from treewright.apps.functions.experiments.bbob_runs import EXACT, MARKS, STEPS, run
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Rows,
    Verdict,
    judge,
)
from treewright.workshop.experiments.plots import COLOURS
from treewright.workshop.experiments.stats import rate

NAMES = {
    "runs": "runs (tree)",
    "runs-no-tree": "runs without the tree",
    "staged": "staged",
    "direct": "SciPy's direct",
    "differential-evolution": "SciPy's differential evolution",
    "dual-annealing": "SciPy's dual annealing",
    "cma-es": "CMA-ES with restarts",
    "la-mcts": "LA-MCTS with CMA-ES",
}
PLANNED = ["shgo", "ngopt", "optuna"]  # slow, and compared one by one, where they were run
FIRST = 6  # instances 1 to 5 were for development


def running_times(rows: Rows) -> dict[str, list[float]]:
    """Of each method the expected running times per dimension, of all functions and targets.

    That is all evaluations of the runs on a function, until the target or the end, over the
    number of runs that reached it (Hansen et al. 2009); infinite where none did.
    """
    problems = _common(rows)
    spent: dict[tuple[str, Any], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in rows:
        if _problem(row) in problems and row["method"] in NAMES:
            n, budget = float(row["dimensions"]), float(row["evaluations"])  # type: ignore[arg-type]
            for step in STEPS:
                hit = row.get(f"to_{step:g}")
                cell = spent[str(row["method"]), (row["function"], n, step)]
                cell[0] += (budget if hit is None else float(hit)) / n
                cell[1] += hit is not None
    found: dict[str, list[float]] = defaultdict(list)
    for (method, _), (evaluations, hits) in spent.items():
        found[method].append(evaluations / hits if hits else math.inf)
    return found


def _problem(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("function", "dimensions", "per_dimension", "seed"))


def _common(rows: Rows) -> set[tuple[Any, ...]]:
    """The problems that each method of the table was run on."""
    by = defaultdict(set)
    for row in rows:
        by[row["method"]].add(_problem(row))
    return set.intersection(*(problems for method, problems in by.items() if method in NAMES))


def overheads(rows: Rows) -> str:
    """Milliseconds of CPU time per evaluation beside the function, the median of the runs."""
    by: dict[tuple[str, int], list[float]] = defaultdict(list)
    for row in rows:
        by[str(row["method"]), int(row["dimensions"])].append(float(row["overhead_ms"]))  # type: ignore[arg-type]
    return "".join(
        f"\n- {method}, {n} dimensions: {median(ms):.3f}" for (method, n), ms in by.items()
    )


def table(rows: Rows) -> dict[tuple[int, int], dict[str, list[float]]]:
    """The errors by dimension and mark, each method's in the same order of problems."""
    found: dict[tuple[int, int], dict[str, dict[tuple[int, int], float]]] = defaultdict(dict)
    for row in rows:
        for mark in MARKS:
            error = row.get(f"at_{mark}")
            if error is not None:
                problem = (int(row["function"]), int(row["seed"]))  # type: ignore[arg-type]
                cell = found[int(row["dimensions"]), mark]  # type: ignore[arg-type]
                cell.setdefault(str(row["method"]), {})[problem] = float(error)
    result = {}
    for key, cell in sorted(found.items()):
        problems = sorted(set.intersection(*(set(by) for m, by in cell.items() if m in NAMES)))
        result[key] = {m: [by[p] for p in problems if p in by] for m, by in cell.items()}
    return result


def ranks(cell: dict[str, list[float]]) -> dict[str, float]:
    """Mean ranks over the problems; equal errors share theirs."""
    from scipy.stats import rankdata

    names = [m for m in NAMES if m in cell]
    count = len(cell[names[0]])
    total = dict.fromkeys(names, 0.0)
    for i in range(count):
        for name, rank in zip(names, rankdata([cell[m][i] for m in names]), strict=True):
            total[name] += float(rank) / count
    return total


def _full(cell: dict[str, list[float]]) -> bool:
    """Whether more was run than the tree and its absence."""
    return len([m for m in NAMES if m in cell]) > 2


def duel(rows: Rows, one: str, other: str, dimensions: int, mark: int) -> tuple[float, int]:
    """How often one method is better than another, ties counting half, and on how many problems."""
    at = {
        (str(r["method"]), r["function"], r["seed"]): r[f"at_{mark}"]
        for r in rows
        if r["dimensions"] == dimensions and r[f"at_{mark}"] is not None
    }
    pairs = [
        (float(v), float(at[other, f, s]))  # type: ignore[arg-type]
        for (m, f, s), v in at.items()
        if m == one and (other, f, s) in at
    ]
    wins = sum((a < b) + 0.5 * (a == b) for a, b in pairs)
    return wins, len(pairs)


def verdict(rows: Rows) -> Verdict:
    cells = table(rows)
    firsts, parts, fewest = 0, [], math.inf
    ranked = {key: cell for key, cell in cells.items() if _full(cell)}
    for (n, mark), cell in ranked.items():
        found = sorted(ranks(cell).items(), key=lambda pair: pair[1])
        firsts += found[0][0] == "runs"
        fewest = min(fewest, len(cell[found[0][0]]))
        shown = ", ".join(f"{name} {rank:.2f}" for name, rank in found)
        parts.append(f"\n- {n} dimensions, {mark:,} evaluations per dimension: {shown}")
    better, against = 0, []
    for n, mark in cells:
        wins, count = duel(rows, "runs", "runs-no-tree", n, mark)
        if count:
            share = rate(wins, count)
            better += share.low > 0.5
            against.append(
                f"\n- {n} dimensions, {mark:,}: {share.value:.0%} ({share.low:.0%} to "
                f"{share.high:.0%})"
            )
    for other in PLANNED:
        for n, mark in cells:
            wins, count = duel(rows, "runs", other, n, mark)
            if count:
                against.append(
                    f"\n- against {other}, {n} dimensions, {mark:,}: {rate(wins, count).value:.0%} "
                    f"of {count} problems"
                )
    return judge(
        f"`runs` has the best mean rank in {firsts} of {len(ranked)} pairs of dimension and "
        f"budget, and beats itself without its tree in {better} of {len(cells)}.\n\nMean ranks:\n"
        f"{''.join(parts)}\n\nProblems on which `runs` is better with its tree than without (ties "
        f"count half):\n{''.join(against)}\n\nMilliseconds of CPU time per evaluation, beside the "
        f"function:\n{overheads(rows)}\n\nAll in all",
        firsts == len(ranked) and better == len(cells),
        enough=fewest >= len(FUNCTIONS),
    )


def draw(rows: Rows, axes: Any) -> None:
    """Mean ranks over the budget, the mean of all dimensions; and expected running times."""
    left, right = axes.figure.add_gridspec(1, 2)
    axes.figure.set_size_inches(10, 4.8)
    axes.set_subplotspec(left)
    _draw_times(rows, axes.figure.add_subplot(right))
    by: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (_, mark), cell in table(rows).items():
        if not _full(cell):
            continue
        for name, rank in ranks(cell).items():
            by[name][mark].append(rank)
    for i, name in enumerate(n for n in NAMES if n in by):
        points = [(mark, sum(r) / len(r)) for mark, r in sorted(by[name].items())]
        style = "--" if name == "runs-no-tree" else "-"
        axes.plot(
            *zip(*points, strict=True),
            style,
            marker="o",
            ms=4,
            color=COLOURS[0] if name.startswith("runs") else COLOURS[1:][i % 6],
            label=NAMES[name],
        )
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.set_xlabel("evaluations per dimension")
    axes.set_ylabel("mean rank (1 is best)")
    axes.legend(fontsize=8, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.16))


def _draw_times(rows: Rows, axes: Any) -> None:
    """How many targets of all functions are expected to be reached within a running time."""
    for i, (name, times) in enumerate(
        (n, t) for n, t in sorted(running_times(rows).items(), key=lambda p: [*NAMES].index(p[0]))
    ):
        reached = sorted(t for t in times if t < math.inf)
        shares = [(k + 1) / len(times) for k in range(len(reached))]
        style = "--" if name == "runs-no-tree" else "-"
        colour = COLOURS[0] if name.startswith("runs") else COLOURS[1:][i % 6]
        axes.step(reached, shares, style, where="post", color=colour)
    axes.set_xscale("log")
    axes.set_xlabel("expected evaluations per dimension")
    axes.set_ylabel(f"share of functions and targets ({STEPS[0]:g} to {EXACT:g})")


def _grid(methods: list[str], dims: list[int], per: int, seeds: int) -> Grid:
    return Grid(
        {
            "function": list(FUNCTIONS),
            "dimensions": dims,
            "method": methods,
            "per_dimension": [per],
        },
        seeds,
        FIRST,
    )


MAIN = list(NAMES)
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
            _grid(MAIN, [2, 5], 1000, 10),
            _grid(MAIN, [10], 300, 10),
            _grid(["runs", "runs-no-tree"], [10], 1000, 10),
            _grid(MAIN, [20], 300, 1),
            _grid(PLANNED, [2, 5], 10, 1),
        ],
        "paper": [
            _grid(MAIN, [2, 5, 10, 20], 10000, 10),
            _grid(PLANNED, [2, 5, 10, 20], 300, 10),
        ],
    },
    run=run,
    measure=Measure("targets", f"share of the targets 100 to {EXACT:g} reached, mean of budgets"),
    groups=("dimensions", "method"),
    verdict=verdict,
    draw=draw,
)
