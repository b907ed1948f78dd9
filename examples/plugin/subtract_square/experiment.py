"""Is the right heap left after a thousand simulations?"""

import treewright as tw
from subtract_square.game import SubtractSquare
from treewright.workshop.experiments import Experiment, Grid, Measure, judge
from treewright.workshop.experiments.plots import curves
from treewright.workshop.experiments.summary import estimate


def run(settings, seed):
    result = tw.Search(SubtractSquare(heap=19), seed=seed).run(settings["simulations"])
    return {"right": int(19 - result.best in (10, 15))}  # these heaps are lost


def verdict(rows):
    share = estimate(EXPERIMENT.measure, rows)
    return judge(
        f"{share.value:.0%} of the moves were right", share.low > 0.9, enough=share.n >= 50
    )


EXPERIMENT = Experiment(
    name="subtract-square-move",
    title="Subtract a square: the right move",
    claim="A thousand simulations find the move that wins.",
    source="our guess",
    scales={
        scale: [Grid({"simulations": [10, 1000]}, seeds)]
        for scale, seeds in (("smoke", 5), ("laptop", 50), ("paper", 500))
    },
    run=run,
    measure=Measure("right", "right moves", kind="rate"),
    groups=("simulations",),
    verdict=verdict,
    draw=lambda rows, axes: curves(EXPERIMENT, rows, axes, x="simulations", by="simulations"),
)
