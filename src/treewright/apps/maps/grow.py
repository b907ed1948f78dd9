"""Growing walls: the paper's next step (section IV-A).

"Put down seeds spaced throughout the map and have MCTS decide which seed to grow and in which
direction.  The walls grow until they either hit a barrier or are within a set distance away from
another wall."  An action is a seed and one of its eight directions; a simulation grows walls
until ``grown`` of them stand or no seed can grow any further.
"""

import functools
from typing import Any

import numpy as np
from numpy import int8, int64

from treewright.apps.maps import flood
from treewright.apps.maps.spec import MapSpec, load_spec
from treewright.apps.maps.walls import unpack
from treewright.library.domain import Domain, record
from treewright.library.multipass import Pass
from treewright.random import below

DIRECTIONS = 8
DX = np.array([1, 1, 0, -1, -1, -1, 0, 1])
DY = np.array([0, 1, 1, 1, 0, -1, -1, -1])


class Grow(Domain):
    """``Grow(spec, spacing=4, gap=1)``: seeds every ``spacing`` cells, ways ``gap`` cells wide."""

    players = 1

    def __new__(cls, spec: Any = "mcguinness", spacing: int = 4, **settings: Any) -> Any:
        read = load_spec(spec)
        seeds = len(_seeds(read, spacing))
        return object.__new__(_kind(read.width, read.height, len(read.checkpoints), seeds))

    def __init__(
        self, spec: str | MapSpec = "mcguinness", spacing: int = 4, gap: int = 1, **settings: Any
    ) -> None:
        self.spec = load_spec(spec)
        super().__init__(
            tables=flood.tables(self.spec)
            | {
                "base": flood.pack(self.spec.start()),
                "changeable": self.spec.changeable().reshape(-1).astype(np.uint8),
                "seeds": np.array(_seeds(self.spec, spacing), np.int64),
                "gap": np.array([gap], np.int64),
            },
            **settings,
        )

    def shrink(self, s: Any, found: Pass, progress: float) -> bool:
        """The next pass grows further walls on the best map so far."""
        if found.improved:
            s._record[0] = found.state._record[0]
        s.target = s.grown + round(progress)
        return not bool(self.interpreted["ended"](s, self.interpreted_tables))

    def walls(self, s: Any) -> np.ndarray:
        """The map of a state: [y, x], 1 is a wall."""
        return unpack(s._record["open"][0], self.spec.width, self.spec.height)


def _seeds(spec: MapSpec, spacing: int) -> list[int]:
    free = spec.changeable()
    half = spacing // 2
    return [
        y * spec.width + x
        for y in range(half, spec.height, spacing)
        for x in range(half, spec.width, spacing)
        if free[y, x]
    ]


@functools.cache
def _kind(width: int, height: int, checkpoints: int, seeds: int) -> type[Grow]:
    functions = flood.floods(width, height)
    is_open, close, evaluate = functions.is_open, functions.close, functions.fitness
    actions = max(1, seeds * DIRECTIONS)

    def blocked(s, t, x, y, direction):
        """Whether a wall may not grow onto a cell: a barrier, or another wall too near."""
        if x < 0 or y < 0 or x >= width or y >= height:
            return True
        cell = y * width + x
        if t.changeable[cell] == 0 or not is_open(s, cell):
            return True
        for ahead in range(1, t.gap[0] + 1):
            fx = x + ahead * DX[direction]
            fy = y + ahead * DY[direction]
            inside = fx >= 0 and fy >= 0 and fx < width and fy < height
            if inside and not is_open(s, fy * width + fx):
                return True
        return False

    def can_grow(s, t, action):
        if s.used[action]:
            return False
        seed = t.seeds[action // DIRECTIONS]
        d = action % DIRECTIONS
        x = seed % width
        y = seed // width
        if is_open(s, seed):
            return True
        return not blocked(s, t, x + DX[d], y + DY[d], d)

    def start(s, t, target=1):
        for i in range(len(t.base)):
            s.open[i] = t.base[i]
        s.target = target

    def legal(s, t, out):
        n = 0
        for action in range(actions):
            if can_grow(s, t, action):
                out[n] = action
                n += 1
        return n

    def play(s, t, action):
        seed = t.seeds[action // DIRECTIONS]
        d = action % DIRECTIONS
        if is_open(s, seed):
            close(s, seed)
        x = seed % width + DX[d]
        y = seed // width + DY[d]
        while not blocked(s, t, x, y, d):
            close(s, y * width + x)
            x += DX[d]
            y += DY[d]
        s.used[action] = 1
        s.grown += 1

    def ended(s, t):
        if s.grown >= s.target:
            return True
        for action in range(actions):  # noqa: SIM110 - compiled
            if can_grow(s, t, action):
                return False
        return True

    def rewards(s, t, out):
        out[0] = evaluate(s, t)

    def rollout(s, t, rng, out):
        """Any seed that can grow, drawn until one is met; the list only if that takes long."""
        for _ in range(50):
            action = below(rng, actions)
            if can_grow(s, t, action):
                return action
        n = legal(s, t, out)
        return out[below(rng, n)]

    def describe(s, t, action):
        seed = t.seeds[action // DIRECTIONS]
        names = ("E", "SE", "S", "SW", "W", "NW", "N", "NE")
        return f"{seed % width},{seed // width} {names[action % DIRECTIONS]}"

    return type(
        f"Grow{width}x{height}",
        (Grow,),
        {
            "__doc__": Grow.__doc__,
            "__module__": __name__,
            "state": record(
                **flood.state_fields(width, height, checkpoints),
                used=(int8, actions),
                grown=int64,
                target=int64,
            ),
            "max_actions": actions,
            "max_length": actions,
            "keys": actions,
            "start": start,
            "legal": legal,
            "play": play,
            "ended": ended,
            "rewards": rewards,
            "rollout": rollout,
            "describe": describe,
        },
    )
