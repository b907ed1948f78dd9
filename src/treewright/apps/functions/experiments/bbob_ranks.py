"""What the rows of the experiment on BBOB say: ranks, pairs of methods, expected running times."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from treewright.apps.functions.bbob import FUNCTIONS
from treewright.apps.functions.experiments.bbob_counted import MARKS, STEPS
from treewright.apps.functions.minimize import default_method
from treewright.workshop.experiments import Rows
from treewright.workshop.experiments.stats import Comparison, Interval, compare_paired, mean, rate

NAMES = {
    "runs": "runs (tree)",
    "runs-no-tree": "runs without the tree",
    "staged": "staged",
    "direct": "SciPy's direct",
    "differential-evolution": "SciPy's differential evolution",
    "dual-annealing": "SciPy's dual annealing",
    "shgo": "SciPy's shgo",
    "cma-es": "CMA-ES with restarts",
    "ngopt": "Nevergrad's NGOpt",
    "optuna": "Optuna's TPE",
    "optuna-cma": "Optuna's CMA-ES",
    "la-mcts": "LA-MCTS with CMA-ES",
}
PLANNED = ("staged", "ngopt")  # these know their budget: a row counts at its end only
OURS = ("runs", "runs-no-tree", "staged")  # the default is ranked: nearly the same share ranks
ABLATED = "runs-no-tree"
WHOLE = 0.9  # of the default's problems: a method that lacks more is ranked apart
Problem = tuple[int, int]  # a function and its instance
Cell = dict[str, dict[Problem, float]]  # of one dimension and budget: the errors of each method


def table(rows: Rows) -> dict[tuple[int, int], Cell]:
    """The errors by dimension and evaluations per dimension."""
    found: dict[tuple[int, int], Cell] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        method, end = str(row["method"]), int(row["per_dimension"])  # type: ignore[arg-type]
        for mark in MARKS if method not in PLANNED else (end,):
            error = row.get(f"at_{mark}")
            if error is not None:
                problem = (int(row["function"]), int(row["seed"]))  # type: ignore[arg-type]
                found[int(row["dimensions"]), mark][method][problem] = float(error)  # type: ignore[arg-type]
    return dict(sorted(found.items()))


def default(dimensions: int, mark: int) -> str:
    """Which of ours is the default with this many evaluations per dimension."""
    return default_method(dimensions, mark * dimensions)


def ranked(cell: Cell, own: str, least: float) -> list[str]:
    """Our default and the others that were run on at least this many of its problems."""
    rest = [name for name in NAMES if name not in OURS]
    problems = set(cell.get(own, {}))
    found = [n for n in rest if len(problems & set(cell.get(n, {}))) >= max(1.0, least)]
    return [own, *found] if found else []


def everywhere(cell: Cell, own: str) -> list[str]:
    """The methods that were run on nearly all problems of the default."""
    return ranked(cell, own, WHOLE * len(cell.get(own, {})))


def somewhere(cell: Cell, own: str) -> list[str]:
    """The methods that were run on as many problems as an instance has, if these are more."""
    found = ranked(cell, own, len(FUNCTIONS))
    return found if len(found) > len(everywhere(cell, own)) else []


def common(cell: Cell, names: Sequence[str]) -> list[Problem]:
    """The problems that all of these methods were run on."""
    return sorted(set.intersection(*(set(cell[name]) for name in names)))


def ranks(cell: Cell, names: Sequence[str]) -> dict[str, list[float]]:
    """The ranks of methods on the problems that all of them were run on; ties share theirs."""
    from scipy.stats import rankdata

    problems = common(cell, names)
    places = [rankdata([cell[name][problem] for name in names]) for problem in problems]
    return {name: [float(place[i]) for place in places] for i, name in enumerate(names)}


def ahead(places: Mapping[str, list[float]], own: str) -> tuple[str, Comparison]:
    """The best of the others, and the rank of our own less its rank."""
    other = min((n for n in places if n != own), key=lambda n: math.fsum(places[n]))
    return other, compare_paired(places[own], places[other])


def rank_of(places: Mapping[str, list[float]], name: str) -> Interval:
    return mean(places[name])


def duel(cell: Cell, one: str, other: str) -> Interval | None:
    """How often one method is better than another, ties counting half."""
    common = set(cell.get(one, {})) & set(cell.get(other, {}))
    pairs = [(cell[one][problem], cell[other][problem]) for problem in common]
    wins = sum((a < b) + 0.5 * (a == b) for a, b in pairs)
    return rate(wins, len(pairs)) if pairs else None


def running_times(rows: Rows) -> dict[str, list[float]]:
    """Of each method the expected running times per dimension, of all functions and targets.

    That is all evaluations of the runs on a function, until the target or the end, over the
    number of runs that reached it (Hansen et al. 2009); infinite where none did.  Of the budgets
    the one counts with which ``runs`` was run most.  Methods that have fewer than half as many runs
    with it are left out, and so are problems that any other lacks.
    """
    by: dict[str, set[Problem]] = defaultdict(set)
    budgets = Counter(row["per_dimension"] for row in rows if row["method"] == "runs")
    budget = max(budgets, key=lambda b: (budgets[b], b), default=None)  # type: ignore[return-value]
    rows = [row for row in rows if row["per_dimension"] == budget and row["method"] in NAMES]
    for row in rows:
        by[str(row["method"])].add(_problem(row))
    most = max(map(len, by.values()), default=0)
    names = [name for name in by if 2 * len(by[name]) >= most]
    problems = set.intersection(*(by[name] for name in names)) if names else set()
    spent: dict[tuple[str, Any], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in rows:
        if row["method"] in names and _problem(row) in problems:
            n, end = float(row["dimensions"]), float(row["evaluations"])  # type: ignore[arg-type]
            for step in STEPS:
                hit = row.get(f"to_{step:g}")
                cell = spent[str(row["method"]), (row["function"], n, step)]
                cell[0] += (end if hit is None else float(hit)) / n
                cell[1] += hit is not None
    found: dict[str, list[float]] = defaultdict(list)
    for (method, _), (evaluations, hits) in spent.items():
        found[method].append(evaluations / hits if hits else math.inf)
    return found


def _problem(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("function", "dimensions", "seed"))
