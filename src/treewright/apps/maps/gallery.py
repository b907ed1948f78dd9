"""A map between checkpoints, as published and ours; and a dungeon."""

import numpy as np

from treewright.apps.maps.draw import paint, png
from treewright.apps.maps.dungeon_result import make_dungeon
from treewright.apps.maps.methods import MapResult, generate
from treewright.apps.maps.spec import FAR, NEAR
from treewright.apps.maps.ways import distances, way
from treewright.workshop.gallery.piece import Picture, Piece, opened

EVALUATIONS, CELL = 60_000, 8
WAY = (233, 170, 60)
Cell = tuple[int, int]


def piece(seed: int) -> Piece:
    made = {m: generate("mcguinness", m, EVALUATIONS, seed) for m in ("paper", "revisions")}
    spec = made["paper"].spec
    ways = {m: _shortest_far_way(r) for m, r in made.items()}
    steps = {m: len(way) - 1 for m, way in ways.items()}
    fitness = {m: f"{r.fitness:.1f}" for m, r in made.items()}
    command = f"treewright map generate mcguinness --evaluations {EVALUATIONS} --seed {seed}"
    return Piece(
        "A map",
        f"{command} --method paper --out left.png && {command} --out right.png --out right.tmx",
        f"Checkpoints of one colour should be near each other, and red ones far from blue ones. On "
        f"the left is Multiple Pass MCTS as published (fitness {fitness['paper']}), on the right "
        f"our local search by revisions (fitness {fitness['revisions']}), both with "
        f"{EVALUATIONS:,} evaluations. The shortest way from red to blue, drawn here in yellow, "
        f"has {steps['paper']} steps on the left and {steps['revisions']} on the right.",
        [
            Picture(png(_painted(r, ways[m])), f"A map made by the method {m}")
            for m, r in made.items()
        ],
        page=opened(
            "maps",
            width=spec.width,
            height=spec.height,
            checkpoints=[list(c) for c in spec.checkpoints],
            requirements=[[i, j, "near" if kind == NEAR else "far"] for i, j, kind in spec.pairs],
            evaluations=EVALUATIONS,
            seed=seed,
        ),
    )


def dungeon_piece(seed: int) -> Piece:
    made = make_dungeon(seed=seed)
    return Piece(
        "A dungeon",
        f"treewright map dungeon --seed {seed} --out dungeon.png --out dungeon.tmx",
        "Five passes of a search, each inside what the one before has made: rooms and the halls "
        "between them, then locked doors and their keys, monsters, treasure and traps. Stairs "
        "lead in and down; each key can be reached before its door. The second file opens in the "
        "Tiled editor.",
        [Picture(png(made.paint()), "A dungeon of rooms and halls")],
        page=opened("maps", rooms=9, monsters=8, treasure=5, traps=5, seed=seed),
    )


def _shortest_far_way(made: MapResult) -> list[Cell]:
    """The shortest way between two checkpoints that should be far from each other."""
    spec = made.spec
    far = [(spec.checkpoints[i], spec.checkpoints[j]) for i, j, kind in spec.pairs if kind == FAR]
    return min((way(distances(made.walls, b), a) for a, b in far), key=len)


def _painted(made: MapResult, way: list[Cell]) -> np.ndarray:
    """The map with a way under its checkpoints."""
    pixels = paint(made.walls, made.spec, CELL)
    ends = set(made.spec.checkpoints)
    for x, y in way:
        if all(max(abs(x - a), abs(y - b)) > 1 for a, b in ends):  # the discs stay whole
            pixels[y * CELL + 1 : (y + 1) * CELL - 1, x * CELL + 1 : (x + 1) * CELL - 1] = WAY
    return pixels
