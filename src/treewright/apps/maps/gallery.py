"""A map between checkpoints, as published and ours."""

from treewright.apps.maps.draw import paint, png
from treewright.apps.maps.methods import generate
from treewright.apps.maps.spec import NEAR
from treewright.workshop.gallery.piece import Picture, Piece, opened

EVALUATIONS = 60_000


def piece(seed: int) -> Piece:
    made = {m: generate("mcguinness", m, EVALUATIONS, seed) for m in ("paper", "revisions")}
    spec = made["paper"].spec
    fitness = {m: f"{r.fitness:.1f}" for m, r in made.items()}
    return Piece(
        "A map",
        f"treewright map generate mcguinness --evaluations {EVALUATIONS} --seed {seed} "
        f"--out map.png --out map.tmx",
        f"Checkpoints of one colour should be near each other, of different colours far apart. On "
        f"the left Multiple Pass MCTS as published (fitness {fitness['paper']}), on the right our "
        f"local search by revisions (fitness {fitness['revisions']}), both with {EVALUATIONS:,} "
        f"evaluations.",
        [
            Picture(png(paint(r.walls, r.spec, 8)), f"A map made by the method {m}")
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
