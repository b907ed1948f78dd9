"""What each part of the Go engine brings: the default without it, against the default."""

from dataclasses import replace
from typing import Any

from treewright.apps.go.experiments.opponents import ours, pair
from treewright.apps.go.gtp.player import PRIOR_RAVE, SEARCHES, Style, style
from treewright.workshop.experiments import (
    Experiment,
    Grid,
    Measure,
    Row,
    Rows,
    Settings,
    Verdict,
    judge,
)
from treewright.workshop.experiments.plots import bars
from treewright.workshop.experiments.summary import estimate, where

RESIGN = 0.1
SEARCH = {"no priors": "mc-rave", "no priors, no RAVE (UCT)": "uct"}
PLAYOUT: dict[str, dict[str, Any]] = {
    "no atari rule": {"atari": False},
    "no nakade": {"nakade": False},
    "no patterns": {"patterns": False},
    "no capture rule": {"capture": False},
    "no self-atari rule": {"self_atari": False},
    "light playouts": {"playout": "light"},
    "with local moves": {"local": True},
    "wins only, no points": {"margin": 0.0},
}
RAVE = {
    "no RAVE (UCT with priors)": None,
    "RAVE that does not fade": replace(PRIOR_RAVE, fade=False),
    "RAVE by whoever played": replace(PRIOR_RAVE, first=False),
}
EVEN = "even priors, no head start"
OPENINGS = "with openings"
WITHOUT = ["nothing", *SEARCH, EVEN, *RAVE, *PLAYOUT, OPENINGS]


def run(settings: Settings, seed: int) -> Row:
    simulations, size = int(settings["simulations"]), int(settings["size"])  # type: ignore[arg-type]
    full = style("default", openings=False, reuse=False, resign=RESIGN, seed=seed + 10**6)
    chosen = replace(without(str(settings["variant"])), reuse=False, resign=RESIGN, seed=seed)
    return pair(ours(chosen, simulations, size), ours(full, simulations, size), size)


def without(part: str) -> Style:
    """The default's style, which for variety knows no openings here, with one thing changed."""
    if part in SEARCH:
        return style(SEARCH[part])
    options, playout = SEARCHES["default"]
    if part == EVEN:
        options = replace(options, head_start=0.0)
    if part in RAVE:
        options = replace(options, rave=RAVE[part])
        if options.rave is None:
            options = replace(options, c=SEARCHES["uct"][0].c)
    playout = playout | PLAYOUT.get(part, {})
    return Style(options=options, playout=playout, openings=part == OPENINGS)


def verdict(rows: Rows) -> Verdict:
    found = {
        name: estimate(MEASURE, part)
        for name in WITHOUT
        if (part := where(rows, variant=name, simulations=1000))
    }
    if len(found) < len(WITHOUT):
        return Verdict(None, "Too little was run to tell.")
    order = sorted(WITHOUT[1:], key=lambda name: found[name].value)
    text = ", ".join(f"{name} {found[name].value:.0%}" for name in order)
    large = [found[name] for name in ("no priors", "no patterns", "light playouts")]
    return judge(
        f"Games won against the whole engine, 1,000 simulations a move: {text}",
        all(e.high < 0.5 for e in large),
        enough=not any(e.low < 0.5 < e.high for e in large),
    )


def draw(rows: Rows, axes: Any) -> None:
    bars(EXPERIMENT, rows, axes, by="variant", even=0.5)


MEASURE = Measure("score", "games won against the default", kind="rate", per="games")
EXPERIMENT = Experiment(
    name="go-ablation",
    title="Go 9x9: what each part of the engine brings",
    claim="Priors, 3x3 patterns and heavy playouts each bring a large part of the strength.",
    source="the order of gains in Pachi's own tests (Baudiš 2011): RAVE, patterns, tactics",
    scales={
        "smoke": [Grid({"variant": ["no priors"], "simulations": [10], "size": [5]}, seeds=1)],
        "laptop": [Grid({"variant": WITHOUT, "simulations": [1000], "size": [9]}, seeds=20)],
        "paper": [Grid({"variant": WITHOUT, "simulations": [3000], "size": [9]}, seeds=500)],
    },
    run=run,
    measure=MEASURE,
    groups=("variant",),
    verdict=verdict,
    draw=draw,
)
