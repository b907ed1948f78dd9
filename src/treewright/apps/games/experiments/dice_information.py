"""Liar's dice: information sets against guesses, against who cheats, and against chance."""

import functools
from typing import Any

from treewright.apps.games.liars_dice import LiarsDice
from treewright.kernel.rng import stream_seed
from treewright.library.baselines import DeterminisedUCT
from treewright.library.options import Options
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
from treewright.workshop.experiments.matches import Contestant, play
from treewright.workshop.experiments.plots import curves
from treewright.workshop.experiments.summary import estimate, where

C = 0.7  # as in the paper
ROLLS = 10  # in a cell, each played from both seats
TREES = {"1 tree": 1, "5 trees": 5, "20 trees": 20, "40 trees": 40}
OPPONENTS = [*TREES, "cheating", "random"]
BUDGET = 4000  # that the claim is about


def run(settings: Settings, seed: int) -> Row:
    simulations = int(settings["simulations"])  # type: ignore[arg-type]
    name = str(settings["opponent"])
    sets = Contestant(simulations, Options(c=C))
    if name in TREES:
        guesses = functools.partial(DeterminisedUCT, trees=TREES[name])
        other = Contestant(simulations, Options(c=C), kind=guesses)
    elif name == "cheating":
        other = Contestant(simulations, Options(c=C, information="cheating"))
    else:
        other = Contestant()
    won = 0.0
    for game in range(2 * ROLLS):
        domain = LiarsDice(seed=stream_seed(seed, game // 2) % 2**62)
        seat = game % 2
        table = (sets, other) if seat == 0 else (other, sets)
        won += play(domain, table, stream_seed(seed, 1000 + game) % 2**62)[seat]
    return {"score": won / (2 * ROLLS), "games": 2 * ROLLS}


def verdict(rows: Rows) -> Verdict:
    parts = {name: where(rows, opponent=name, simulations=BUDGET) for name in OPPONENTS}
    if not all(parts.values()):
        return Verdict(None, "Too little was run to tell.")
    found = {name: estimate(MEASURE, part) for name, part in parts.items()}
    shown = {name: f"{e.value:.1%} ({e.low:.1%} to {e.high:.1%})" for name, e in found.items()}
    guesses = [found[name] for name, trees in TREES.items() if trees > 1]
    held = all(e.low > 0.5 for e in guesses) and found["cheating"].high < 0.5
    return judge(
        f"With {BUDGET:,} simulations a move, information sets won {shown['5 trees']} of the games "
        f"against determinised UCT with 5 trees, {shown['20 trees']} with 20 and "
        f"{shown['40 trees']} with 40; {shown['1 tree']} against a single guess, "
        f"{shown['cheating']} against UCT that sees all dice, {shown['random']} against random "
        f"play",
        held and found["random"].low > 0.5,
        enough=min(e.n for e in found.values()) >= 1000,
    )


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="simulations", by="opponent", even=0.5)
    axes.set_xlabel("simulations a move")


MEASURE = Measure("score", "games won", kind="rate", per="games")
EXPERIMENT = Experiment(
    name="dice-information",
    title="Liar's dice: information sets, guesses and cheats",
    claim="With the same simulations, information-set MCTS beats determinised UCT of 5, 20 and 40 "
    "trees, and random play, and loses to UCT that sees all dice.",
    source="Cowling, Powley & Whitehouse 2012, on other games; no published number for this one",
    scales={
        "smoke": [Grid({"opponent": ["5 trees", "random"], "simulations": [100]}, seeds=1)],
        "laptop": [Grid({"opponent": OPPONENTS, "simulations": [1000, BUDGET]}, seeds=50)],
        "paper": [Grid({"opponent": OPPONENTS, "simulations": [1000, BUDGET, 16000]}, seeds=500)],
    },
    run=run,
    measure=MEASURE,
    groups=("opponent", "simulations"),
    verdict=verdict,
    draw=draw,
)
