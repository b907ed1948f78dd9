"""Step-by-step planning with pruning against one unpruned tree (Magnuson 4.5 and 4.6)."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from treewright.apps.stories.experiments import settings as _stories
from treewright.apps.stories.experiments.settings import (
    BUDGETS,
    RULES,
    RUNS,
    SOURCE,
    decided,
    gap,
    scores,
    uses,
)
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Row,
    Rows,
    Settings,
    Verdict,
)
from treewright.workshop.experiments.plots import curves

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def run(settings: Settings, seed: int) -> Row:
    """The story's score, and the most memory that the whole process took meanwhile."""
    if RESET.exists():
        RESET.write_text("5")  # forget the peak of what was run before
    row = _stories.run(settings, seed)
    peak = re.search(r"VmHWM:\s*(\d+)", STATUS.read_text()) if STATUS.exists() else None
    return {**row, "peak_mib": int(peak[1]) // 1024 if peak else None}


def verdict(rows: Rows) -> Verdict:
    """By intervals over seeds, for the largest budget that both ways were run with often enough."""
    said, parts = [], []
    for rule, words in RULES.items():
        own = [r for r in rows if r["search"] == f"table{rule}"]
        found = [(n, *_scores(own, n)) for n in sorted({int(r["nodes"]) for r in own})]  # type: ignore[arg-type]
        runs = [(n, gap(pruned, one)) for n, pruned, one in found if pruned and one]
        if runs:
            nodes, more = max(runs, key=lambda pair: (min(pair[1].runs, RUNS), pair[0]))
            said.append(f"{words}: pruned less one tree {more} at {nodes:,} nodes")
            parts.append(more.held)
    most = max((r for r in rows if r["prune"]), key=lambda r: int(r["explored"]), default=None)  # type: ignore[arg-type]
    if most is not None:
        said.append(
            f"with pruning {most['explored']:,} nodes were searched at most, in {most['peak_mib']} "
            f"MiB, and scored {most['score']:.3f}"
        )
    return decided("; ".join(said) or "nothing was run", parts)


def _scores(rows: Rows, nodes: int) -> tuple[dict[int, float], dict[int, float]]:
    """The scores of the pruned searches and of the others."""
    pruned = [r for r in rows if r["prune"]]
    others = [r for r in rows if not r["prune"]]
    return scores(pruned, nodes=nodes), scores(others, nodes=nodes)


def draw(rows: Rows, axes: Any) -> None:
    ways = ("one tree", "pruned")
    named = [{**r, "how": str(r["search"]).replace("table", ways[bool(r["prune"])])} for r in rows]
    curves(EXPERIMENT, named, axes, x="nodes", by="how")


def cells(nodes: int, prune: int, memory: str, seeds: int, rules: Iterable[str] = RULES) -> Grid:
    settings: Settings = {"nodes": nodes, "prune": prune, "memory": memory}
    ways = {name: [value] for name, value in settings.items()}
    return Grid({"search": [f"table{rule}" for rule in rules], **ways}, seeds=seeds, first=1)


def both_ways(budgets: Iterable[int]) -> list[Grid]:
    """One tree of each size, and as many nodes in twenty steps."""
    return [cells(n, prune, "2GiB", RUNS) for n in budgets for prune in (0, n // 20)]


LARGE = [cells(51_000_000, 4_000_000, "704MiB", 1, [""])]
EXPERIMENT = Experiment(
    name="story-pruning",
    title="Stories: planning step by step with pruning",
    claim="Without pruning the memory is full at about 5 million nodes; with it over 50 million "
    "are searched, and better stories are found.",
    source=f"{SOURCE}, the earlier draft only",
    scales={
        "smoke": [cells(6, prune, "16MiB", 1) for prune in (0, 2)],
        "laptop": both_ways(BUDGETS[:2]),
        "paper": [*both_ways(BUDGETS), *LARGE],
    },
    run=run,
    measure=Measure("score", "score of the story"),
    groups=("search", "nodes", "prune"),
    verdict=verdict,
    draw=draw,
    uses=uses,
)
