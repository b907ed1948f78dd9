"""Transpositions: does a graph find better games of SameGame than a tree?"""

from typing import Any

from treewright.apps.games.samegame import SameGame
from treewright.library.options import Options, Rollout
from treewright.library.search import Search
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
from treewright.workshop.experiments.plots import curves
from treewright.workshop.experiments.stats import Comparison, compare_paired
from treewright.workshop.experiments.summary import where

POINTS = 5000  # of reward 1 on a full board
C = 0.03  # as in samegame-methods
NAMES = {"tree": "tree", "graph": "graph"}


def run(settings: Settings, seed: int) -> Row:
    """The seed draws the board, so that both meet the same boards."""
    shared = settings["method"] == "graph"
    options = Options(c=C, rollout=Rollout(policy="domain"), transpositions=shared)
    search = Search(SameGame(seed=seed), options, seed=seed, memory="256MiB")
    result = search.run(int(settings["simulations"]))  # type: ignore[arg-type]
    return {
        "points": round(POINTS * (result.best_score or 0.0)),
        "nodes": result.nodes,
        "bytes": search.tree.nbytes,
    }


def verdict(rows: Rows) -> Verdict:
    found = {n: gain(rows, n) for n in sorted({int(r["simulations"]) for r in rows})}  # type: ignore[arg-type]
    clear = sum(c.difference > 0 and c.p < 0.05 for c in found.values())
    gains = ", ".join(f"{c.difference:+,.0f}{c.stars} with {n:,}" for n, c in found.items())
    return judge(
        f"The graph's best game was clearly better than the tree's at {clear} of {len(found)} "
        f"budgets (mean difference in points, paired by board: {gains} simulations)",
        clear == len(found),
        enough=len({r["seed"] for r in rows}) >= 20,
    )


def gain(rows: Rows, simulations: int) -> Comparison:
    """What the graph is better on the boards that both have played."""
    graph, tree = (
        {r["seed"]: r["points"] for r in where(rows, method=m, simulations=simulations)}
        for m in ("graph", "tree")
    )
    boards = sorted(graph.keys() & tree.keys())
    return compare_paired([graph[b] for b in boards], [tree[b] for b in boards])


def draw(rows: Rows, axes: Any) -> None:
    curves(EXPERIMENT, rows, axes, x="simulations", by="method", names=NAMES)


EXPERIMENT = Experiment(
    name="transpositions-samegame",
    title="SameGame: a graph beside a tree",
    claim="With the same simulations, a search in which equal boards share one node finds better "
    "games.",
    source="our guess; no published number for this setting",
    scales={
        "smoke": [Grid({"method": list(NAMES), "simulations": [200]}, seeds=2, first=1)],
        "laptop": [
            Grid({"method": list(NAMES), "simulations": [1000, 4000, 16000]}, seeds=60, first=1)
        ],
        "paper": [
            Grid(
                {"method": list(NAMES), "simulations": [1000, 4000, 16000, 64000, 256_000]},
                seeds=250,
                first=1,
            )
        ],
    },
    run=run,
    measure=Measure("points", "points of the best game found"),
    groups=("method", "simulations"),
    verdict=verdict,
    draw=draw,
)
