"""A level as tree search plays it in the game of the study, enemies and all."""

from treewright.apps.levels.drawing import draw_level
from treewright.apps.levels.finish import play_live
from treewright.apps.levels.generate import compile_kernel, generate, own_levels
from treewright.apps.levels.world import World
from treewright.apps.study.features import features
from treewright.library.shown import count_of
from treewright.workshop.gallery.piece import Picture, Piece, opened

LENGTH, WRAP = 140, 70


def piece(seed: int) -> Piece:
    domain = own_levels(LENGTH)
    compile_kernel(domain)
    world = World(generate(domain, seed).level)
    attempt = play_live(world.level, seed).attempt
    found = features(world.totals, world.level.goal_column, [attempt])
    end = "reaches the flag" if found["finished"] else "finds no way to the flag"
    kills = count_of(int(found["kills"]), "kill")
    return Piece(
        "A level, played",
        f"treewright level generate --length {LENGTH} --seed {seed} --out level.txt && "
        f"treewright study play level.txt --search --seed {seed} --picture played.png "
        f"--wrap {WRAP}",
        f"Tree search plays the game that people play in the browser, with its enemies alive: in "
        f"{found['total_time']:.0f} seconds it {end}, with {kills} and "
        f"{count_of(int(found['coins']), 'coin')}. The line is its way.",
        [Picture(draw_level(world.level, [attempt.way], wrap=WRAP), "The way it took")],
        page=opened("levels", length=LENGTH, seed=seed),  # from there it can be played
    )
