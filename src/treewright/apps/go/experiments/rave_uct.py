"""MC-RAVE converges faster than UCT: games between the two at equal simulations."""

from typing import Any

from treewright.apps.go.experiments.opponents import ours, pair
from treewright.apps.go.gtp.player import style
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Reference,
    Row,
    Rows,
    Settings,
    Verdict,
    judge,
)
from treewright.workshop.experiments.plots import curves
from treewright.workshop.experiments.summary import estimate, where

RESIGN = 0.1


def run(settings: Settings, seed: int) -> Row:
    simulations, size = int(settings["simulations"]), int(settings["size"])  # type: ignore[arg-type]
    both = [
        ours(style(name, reuse=False, resign=RESIGN, seed=seed + i * 10**6), simulations, size)
        for i, name in enumerate((str(settings["search"]), "uct"))
    ]
    return pair(both[0], both[1], size)


def verdict(rows: Rows) -> Verdict:
    part = where(rows, search="mc-rave", simulations=1000)
    if not part:
        return Verdict(None, "Too little was run to tell.")
    found = estimate(MEASURE, part)
    return judge(
        f"MC-RAVE won {found.value:.0%} ({found.low:.0%} to {found.high:.0%}) of {found.n} games "
        "against UCT at 1,000 simulations a move",
        found.value >= 0.7,
        enough=found.n >= 50,
    )


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="simulations", by="search", even=0.5)
    axes.set_xlabel("simulations a move, both sides")


MEASURE = Measure("score", "games won against UCT", kind="rate", per="games")
EXPERIMENT = Experiment(
    name="go-rave-uct",
    title="Go 9x9: RAVE and MC-RAVE against UCT",
    claim="MC-RAVE wins at least 70 % against UCT with the same 1,000 simulations a move.",
    source="Magnuson 3.2 and 3.3: RAVE learns from few simulations, MC-RAVE forgets it in time",
    scales={
        "smoke": [Grid({"search": ["mc-rave"], "simulations": [10], "size": [5]}, seeds=1)],
        "laptop": [
            Grid({"search": ["mc-rave"], "simulations": [1000], "size": [9]}, seeds=50),
            Grid({"search": ["mc-rave", "rave"], "simulations": [100, 300], "size": [9]}, seeds=20),
            Grid({"search": ["rave"], "simulations": [1000], "size": [9]}, seeds=20),
        ],
        "paper": [
            Grid(
                {
                    "search": ["mc-rave", "rave"],
                    "simulations": [100, 300, 1000, 3000, 10000],
                    "size": [9],
                },
                seeds=500,
            )
        ],
    },
    run=run,
    measure=MEASURE,
    groups=("search", "simulations"),
    verdict=verdict,
    draw=draw,
    references=[Reference({"search": "mc-rave", "simulations": 1000}, 0.7, "the claim")],
)
