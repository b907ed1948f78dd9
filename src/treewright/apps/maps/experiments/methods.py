"""Maps: revisions with and without a tree, the paper's method, evolution and hill climbing."""

from typing import Any

from treewright.apps.maps.methods import generate
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
from treewright.workshop.experiments.stats import mean
from treewright.workshop.experiments.summary import where

NAMES = {
    "revisions": "revisions (no tree)",
    "revisions-tree": "revisions, a tree in every 16th pass",
    "paper": "MP-MCTS as published",
    "evolution": "evolutionary algorithm",
    "hill-climbing": "hill climbing",
}
MARKS = (100_000, 200_000, 400_000, 780_000, 1_560_000)


def run(settings: Settings, seed: int) -> Row:
    evaluations = int(settings["evaluations"])  # type: ignore[arg-type]
    found = generate("mcguinness", str(settings["method"]), evaluations, seed)
    row: Row = {
        "fitness": found.fitness,
        "far": found.far,
        "near": found.near,
        "fill": found.fill,
        "made": found.evaluations,
        "per_second": round(found.evaluations / max(found.seconds, 1e-9)),
    }
    for mark in MARKS:
        before = [p.fitness for p in found.curve if p.evaluations <= mark]
        row[f"at_{mark}"] = before[-1] if before else None
    return row


def verdict(rows: Rows) -> Verdict:
    top = max(int(r["evaluations"]) for r in rows)  # type: ignore[arg-type]
    means = {m: _mean(rows, m, top) for m in NAMES}
    shown = ", ".join(f"{NAMES[m]} {v:.2f}" for m, v in means.items())
    return judge(
        f"Mean fitness with {top:,} evaluations: {shown}. {_tree(rows)}",
        min(means[m] for m in NAMES if m.startswith("revisions"))
        > means["hill-climbing"]
        > means["evolution"]
        > means["paper"],
        enough=all(len(where(rows, method=m, evaluations=top)) >= 10 for m in NAMES),
    )


def _tree(rows: Rows) -> str:
    """What the tree brings, seed by seed, at each number of evaluations."""
    parts = []
    for made in sorted({int(r["evaluations"]) for r in rows}):  # type: ignore[arg-type]
        off, on = (
            {r["seed"]: float(r["fitness"]) for r in where(rows, method=m, evaluations=made)}
            for m in TREE
        )
        seeds = sorted(off.keys() & on.keys())
        if len(seeds) > 1:
            gain = mean([on[s] - off[s] for s in seeds])
            parts.append(
                f"{gain.value:+.2f} ({gain.low:+.2f} to {gain.high:+.2f}) with {made:,} "
                f"evaluations and {len(seeds)} seeds"
            )
    return f"What the tree adds to revisions: {'; '.join(parts) or 'not measured'}"


def _mean(rows: Rows, method: str, evaluations: int) -> float:
    found = [float(r["fitness"]) for r in where(rows, method=method, evaluations=evaluations)]
    return sum(found) / max(1, len(found))


def draw(rows: Rows, axes: Any) -> None:
    """Fitness over evaluations, from the curves of the longest runs."""
    top = max(int(r["evaluations"]) for r in rows)  # type: ignore[arg-type]
    long = [
        {**r, "evaluations": mark, "fitness": r[f"at_{mark}"]}
        for r in rows
        for mark in MARKS
        if r["evaluations"] == top and mark <= top and r[f"at_{mark}"] is not None
    ]
    curves(EXPERIMENT, long or rows, axes, x="evaluations", by="method", names=NAMES)


ALL = list(NAMES)
TREE = ["revisions", "revisions-tree"]  # the same without and with a tree
EXPERIMENT = Experiment(
    name="map-methods",
    title="Maps: fitness by method",
    claim="Revisions of several kinds, with or without a tree over the kinds, reach a higher mean "
    "fitness than hill climbing with the same evaluations, this a higher one than evolution, and "
    "Multiple Pass MCTS as published the lowest.",
    source="our own; the paper gives no fitness of its evolved maps (McGuinness 2016, section III)",
    scales={
        "smoke": [Grid({"method": ALL, "evaluations": [1000]}, seeds=1, first=1)],
        "laptop": [Grid({"method": ALL, "evaluations": [100_000, 1_560_000]}, seeds=20, first=1)],
        "paper": [Grid({"method": ALL, "evaluations": [100_000, 1_560_000]}, seeds=30, first=1)],
    },
    run=run,
    measure=Measure("fitness", "fitness (M + 1) / (m + 1)"),
    groups=("method", "evaluations"),
    verdict=verdict,
    draw=draw,
)
