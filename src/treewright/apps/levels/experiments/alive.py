"""Levels: whole, finished on paper by both players, and in the game with enemies alive.

The game is played by the search (``search``); with as many rollouts from each action and no tree
(``no tree``); and by the rollouts' policy, which goes the checker's way, alone (``policy``).  The
first two may go back eight times where they died.
"""

import functools
from typing import Any

from treewright.apps.levels import game
from treewright.apps.levels.ends import what_is_cut
from treewright.apps.levels.finish import play_live
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


@functools.lru_cache(maxsize=4)
def level_of(seed: int) -> Level:
    domain = own_levels()
    compile_kernel(domain)
    return generate(domain, seed).level


def follows(level: Level) -> bool:
    """Whether the checker's way, without any search, ends at the flag."""
    search = Search(Live(World(level), ways_to_goal(level, "large")), OPTIONS, memory="16MiB")
    while not search.position.ended:
        search.commit(FOLLOW)
    return bool(search.position.state.status[game.OUTCOME] == game.WON)


def run(settings: Settings, seed: int) -> Row:
    level = level_of(seed)
    found: Row = {
        "small": playable(level, "small"),
        "large": playable(level, "large"),
        "whole": not what_is_cut(level),
    }
    if settings["player"] == "policy":
        return found | {"finished": follows(level), "retries": 0}
    method = Search if settings["player"] == "search" else FlatMonteCarlo
    played = play_live(level, seed, method=method)
    return found | {"finished": played.finished, "retries": played.retries}


def verdict(rows: Rows) -> Verdict:
    search = where(rows, player="search")
    if len(search) < 2:
        return Verdict(None, "Too little was run to tell.")
    good = all(r["small"] and r["large"] and r["whole"] for r in rows)
    said = []
    for arm in ARMS:
        mine = where(rows, player=arm)
        back = sum(int(r["retries"]) for r in mine)  # type: ignore[call-overload]
        won = sum(bool(r["finished"]) for r in mine)
        said.append(f"{arm} {won} of {len(mine)} (going back {back} times)")
    return judge(
        f"{'All' if good else 'Not all'} levels are whole and can be finished by both players. "
        f"Finished with enemies alive: {', '.join(said)}",
        good and all(r["finished"] for r in search),
        enough=len(search) >= 100,
    )


def draw(rows: Rows, axes: Any) -> None:
    bars(EXPERIMENT, rows, axes, by="player")


EXPERIMENT = Experiment(
    name="levels-alive",
    title="Levels: finished with their enemies alive",
    claim="Every level is whole, and the search finishes it in the game with its enemies alive.",
    source="Our own question; the paper's player knows no enemies",
    scales={
        "smoke": [Grid({"player": ARMS[2:]}, seeds=1)],
        "laptop": [Grid({"player": ARMS}, seeds=100)],
        "paper": [Grid({"player": ARMS}, seeds=1000)],
    },
    run=run,
    measure=Measure("finished", "levels finished with enemies alive", "rate"),
    groups=("player",),
    verdict=verdict,
    draw=draw,
)
