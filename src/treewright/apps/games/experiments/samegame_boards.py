"""What the experiments on SameGame share: boards by seed, points, and two methods compared."""

from collections.abc import Callable
from typing import Any

from treewright.apps.games.samegame import SameGame
from treewright.library.options import Options, Rollout
from treewright.library.search import Search
from treewright.workshop.experiments import Measure, Row, Rows, Settings, Verdict, judge
from treewright.workshop.experiments.stats import Comparison, compare_paired
from treewright.workshop.experiments.summary import where

POINTS = 5000  # of reward 1 on a full board
C = 0.03  # the best of 0.01 to 0.3 on boards 1001 to 1020, which are in no experiment
ROLLOUT = Rollout(policy="domain")
BUDGETS = [1000, 4000, 16000]
MEASURE = Measure("points", "points of the best game found")


def play(
    settings: Settings, seed: int, options: Options, kind: Callable[..., Search] = Search
) -> Row:
    """Search one board; the seed draws it, so that every method meets the same boards."""
    search = kind(SameGame(seed=seed), options, seed=seed, memory="256MiB")
    result = search.run(int(settings["simulations"]))  # type: ignore[arg-type]
    row: dict[str, Any] = {
        "points": round(POINTS * (result.best_score or 0.0)),
        "moves": len(result.best_sequence),
    }
    if kind is Search:
        row |= {"nodes": result.nodes, "bytes": search.tree.nbytes}
    return row


def verdict(rows: Rows, better: str, other: str, sentence: str) -> Verdict:
    """Whether one method's best games are clearly better at every budget.

    ``sentence`` names the two; how often it holds follows.
    """
    budgets = sorted({int(r["simulations"]) for r in rows})  # type: ignore[arg-type]
    found = {n: gain(where(rows, simulations=n), better, other) for n in budgets}
    clear = sum(c.difference > 0 and c.p < 0.05 for c in found.values())
    gains = ", ".join(f"{c.difference:+,.0f}{c.stars} with {n:,}" for n, c in found.items())
    return judge(
        f"{sentence} at {clear} of {len(found)} budgets (mean difference in points, paired by "
        f"board: {gains} simulations)",
        clear == len(found),
        enough=len({r["seed"] for r in rows}) >= 20,
    )


def gain(rows: Rows, better: str, other: str) -> Comparison:
    """What one method is better than the other on the boards that both have played."""
    one, two = ({r["seed"]: r["points"] for r in where(rows, method=m)} for m in (better, other))
    boards = sorted(one.keys() & two.keys())
    return compare_paired([one[b] for b in boards], [two[b] for b in boards])
