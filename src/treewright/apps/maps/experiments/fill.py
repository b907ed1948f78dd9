"""Figures 5 to 8: fitness over fill percentage, by step size and iterations."""

from typing import Any

from treewright.apps.maps.methods import STEPS, generate
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
from treewright.workshop.experiments.plots import COLOURS
from treewright.workshop.experiments.summary import where

MARKS = tuple(range(10, 61, 10))  # per cent of the cells
ITERATIONS = (1, 10, 100, 1000)
ENOUGH = 2_000_000  # evaluations: more than any of them needs


def run(settings: Settings, seed: int) -> Row:
    found = generate(
        "mcguinness",
        "paper",
        ENOUGH,
        seed,
        step=str(settings["step"]),
        iterations=int(settings["iterations"]),  # type: ignore[arg-type]
    )
    row: Row = {"fitness": found.fitness, "walls": found.fill, "made": found.evaluations}
    for mark in MARKS:
        before = [p.fitness for p in found.curve if 100 * p.fill <= mark + 1e-6]
        row[f"at_{mark}"] = before[-1] if before else 1.0
    return row


def mean(rows: Rows, column: str, **settings: Any) -> float:
    found = [float(r[column]) for r in where(rows, **settings)]
    return sum(found) / len(found) if found else float("nan")


def verdict(rows: Rows) -> Verdict:
    most = max(int(r["iterations"]) for r in rows)  # type: ignore[arg-type]
    steps = [s for s in STEPS if where(rows, step=s, iterations=most)]
    final = {s: mean(rows, "fitness", step=s, iterations=most) for s in steps}
    late = mean(rows, "at_60", step="minimum", iterations=most) - mean(
        rows, "at_40", step="minimum", iterations=most
    )
    shown = ", ".join(f"{s} {v:.2f}" for s, v in final.items())
    return judge(
        f"With {most} iterations a stage the fitness at 60 % fill is, by step, {shown}; from 40 % "
        f"to 60 % the smallest step gains {late:.2f}",
        max(final, key=lambda s: final[s]) == "minimum" and late < 0.1 * final["minimum"],
        enough=most >= 1000 and len(where(rows, step="minimum", iterations=most)) >= 3,
    )


def draw(rows: Rows, axes: Any) -> None:
    """The smallest step's curves (figure 5), and the ends of the others (figures 6 to 8)."""
    for at, iterations in enumerate(ITERATIONS):
        if where(rows, step="minimum", iterations=iterations):
            values = [mean(rows, f"at_{m}", step="minimum", iterations=iterations) for m in MARKS]
            label = f"minimum step, {iterations} iterations"
            axes.plot([0, *MARKS], [1.0, *values], color=COLOURS[at], lw=1.6, label=label)
    for step, style in (("0.05", "--"), ("0.1", "-."), ("0.2", ":")):
        most = max((int(r["iterations"]) for r in where(rows, step=step)), default=0)
        if most:
            values = [mean(rows, f"at_{m}", step=step, iterations=most) for m in MARKS]
            label = f"step {step}, {most} iterations"
            axes.plot([0, *MARKS], [1.0, *values], color="0.4", ls=style, lw=1.3, label=label)
    axes.set_xlabel("fill percentage")
    axes.set_ylabel("fitness of the best map so far")
    axes.legend(fontsize=8)


EXPERIMENT = Experiment(
    name="map-fill",
    title="Maps: fitness over fill percentage",
    claim="The smallest step gives the highest fitness at 1000 iterations, and the fitness does "
    "not increase noticeably after a fill of 40 %.",
    source="McGuinness 2016, figures 5 to 8 (the figures' values are not in the text)",
    scales={
        "smoke": [Grid({"step": ["0.1", "0.2"], "iterations": [1, 10]}, seeds=1, first=1)],
        "laptop": [
            Grid({"step": ["minimum"], "iterations": [1, 10, 100]}, seeds=3, first=1),
            Grid(
                {"step": ["0.05", "0.1", "0.2"], "iterations": list(ITERATIONS)}, seeds=3, first=1
            ),
            Grid({"step": ["minimum"], "iterations": [1000]}, seeds=3, first=1),
        ],
        "paper": [Grid({"step": list(STEPS), "iterations": list(ITERATIONS)}, seeds=30, first=1)],
    },
    run=run,
    measure=Measure("fitness", "fitness at 60 % fill"),
    groups=("step", "iterations"),
    verdict=verdict,
    draw=draw,
)
