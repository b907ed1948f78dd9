"""Maps between checkpoints, by Multiple Pass MCTS: what should be near is near (McGuinness)."""

from treewright.library.applications import App, Command, Page

APP = App(
    __name__,
    domains={
        "maps-v1": ".walls:Walls",
        "maps-grow-v1": ".grow:Grow",
        "maps-revise-v1": ".revise:Revise",
        "dungeon-v1": ".dungeon:dungeon",
    },
    commands={"map": Command(".commands:app", "Generate maps between checkpoints, and dungeons.")},
    experiments=(
        ".experiments.fill:EXPERIMENT",
        ".experiments.looks:EXPERIMENT",
        ".experiments.methods:EXPERIMENT",
    ),
    gallery={"map": ".gallery:piece", "dungeon": ".gallery:dungeon_piece"},
    first={"map": "map generate mcguinness --evaluations 20000"},
    jobs={"map": ".job:MAP", "dungeon": ".job:DUNGEON"},
    pages={"maps": Page(".pages:build", "Maps", "Checkpoints near and far, and dungeons.")},
    samples=".samples:SAMPLES",
)
