"""Hero Academy, simplified as in the papers: a tactics game with several actions a turn."""

from treewright.library.applications import App, Command, Page

APP = App(
    __name__,
    domains={"hero-academy-v1": ".domain:HeroAcademy"},
    commands={
        "tactics": Command(
            ".commands:app", "Hero Academy: several actions a turn, and Evolutionary MCTS."
        )
    },
    experiments=(
        ".experiments.table_1:EXPERIMENT",
        ".experiments.table_1:PLAIN",
        ".experiments.tree_off:EXPERIMENT",
    ),
    benchmarks={
        "tactics": Command(".commands:bench", "Random actions and evaluated turns per second.")
    },
    gallery={"tactics": ".gallery:piece"},
    first={
        "tactics": "tactics tournament --agents emcts,greedy-action --ap 5 --games 2 "
        "--budget evals:200"
    },
    jobs={"tactics-turn": ".job:PLAN", "tactics-game": ".job:WATCH"},
    pages={"tactics": Page(".pages:build", "Tactics", "Play an agent, watch two, step through.")},
    samples=".samples:SAMPLES",
)
