"""Dots and Boxes: the planners of whole turns on a second game, and the tree of one of them."""

import functools
from collections.abc import Callable
from threading import get_ident
from typing import Any

import numpy as np

from treewright.apps.games.dots import DotsAndBoxes
from treewright.kernel.rng import stream_seed
from treewright.library.evolutionary import (
    Agent,
    Budget,
    Evolution,
    EvolutionaryMCTS,
    GreedyAction,
    OnlineEvolution,
    Turn,
)
from treewright.random import below, stream
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
from treewright.workshop.experiments.summary import estimate, where

SIDE = 4  # boxes across and down
LONGEST = SIDE * SIDE + 1  # actions of a turn: every box, and a line more
RANDOM_LINES = 8  # before the two begin: they would repeat one game
NAMES = {
    "emcts": "EMCTS",
    "local-search": "the same without a tree",
    "oep-greedy": "greedy OEP",
    "greedy-action": "Greedy Action",
}
KINDS: dict[str, Callable[..., Agent]] = {
    "emcts": EvolutionaryMCTS,
    "local-search": functools.partial(EvolutionaryMCTS, flat=True),
    "oep-greedy": functools.partial(OnlineEvolution, settings=Evolution.greedy()),
    "greedy-action": GreedyAction,
}


@functools.cache
def agent(name: str, thread: int) -> Agent:
    """An agent keeps its arrays from turn to turn, so that each thread needs its own."""
    return KINDS[name](DotsAndBoxes(width=SIDE, height=SIDE), LONGEST)


def run(settings: Settings, seed: int) -> Row:
    """Two games from one opening, so that both begin once."""
    budget = Budget(evaluations=int(settings["evaluations"]))  # type: ignore[arg-type]
    first, second = (agent(str(settings[n]), get_ident()) for n in ("first", "second"))
    scores = [play(players, budget, seed) for players in ((first, second), (second, first))]
    return {"score": (scores[0] + 1.0 - scores[1]) / 2, "games": 2}


def play(players: tuple[Agent, ...], budget: Budget, seed: int) -> float:
    """One game; what the player has who begins."""
    domain = players[0].domain
    referee = Turn(domain, LONGEST)
    state = np.zeros(1, domain.state)
    state[0] = domain.new_state()._record[0]
    dice = stream(seed)
    lines = 2 * SIDE * (SIDE + 1)
    drawn: set[int] = set()
    while len(drawn) < RANDOM_LINES:
        drawn.add(int(below(dice, lines)))
    for line in sorted(drawn):
        referee.follow(state, [line])
    turns = 0
    while not referee.over(state):
        plan = players[referee.player(state)].plan(state, budget, stream_seed(seed, turns) >> 2)
        referee.follow(state, plan.actions)
        turns += 1
    boxes = state[0]["boxes"]
    return 0.5 + 0.5 * float(np.sign(int(boxes[0]) - int(boxes[1])))


def verdict(rows: Rows) -> Verdict:
    found = {
        (str(r["first"]), str(r["second"])): estimate(
            MEASURE, where(rows, first=r["first"], second=r["second"])
        )
        for r in rows
    }
    tree = found.get(("emcts", "local-search"))
    if tree is None:
        return Verdict(None, "Too little was run to tell.")
    shown = "; ".join(
        f"{NAMES[a]} against {NAMES[b]} {score.value:.1%} ({score.low:.1%} to {score.high:.1%})"
        for (a, b), score in sorted(found.items())
    )
    return judge(shown, tree.low > 0.5, enough=tree.n >= 400)


def draw(rows: Rows, axes: Any) -> None:
    pairs = sorted({(str(r["first"]), str(r["second"])) for r in rows})
    for at, (a, b) in enumerate(pairs):
        found = estimate(MEASURE, where(rows, first=a, second=b))
        axes.plot([100 * found.low, 100 * found.high], [at, at], color="0.2", lw=1.5)
        axes.plot(100 * found.value, at, "o", color="#332288")
    axes.axvline(50, color="0.6", lw=0.8)
    axes.set_yticks(range(len(pairs)), [f"{NAMES[a]} against {NAMES[b]}" for a, b in pairs])
    axes.set_ylim(-0.5, len(pairs) - 0.5)
    axes.set_xlim(0, 101)
    axes.set_xlabel("score of the first, per cent")


def _grids(seeds: int, evaluations: int) -> list[Grid]:
    return [
        Grid({"first": ["emcts"], "second": [b], "evaluations": [evaluations]}, seeds)
        for b in list(NAMES)[1:]
    ] + [
        Grid({"first": ["local-search"], "second": [b], "evaluations": [evaluations]}, seeds)
        for b in list(NAMES)[2:]
    ]


MEASURE = Measure("score", "score of the first, a draw counts half", kind="rate", per="games")
EXPERIMENT = Experiment(
    name="dots-turns",
    title="Dots and Boxes: planners of whole turns, with a tree and without",
    claim="The tree of Evolutionary MCTS wins on a second game: with mutations of mutations it "
    "beats the same agent that only compares single mutations, at equal evaluations.",
    source="our own; Baier & Cowling 2018 play Hero Academy only",
    scales={
        "smoke": _grids(2, 100),
        "laptop": _grids(200, 1000),
        "paper": _grids(1000, 1000),
    },
    run=run,
    measure=MEASURE,
    groups=("first", "second", "evaluations"),
    verdict=verdict,
    draw=draw,
)
