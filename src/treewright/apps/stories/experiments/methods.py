"""The survey's Table 1: MCTS against breadth-, depth- and best-first search."""

from itertools import pairwise
from typing import Any

from treewright.apps.stories.experiments.settings import SOURCE, mean, run, uses
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Reference,
    Rows,
    Verdict,
    judge,
)
from treewright.workshop.experiments.plots import curves

NAMES = {
    "default": "MCTS (default)",
    "plain": "plain UCT",
    "breadth-first": "breadth-first",
    "best-first": "best-first",
    "depth-first": "depth-first",
}
OTHERS = ["breadth-first", "best-first", "depth-first"]
LOW, HIGH = 100_000, 3_000_000
PAPER = {
    ("default", LOW): 0.07,
    ("breadth-first", LOW): 0.05,
    ("depth-first", LOW): 0.001,
    ("best-first", LOW): 0.005,
    ("default", HIGH): 0.9,
    ("breadth-first", HIGH): 0.06,
    ("depth-first", HIGH): 0.01,
    ("best-first", HIGH): 0.01,
}


def verdict(rows: Rows) -> Verdict:
    budgets = sorted({int(r["nodes"]) for r in rows})  # type: ignore[arg-type]
    found = {n: [mean(rows, search=m, nodes=n) for m in ("default", *OTHERS)] for n in budgets}
    ordered = all(a > b for scores in found.values() for a, b in pairwise(scores))
    last = found[budgets[-1]]
    return judge(
        f"with {budgets[-1]:,} nodes MCTS scored {last[0]:.3f}, breadth-first {last[1]:.4f}, "
        f"best-first {last[2]:.4f}, depth-first {last[3]:.6f}",
        ordered and last[0] >= 0.9,
        enough=HIGH in budgets and len({r["seed"] for r in rows}) >= 3,
    )


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="nodes", by="search", names=NAMES)


EXPERIMENT = Experiment(
    name="story-methods",
    title="Stories: MCTS, breadth-, best- and depth-first search",
    claim="MCTS finds far better stories than breadth-first, best-first and depth-first search, in "
    "this order, and reaches 0.9 with three million nodes.",
    source=f"{SOURCE}, Table 1 (entries with < are shown as the bound)",
    scales={
        "smoke": [Grid({"search": ["default", *OTHERS], "nodes": [6]}, seeds=1, first=1)],
        "laptop": [
            Grid({"search": ["default"], "nodes": [LOW]}, seeds=20, first=1),
            Grid({"search": ["plain"], "nodes": [LOW]}, seeds=10, first=1),
            Grid({"search": OTHERS, "nodes": [LOW, HIGH]}, seeds=1, first=1),
            Grid({"search": ["default"], "nodes": [HIGH]}, seeds=3, first=1),
        ],
        "paper": [
            Grid({"search": ["default", "plain"], "nodes": [LOW, HIGH]}, seeds=20, first=1),
            Grid({"search": OTHERS, "nodes": [LOW, HIGH]}, seeds=1, first=1),
        ],
    },
    run=run,
    measure=Measure("score", "score of the story"),
    groups=("search", "nodes"),
    verdict=verdict,
    draw=draw,
    uses=uses,
    references=[
        Reference({"search": m, "nodes": n}, value, "Table 1") for (m, n), value in PAPER.items()
    ],
)
