"""Levels: does the checker refuse what can be finished, or accept what can't be?

Stretches of our corpus between two pieces of flat ground are broken: gaps are widened, walls put
up, ceilings lowered, platforms taken away.  A path whose every step, flown by its keys in the level
itself, ends on its tile is a proof; an accepted level without one is wrong.  What the checker
refuses is put to a judge that tries every key at every tick (exact_kernel.py).  The judge takes
states for one that are nearly the same, so it may miss a way too; how often it does is counted.
"moves" is the checker with its moves alone, "leaps" the checker as it is.
"""

import functools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.levels import physics
from treewright.apps.levels.check import fly
from treewright.apps.levels.experiments import exact_kernel
from treewright.apps.levels.generate import own_corpus
from treewright.apps.levels.level import Level
from treewright.apps.levels.physics import LARGE, SMALL, TILE
from treewright.apps.levels.player import Report, play
from treewright.apps.levels.tiles import TILES
from treewright.kernel.specialise import specialise
from treewright.library.program import ImportedFunctions
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

LENGTH, ENDS = 36, 6
STATES = 3_000_000
FIRST = (
    5_000  # the number of the first mutant: those before it were looked at while leaps were made
)
CHECKERS = ["moves", "leaps"]
Tiles = list[list[str]]


def gap(tiles: Tiles, at: int, dice: random.Random) -> None:
    for column in range(at, at + dice.randint(5, 11)):
        for row in tiles:
            row[column] = "-"


def wall(tiles: Tiles, at: int, dice: random.Random) -> None:
    for row in tiles[-dice.randint(4, 8) :]:
        row[at] = "X"


def ceiling(tiles: Tiles, at: int, dice: random.Random) -> None:
    height = dice.randint(4, 8)
    for column in range(at, at + dice.randint(2, 8)):
        tiles[-height][column] = "S"


def steps(tiles: Tiles, at: int, dice: random.Random) -> None:
    """A gap with a small platform somewhere in it."""
    gap(tiles, at, dice)
    tiles[-dice.randint(1, 7)][at + dice.randint(2, 8)] = "X"


BREAKS: list[Callable[[Tiles, int, random.Random], None]] = [gap, wall, ceiling, steps]


def mutant(seed: int) -> Level:
    """A broken stretch of a level of ours."""
    dice = random.Random(f"mutant {seed}")
    level = dice.choice(own_corpus())
    begin = dice.randrange(level.length - LENGTH)
    solid = {c: c for c in TILES} | {c: "X" for c, tile in TILES.items() if tile.stops}
    flat = ["-"] * (level.height - 2) + ["X"] * 2
    columns = [[solid[c] for c in column] for column in level.unmarked().columns]
    columns = [flat] * ENDS + columns[begin : begin + LENGTH] + [flat] * ENDS
    tiles = [list(row) for row in zip(*columns, strict=True)]
    for _ in range(dice.randint(1, 3)):
        dice.choice(BREAKS)(tiles, dice.randrange(ENDS, ENDS + LENGTH - 12), dice)
    return Level(tuple("".join(row) for row in tiles), f"mutant {seed}")


@functools.cache
def _compiled() -> Any:
    text = Path(exact_kernel.__file__)
    return specialise(ImportedFunctions(physics.tick), {}, (text,), "exact").exact


def judged(level: Level, height: float) -> int:
    """What the judge says: exact_kernel.FINISHED, EXHAUSTED or UNKNOWN."""
    cells = np.asarray(level.stops, np.uint8)
    column, row = level.start
    bodies = np.zeros((STATES, physics.BODY))
    bodies[0] = physics.at_rest(TILE * column + TILE / 2, physics.stand_on(row))
    return int(
        _compiled()(
            cells,
            np.zeros_like(cells),
            height,
            level.goal_column,
            bodies,
            np.full(STATES, -1, np.int32),
            np.full(level.length, -1, np.int32),
            np.full(level.length, -1, np.int32),
            np.zeros(1 << 23, np.int64),
        )
    )


def flown(level: Level, report: Report, height: float) -> bool:
    """Whether every step of a path, flown by its keys in the level itself, ends on its tile."""
    cells = np.asarray(level.stops, np.uint8)
    here = report.start
    for step in report.path:
        _, (x, y) = fly(step, here, height, cells, np.zeros_like(cells))
        here = (step.column, step.row)
        if (int(x // TILE), int(y // TILE)) != here:
            return False
    return True


@functools.lru_cache(maxsize=4)
def verdict_of(seed: int, player: str) -> int:
    return judged(mutant(seed), LARGE if player == "large" else SMALL)


def run(settings: Settings, seed: int) -> Row:
    player: Any = str(settings["player"])
    level = mutant(FIRST + seed)
    report = play(level, player, leaps=settings["checker"] == "leaps")
    proved = report.playable and flown(level, report, LARGE if player == "large" else SMALL)
    said = verdict_of(FIRST + seed, player)
    return {
        "can": proved or said == exact_kernel.FINISHED,
        "unknown": said == exact_kernel.UNKNOWN,
        "accepted": report.playable,
        "refused": said == exact_kernel.FINISHED and not report.playable,
        "wrong": report.playable and not proved,
        "missed": proved and said == exact_kernel.EXHAUSTED,
    }


def verdict(rows: Rows) -> Verdict:
    said, refused = [], {}
    for checker in CHECKERS:
        mine = where(rows, checker=checker)
        can = sum(bool(r["can"]) for r in mine)
        if not can:
            return Verdict(None, "Too little was run to tell.")
        refused[checker] = sum(bool(r["refused"]) for r in mine)
        said.append(f"{checker} refuse {refused[checker]} of {can} that can be finished")
    wrong, missed, unknown = (
        sum(bool(r[name]) for r in rows) for name in ("wrong", "missed", "unknown")
    )
    return judge(
        f"{'; '.join(said)}; {wrong} of {len(rows)} answers accept what is not proved by keys; the "
        f"judge itself missed {missed} proved ways and gave up on {unknown}",
        wrong == 0 and refused["leaps"] < refused["moves"],
        enough=len(rows) >= 200,
    )


def draw(rows: Rows, axes: Any) -> None:
    bars(EXPERIMENT, [r for r in rows if r["can"]], axes, by="checker")


EXPERIMENT = Experiment(
    name="levels-false-rejects",
    title="Levels: what the checker refuses though it can be finished",
    claim="Leaps, tried in the level itself, let the checker accept more, and nothing wrong.",
    source="Our own question; the fact sheet counts 31 of 320 finishable broken stretches refused",
    scales={
        "smoke": [Grid({"checker": CHECKERS[1:], "player": ["small"]}, seeds=1)],
        "laptop": [Grid({"checker": CHECKERS, "player": ["small", "large"]}, seeds=60)],
        "paper": [Grid({"checker": CHECKERS, "player": ["small", "large"]}, seeds=1000)],
    },
    run=run,
    measure=Measure("refused", "refused though it can be finished", "rate"),
    groups=("checker", "player"),
    verdict=verdict,
    draw=draw,
)
