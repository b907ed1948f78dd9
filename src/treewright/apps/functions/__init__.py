"""Functions of real numbers: local runs shared out by a tree, stages, Iterated Splitting, SOO."""

from treewright.library.applications import App, Command, Page

APP = App(
    __name__,
    domains={"functions-v1": ".splitting:splitting"},
    commands={"optimize": Command(".commands:optimize", "Minimise a function of real numbers.")},
    experiments=(
        ".experiments.bbob:EXPERIMENT",
        ".experiments.cec2014_anytime:EXPERIMENT",
        ".experiments.cec2014_best:EXPERIMENT",
        ".experiments.cec2014_dimensions:EXPERIMENT",
        ".experiments.cec2014_table_iv:EXPERIMENT",
        ".experiments.splitting_parameters:EXPERIMENT",
    ),
    gallery={"function": ".gallery:piece"},
    first={"optimize": "optimize cec2014:9 --dim 10 --budget 1000"},
    jobs={"minimise": ".job:MINIMISE"},
    pages={
        "functions": Page(".pages:build", "Functions", "Type one in, watch four methods close in.")
    },
    samples=".samples:SAMPLES",
    by_source=True,
)
