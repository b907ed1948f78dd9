"""Player study: levels generated to a model of a player, or to a designer's taste."""

import functools
import random
from typing import Any

import numpy as np

from treewright.apps.levels.controls import Controls
from treewright.apps.levels.domain import Levels
from treewright.apps.levels.generate import compile_kernel, generate, own_chain
from treewright.apps.levels.level import Level
from treewright.apps.levels.player import playable
from treewright.apps.levels.player_model import PlayerModel
from treewright.apps.study import analysis
from treewright.apps.study.protocol import PARAMETERS, variant_controls
from treewright.apps.study.simulate import answers_only
from treewright.apps.study.taste import learn_taste
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
from treewright.workshop.experiments.stats import compare
from treewright.workshop.experiments.summary import estimate, where

LENGTH = 320
PAIRS = 640  # simulated answers that the models are fitted to
RATINGS = 60
MODELS = ["challenge, beginner", "preference, beginner", "preference, intermediate", "taste"]
GENERATORS = ["default", "to the model"]

# a designer who likes few gaps, few enemies, many rewards and a floor that rises
DESIGNER = PlayerModel(
    "taste",
    {"gaps": -3.0, "enemies": -2.0, "rewards": 4.0, "height": 2.0},
    {"gaps": (0.01, 0.06), "enemies": (0.03, 0.14), "rewards": (0.05, 0.2), "height": (0.5, 3.0)},
)


def ranges() -> dict[str, tuple[float, float]]:
    """The middle of the low and of the high setting, per slice."""
    low, high = (variant_controls(v, LENGTH, own_chain()).ranges() for v in (1, 6))
    middles = {}
    for name in PARAMETERS:
        (a, b), (c, d) = low[name] or (0, 0), high[name] or (0, 0)
        middles[name] = ((a + b) / 2 / LENGTH, (c + d) / 2 / LENGTH)
    return middles


@functools.cache
def model_of(name: str) -> PlayerModel:
    """A model that was fitted to simulated answers or ratings."""
    if name == "taste":
        return learn_taste(ratings())
    question, _, experience = name.partition(", ")
    fit = analysis.choice_fit(answers_only(PAIRS, 1), question)
    return PlayerModel(question, fit.coefficients, ranges(), experience)


def ratings() -> list[tuple[Level, Level, str]]:
    """What the designer says about pairs of levels of all difficulties, with some noise."""
    dice = random.Random(1)
    chain = own_chain()
    shown = [chain.sample(LENGTH, seed) for seed in range(2 * RATINGS)]
    found = []
    for a, b in zip(shown[::2], shown[1::2], strict=True):
        odds = DESIGNER.value(a) - DESIGNER.value(b)
        found.append((a, b, "a" if dice.random() < 1 / (1 + np.exp(-3 * odds)) else "b"))
    return found


@functools.cache
def domain_of(model: str | None) -> Levels:
    score = model_of(model).score() if model else None
    domain = Levels(own_chain(), Controls(length=LENGTH, score=score))
    compile_kernel(domain)
    return domain


def run(settings: Settings, seed: int) -> Row:
    name = str(settings["model"])
    own = settings["generator"] == "to the model"
    level = generate(domain_of(name if own else None), seed).level
    truth = DESIGNER.value(level) if name == "taste" else 0.0
    return {
        "value": model_of(name).value(level),
        "truth": truth,
        "playable": float(playable(level, "large")),
        "gaps": len(level.gaps),
        "enemies": level.enemies,
        "rewards": level.rewards,
    }


def verdict(rows: Rows) -> Verdict:
    said, good, fewest = [], 0, 10**9
    for name in MODELS:
        ours, default = (where(rows, model=name, generator=g) for g in reversed(GENERATORS))
        fewest = min(fewest, len(ours), len(default))
        if fewest < 2:
            return Verdict(None, "Too little was run to tell.")
        found = compare([r["value"] for r in ours], [r["value"] for r in default])
        good += found.low > 0
        said.append(f"{name} {found.difference:+.2f} ({found.low:+.2f} to {found.high:+.2f})")
    taste, default = (where(rows, model="taste", generator=g) for g in reversed(GENERATORS))
    true = compare([r["truth"] for r in taste], [r["truth"] for r in default])
    done = np.mean([r["playable"] for r in rows])
    return judge(
        f"Log odds under the model, generated to it less default, with 95 % intervals: "
        f"{'; '.join(said)}. By the simulated designer's own utility, of which the taste is an "
        f"estimate, {true.difference:+.2f} ({true.low:+.2f} to {true.high:+.2f}). {done:.1%} of "
        f"all levels can be finished; {fewest} levels each",
        good == len(MODELS),
        enough=fewest >= 30,
    )


def draw(rows: Rows, axes: Any) -> None:
    for k, generator in enumerate(GENERATORS):
        found = [estimate(MEASURE, where(rows, model=m, generator=generator)) for m in MODELS]
        ys = [i + (k - 0.5) * 0.36 for i in range(len(MODELS))]
        errors = [[f.value - f.low for f in found], [f.high - f.value for f in found]]
        axes.barh(
            ys, [f.value for f in found], 0.34, xerr=errors, color=COLOURS[k], label=generator
        )
    axes.set_yticks(range(len(MODELS)), MODELS)
    axes.invert_yaxis()
    axes.axvline(0, color="0.6", lw=1)
    axes.set_xlabel(MEASURE.label)
    axes.legend()


MEASURE = Measure("value", "log odds under the model")
EXPERIMENT = Experiment(
    name="study-loop",
    title="Player study: levels generated to a model",
    claim="Levels generated to a model of a player, or of a designer's taste, are worth more under "
    "that model than the generator's default.",
    source="the future work of Summerville, Philip & Mateas 2015; models fitted to simulated "
    f"answers ({PAIRS} pairs from the paper's odds ratios) and ratings ({RATINGS} pairs from a "
    "made-up designer)",
    scales={
        "smoke": [Grid({"model": MODELS[:1], "generator": GENERATORS[:1]}, seeds=1)],
        "laptop": [Grid({"model": MODELS, "generator": GENERATORS}, seeds=40)],
        "paper": [Grid({"model": MODELS, "generator": GENERATORS}, seeds=400)],
    },
    run=run,
    measure=MEASURE,
    groups=("model", "generator"),
    verdict=verdict,
    draw=draw,
)
