"""The player study: play, ask, model (the second half of Summerville, Philip & Mateas 2015).

It stands on the application ``levels``: the levels that people play, their tiles and physics.
"""

from treewright.library.applications import App, Command

APP = App(
    __name__,
    commands={
        "study": Command(
            ".commands:app", "Player studies: play levels in the browser, ask, model, generate."
        )
    },
    experiments=(".experiments.loop:EXPERIMENT", ".experiments.recovery:EXPERIMENT"),
    gallery={"study": ".gallery:piece"},
    by_source=True,
    uses=("treewright.apps.levels",),
)
