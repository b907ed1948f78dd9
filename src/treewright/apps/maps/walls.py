"""The paper's domain: one wall after another, until this many cells are filled (section II-A)."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

import numpy as np
from numpy import int64

from treewright.apps.maps import flood
from treewright.apps.maps.flood import HEIGHT, WIDTH, close, fitness, is_open
from treewright.apps.maps.spec import MapSpec, load_spec
from treewright.library.domain import Domain, constant, record
from treewright.library.multipass import Pass
from treewright.random import below

CELLS = constant(lambda: WIDTH * HEIGHT)


class Walls(Domain):
    """An action is an empty cell that gets a wall; a simulation ends at ``target`` walls.

    The reward is the map's fitness, 0 if two checkpoints are not connected.  A pass begins with
    the best map of the passes before and fills ``progress`` more of it (MultiPass).
    """

    players = 1

    def __init__(
        self, spec: str | MapSpec = "mcguinness", target: int = 1, **settings: Any
    ) -> None:
        self.spec = load_spec(spec)
        width, height = self.spec.width, self.spec.height
        self.state = record(
            **flood.state_fields(width, height, len(self.spec.checkpoints)),
            walls=int64,
            empty=int64,
            target=int64,
            limit=int64,
        )
        self.max_actions = self.max_length = self.keys = self.spec.cells
        free = self.spec.changeable()
        super().__init__(
            tables=flood.tables(self.spec)
            | {
                "base": flood.pack(self.spec.start()),
                "changeable": free.reshape(-1).astype(np.uint8),
            },
            constants={WIDTH: width, HEIGHT: height},
            target=target,
            **settings,
        )

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
        out[0] = fitness(s, t)

    def rollout(s, t, rng, out):
        """Any empty cell: drawn until one is met, which is quick unless the map is full."""
        while True:
            cell = below(rng, CELLS)
            if t.changeable[cell] and is_open(s, cell):
                return cell

    def describe(s, action):
        return f"{action % WIDTH},{action // WIDTH}"

    def render(s):
        walls = unpack(s._record["open"][0], WIDTH, HEIGHT)
        return "\n".join("".join(".#"[c] for c in row) for row in walls)

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
