"""Growing walls: the paper's next step (section IV-A).

"Put down seeds spaced throughout the map and have MCTS decide which seed to grow and in which
direction.  The walls grow until they either hit a barrier or are within a set distance away from
another wall."  An action is a seed and one of its eight directions; a simulation grows walls
until ``grown`` of them stand or no seed can grow any further.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

import numpy as np
from numpy import int8, int64

from treewright.apps.maps import flood
from treewright.apps.maps.flood import HEIGHT, WIDTH, close, fitness, is_open
from treewright.apps.maps.spec import MapSpec, load_spec
from treewright.apps.maps.walls import unpack
from treewright.library.domain import Domain, constant, record
from treewright.library.multipass import Pass
from treewright.random import below

DIRECTIONS = 8
DX = np.array([1, 1, 0, -1, -1, -1, 0, 1])
DY = np.array([0, 1, 1, 1, 0, -1, -1, -1])

ACTIONS = constant()


def blocked(s, t, x, y, direction):
    """Whether a wall may not grow onto a cell: a barrier, or another wall too near."""
    if x < 0 or y < 0 or x >= WIDTH or y >= HEIGHT:
        return True
    cell = y * WIDTH + x
    if t.changeable[cell] == 0 or not is_open(s, cell):
        return True
    for ahead in range(1, t.gap[0] + 1):
        fx = x + ahead * DX[direction]
        fy = y + ahead * DY[direction]
        inside = fx >= 0 and fy >= 0 and fx < WIDTH and fy < HEIGHT
        if inside and not is_open(s, fy * WIDTH + fx):
            return True
    return False


def can_grow(s, t, action):
    if s.used[action]:
        return False
    seed = t.seeds[action // DIRECTIONS]
    d = action % DIRECTIONS
    x = seed % WIDTH
    y = seed // WIDTH
    if is_open(s, seed):
        return True
    return not blocked(s, t, x + DX[d], y + DY[d], d)


def listed(s, t, out):
    """Fill ``out`` with the walls that can grow; returns their number."""
    n = 0
    for action in range(ACTIONS):
        if can_grow(s, t, action):
            out[n] = action
            n += 1
    return n


class Grow(Domain):
    """``Grow(spec, spacing=4, gap=1)``: seeds every ``spacing`` cells, ways ``gap`` cells wide."""

    players = 1

    def __init__(
        self, spec: str | MapSpec = "mcguinness", spacing: int = 4, gap: int = 1, **settings: Any
    ) -> None:
        self.spec = load_spec(spec)
        width, height = self.spec.width, self.spec.height
        seeds = _seeds(self.spec, spacing)
        actions = max(1, len(seeds) * DIRECTIONS)
        self.state = record(
            **flood.state_fields(width, height, len(self.spec.checkpoints)),
            used=(int8, actions),
            grown=int64,
            target=int64,
        )
        self.max_actions = self.max_length = self.keys = actions
        super().__init__(
            tables=flood.tables(self.spec)
            | {
                "base": flood.pack(self.spec.start()),
                "changeable": self.spec.changeable().reshape(-1).astype(np.uint8),
                "seeds": np.array(seeds, np.int64),
                "gap": np.array([gap], np.int64),
            },
            constants={WIDTH: width, HEIGHT: height, ACTIONS: actions},
            **settings,
        )

    def start(s, t, target=1):
        for i in range(len(t.base)):
            s.open[i] = t.base[i]
        s.target = target

    def legal(s, t, out):
        return listed(s, t, out)

    def play(s, t, action):
        seed = t.seeds[action // DIRECTIONS]
        d = action % DIRECTIONS
        if is_open(s, seed):
            close(s, seed)
        x = seed % WIDTH + DX[d]
        y = seed // WIDTH + DY[d]
        while not blocked(s, t, x, y, d):
            close(s, y * WIDTH + x)
            x += DX[d]
            y += DY[d]
        s.used[action] = 1
        s.grown += 1

    def ended(s, t):
        if s.grown >= s.target:
            return True
        for action in range(ACTIONS):  # noqa: SIM110 - compiled
            if can_grow(s, t, action):
                return False
        return True

    def rewards(s, t, out):
        out[0] = fitness(s, t)

    def rollout(s, t, rng, out):
        """Any seed that can grow, drawn until one is met; the list only if that takes long."""
        for _ in range(50):
            action = below(rng, ACTIONS)
            if can_grow(s, t, action):
                return action
        n = listed(s, t, out)
        return out[below(rng, n)]

    def describe(s, t, action):
        seed = t.seeds[action // DIRECTIONS]
        names = ("E", "SE", "S", "SW", "W", "NW", "N", "NE")
        return f"{seed % WIDTH},{seed // WIDTH} {names[action % DIRECTIONS]}"

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
