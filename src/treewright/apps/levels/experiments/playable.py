"""Levels: MCMCTS against plain chain sampling, at three difficulties."""

import functools
from typing import Any

from treewright.apps.levels.chain import Chain, learn
from treewright.apps.levels.controls import Controls
from treewright.apps.levels.domain import Levels
from treewright.apps.levels.generate import compile_kernel, generate, own_chain, own_corpus
from treewright.apps.levels.player import playable
from treewright.apps.levels.tilechain import TileChain, learn_tiles
from treewright.apps.levels.tiledomain import TileLevels
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Reference,
    Row,
    Rows,
    Settings,
    Verdict,
    judge,
)
from treewright.workshop.experiments.plots import curves
from treewright.workshop.experiments.summary import estimate, where

DIFFICULTIES = [0.1, 0.5, 0.9]
METHODS = ["chain, 1 slice", "chain, 1 to 8 slices", "MCMCTS"]
TILES = ["tile chain", "MCMCTS on tiles"]
LENGTH = 320


@functools.cache
def domain_of(difficulty: float) -> Levels:
    return Levels(own_chain(), Controls(length=LENGTH, difficulty=(difficulty,)))


@functools.cache
def chain_of(widest: int) -> Chain:
    return learn(own_corpus(), widest=widest)


@functools.cache
def tile_chain() -> TileChain:
    return learn_tiles(own_corpus())


@functools.cache
def tile_domain(difficulty: float) -> TileLevels:
    return TileLevels(tile_chain(), Controls(length=LENGTH, difficulty=(difficulty,)))


def run(settings: Settings, seed: int) -> Row:
    """One level; the chain knows no difficulty, which only its score depends on."""
    difficulty = float(settings["difficulty"])  # type: ignore[arg-type]
    if settings["method"] in ("MCMCTS", "MCMCTS on tiles"):
        slices = settings["method"] == "MCMCTS"
        domain = domain_of(difficulty) if slices else tile_domain(difficulty)
        compile_kernel(domain)
        made = generate(domain, seed)
        level, seconds, rollouts = made.level, made.seconds, made.rollouts
    elif settings["method"] == "tile chain":
        level, seconds, rollouts = tile_chain().sample(LENGTH, seed), 0.0, 0
    else:
        level = chain_of(1 if settings["method"] == METHODS[0] else 8).sample(LENGTH, seed)
        seconds, rollouts = 0.0, 0
    finished = playable(level, "large")
    return {
        "playable": float(finished),
        "score": domain_of(difficulty).judge(level, finished),
        "seconds": seconds,
        "rollouts": rollouts,
        "gaps": len(level.gaps),
        "enemies": level.enemies,
        "rewards": level.rewards,
    }


def verdict(rows: Rows) -> Verdict:
    found = {m: where(rows, method=m) for m in METHODS}
    if not all(found.values()):
        return Verdict(None, "Too little was run to tell.")
    shares = {m: estimate(MEASURE, r) for m, r in found.items()}
    scores = {m: sum(r["score"] for r in found[m]) / len(found[m]) for m in METHODS}
    made = found["MCMCTS"]
    seconds = sum(r["seconds"] for r in made) / len(made)
    rate = sum(r["rollouts"] for r in made) / max(sum(r["seconds"] for r in made), 1e-9)
    one, eight, ours = (shares[m].value for m in METHODS)
    return judge(
        f"{ours:.1%} of {len(made)} levels by MCMCTS can be finished, {eight:.1%} and {one:.1%} "
        f"of the chain's (patterns of 1 to 8 slices, and of 1); mean score "
        f"{scores['MCMCTS']:.3f} against {scores[METHODS[1]]:.3f} and {scores[METHODS[0]]:.3f}; "
        f"{seconds:.2f} s of one core a level of {LENGTH} slices ({rate:,.0f} rollouts a second; "
        f"the paper: under 30 s){_tiles(rows)}",
        shares["MCMCTS"].value == 1.0 and seconds < 1.0,
        enough=len(made) >= 100,
    )


def _tiles(rows: Rows) -> str:
    """The paper's belief about tile-to-tile chains, if they were run."""
    plain, ours = (where(rows, method=m) for m in TILES)
    if not plain or not ours:
        return ""
    return (
        f"; tile by tile, {estimate(MEASURE, ours).value:.1%} with MCMCTS and "
        f"{estimate(MEASURE, plain).value:.1%} without"
    )


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="difficulty", by="method", log=False)
    axes.set_ylim(0, 105)


MEASURE = Measure("playable", "levels that can be finished", kind="rate")
EXPERIMENT = Experiment(
    name="levels-playable",
    title="Levels: can they be finished?",
    claim="MCMCTS gives a near guarantee of playability, in under 30 seconds for 320 slices; "
    "plain chain sampling gives none.",
    source="Summerville, Philip & Mateas 2015, section 'Markov Chain Monte Carlo Tree Search'; no "
    "rate is given there. Our own corpus; finished by the large player's tile moves",
    scales={
        "smoke": [Grid({"method": METHODS, "difficulty": [0.5]}, seeds=1)],
        "laptop": [
            Grid({"method": METHODS, "difficulty": DIFFICULTIES}, seeds=40),
            Grid({"method": TILES, "difficulty": [0.5]}, seeds=20),
        ],
        "paper": [
            Grid({"method": METHODS + TILES, "difficulty": DIFFICULTIES}, seeds=334),
        ],
    },
    run=run,
    measure=MEASURE,
    groups=("method", "difficulty"),
    verdict=verdict,
    draw=draw,
    references=[
        Reference({"method": "MCMCTS", "difficulty": 0.5}, 1.0, "a 'near guarantee', no number"),
    ],
)
