"""CEC 2014: our three stages beside L-SHADE, SciPy's and the paper's best column."""

from typing import Any

from treewright.apps.functions.experiments.cec2014_runs import (
    BUDGET,
    CENTRE,
    OTHERS,
    TABLE,
    draw_ratios,
    errors,
    mean,
    run,
)
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Reference,
    Rows,
    Verdict,
    judge,
)
from treewright.workshop.experiments.summary import where

NAMES = {
    "staged": "three stages",
    "l-shade": "L-SHADE",
    "differential-evolution": "SciPy's differential evolution",
    "dual-annealing": "SciPy's dual annealing",
    "without-tree": "the same, local models at random points instead of a tree's",
    "without-regions": "without the first stage",
    "without-population": "without the population",
    "without-finish": "without the finish",
}
ABLATION = [m for m in NAMES if m.startswith("without-")]


def ranked(rows: Rows, other: str) -> tuple[list[int], list[int]]:
    """The functions on which ours is better, and worse, by the Mann-Whitney test at 5 %."""
    from scipy.stats import mannwhitneyu

    better: list[int] = []
    worse: list[int] = []
    for number in OTHERS:
        a, b = errors(rows, "staged", number), errors(rows, other, number)
        if len(a) < 2 or len(b) < 2 or len({*a, *b}) == 1:
            continue
        if mannwhitneyu(a, b).pvalue < 0.05:
            below = sum(x < y for x in a for y in b) > sum(x > y for x in a for y in b)
            (better if below else worse).append(number)
    return better, worse


def verdict(rows: Rows) -> Verdict:
    won = [n for n in OTHERS if mean(rows, "staged", n) < min(TABLE[n])]
    better, worse = ranked(rows, "l-shade")
    parts = [
        f"Means over {len({r['seed'] for r in where(rows, method='staged')})} runs, "
        f"F{', F'.join(map(str, CENTRE))} apart: better than the best of the paper's columns on "
        f"{len(won)} of {len(OTHERS)} (not F{', F'.join(str(n) for n in OTHERS if n not in won)})"
    ]
    for other in ("differential-evolution", "dual-annealing"):
        known = [n for n in OTHERS if errors(rows, other, n)]
        if known:
            ahead = sum(mean(rows, "staged", n) < mean(rows, other, n) for n in known)
            equal = sum(mean(rows, "staged", n) == mean(rows, other, n) for n in known)
            parts.append(f"than {NAMES[other]} on {ahead} (equal on {equal})")
    parts.append(
        f"than L-SHADE, by rank test, on {len(better)}{named(better)}, worse on {len(worse)}"
        f"{named(worse)}"
    )
    return judge(
        "; ".join(parts),
        len(won) >= 24 and len(better) >= 6 and len(worse) <= 3,
        enough=all(len(errors(rows, m, n)) >= 20 for m in ("staged", "l-shade") for n in OTHERS),
    )


def named(numbers: list[int]) -> str:
    """The functions in brackets, if there are any."""
    return " (" + ", ".join(f"F{n}" for n in numbers) + ")" if numbers else ""


def draw(rows: Rows, axes: Any) -> None:
    """Mean errors over the best of the paper's columns."""
    marks = {"staged": "o", "l-shade": "x", "differential-evolution": "^", "dual-annealing": "v"}
    series = [
        (
            NAMES[method],
            mark,
            [
                (n, max(mean(rows, method, n), 1e-9) / max(min(TABLE[n]), 1e-3))
                for n in OTHERS
                if errors(rows, method, n)
            ],
        )
        for method, mark in marks.items()
    ]
    draw_ratios(axes, series, "mean error / best of the paper's columns")


ALL = list(TABLE)
EXPERIMENT = Experiment(
    name="cec2014-best",
    title="CEC 2014: our three stages",
    claim="Local models in regions, L-SHADE and a finish, one after the other, are ahead of "
    "Iterated Splitting and SOO on at least 24 of 26 functions, and of L-SHADE on more than they "
    "are behind.",
    source="our own; the paper's columns are McGuinness 2016, table IV",
    scales={
        "smoke": [
            Grid({"function": [4, 14], "method": ["staged", "l-shade"], "budget": [3000]}, seeds=1)
        ],
        "laptop": [
            Grid({"function": ALL, "method": ["staged", "l-shade"], "budget": [BUDGET]}, seeds=51),
            Grid({"function": ALL, "method": ABLATION, "budget": [BUDGET]}, seeds=5),
            Grid(
                {"function": ALL, "method": ["differential-evolution"], "budget": [BUDGET]},
                seeds=5,
            ),
            Grid({"function": ALL, "method": ["dual-annealing"], "budget": [BUDGET]}, seeds=2),
        ],
        "paper": [Grid({"function": ALL, "method": list(NAMES), "budget": [BUDGET]}, seeds=51)],
    },
    run=run,
    measure=Measure("error", "error (mean)"),
    groups=("function", "method"),
    verdict=verdict,
    draw=draw,
    references=[
        Reference({"function": n, "method": "staged"}, min(TABLE[n]), "best column of table IV")
        for n in TABLE
    ],
)
