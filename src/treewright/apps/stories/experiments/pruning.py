"""Step-by-step planning with pruning against one unpruned tree (Magnuson 4.5 and 4.6)."""

import re
from pathlib import Path
from typing import Any

from treewright.apps.stories.experiments import settings as _stories
from treewright.apps.stories.experiments.settings import SOURCE, uses
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
from treewright.workshop.experiments.plots import curves

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
MANY = 50_000_000


def run(settings: Settings, seed: int) -> Row:
    """The story's score, and the most memory that the whole process took meanwhile."""
    if RESET.exists():
        RESET.write_text("5")  # forget the peak of what was run before
    row = _stories.run(settings, seed)
    peak = re.search(r"VmHWM:\s*(\d+)", STATUS.read_text()) if STATUS.exists() else None
    return {**row, "peak_mib": int(peak[1]) // 1024 if peak else None}


def largest(rows: Rows, pruned: bool) -> Any:
    found = [r for r in rows if bool(r["prune"]) == pruned]
    return max(found, key=lambda r: int(r["nodes"]), default=None)  # type: ignore[arg-type]


def verdict(rows: Rows) -> Verdict:
    """About the largest searches; one that was pruned against one that was not."""
    one, pruned = largest(rows, False), largest(rows, True)
    if one is None or pruned is None:
        return judge("only one of the two ways was run", False, enough=False)
    return judge(
        f"one tree of {one['explored']:,} nodes (peak memory of the process {one['peak_mib']} MiB) "
        f"scored {one['score']:.3f}; committing every {pruned['prune']:,} nodes, "
        f"{pruned['explored']:,} were searched (peak {pruned['peak_mib']} MiB), and the story "
        f"scored {pruned['score']:.3f}",
        pruned["explored"] >= MANY and pruned["score"] > one["score"],
        enough=pruned["nodes"] >= MANY,
    )


def draw(rows: Rows, axes: Any) -> None:
    pruned = [{**r, "how": "pruned" if r["prune"] else "one tree"} for r in rows]
    curves(EXPERIMENT, pruned, axes, x="nodes", by="how")


def cells(nodes: int, prune: int, memory: str, seeds: int) -> Grid:
    settings: Settings = {"search": "table", "nodes": nodes, "prune": prune, "memory": memory}
    return Grid({name: [value] for name, value in settings.items()}, seeds=seeds, first=1)


LARGE = [cells(51_000_000, 4_000_000, "704MiB", 1), cells(5_000_000, 0, "2GiB", 1)]
EXPERIMENT = Experiment(
    name="story-pruning",
    title="Stories: planning step by step with pruning",
    claim="Without pruning the memory is full at about 5 million nodes; with it over 50 million "
    "are searched, and better stories are found.",
    source=f"{SOURCE}, the earlier draft only",
    scales={
        "smoke": [cells(6, prune, "16MiB", 1) for prune in (0, 2)],
        "laptop": [*(cells(200_000, prune, "64MiB", 5) for prune in (0, 10_000)), *LARGE],
        "paper": [*(cells(1_000_000, p, "512MiB", 20) for p in (0, 50_000)), *LARGE],
    },
    run=run,
    measure=Measure("score", "score of the story"),
    groups=("search", "nodes", "prune"),
    verdict=verdict,
    draw=draw,
    uses=uses,
)
