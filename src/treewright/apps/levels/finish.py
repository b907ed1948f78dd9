"""The search as a player: levels finished with their enemies alive, and the keys that prove it.

MCTS plays the game itself (live.py), a few ticks at a time.  Where it dies, or gets no further, it
goes back some way, farther each time, and searches there with twice the budget.  What it finds is a
proof: the keys, played again, end at the flag.  What it does not find may still be possible.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.apps.levels import game
from treewright.apps.levels.level import Level
from treewright.apps.levels.live import OPTIONS, Live
from treewright.apps.levels.moves import Player
from treewright.apps.levels.player import playable
from treewright.apps.levels.replay import Attempt, Runs, encode, replay
from treewright.apps.levels.ways import ways_to_goal
from treewright.apps.levels.world import World
from treewright.kernel.rng import stream_seed
from treewright.library.search import Search

SIMULATIONS = 64  # before each action
STRETCH = 8  # actions between two places to which it can go back
STUCK = 12  # stretches without getting nearer
RETRIES = 8
MEMORY = "16MiB"


@dataclass(frozen=True)
class Played:
    """How far the search got, with the keys; ``finished`` is a proof."""

    level: Level
    finished: bool
    runs: Runs = field(repr=False)
    attempt: Attempt = field(repr=False)
    simulations: int
    retries: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "finished": self.finished,
            "ticks": self.attempt.ticks,
            "simulations": self.simulations,
            "retries": self.retries,
            "keys": self.runs,
        }

    @property
    def text(self) -> str:
        seconds = self.attempt.ticks / 30
        if self.finished:
            back = f", after going back {self.retries} times" if self.retries else ""
            return f"finished with its enemies alive, in {seconds:.0f} s of play{back}"
        far = int(self.attempt.trace[:, 0].max() // 16) + 1 if len(self.attempt.trace) else 1
        return (
            f"not finished with its enemies alive: the search got to column {far}; "
            f"a longer search or a better player may"
        )


def play_live(
    given: Level | World,
    seed: int = 0,
    simulations: int = SIMULATIONS,
    retries: int = RETRIES,
    progress: Callable[[int], object] | None = None,
    method: type[Search] = Search,
) -> Played:
    """Play a level with everything in it alive; ``progress`` is told the retries so far.

    A ``World`` says which kinds its enemies are; those of a level are its own, or drawn for seed 0.
    """
    world = given if isinstance(given, World) else World(given)
    level = world.level
    size: Player = "large" if playable(level, "large") else "small"
    domain = Live(world, ways_to_goal(level, size))
    search = method(domain, OPTIONS, seed=stream_seed(seed) % 2**62, memory=MEMORY)
    places = [domain.copy_state(search.position.state)]
    retry, spent, feared = 0, 0, 0
    while True:
        budget = simulations << retry if len(places) <= feared else simulations
        made = search.run_phases(STRETCH, simulations=budget)
        if made.stopped == "interrupt":
            raise KeyboardInterrupt
        spent += made.simulations
        state = search.position.state
        places.append(domain.copy_state(state))
        outcome = state.status[game.OUTCOME]
        if outcome == game.WON or (outcome != game.PLAYING and retry == retries):
            break
        if outcome != game.PLAYING or _is_stuck(places):
            if retry == retries:
                break
            retry += 1
            feared = max(feared, len(places) + 1)
            del places[max(1, len(places) - (1 << min(retry, 4))) :]
            search.begin(domain.copy_state(places[-1]))
            if progress is not None:
                progress(retry)
    ticks = int(state.status[game.TICK])
    runs = encode(np.array(state.log[:ticks]).tolist())
    attempt = replay(world, runs)
    return Played(level, attempt.outcome == game.WON, runs, attempt, spent, retry)


def _is_stuck(places: list[Any]) -> bool:
    """Whether the last stretches brought the player no nearer to the goal."""
    if len(places) <= STUCK:
        return False
    return bool(min(p.left for p in places[-STUCK:]) >= min(p.left for p in places[:-STUCK]))
