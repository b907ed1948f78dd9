"""A finished dungeon: made by five passes, and as text, as a picture and for Tiled."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.apps.maps import scene, tiled
from treewright.apps.maps.dungeon import Cell, Plan, dungeon
from treewright.library.multipass import MultiPass, Pass
from treewright.library.options import Options, Rave

LEGEND = (
    "# wall, . floor, < entrance, > exit, A door and a its key (B and b, …), m monster, "
    "$ treasure, ^ trap"
)
COLOURS = {"monsters": (213, 54, 46), "treasure": (230, 159, 0), "traps": (204, 121, 167)}
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SPRITES = {"treasure": "chest", "traps": "trap"}


@dataclass(frozen=True)
class DungeonResult:
    """A finished dungeon and the score of each pass."""

    plan: Plan
    scores: dict[str, float]
    seed: int

    @property
    def locks(self) -> list[tuple[Cell, Cell]]:
        """The doors that are locked, each with the place of its key."""
        things = self.plan.things
        return list(zip(things.get("doors", []), things.get("keys", []), strict=True))

    @property
    def rows(self) -> list[str]:
        """Marks as in ``LEGEND``."""
        marks = [["#" if c else "." for c in row] for row in self.plan.walls]
        for stage, mark in (("monsters", "m"), ("treasure", "$"), ("traps", "^")):
            for x, y in self.plan.things.get(stage, []):
                marks[y][x] = mark
        for i, ((dx, dy), (kx, ky)) in enumerate(self.locks):
            letter = LETTERS[i % len(LETTERS)]
            marks[dy][dx], marks[ky][kx] = letter, letter.lower()
        for (x, y), mark in ((self.plan.entrance, "<"), (self.plan.exit, ">")):
            marks[y][x] = mark
        return ["".join(row) for row in marks]

    def to_dict(self) -> dict[str, Any]:
        plan = self.plan
        return {
            "seed": self.seed,
            "width": plan.walls.shape[1],
            "height": plan.walls.shape[0],
            "scores": self.scores,
            "entrance": list(plan.entrance),
            "exit": list(plan.exit),
            "rooms": [[r.x, r.y, r.width, r.height] for r in plan.rooms],
            **{k: [list(c) for c in v] for k, v in plan.things.items()},
            "map": self.rows,
        }

    def layers(self) -> list[tiled.Layer]:
        """Object layers for Tiled, one for each pass."""
        plan = self.plan
        doors = [
            tiled.Thing("entrance", "door", *plan.entrance),
            tiled.Thing("exit", "door", *plan.exit),
        ]
        rooms = [tiled.Thing(f"room {i}", "room", *r.middle) for i, r in enumerate(plan.rooms)]
        locks = [
            tiled.Thing(f"{kind} {i + 1}", kind, *cell, (("lock", i + 1),))
            for i, pair in enumerate(self.locks)
            for kind, cell in zip(("locked door", "key"), pair, strict=True)
        ]
        found = [
            tiled.Layer("doors", doors, "#009e73"),
            tiled.Layer("rooms", rooms, "#787878"),
            tiled.Layer("locks", locks, "#56b4e9"),
        ]
        for stage, colour in COLOURS.items():
            names = stage.removesuffix("s")
            things = [
                tiled.Thing(f"{names} {i}", names, x, y, (("level", i + 1),))
                for i, (x, y) in enumerate(plan.things.get(stage, []))
            ]
            found.append(tiled.Layer(stage, things, "#{:02x}{:02x}{:02x}".format(*colour)))
        return found

    def paint(self, cell: int = 16) -> np.ndarray:
        """A picture: [y, x, 3]."""
        plan = self.plan
        things: list[tuple[str, Cell, int]] = [
            ("down", plan.exit, 0),
            ("up", plan.entrance, 0),
        ]
        for i, (door, key) in enumerate(self.locks):
            things += [("door", door, i), ("key", key, i)]
        monsters = plan.things.get("monsters", [])
        kinds = len(scene.MONSTERS)
        things += [
            (scene.MONSTERS[i * kinds // len(monsters)], c, 0) for i, c in enumerate(monsters)
        ]
        for stage, sprite in SPRITES.items():
            things += [(sprite, c, 0) for c in plan.things.get(stage, [])]
        return scene.paint(plan.walls, things, cell)


def make_dungeon(
    width: int = 48,
    height: int = 32,
    seed: int = 0,
    *,
    simulations: int = 300,
    progress: Callable[[Pass], object] | None = None,
    **counts: int,
) -> DungeonResult:
    """Five passes of ``simulations`` each; ``counts`` as for :func:`dungeon`."""
    domain = dungeon(width, height, seed, **counts)
    search = MultiPass(
        domain,
        Options(c=0.3, rave=Rave(k=100), keep_state=True),
        passes=len(domain.maker.stages),
        simulations=simulations,
        seed=seed,
        engine="python",
    )
    found = search.run(progress=progress)
    if found.stopped == "interrupt":  # a dungeon without its last stages is none
        raise KeyboardInterrupt
    scores = {domain.maker.stages[p.number]: p.score for p in found.passes}
    return DungeonResult(found.state, scores, seed)
