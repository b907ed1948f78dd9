"""Automatic participants: they really play the levels, and answer from a known utility.

They exist to test the study without people.  Their data are marked as simulated, and every report
says so.
"""

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.levels import game
from treewright.apps.levels.physics import LEFT, RIGHT, SPEED
from treewright.apps.levels.replay import Runs, encode, replay
from treewright.apps.levels.world import World
from treewright.apps.study import lookahead
from treewright.apps.study.errors import StudyError
from treewright.kernel.rng import below, stream_seed, uniform
from treewright.kernel.specialise import specialise
from treewright.library.program import ImportedFunctions

# keys, delay, hold
PLANS = np.array(
    [
        [keys, delay, hold]
        for keys in (RIGHT | SPEED, RIGHT)
        for delay, hold in [(0, 0), *((d, h) for d in (0, 3) for h in (2, 4, 8))]
    ]
    + [[0, 0, 0], [0, 0, 8], [LEFT, 0, 0], [LEFT | SPEED, 0, 0], [LEFT, 0, 8], [RIGHT, 8, 8]],
    np.int64,
)


@dataclass(frozen=True)
class Skill:
    """How well somebody plays.

    reaction: ticks (1/30 s) from one decision to the next.
    error: the share of decisions that are a random plan instead of the best.
    caution: 0 takes every plan that should work, 1 those that work a little too late as well.
    """

    reaction: int = 4
    error: float = 0.02
    caution: float = 0.5

    def __post_init__(self) -> None:
        if not (self.reaction >= 1 and 0 <= self.error <= 1 and 0 <= self.caution <= 1):
            raise StudyError(
                f"a reaction of {self.reaction} ticks (at least 1), an error rate of "
                f"{self.error:g} and a caution of {self.caution:g} (both 0 to 1) are no skill"
            )


BEGINNER = Skill(reaction=9, error=0.12, caution=0.2)
EXPERIENCED = Skill(reaction=4, error=0.03, caution=0.6)


@functools.cache
def _compiled() -> Any:
    text = Path(__file__).parent / "bot_kernel.py"
    return specialise(
        ImportedFunctions(game.tick, lookahead.worth, below, uniform), {}, (text,), "act"
    ).act


def attempt(world: World, skill: Skill, seed: int) -> Runs:
    """One attempt by an automatic player, as recorded keys."""
    now, mind = world.begin(), world.begin()
    keys = np.zeros(game.LIMIT, np.int64)
    count = _compiled()(
        now.arrays,
        mind.arrays,
        np.zeros((0, 4), np.int32),
        np.zeros((0, 4), np.int32),
        PLANS,
        np.array([skill.reaction, skill.error, skill.caution]),
        np.array([stream_seed(seed)], np.uint64),
        keys,
    )
    return encode(keys[:count].tolist())


def play(world: World, skill: Skill, seed: int, attempts: int = 3) -> list[Runs]:
    """A level as a participant plays it: until the goal, three times at most."""
    found: list[Runs] = []
    for number in range(attempts):
        found.append(attempt(world, skill, stream_seed(seed, number)))
        if replay(world, found[-1]).outcome == game.WON:
            break
    return found
