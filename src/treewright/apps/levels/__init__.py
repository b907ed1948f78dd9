"""Platformer levels from a Markov chain that MCTS keeps playable (Summerville et al. 2015)."""

from treewright.library.applications import App, Command, Page

APP = App(
    __name__,
    domains={"levels-v1": ".generate:own_levels", "tile-levels-v1": ".generate:own_tile_levels"},
    commands={
        "level": Command(
            ".commands:app", "Platformer levels: learn a chain, generate, check, measure, convert."
        )
    },
    experiments=(
        ".experiments.alive:EXPERIMENT",
        ".experiments.controls:EXPERIMENT",
        ".experiments.curve:EXPERIMENT",
        ".experiments.expressive_range:EXPERIMENT",
        ".experiments.false_rejects:EXPERIMENT",
        ".experiments.playable:EXPERIMENT",
        ".experiments.sets:EXPERIMENT",
        ".experiments.whole:EXPERIMENT",
    ),
    gallery={"level": ".gallery:piece"},
    first={"level": "level generate"},
    jobs={"level": ".job:LEVEL", "painted-level": ".job:PAINTED"},
    pages={"levels": Page(".pages:build", "Levels", "Wish, generate, lock, paint, play, export.")},
    samples=".samples:SAMPLES",
)
