"""Our version: kinds of revision, each a run of small changes that never hurt.

The paper's tree adds walls and can't take one away, and with 2,500 moves at the root its bandit
is never consulted.  Here a map may change both ways, and an action says *how* to change it: it is
one kind of revision, a simulation is a few of them, and playing one makes ``proposals`` random
proposals of that kind, each kept if the map does not get worse.  ``revisions`` draws the kinds;
``revisions-tree`` searches over them (AMAF, ``Options.rave``), which brings nothing (docs/maps.md).

A pass is the paper's: simulations from the best map of the passes before, the best of them kept.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

import numpy as np
from numpy import float64, int64, uint64

from treewright.apps.maps.fields import (
    CHECKPOINTS,
    FLIPS,
    NOWHERE,
    UNKNOWN,
    WORSE,
    P,
    flip,
    foresee,
    from_scratch,
    measure,
    nowhere,
    state_fields,
    unflip,
)
from treewright.apps.maps.flood import HEIGHT, WIDTH, errands
from treewright.apps.maps.spec import FAR, NEAR, MapSpec, load_spec
from treewright.library.domain import Domain, constant, record
from treewright.library.multipass import Pass
from treewright.random import below, uniform

# the kinds of revision: how many cells of a 3 x 3 square change at once, and how often a change
# that adds walls and leaves the fitness as it is is kept (taking walls away always is): floor to
# spare is what the next wall needs to lengthen a way
KINDS = ((1, 0.3), (1, 0.4), (2, 0.35), (3, 0.35))
APART = constant()
MIRRORED = constant()


def choose(s, t, count):
    """A cell, and up to ``count - 1`` of its eight neighbours; returns how many.

    Doors between rooms lie apart from each other: of them any others.
    """
    v = t.cells[below(s.stream, len(t.cells))]
    s.tried[0] = v
    n = 1
    for _ in range(count - 1):
        if APART:
            u = t.cells[below(s.stream, len(t.cells))]
        else:
            u = v + below(s.stream, 3) - 1 + P * (below(s.stream, 3) - 1)
        fresh = t.changeable[u] == 1
        for i in range(n):
            fresh = fresh and s.tried[i] != u
        if fresh:
            s.tried[n] = u
            n += 1
    return n


def with_images(s, t, n):
    """Append the mirror images of the cells; returns how many cells there are now."""
    m = n
    for i in range(n):
        u = t.mirror[s.tried[i]]
        fresh = True
        for j in range(m):
            fresh = fresh and s.tried[j] != u
        if fresh:
            s.tried[m] = u
            m += 1
    return m


def propose(s, t, count, tie):
    """Flip a few cells, and keep that if the fitness is no worse: one evaluation."""
    n = choose(s, t, count)
    if MIRRORED:
        n = with_images(s, t, n)
    added = 0
    for i in range(n):
        added += 1 - 2 * int64(s.wall[s.tried[i]])
    kept = added <= 0 or uniform(s.stream) < tie**added
    known = foresee(s, t, n)
    if known == WORSE or (known != UNKNOWN and not kept):
        return
    new = flip(s, t, n)
    if new > s.fitness or (new == s.fitness and kept):
        s.fitness = new
        s.logged = 0
    else:
        unflip(s, n)


class Revise(Domain):
    """``Revise(spec)``: an action is a kind of revision; see the module.

    ``proposals``: evaluations in one revision; ``revisions``: in one simulation.  ``eager``: at
    least so often walls that change nothing are kept; it falls by the passes' ``progress``.
    """

    players = 1
    max_actions = 8
    keys = 8

    def __init__(
        self, spec: str | MapSpec = "mcguinness", kinds: Any = KINDS, **settings: Any
    ) -> None:
        self.spec = load_spec(spec)
        width, height = self.spec.width, self.spec.height
        checkpoints = len(self.spec.checkpoints)
        mirrored = bool(self.spec.symmetry)
        self.state = record(
            **state_fields(width, height, checkpoints, 2 * FLIPS if mirrored else FLIPS),
            stream=(uint64, 1),
            proposals=int64,
            revisions=int64,
            left=int64,
            eager=float64,
        )
        super().__init__(
            tables=tables(self.spec, kinds),
            constants={
                WIDTH: width,
                HEIGHT: height,
                CHECKPOINTS: checkpoints,
                MIRRORED: mirrored,
                APART: self.spec.style == "rooms",
            },
            **settings,
        )

    def start(s, t, seed=0, proposals=500, revisions=4, eager=0.0):
        s.wall[:] = t.walls
        s.d[:] = t.distances
        s.queue[:] = t.queue
        s.log_at[: len(t.log)] = t.log
        s.log_old[: len(t.log)] = NOWHERE
        s.fitness = measure(s, t)
        s.stream[0] = seed
        s.proposals = proposals
        s.revisions = revisions
        s.left = revisions
        s.eager = eager

    def legal(s, t, out):
        for i in range(len(t.flips)):
            out[i] = i
        return len(t.flips)

    def play(s, t, action):
        for _ in range(s.proposals):
            propose(s, t, t.flips[action], max(s.eager, t.tie[action]))
        s.left -= 1

    def ended(s, t):
        return s.left == 0

    def rewards(s, t, out):
        out[0] = s.fitness

    def describe(s, t, action):
        return f"{t.flips[action]} at a time, ties {t.tie[action]}"

    def render(s):
        walls = unpad(s._record["wall"][0], WIDTH, HEIGHT)
        return "\n".join("".join(".#"[c] for c in row) for row in walls)

    def shrink(self, s: Any, found: Pass, progress: float) -> bool:
        """The next pass revises the best map so far, with other random numbers."""
        stream = found.state.stream[0]
        if found.improved:
            s._record[0] = found.state._record[0]
        s.stream[0] = stream
        s.left = s.revisions
        s.eager = max(0.0, s.eager - progress)
        return True

    def walls(self, s: Any) -> np.ndarray:
        """The map of a state: [y, x], 1 is a wall."""
        return unpad(s._record["wall"][0], self.spec.width, self.spec.height)


def tables(spec: MapSpec, kinds: Any = KINDS) -> dict[str, np.ndarray]:
    """The checkpoints, their pairs, the cells that may change and the kinds of revision."""
    padded = spec.width + 2
    free = np.argwhere(spec.changeable())
    sources, want = errands(spec)
    pairs = [(i, j, int(want[i, j])) for i in sources for j in range(len(want))]
    pairs = [p for p in pairs if p[2] in (NEAR, FAR)]
    others = [k for k in range(len(want)) if k not in sources]
    changeable = np.zeros((spec.height + 2, padded), np.uint8)
    changeable[1:-1, 1:-1] = spec.changeable()
    walls = np.pad(spec.start(), 1, constant_values=1)
    at = [(y + 1) * padded + x + 1 for x, y in spec.checkpoints]
    never = nowhere(spec.width, spec.height)
    return {
        "at": np.array(at, np.int64),
        "pair_i": np.array([p[0] for p in pairs], np.int64),
        "pair_j": np.array([p[1] for p in pairs], np.int64),
        "pair_need": np.array([p[2] for p in pairs], np.int64),
        "order": np.array([*sources, *others], np.int64),
        "sources": np.array([len(sources)], np.int64),
        "cells": np.array([(y + 1) * padded + x + 1 for y, x in free], np.int64),
        "changeable": changeable.reshape(-1),
        "mirror": _images(spec),
        "walls": walls.reshape(-1),
        **from_scratch(walls, at, never),
        "flips": np.array([k[0] for k in kinds], np.int64),
        "tie": np.array([k[1] for k in kinds], float64),
    }


def _images(spec: MapSpec) -> np.ndarray:
    """The mirror image of each cell, the border included."""
    cells = np.arange((spec.height + 2) * (spec.width + 2)).reshape(spec.height + 2, -1)
    return np.ascontiguousarray(spec.mirrored(cells)).reshape(-1)


def unpad(wall: np.ndarray, width: int, height: int) -> np.ndarray:
    return wall.reshape(height + 2, width + 2)[1:-1, 1:-1].copy()
