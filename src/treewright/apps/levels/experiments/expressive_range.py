"""Levels: the expressive range, and how far the tile patterns are from the corpus's."""

import functools
from collections import Counter
from typing import Any

from treewright.apps.levels import metrics
from treewright.apps.levels.controls import Controls
from treewright.apps.levels.domain import Levels
from treewright.apps.levels.generate import compile_kernel, generate, own_chain, own_corpus
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
from treewright.workshop.experiments.summary import estimate, where

KINDS = ["chain", "MCMCTS 0.1", "MCMCTS 0.5", "MCMCTS 0.9"]
LENGTH = 320


@functools.cache
def corpus_windows(size: int) -> Counter[tuple[str, ...]]:
    return metrics.pooled(own_corpus(), size)


@functools.cache
def domain_of(difficulty: float) -> Levels:
    domain = Levels(own_chain(), Controls(length=LENGTH, difficulty=(difficulty,)))
    compile_kernel(domain)
    return domain


def run(settings: Settings, seed: int) -> Row:
    method, _, difficulty = str(settings["method"]).partition(" ")
    if method == "chain":
        level = own_chain().sample(LENGTH, seed)
    else:
        level = generate(domain_of(float(difficulty)), seed).level
    return {
        "kl": metrics.divergence(metrics.windows(level, 2, 2), corpus_windows(2)),
        "kl_3x3": metrics.divergence(metrics.windows(level, 3, 3), corpus_windows(3)),
        "linearity": metrics.linearity(level),
        "leniency": metrics.leniency(level),
        "density": metrics.density(level),
    }


def verdict(rows: Rows) -> Verdict:
    groups = {kind: where(rows, method=kind) for kind in KINDS}
    if not groups["chain"] or not groups["MCMCTS 0.5"]:
        return Verdict(None, "Too little was run to tell.")
    found = {k: estimate(EXPERIMENT.measure, g).value for k, g in groups.items() if g}
    ratio = found["MCMCTS 0.5"] / found["chain"]
    said = ", ".join(f"{k} {v:.3f}" for k, v in found.items())
    return judge(
        f"Mean KL divergence of a level's 2 x 2 patterns from the corpus's: {said}; at middle "
        f"difficulty {ratio:.2f} times plain sampling's",
        ratio <= 1.2,
        enough=len(groups["MCMCTS 0.5"]) >= 30,
    )


def draw(rows: Rows, axes: Any) -> None:
    for kind, colour in zip(KINDS, COLOURS, strict=False):
        chosen = where(rows, method=kind)
        xs, ys = [r["linearity"] for r in chosen], [r["leniency"] for r in chosen]
        axes.scatter(xs, ys, s=14, color=colour, alpha=0.7, label=kind, lw=0)
    corpus = own_corpus()
    axes.scatter(
        [metrics.linearity(c) for c in corpus],
        [metrics.leniency(c) for c in corpus],
        marker="x",
        color="black",
        s=26,
        label="corpus",
    )
    axes.set_xlabel("linearity (mean distance of the floor from a line, rows)")
    axes.set_ylabel("leniency (per slice)")
    axes.legend()


EXPERIMENT = Experiment(
    name="levels-range",
    title="Levels: expressive range",
    claim="Steering keeps the style of the corpus: tile patterns stay as near to it as plain chain "
    "sampling's, within a fifth, at middle difficulty.",
    source="the measure of Lucas & Volz 2019 and the picture of Smith & Whitehead 2010; the paper "
    "gives no number",
    scales={
        "smoke": [Grid({"method": KINDS[::2]}, seeds=1)],
        "laptop": [Grid({"method": KINDS}, seeds=40)],
        "paper": [Grid({"method": KINDS}, seeds=1000)],
    },
    run=run,
    measure=Measure("kl", "KL divergence of 2 x 2 patterns from the corpus (nats)"),
    groups=("method",),
    verdict=verdict,
    draw=draw,
)
