"""UCT, RAVE and MC-RAVE against GNU Go, as in the surveys (Magnuson 3; Gelly & Silver 2011)."""

from typing import Any

from treewright.apps.go.experiments.opponents import gnu_go, ours, pair
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

RESIGN = 0.05
SEARCHES = ["uct", "rave", "mc-rave", "mc-rave-priors", "default"]
GNU_GO, ITSELF = "GNU Go 3.8, level 10", "uct, as many simulations"


def run(settings: Settings, seed: int) -> Row:
    """``default`` keeps its tree from move to move; the others start every move afresh."""
    name, simulations, size = str(settings["search"]), int(settings["simulations"]), 9  # type: ignore[arg-type]
    chosen = style(name, reuse=name == "default", resign=RESIGN, seed=seed)
    if settings["opponent"] == GNU_GO:
        with gnu_go(10, seed) as opponent:
            return pair(ours(chosen, simulations, size), opponent, size)
    size = 5
    opponent = ours(style("uct", reuse=False, resign=RESIGN, seed=seed + 10**6), simulations, size)
    return pair(ours(chosen, simulations, size), opponent, size)


def verdict(rows: Rows) -> Verdict:
    at = {
        name: where(rows, search=name, simulations=3000, opponent=GNU_GO)
        for name in ("uct", "mc-rave", "mc-rave-priors", "default")
    }
    if not all(at.values()):
        return Verdict(None, "Too little was run to tell.")
    found = {name: estimate(MEASURE, part) for name, part in at.items()}
    text = ", ".join(
        f"{name} {e.value:.0%} ({e.low:.0%} to {e.high:.0%})" for name, e in found.items()
    )
    held = found["uct"].value < found["mc-rave"].value < found["mc-rave-priors"].value
    return judge(
        f"At 3,000 simulations a move: {text}",
        held,
        enough=min(e.n for e in found.values()) >= 100,
    )


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="simulations", by="search", even=0.5)
    axes.set_xlabel("simulations a move")


MEASURE = Measure("score", "games won", kind="rate", per="games")
FEW = {"opponent": [GNU_GO], "search": SEARCHES}
EXPERIMENT = Experiment(
    name="go-gnu-go",
    title="Go 9x9: UCT, RAVE and MC-RAVE against GNU Go",
    claim="At 3,000 simulations a move MC-RAVE wins far more often than UCT, and more with priors.",
    source="Gelly & Silver 2011, 4.5 and 5.1 (MoGo against GNU Go 3.7.10, level 10)",
    scales={
        "smoke": [
            Grid({"search": ["mc-rave"], "simulations": [10], "opponent": [ITSELF]}, seeds=1)
        ],
        "laptop": [
            Grid({**FEW, "simulations": [3000]}, seeds=100),
            Grid({**FEW, "simulations": [100, 1000, 10000]}, seeds=10),
        ],
        "paper": [Grid({**FEW, "simulations": [100, 300, 1000, 3000, 10000]}, seeds=1000)],
    },
    run=run,
    measure=MEASURE,
    groups=("search", "simulations", "opponent"),
    verdict=verdict,
    draw=draw,
    references=[
        Reference({"search": name, "simulations": 3000, "opponent": GNU_GO}, value, source)
        for name, value, source in (
            ("uct", 0.24, "MoGo, UCT with its playouts"),
            ("mc-rave", 0.60, "MoGo, MC-RAVE, k ≥ 1,000"),
            ("mc-rave-priors", 0.69, "MoGo, heuristic MC-RAVE"),
        )
    ],
)
