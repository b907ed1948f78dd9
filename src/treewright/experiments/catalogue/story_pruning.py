"""Step-by-step planning with pruning against one unpruned tree, in the same memory."""

from typing import Any

from treewright.experiments import Experiment, Grid, Measure, Rows, Verdict, judge
from treewright.experiments.catalogue._stories import SOURCE, mean, run, uses
from treewright.experiments.plots import curves
from treewright.experiments.summary import where

NAMES = {0: "one tree", 1: "pruned"}


def explored(rows: Rows, **settings: object) -> float:
    found = [int(r["explored"]) for r in where(rows, **settings)]  # type: ignore[arg-type]
    return max(found) if found else 0


def verdict(rows: Rows) -> Verdict:
    prunes = sorted({int(r["prune"]) for r in rows})  # type: ignore[arg-type]
    one, pruned = prunes[0], prunes[-1]
    a, b = mean(rows, prune=one), mean(rows, prune=pruned)
    m, n = explored(rows, prune=one), explored(rows, prune=pruned)
    return judge(
        f"one tree stopped at {m:,} nodes and scored {a:.3f}; committing every {pruned:,} nodes "
        f"explored {n:,} in the same memory and scored {b:.3f}",
        b > a and n > m,
        enough=len({r["seed"] for r in rows}) >= 3,
    )


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="prune", by="search", names={"table": "MCTS with the table"})


def cells(nodes: int, prune: int, memory: str, seeds: int) -> list[Grid]:
    return [
        Grid(
            {"search": ["table"], "nodes": [nodes], "prune": [0, prune], "memory": [memory]},
            seeds=seeds,
            first=1,
        )
    ]


EXPERIMENT = Experiment(
    name="story-pruning",
    title="Stories: planning step by step with pruning",
    claim="Without pruning the memory is full at about 5 million nodes; with it over 50 million "
    "are searched, and better stories are found.",
    source=f"{SOURCE}, the earlier draft only",
    scales={
        "smoke": cells(30, 10, "16MiB", 1),
        "laptop": cells(200_000, 10_000, "32MiB", 3),
        "paper": cells(50_000_000, 2_500_000, "1GiB", 5),
    },
    run=run,
    measure=Measure("score", "score of the story"),
    groups=("search", "nodes", "prune"),
    verdict=verdict,
    draw=draw,
    uses=uses,
)
