"""CEC 2014: the default, which knows no budget, beside methods that plan for theirs."""

from typing import Any

from treewright.apps.functions.experiments.cec2014_runs import OTHERS, draw_ratios, mean, run
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Rows,
    Verdict,
    judge,
)
from treewright.workshop.experiments.stats import Interval, rate
from treewright.workshop.experiments.summary import where

NAMES = {
    "runs": "runs (tree)",
    "runs-no-tree": "runs without the tree",
    "staged": "three stages, planned",
    "l-shade": "L-SHADE, planned",
}
LONGEST = 100_000


def compared(rows: Rows, other: str, budget: int) -> Interval | None:
    """How often `runs` has the lower error, of the same functions and seeds; ties count half."""
    at = {(r["method"], r["function"], r["seed"]): float(r["error"]) for r in _at(rows, budget)}  # type: ignore[arg-type]
    pairs = [
        (error, at[other, f, s])
        for (method, f, s), error in at.items()
        if method == "runs" and (other, f, s) in at
    ]
    wins = sum((a < b) + 0.5 * (a == b) for a, b in pairs)
    return rate(wins, len(pairs)) if pairs else None


def _at(rows: Rows, budget: int) -> Rows:
    return where(rows, budget=budget)


def verdict(rows: Rows) -> Verdict:
    parts, behind, ahead = [], 0, 0
    for budget in sorted({int(r["budget"]) for r in rows}):  # type: ignore[arg-type]
        for other in [*NAMES][1:]:
            found = compared(rows, other, budget)
            if found is None:
                continue
            behind += other == "staged" and found.high < 0.5
            ahead += other == "runs-no-tree" and found.low > 0.5
            parts.append(
                f"\n- {budget:,} evaluations, against {NAMES[other]}: {found.value:.0%} "
                f"({found.low:.0%} to {found.high:.0%}) of {found.n}"
            )
    budgets = len({r["budget"] for r in rows if r["method"] == "runs-no-tree"})
    return judge(
        "Runs in which `runs` has the lower error (ties count half), in 10 dimensions:\n"
        f"{''.join(parts)}\n\nAll in all",
        not behind and ahead == budgets,
        enough=len({r["function"] for r in rows}) == len(OTHERS),
    )


def draw(rows: Rows, axes: Any) -> None:
    """The mean errors of the longest runs as multiples of those of the stages."""
    found = _at(rows, max(int(r["budget"]) for r in rows))  # type: ignore[arg-type]
    series = []
    for name, mark in (("runs", "o"), ("runs-no-tree", "x"), ("l-shade", "+")):
        points = [(n, mean(found, name, n), mean(found, "staged", n)) for n in OTHERS]
        series.append((NAMES[name], mark, [(n, a / b) for n, a, b in points if a > 0 and b > 0]))
    draw_ratios(axes, series, "mean error over that of the three stages")


def _grid(functions: list[int], methods: list[str], budgets: list[int], seeds: int) -> Grid:
    return Grid({"function": functions, "method": methods, "budget": budgets}, seeds, 100)


EXPERIMENT = Experiment(
    name="cec2014-anytime",
    title="CEC 2014: one method for every budget",
    claim="A tree that shares the evaluations out among solvers, none of which knows the budget, "
    "is no worse than three stages that are planned for it, and better than without the tree.",
    source="our own",
    scales={
        "smoke": [_grid([1, 9], [*NAMES], [500], 1)],
        "laptop": [
            _grid(OTHERS, ["runs", "staged", "l-shade"], [10_000, LONGEST], 2),
            _grid(OTHERS, ["runs-no-tree"], [10_000, LONGEST], 1),
        ],
        "paper": [_grid(OTHERS, [*NAMES], [3000, 10_000, 30_000, LONGEST], 51)],
    },
    run=run,
    measure=Measure("error", "error", kind="mean"),
    groups=("budget", "function", "method"),
    verdict=verdict,
    draw=draw,
)
