"""Hero Academy, simplified as in the papers: a tactics game with several actions a turn."""

from treewright.library.applications import App, Command

APP = App(
    __name__,
    domains={"hero-academy-v1": ".domain:HeroAcademy"},
    commands={
        "tactics": Command(
            ".commands:app", "Hero Academy: several actions a turn, and Evolutionary MCTS."
        )
    },
    experiments=(".experiments.table_1:EXPERIMENT",),
    benchmarks={
        "tactics": Command(".commands:bench", "Random actions and evaluated turns per second.")
    },
    gallery={"tactics": ".gallery:piece"},
    samples=".samples:SAMPLES",
)
