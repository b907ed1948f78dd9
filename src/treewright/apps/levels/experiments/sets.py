"""Levels: what holds for a whole set of them, beside as many plain samples of the chain."""

import statistics
from typing import Any

from treewright.apps.levels.analysis import analyse
from treewright.apps.levels.chain import Chain
from treewright.apps.levels.controls import Controls
from treewright.apps.levels.generate import generate_many, own_chain
from treewright.apps.levels.level import Level
from treewright.apps.levels.player import playable
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

DIFFICULTIES = [0.1, 0.5, 0.9]
LENGTH = 320
MIDDLE = "MCMCTS 0.5"
METHODS = ["chain", *(f"MCMCTS {d}" for d in DIFFICULTIES)]
WORSE = 1.2  # how much farther from the corpus than plain samples a set may be


def measured(chain: Chain, levels: list[Level]) -> Row:
    """Can they be finished, how near are they to the corpus, and how alike?"""
    found = analyse(levels, chain)
    finished = [playable(level, "small") and playable(level, "large") for level in levels]
    return {
        "playable": statistics.fmean(finished),
        "kl": found["all"]["kl_2x2_together"],
        "kl_3x3": found["all"]["kl_3x3_together"],
        "kl_mean": found["all"]["kl_2x2"],
        "copied_run": found["all"]["copied_run"],
        "nearest": found["all"]["nearest"],
        **{f"{name}_mean": found["all"][name] for name in ("gaps", "enemies", "rewards")},
    }


def make(chain: Chain, method: str, count: int, seed: int) -> Row:
    """A set of levels, and what is true of it."""
    kind, _, difficulty = method.partition(" ")
    if kind == "chain":
        first = 10**6 * (seed + 1)
        return measured(chain, [chain.sample(LENGTH, first + i) for i in range(count)])
    controls = Controls(length=LENGTH, difficulty=(float(difficulty),))
    made = list(generate_many(chain, controls, count, 10**6 * (seed + 1)))
    seconds = statistics.fmean(m.seconds for m in made)
    return measured(chain, [m.level for m in made]) | {"seconds": seconds}


def run(settings: Settings, seed: int) -> Row:
    return make(own_chain(), str(settings["method"]), int(settings["levels"]), seed)  # type: ignore[arg-type]


def verdict(rows: Rows) -> Verdict:
    plain, middle = where(rows, method="chain"), where(rows, method=MIDDLE)
    ours = [row for row in rows if row["method"] != "chain"]
    if not plain or not middle:
        return Verdict(None, "Too little was run to tell.")

    def ratio(name: str) -> float:
        return _mean(middle, name) / _mean(plain, name)

    together, single = ratio("kl"), ratio("kl_mean")
    copied, nearest = max(_numbers(ours, "copied_run")), max(_numbers(ours, "nearest"))
    finished, levels = _mean(ours, "playable"), sum(_numbers(ours, "levels"))
    return judge(
        f"{finished:.1%} of {levels:.0f} levels can be finished, by both "
        f"players, and {_mean(plain, 'playable'):.1%} of plain samples; at middle difficulty the "
        f"set's KL divergence from the corpus is {together:.2f} times plain sampling's, a "
        f"level's on average {single:.2f} times; no level copies more than {copied:.0f} slices in "
        f"a row, no two of a set share more than {nearest:.0%} of their slices in order",
        finished == 1.0
        and together <= WORSE
        and single <= WORSE
        and copied <= 25
        and nearest <= 0.6,
        enough=levels >= 1000,
    )


def _numbers(rows: Rows, name: str) -> list[float]:
    return [float(row[name]) for row in rows]  # type: ignore[arg-type]


def _mean(rows: Rows, name: str) -> float:
    return statistics.fmean(_numbers(rows, name))


def draw(rows: Rows, axes: Any) -> None:
    for i, (name, label) in enumerate((("kl", "2 x 2"), ("kl_3x3", "3 x 3"))):
        found = [
            _mean(where(rows, method=m), name) if where(rows, method=m) else 0 for m in METHODS
        ]
        axes.bar(
            [x + 0.4 * i - 0.2 for x in range(len(METHODS))],
            found,
            0.38,
            color=COLOURS[i],
            label=label,
        )
    axes.set_xticks(range(len(METHODS)), METHODS)
    axes.set_ylabel("KL divergence of the set from the corpus (nats)")
    axes.legend(title="patterns")


EXPERIMENT = Experiment(
    name="levels-sets",
    title="Levels: a thousand of them",
    claim="A set of generated levels can be finished, differs from level to level, copies little "
    "and is as near to the corpus as plain chain samples are, within a fifth.",
    source="Summerville, Philip & Mateas 2015 claim playability and the corpus's style; the "
    "measures are those of Lucas & Volz 2019 and Summerville & Mateas 2016; no number is given",
    scales={
        "smoke": [Grid({"method": ["chain", MIDDLE], "levels": [2]}, seeds=1)],
        "laptop": [Grid({"method": METHODS, "levels": [334]}, seeds=1)],
        "paper": [Grid({"method": METHODS, "levels": [1000]}, seeds=3)],
    },
    run=run,
    measure=Measure("kl", "KL divergence of the set's 2 x 2 patterns from the corpus (nats)"),
    groups=("method",),
    verdict=verdict,
    draw=draw,
)
