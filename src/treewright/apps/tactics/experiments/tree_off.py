"""Evolutionary MCTS with its tree and without: the same agent, the same evaluations."""

from typing import Any

from treewright.apps.tactics.agents import CLASS
from treewright.apps.tactics.tournament import Fixture, play
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

GAMES = 2  # per cell: one deal, both ways round
# (agent, the same without a tree)
NAMES = {"emcts": "EMCTS, a commit after every 20 evaluations"}
WITHOUT = {"emcts": "local-search"}


def run(settings: Settings, seed: int) -> Row:
    agent, ap = str(settings["agent"]), int(settings["ap"])  # type: ignore[arg-type]
    evaluations = max(20, round(float(settings["share"]) * CLASS[ap]))  # type: ignore[arg-type]
    budget = f"evals:{evaluations}"
    scores = [
        play(Fixture(agent, WITHOUT[agent], ap, budget, number), seed, {})["score"]
        for number in range(GAMES)
    ]
    return {"score": sum(scores) / GAMES, "games": GAMES, "even": int(sum(scores) == GAMES / 2)}


def verdict(rows: Rows) -> Verdict:
    parts, ahead, fewest = [], 0, 10**9
    cells = sorted({(str(r["agent"]), int(r["ap"])) for r in rows})  # type: ignore[arg-type]
    for agent, ap in cells:
        found = estimate(MEASURE, where(rows, agent=agent, ap=ap))
        ahead += found.low > 0.5
        fewest = min(fewest, found.n)
        parts.append(f"{NAMES[agent]}, {ap} action points: {found.value:.1%}")
    even = len([r for r in rows if r["even"]])
    return judge(
        f"Score against the same agent without its tree: {'; '.join(parts)}. In {even:,} of "
        f"{len(rows):,} deals, played both ways round, neither was ahead",
        ahead == len(cells),
        enough=fewest >= 400,
    )


def draw(rows: Rows, axes: Any) -> None:
    cells = sorted({(str(r["agent"]), int(r["ap"])) for r in rows})  # type: ignore[arg-type]
    for at, (agent, ap) in enumerate(cells):
        found = estimate(MEASURE, where(rows, agent=agent, ap=ap))
        axes.plot([100 * found.low, 100 * found.high], [at, at], color="0.2", lw=1.5)
        axes.plot(100 * found.value, at, "o", color="#332288")
    axes.axvline(50, color="0.6", lw=0.8)
    axes.set_yticks(range(len(cells)), [f"{agent}, {ap} AP" for agent, ap in cells])
    axes.set_ylim(-0.5, len(cells) - 0.5)
    axes.set_xlim(30, 70)
    axes.set_xlabel("score against the same agent without its tree, per cent")


def _grid(aps: list[int], seeds: int, share: float) -> Grid:
    return Grid({"agent": list(NAMES), "ap": aps, "share": [share]}, seeds)


MEASURE = Measure("score", "score of the agent with its tree", kind="rate", per="games")
EXPERIMENT = Experiment(
    name="tactics-tree",
    title="Hero Academy: Evolutionary MCTS with and without its tree",
    claim="The tree of Evolutionary MCTS wins: with mutations of mutations it beats the same agent "
    "that only compares single mutations, at equal evaluations.",
    source="our own; Baier & Cowling 2018 do not compare the two",
    scales={
        "smoke": [_grid([5], 2, 0.02)],
        "laptop": [_grid([5, 10, 15], 200, 1.0)],
        "paper": [_grid([5, 10, 15], 1000, 1.0)],
    },
    run=run,
    measure=MEASURE,
    groups=("agent", "ap"),
    verdict=verdict,
    draw=draw,
)
