"""A platformer level and the way through it."""

from treewright.apps.levels.check import check
from treewright.apps.levels.controls import Controls
from treewright.apps.levels.domain import Levels
from treewright.apps.levels.generate import compile_kernel, generate, own_chain
from treewright.workshop.gallery.piece import Picture, Piece, opened

LENGTH, DIFFICULTY, WRAP = 210, 0.7, 70


def piece(seed: int) -> Piece:
    domain = Levels(own_chain(), Controls(length=LENGTH, difficulty=(DIFFICULTY,)))
    compile_kernel(domain)
    made = generate(domain, seed)
    found = check(made.level, "large")
    have = made.counts
    return Piece(
        "A platformer level",
        f"treewright level generate --length {LENGTH} --difficulty {DIFFICULTY} --seed {seed} "
        f"--out level.txt && treewright level check level.txt --player large "
        f"--picture level.png --wrap {WRAP}",
        f"A Markov chain learnt from our own 24 levels proposes every slice; MCTS keeps only what "
        f"can be finished and steers to the wished difficulty: {have['gaps']} gaps, "
        f"{have['enemies']} enemies and {have['rewards']} rewards, after {made.rollouts:,} "
        f"rollouts. The line is flown by the game's own physics, key by key.",
        [Picture(found.picture(WRAP), "A level in three strips with the player's path")],
        page=opened("levels", length=LENGTH, difficulty=DIFFICULTY, seed=seed),
    )
