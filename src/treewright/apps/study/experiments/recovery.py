"""Player study: does the analysis find the odds ratios that the answers came from?"""

import functools
import math
from typing import Any

import numpy as np

from treewright.apps.study import analysis, terms
from treewright.apps.study.errors import StudyError
from treewright.apps.study.simulate import TRUTH, answers_only
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Reference,
    Row,
    Rows,
    Settings,
    Verdict,
    judge,
)
from treewright.workshop.experiments.plots import COLOURS
from treewright.workshop.experiments.summary import where

FEW, MANY = 64, 6400
LEAST = 0.91  # 95 % of 200 is below this once in a hundred times


@functools.lru_cache(maxsize=4096)
def fitted(question: str, pairs: int, seed: int) -> dict[str, dict[str, float]]:
    """Every term of a question's model, fitted to answers from the paper's odds ratios."""
    truth = TRUTH[question].coefficients
    names = list(truth)
    rows = answers_only(pairs, seed)
    x = terms.design(rows, names)
    y = np.array([row[question] == "A" for row in rows], int)
    intervals = analysis.profile_intervals(x, y)
    try:
        fit = analysis.fit(x, y, names)
        wald = [(t.low, t.high) for t in fit.terms]
        found, separated = [t.coefficient for t in fit.terms], 0
    except StudyError:  # no finite estimate, but a likelihood and a direction
        wald = [(-math.inf, math.inf)] * len(names)
        beta = analysis.maximum(np.column_stack([np.ones(len(y)), x]), y, np.zeros(len(y)))[1]
        found, separated = list(beta[1:]), 1
    return {
        name: {
            "covered": float(low <= truth[name] <= high),
            "wald": float(wald[i][0] <= truth[name] <= wald[i][1]),
            "sign": float(found[i] * truth[name] > 0),
            "ratio": 0.0 if separated else float(np.exp(found[i] - truth[name])),
            "separated": separated,
        }
        for i, (name, (low, high)) in enumerate(zip(names, intervals, strict=True))
    }


def run(settings: Settings, seed: int) -> Row:
    found = fitted(str(settings["question"]), int(settings["pairs"]), seed)  # type: ignore[arg-type]
    return dict(found[str(settings["term"])])


def mean_ratio(rows: Rows) -> float:
    """The geometric mean of estimated over true odds ratios, where there is an estimate."""
    return math.exp(np.mean([math.log(r["ratio"]) for r in rows if not r["separated"]]))  # type: ignore[arg-type]


def within(rows: Rows) -> float:
    """The share of estimates within 10 % of the true odds ratio."""
    return float(np.mean([abs(r["ratio"] - 1) < 0.1 for r in rows]))  # type: ignore[operator]


def verdict(rows: Rows) -> Verdict:
    few, many = where(rows, pairs=FEW), where(rows, pairs=MANY)
    if not few or not many:
        return Verdict(None, "Too little was run to tell.")
    wald = [share("wald", [r for r in g if not r["separated"]]) for g in _groups(few).values()]
    likelihood = [share("covered", g) for g in _groups(few).values()]
    worst = max(abs(mean_ratio(g) - 1) for g in _groups(many).values())
    single = ", ".join(f"{q} {t} {within(g):.0%}" for (q, t), g in _groups(many).items())
    lost = {q: share("separated", where(few, question=q)) for q in TRUTH}
    return judge(
        f"With {FEW} pairs the sign is right in {share('sign', few):.1%} and the 95 % intervals "
        f"contain the truth in {np.mean(wald):.1%} ({min(wald):.1%} to {max(wald):.1%} by term) "
        f"where there is a finite estimate; the answers separate, so that there is none, in "
        f"{lost['challenge']:.1%} of the repetitions for challenge and {lost['preference']:.1%} "
        f"for preference. Intervals by likelihood, which exist always, contain it in "
        f"{np.mean(likelihood):.1%} ({min(likelihood):.1%} to {max(likelihood):.1%}). With "
        f"{MANY:,} pairs the mean estimate of each odds ratio is at most {worst:.1%} off and the "
        f"sign right in {share('sign', many):.1%}; a single study's estimate is within 10 % in: "
        f"{single}",
        min(wald) >= LEAST and worst < 0.1,
        enough=min(len(g) for g in _groups(few).values()) >= 200,
    )


def share(column: str, rows: Rows) -> float:
    return float(np.mean([row[column] for row in rows]))  # type: ignore[arg-type]


def _groups(rows: Rows) -> dict[tuple[str, str], list[dict[str, Any]]]:
    return {
        (question, term): where(rows, question=question, term=term)
        for question, model in TRUTH.items()
        for term in model.coefficients
        if where(rows, question=question, term=term)
    }


def draw(rows: Rows, axes: Any) -> None:
    """Estimated over true odds ratio: the middle 90 % of the repetitions."""
    groups = list(_groups(rows))
    for k, pairs in enumerate((FEW, MANY)):
        for i, (question, term) in enumerate(groups):
            chosen = where(rows, question=question, term=term, pairs=pairs)
            ratios = [r["ratio"] for r in chosen if not r["separated"]]
            if ratios:
                low, middle, high = np.quantile(ratios, [0.05, 0.5, 0.95])
                y = i + (k - 0.5) * 0.3
                axes.plot([low, high], [y, y], color=COLOURS[k], lw=3)
                axes.plot(
                    [middle], [y], "o", color=COLOURS[k], label=None if i else f"{pairs:,} pairs"
                )
    axes.axvspan(0.9, 1.1, color="0.92", zorder=0)
    axes.axvline(1, color="0.6", lw=1, zorder=0)
    axes.set_xscale("log")
    axes.set_yticks(range(len(groups)), [f"{q}: {t.replace(':', ' × ')}" for q, t in groups])
    axes.invert_yaxis()
    ticks = [0.25, 0.5, 1, 2, 4]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("estimated / true odds ratio, middle 90 %")
    axes.legend(loc="lower right", frameon=True)


def grids(few: int, many: int) -> list[Grid]:
    return [
        Grid({"question": [q], "pairs": [pairs], "term": list(model.coefficients)}, seeds=seeds)
        for q, model in TRUTH.items()
        for pairs, seeds in ((FEW, few), (MANY, many))
    ]


MEASURE = Measure(
    "wald", "95 % intervals that contain the truth (unbounded if answers separate)", kind="rate"
)
EXPERIMENT = Experiment(
    name="study-recovery",
    title="Player study: recovery of known odds ratios",
    claim="Answers simulated from the paper's odds ratios give them back: intervals hold what they "
    "claim with 64 pairs, and with 6,400 pairs the mean estimates are within 10 %.",
    source="odds ratios of Summerville, Philip & Mateas 2015, sections 'Challenge' and "
    "'Preference'; simulated answers, nobody played",
    scales={"smoke": grids(2, 1), "laptop": grids(200, 300), "paper": grids(2000, 1000)},
    run=run,
    measure=MEASURE,
    groups=("question", "pairs", "term"),
    verdict=verdict,
    draw=draw,
    references=[
        Reference({"question": q, "pairs": n, "term": t}, 0.95, "what the interval claims")
        for q, model in TRUTH.items()
        for n in (FEW, MANY)
        for t in model.coefficients
    ],
)
