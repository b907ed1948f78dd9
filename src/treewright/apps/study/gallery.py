"""A level as an automatic player of the study plays it, enemies and all."""

from treewright.apps.levels.drawing import draw_level
from treewright.apps.levels.generate import compile_kernel, generate, own_levels
from treewright.apps.levels.replay import replay
from treewright.apps.levels.world import World
from treewright.apps.study import bots
from treewright.apps.study.features import features
from treewright.library.shown import count_of
from treewright.workshop.gallery.piece import Picture, Piece, opened

LENGTH, WRAP = 140, 70


def piece(seed: int) -> Piece:
    domain = own_levels(LENGTH)
    compile_kernel(domain)
    world = World(generate(domain, seed).level)
    played = [replay(world, runs) for runs in bots.play(world, bots.Skill(), seed)]
    found = features(world.totals, world.level.goal_column, played)
    end = "reaches the flag" if found["finished"] else f"gets {found['progress']:.0%} of the way"
    return Piece(
        "A level, played",
        f"treewright level generate --length {LENGTH} --seed {seed} --out level.txt && "
        f"treewright study play level.txt --seed {seed} --picture played.png",
        f"An automatic player of the player study, in the game that people play in the browser, "
        f"with enemies: in attempt {found['attempts']:.0f} of three and {found['total_time']:.0f} "
        f"seconds it {end}, with {count_of(int(found['jumps']), 'jump')}, "
        f"{count_of(int(found['kills']), 'kill')} and {count_of(int(found['coins']), 'coin')}. The "
        "line is its way.",
        [Picture(draw_level(world.level, [p.way for p in played], wrap=WRAP), "The ways it took")],
        page=opened("levels", length=LENGTH, seed=seed),  # from there it can be played
    )
