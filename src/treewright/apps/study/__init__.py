"""The player study: play, ask, model (the second half of Summerville, Philip & Mateas 2015).

It stands on the application ``levels``: the levels that people play, their tiles and physics.
"""

from treewright.library.applications import App, Command, Page

APP = App(
    __name__,
    commands={
        "study": Command(
            ".commands:app", "Player studies: play levels in the browser, ask, model, generate."
        )
    },
    experiments=(".experiments.loop:EXPERIMENT", ".experiments.recovery:EXPERIMENT"),
    gallery={"study": ".gallery:piece"},
    pages={"play": Page(".play_page:build", "Play", "Play a level with keys or fingers.")},
    by_source=True,
    uses=("treewright.apps.levels",),
)
