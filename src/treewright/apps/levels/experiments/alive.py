"""Levels: whole, finished on paper by both players, and in the game with enemies alive.

The game is played by the search (``search``); with as many rollouts, the same number from each
action, and no tree (``no tree``: it plays the action of the best rollout, as the search does); and
by the rollouts' policy, which goes the checker's way, alone (``policy``).  The first two may go
back eight times where they died; "at once" is without going back.  Hard levels (difficulty 1) and
an eighth of the usual rollouts are there to tell the first two apart.
"""

import functools
from typing import Any

from treewright.apps.levels import game
from treewright.apps.levels.domain import Levels
from treewright.apps.levels.ends import what_is_cut
from treewright.apps.levels.finish import SIMULATIONS, play_live
from treewright.apps.levels.generate import compile_kernel, generate, own_levels
from treewright.apps.levels.level import Level
from treewright.apps.levels.live import FOLLOW, OPTIONS, Live
from treewright.apps.levels.player import playable
from treewright.apps.levels.ways import ways_to_goal
from treewright.apps.levels.world import World
from treewright.library.baselines.flat import FlatMonteCarlo
from treewright.library.search import Search
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
from treewright.workshop.experiments.plots import bars
from treewright.workshop.experiments.summary import where

ARMS = ["search", "no tree", "policy"]
DIFFICULTIES, BUDGETS = [0.5, 1.0], [8, SIMULATIONS]
USUAL = 0.5, SIMULATIONS  # what level check --enemies does with a level of the corpus's difficulty


class NoTree(FlatMonteCarlo):
    """Flat Monte Carlo that chooses as the options say, so that only the tree is missing."""

    _choose = None  # type: ignore[assignment]


@functools.cache
def domain_of(difficulty: float) -> Levels:
    domain = own_levels(difficulty=difficulty)
    compile_kernel(domain)
    return domain


@functools.lru_cache(maxsize=4)
def level_of(difficulty: float, seed: int) -> Level:
    return generate(domain_of(difficulty), seed).level


def follows(level: Level) -> bool:
    """Whether the checker's way, without any search, ends at the flag."""
    search = Search(Live(World(level), ways_to_goal(level, "large")), OPTIONS, memory="16MiB")
    while not search.position.ended:
        search.commit(FOLLOW)
    return bool(search.position.state.status[game.OUTCOME] == game.WON)


def run(settings: Settings, seed: int) -> Row:
    level = level_of(float(settings["difficulty"]), seed)  # type: ignore[arg-type]
    found: Row = {
        "small": playable(level, "small"),
        "large": playable(level, "large"),
        "whole": not what_is_cut(level),
    }
    if settings["player"] == "policy":
        won = follows(level)
        return found | {"finished": won, "at_once": won, "retries": 0, "spent": 0}
    method = Search if settings["player"] == "search" else NoTree
    budget = int(settings["simulations"])  # type: ignore[arg-type]
    played = play_live(level, seed, simulations=budget, method=method)
    return found | {
        "finished": played.finished,
        "at_once": played.finished and played.retries == 0,
        "retries": played.retries,
        "spent": played.simulations,
    }


def verdict(rows: Rows) -> Verdict:
    usual = where(rows, player="search", difficulty=USUAL[0], simulations=USUAL[1])
    if len(usual) < 2:
        return Verdict(None, "Too little was run to tell.")
    good = all(r["small"] and r["large"] and r["whole"] for r in rows)
    said = [
        f"difficulty {difficulty:g}, {budget} rollouts an action: {arms}"
        for difficulty in DIFFICULTIES
        for budget in BUDGETS
        if (arms := _arms(where(rows, difficulty=difficulty, simulations=budget)))
    ]
    return judge(
        f"{'All' if good else 'Not all'} levels are whole and can be finished by both players. "
        f"Finished with enemies alive, and of these at once: {'. '.join(said)}",
        good and all(r["finished"] for r in usual),
        enough=len(usual) >= 100,
    )


def _arms(rows: Rows) -> str:
    """What each player finished, of all that it tried."""
    said = []
    for arm in ARMS:
        if mine := where(rows, player=arm):
            won, once = (sum(bool(r[name]) for r in mine) for name in ("finished", "at_once"))
            said.append(f"{arm} {won} of {len(mine)} ({once})")
    return ", ".join(said)


def draw(rows: Rows, axes: Any) -> None:
    bars(EXPERIMENT, where(rows, difficulty=USUAL[0], simulations=USUAL[1]), axes, by="player")


def _grid(players: list[str], difficulties: list[float], budgets: list[int], seeds: int) -> Grid:
    return Grid(
        {"player": players, "difficulty": difficulties, "simulations": budgets}, seeds=seeds
    )


EXPERIMENT = Experiment(
    name="levels-alive",
    title="Levels: finished with their enemies alive",
    claim="Every level is whole, and the search finishes it in the game with its enemies alive.",
    source="Our own question; the paper's player knows no enemies",
    scales={
        "smoke": [_grid(ARMS[2:], [0.5], [SIMULATIONS], 1)],
        "laptop": [
            _grid(ARMS[:1], [0.5], [SIMULATIONS], 100),
            _grid(ARMS[1:2], [0.5], [SIMULATIONS], 40),
            _grid(ARMS[:2], [0.5], [8], 40),
            _grid(ARMS[:2], [1.0], BUDGETS, 40),
            _grid(ARMS[2:], DIFFICULTIES, [SIMULATIONS], 20),
        ],
        "paper": [_grid(ARMS, DIFFICULTIES, BUDGETS, 1000)],
    },
    run=run,
    measure=Measure("finished", "levels finished with enemies alive", "rate"),
    groups=("difficulty", "simulations", "player"),
    verdict=verdict,
    draw=draw,
)
