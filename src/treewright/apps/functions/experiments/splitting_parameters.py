"""Tables II and III: which moves, passes and splits suit which class of function."""

from typing import Any

from treewright.apps.functions.experiments.cec2014_runs import BUDGET, DIM, FIRST
from treewright.apps.functions.minimize import cec_bounds, cec_function, minimize
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Row,
    Rows,
    Settings,
    Verdict,
    judge,
)
from treewright.workshop.experiments.summary import where

# the lists of passes and splits are swapped in the paper's text
MOVES, SPLITS, PASSES = (10, 20, 50, 100), (2, 3, 5, 10), (1, 2, 5, 10)
PAPER = {  # table II: (moves, passes, splits) by average
    "unimodal": (10, 5, 3),
    "multimodal": (10, 10, 3),
    "hybrid": (10, 2, 10),
    "composition": (10, 1, 3),
}


def run(settings: Settings, seed: int) -> Row:
    """The mean rank is over functions, so errors are kept as they are."""
    number = int(settings["function"])  # type: ignore[arg-type]
    options = {k: int(settings[k]) for k in ("moves", "passes", "splits")}  # type: ignore[arg-type]
    found = minimize(
        cec_function(number, DIM),
        cec_bounds(DIM),
        budget=int(settings["budget"]),  # type: ignore[arg-type]
        method="iterated-splitting",
        seed=seed,
        options=options,
    )
    return {"error": float(found.fun)}


def best_setting(rows: Rows, number: int) -> tuple[int, int, int]:
    """The setting with the lowest mean error on one function."""
    groups: dict[tuple[int, int, int], list[float]] = {}
    for r in where(rows, function=number):
        groups.setdefault((r["moves"], r["passes"], r["splits"]), []).append(r["error"])
    return min(groups, key=lambda g: sum(groups[g]) / len(groups[g]))


def verdict(rows: Rows) -> Verdict:
    functions = sorted({int(r["function"]) for r in rows})  # type: ignore[arg-type]
    found = {n: best_setting(rows, n) for n in functions}
    classes = {n: max((k for k in FIRST if FIRST[k] <= n), key=lambda k: FIRST[k]) for n in found}
    same = sum(found[n] == PAPER[classes[n]] for n in found)
    ten = sum(s[0] == 10 for s in found.values())
    shown = "; ".join(f"F{n} {s} (paper {PAPER[classes[n]]})" for n, s in found.items())
    return judge(
        f"Best (moves, passes, splits) by mean error: {shown}. {ten} of {len(found)} have 10 "
        f"moves, as all of the paper's have, and {same} are the paper's",
        ten == len(found),
        enough=len(functions) >= 4 and len(rows) >= 64 * len(functions),
    )


def draw(rows: Rows, axes: Any) -> None:
    """How much worse than the best each number of moves is, by function."""
    for number in sorted({int(r["function"]) for r in rows}):  # type: ignore[arg-type]
        points = []
        for moves in MOVES:
            errors = [r["error"] for r in where(rows, function=number, moves=moves)]
            if errors:
                points.append((moves, min(errors)))
        low = min(p[1] for p in points)
        ratios = [max(p[1], 1e-9) / max(low, 1e-9) for p in points]
        axes.plot([p[0] for p in points], ratios, "o-", label=f"F{number}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("moves per pass")
    axes.set_ylabel("lowest error / lowest of all")
    axes.legend()


EVERY = {"moves": list(MOVES), "passes": list(PASSES), "splits": list(SPLITS)}
EXPERIMENT = Experiment(
    name="splitting-parameters",
    title="Iterated Splitting: its three parameters",
    claim="Ten moves per pass, each dimension split once, are best for every class of function; "
    "the passes and splits of table II.",
    source="McGuinness 2016, tables II and III",
    scales={
        "smoke": [
            Grid(
                {"function": [1], "moves": [10], "passes": [1, 5], "splits": [3], "budget": [2000]},
                seeds=1,
            )
        ],
        "laptop": [Grid({"function": [3, 9, 18, 26], **EVERY, "budget": [BUDGET]}, seeds=2)],
        "paper": [
            Grid({"function": list(range(1, 31)), **EVERY, "budget": [BUDGET]}, seeds=30),
        ],
    },
    run=run,
    measure=Measure("error", "error"),
    groups=("function", "moves", "passes", "splits"),
    verdict=verdict,
    draw=draw,
)
