"""Figure 9: what the maps look like, and how much of their floor is rooms."""

from typing import Any

import numpy as np

from treewright.apps.maps.draw import paint
from treewright.apps.maps.methods import generate
from treewright.apps.maps.spec import load_spec
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

NAMES = {"paper": "MP-MCTS as published", "evolution": "evolution", "revisions": "revisions"}


def run(settings: Settings, seed: int) -> Row:
    evaluations = int(settings["evaluations"])  # type: ignore[arg-type]
    found = generate("mcguinness", str(settings["method"]), evaluations, seed)
    walls = "/".join("".join(map(str, row)) for row in found.walls)
    return {"rooms": rooms(found.walls), "fitness": found.fitness, "walls": walls}


def rooms(walls: np.ndarray) -> float:
    """The share of the floor that belongs to an open square of 3 x 3 cells."""
    floor = walls == 0
    height, width = floor.shape
    room = np.zeros_like(floor)
    for y in range(height - 2):
        for x in range(width - 2):
            if floor[y : y + 3, x : x + 3].all():
                room[y : y + 3, x : x + 3] = True
    return float(room.sum() / max(1, floor.sum()))


def mean(rows: Rows, method: str) -> float:
    found = [float(r["rooms"]) for r in where(rows, method=method)]
    return sum(found) / len(found) if found else float("nan")


def verdict(rows: Rows) -> Verdict:
    share = {m: mean(rows, m) for m in NAMES}
    shown = ", ".join(f"{NAMES[m]} {v:.0%}" for m, v in share.items())
    return judge(
        f"Floor in open squares of 3 x 3 cells: {shown}",
        share["paper"] > share["evolution"],
        enough=len(where(rows, method="paper")) >= 3,
    )


def draw(rows: Rows, axes: Any) -> None:
    """One map of each method, of the first seed."""
    spec = load_spec("mcguinness")
    pictures = []
    for method in NAMES:
        for row in where(rows, method=method)[:1]:
            walls = np.array([[int(c) for c in line] for line in str(row["walls"]).split("/")])
            pictures += [paint(walls, spec, 6), np.full((spec.height * 6, 12, 3), 255, np.uint8)]
            pictures[-2] = pictures[-2][: spec.height * 6]
    axes.imshow(np.concatenate(pictures[:-1], axis=1))
    axes.set_axis_off()


EXPERIMENT = Experiment(
    name="map-looks",
    title="Maps as published, evolved, and ours",
    claim="Maps of Multiple Pass MCTS have large rooms, where evolution makes winding paths.",
    source="McGuinness 2016, figures 1 and 9 and section III-A",
    scales={
        "smoke": [Grid({"method": list(NAMES), "evaluations": [1000]}, seeds=1, first=1)],
        "laptop": [Grid({"method": list(NAMES), "evaluations": [1_560_000]}, seeds=3, first=1)],
        "paper": [Grid({"method": list(NAMES), "evaluations": [1_560_000]}, seeds=30, first=1)],
    },
    run=run,
    measure=Measure("rooms", "floor in open 3 x 3 squares", kind="mean"),
    groups=("method", "evaluations"),
    verdict=verdict,
    draw=draw,
)
