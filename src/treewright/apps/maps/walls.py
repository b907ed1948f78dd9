"""The paper's domain: one wall after another, until so many cells are filled (section II-A)."""

import functools
from typing import Any

import numpy as np
from numpy import int64

from treewright.apps.maps import flood
from treewright.apps.maps.spec import MapSpec, load_spec
from treewright.library.domain import Domain, record
from treewright.library.multipass import Pass
from treewright.random import below


class Walls(Domain):
    """An action is an empty cell that gets a wall; a simulation ends at ``target`` walls.

    The reward is the map's fitness, 0 if two checkpoints are not connected.  A pass begins with
    the best map of the passes before and fills ``progress`` more of it (MultiPass).
    """

    players = 1

    def __new__(cls, spec: Any = "mcguinness", **settings: Any) -> Any:
        read = load_spec(spec)
        return object.__new__(_kind(read.width, read.height, len(read.checkpoints)))

    def __init__(
        self, spec: str | MapSpec = "mcguinness", target: int = 1, **settings: Any
    ) -> None:
        self.spec = load_spec(spec)
        free = self.spec.changeable()
        super().__init__(
            tables=flood.tables(self.spec)
            | {
                "base": flood.pack(self.spec.start()),
                "changeable": free.reshape(-1).astype(np.uint8),
            },
            target=target,
            **settings,
        )

    def shrink(self, s: Any, found: Pass, progress: float) -> bool:
        """Start the next pass from the best map so far, with more cells to fill."""
        if found.improved:
            target = s.target
            s._record[0] = found.state._record[0]
            s.target = target
        s.target = round(s.target + progress)
        return bool(s.target <= s.limit)

    def walls(self, s: Any) -> np.ndarray:
        """The map of a state: [y, x], 1 is a wall."""
        return unpack(s._record["open"][0], self.spec.width, self.spec.height)


def unpack(packed: np.ndarray, width: int, height: int) -> np.ndarray:
    """The map of its words (flood.pack)."""
    rows = packed.reshape(height + 2, -1)[1:-1]
    x = np.arange(width)
    bits = (rows[:, x // flood.BITS] >> (x % flood.BITS)) & 1
    return (1 - bits).astype(np.uint8)


@functools.cache
def _kind(width: int, height: int, checkpoints: int) -> type[Walls]:
    """One class, and one compiled kernel, for a size and a number of checkpoints."""
    CELLS = width * height
    functions = flood.floods(width, height)
    is_open, close, evaluate = functions.is_open, functions.close, functions.fitness

    def start(s, t, target=1, limit=CELLS):
        for i in range(len(t.base)):
            s.open[i] = t.base[i]
        for cell in range(CELLS):
            if t.changeable[cell]:
                s.empty += 1
        s.target = target
        s.limit = limit

    def legal(s, t, out):
        n = 0
        for cell in range(CELLS):
            if t.changeable[cell] and is_open(s, cell):
                out[n] = cell
                n += 1
        return n

    def play(s, t, action):
        close(s, action)
        s.walls += 1
        s.empty -= 1

    def ended(s, t):
        return s.walls >= s.target or s.empty == 0

    def rewards(s, t, out):
        out[0] = evaluate(s, t)

    def rollout(s, t, rng, out):
        """Any empty cell: drawn until one is met, which is quick unless the map is full."""
        while True:
            cell = below(rng, CELLS)
            if t.changeable[cell] and is_open(s, cell):
                return cell

    def describe(s, action):
        return f"{action % width},{action // width}"

    def render(s):
        walls = unpack(s._record["open"][0], width, height)
        return "\n".join("".join(".#"[c] for c in row) for row in walls)

    return type(
        f"Walls{width}x{height}",
        (Walls,),
        {
            "__doc__": Walls.__doc__,
            "__module__": __name__,
            "state": record(
                **flood.state_fields(width, height, checkpoints),
                walls=int64,
                empty=int64,
                target=int64,
                limit=int64,
            ),
            "max_actions": CELLS,
            "max_length": CELLS,
            "keys": CELLS,
            "start": start,
            "legal": legal,
            "play": play,
            "ended": ended,
            "rewards": rewards,
            "rollout": rollout,
            "describe": describe,
            "render": render,
        },
    )
