"""Kartal's selection and rollout biasing on plain UCT (Magnuson 4.4)."""

from typing import Any

from treewright.apps.stories.experiments.settings import SOURCE, mean, run, uses
from treewright.workshop.experiments import Experiment, Grid, Measure, Rows, Verdict, judge
from treewright.workshop.experiments.plots import curves

SEARCHES = ["plain", "selection bias", "rollout bias"]


def verdict(rows: Rows) -> Verdict:
    budgets = sorted({int(r["nodes"]) for r in rows})  # type: ignore[arg-type]
    found = {n: [mean(rows, search=m, nodes=n) for m in SEARCHES] for n in budgets}
    low, high = found[budgets[0]], found[budgets[-1]]
    sentence = "; ".join(
        f"{n:,} nodes: plain {a:.3f}, selection bias {b:.3f}, rollout bias {c:.3f}"
        for n, (a, b, c) in found.items()
    )
    return judge(
        sentence,
        low[1] >= max(low) and high[2] >= 1.5 * high[0],
        enough=len(budgets) > 1 and len({r["seed"] for r in rows}) >= 5,
    )


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="nodes", by="search", names={s: s for s in SEARCHES})


EXPERIMENT = Experiment(
    name="story-biasing",
    title="Stories: selection and rollout biasing",
    claim="Selection biasing helps most with few nodes; with many, rollout biasing doubles the "
    "score of plain MCTS.",
    source=f"{SOURCE}, the earlier draft only (plain about 0.22, rollout biasing 0.45; the table "
    "gives plain MCTS 0.9 under the same conditions, so no number is set beside ours)",
    scales={
        "smoke": [Grid({"search": SEARCHES, "nodes": [6]}, seeds=1, first=1)],
        "laptop": [Grid({"search": SEARCHES, "nodes": [20_000, 100_000]}, seeds=5, first=1)],
        "paper": [Grid({"search": SEARCHES, "nodes": [100_000, 3_000_000]}, seeds=20, first=1)],
    },
    run=run,
    measure=Measure("score", "score of the story"),
    groups=("search", "nodes"),
    verdict=verdict,
    draw=draw,
    uses=uses,
)
