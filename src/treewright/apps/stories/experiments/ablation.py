"""From plain UCT to the default, one switch at a time."""

from typing import Any

from treewright.apps.stories.experiments.settings import mean, run, uses
from treewright.workshop.experiments import Experiment, Grid, Measure, Rows, Verdict, judge
from treewright.workshop.experiments.plots import bars

STEPS = {
    "plain, score at the end": "plain UCT, score at the end",
    "plain": "+ the best prefix counts",
    "weighted rollouts": "+ weighted rollouts",
    "maximum": "+ half mean, half maximum",
    "priors": "+ believability as prior",
    "table": "+ table of action values",
    "bound": "+ branch and bound",
    "default": "+ restarts",
}


def verdict(rows: Rows) -> Verdict:
    run_ = {str(r["search"]) for r in rows}
    found = {s: mean(rows, search=s) for s in STEPS if s in run_}
    ends = [mean(rows, search="plain"), mean(rows, search="default")]
    return judge(
        "mean scores " + ", ".join(f"{m:.3f} ({s})" for s, m in found.items()),
        ends[0] < 0.1 and ends[1] >= 0.85,
        enough=len({r["seed"] for r in rows}) >= 5,
    )


def draw(rows: Rows, axes: Any) -> None:
    """The steps from top to bottom, with the largest budget."""
    most = max(int(r["nodes"]) for r in rows)  # type: ignore[arg-type]
    shown = [
        {**r, "step": text}
        for name, text in STEPS.items()
        for r in rows
        if r["search"] == name and r["nodes"] == most
    ]
    bars(EXPERIMENT, shown, axes, by="step")


EXPERIMENT = Experiment(
    name="story-ablation",
    title="Stories: what each switch is worth",
    claim="Plain UCT stays near 0.05 with 100 thousand nodes; believability as prior, branch and "
    "bound and restarts bring it above 0.85.",
    source="our own; the prototype's steps are in the issue",
    scales={
        "smoke": [Grid({"search": ["plain", "default"], "nodes": [6]}, seeds=1, first=1)],
        "laptop": [Grid({"search": list(STEPS), "nodes": [100_000]}, seeds=5, first=1)],
        "paper": [Grid({"search": list(STEPS), "nodes": [100_000, 1_000_000]}, seeds=20, first=1)],
    },
    run=run,
    measure=Measure("score", "score of the story"),
    groups=("search", "nodes"),
    verdict=verdict,
    draw=draw,
    uses=uses,
)
