"""Table I of Baier & Cowling: Evolutionary MCTS against every baseline in Hero Academy."""

from typing import Any

from treewright.apps.tactics.agents import CLASS
from treewright.apps.tactics.tournament import Fixture, play
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
from treewright.workshop.experiments.summary import estimate, where

SOURCE = "Baier & Cowling 2018, table I"
GAMES = 2  # per cell: one deal, both ways round
AP = (5, 10, 15)
NAMES = {
    "greedy-action": "Greedy Action",
    "greedy-turn": "Greedy Turn",
    "bb-mcts": "BB-MCTS",
    "mcts-ne": "non-exploring MCTS",
    "oep": "vanilla OEP",
    "oep-greedy": "greedy OEP",
}
# what the Java testbed's OEP evaluated in that time at 5, 10 and 15 action points
BUDGETS = {
    "200 ms": tuple(CLASS.values()),
    "1 s": (64_200, 34_300, 22_700),
    "5 s": (321_000, 171_500, 113_500),
}
PAPER = {  # per cent won by EMCTS; rows in the order of NAMES, columns 5, 10, 15 AP
    "200 ms": (
        (87.6, 97.8, 98.3),
        (96.9, 100.0, 100.0),
        (68.6, 88.8, 93.0),
        (74.5, 91.8, 92.0),
        (77.8, 92.0, 94.8),
        (60.6, 59.5, 65.3),
    ),
    "1 s": (
        (88.1, 98.5, 99.3),
        (92.8, 99.0, 100.0),
        (67.1, 90.3, 94.5),
        (65.5, 93.5, 97.3),
        (70.5, 84.8, 91.0),
        (52.5, 58.8, 61.8),
    ),
    "5 s": (
        (91.9, 99.0, 99.8),
        (78.1, 98.8, 100.0),
        (67.0, 90.3, 94.8),
        (56.9, 94.8, 98.5),
        (69.0, 80.3, 87.5),
        (51.4, 59.0, 61.3),
    ),
}


def run(settings: Settings, seed: int) -> Row:
    time, opponent, ap = str(settings["time"]), str(settings["opponent"]), int(settings["ap"])  # type: ignore[arg-type]
    share = float(settings["share"])  # type: ignore[arg-type]
    budget = f"evals:{max(20, round(share * BUDGETS[time][AP.index(ap)]))}"
    scores = [
        play(Fixture(str(settings["agent"]), opponent, ap, budget, number), seed, {})["score"]
        for number in range(GAMES)
    ]
    return {
        "score": sum(scores) / GAMES,
        "games": GAMES,
        "draws": sum(s == 0.5 for s in scores),
    }


def verdict(rows: Rows) -> Verdict:
    found = {}
    for time, opponent, ap in {(r["time"], r["opponent"], r["ap"]) for r in rows}:
        cell = where(rows, time=time, opponent=opponent, ap=ap)
        found[time, opponent, ap] = estimate(MEASURE, cell)
    if not found:
        return Verdict(None, "No games were played.")
    ahead = sum(f.low > 0.5 for f in found.values())
    worst = min(found, key=lambda k: found[k].value)
    return judge(
        f"EMCTS won significantly in {ahead} of {len(found)} cells; its lowest score was "
        f"{found[worst].value:.1%} against {NAMES[str(worst[1])]} at {worst[2]} action points "
        f"and {worst[0]}",
        ahead == len(found),
        enough=min(f.n for f in found.values()) >= 100,
    )


def draw(rows: Rows, axes: Any) -> None:
    shades = {5: "#88CCEE", 10: "#4477AA", 15: "#332288"}
    opponents = [name for name in NAMES if where(rows, opponent=name)]
    for i, ap in enumerate(AP):
        for at, opponent in enumerate(opponents):
            cell = where(rows, opponent=opponent, ap=ap)
            if not cell:
                continue
            found = estimate(MEASURE, cell)
            y = at + (i - 1) * 0.25
            axes.barh(
                y, 100 * found.value, 0.22, color=shades[ap], label=f"{ap} AP" if at == 0 else ""
            )
            axes.plot([100 * found.low, 100 * found.high], [y, y], color="0.2", lw=1)
            paper = PAPER["200 ms"][list(NAMES).index(opponent)][AP.index(ap)]
            axes.plot(paper, y, "k|", ms=11, mew=2)
    axes.axvline(50, color="0.6", lw=0.8)
    axes.set_yticks(range(len(opponents)), [NAMES[name] for name in opponents])
    axes.invert_yaxis()
    axes.set_xlim(0, 101)
    axes.set_xlabel("games won by EMCTS, per cent (black mark: the paper, 200 ms)")
    axes.legend(loc="lower right", fontsize=8)


def _experiment(agent: str, name: str, title: str) -> Experiment:
    def grid(times: list[str], opponents: list[str], aps: list[int], seeds: int, n: float) -> Grid:
        return Grid(
            {"agent": [agent], "time": times, "opponent": opponents, "ap": aps, "share": [n]}, seeds
        )

    return Experiment(
        name=name,
        title=title,
        claim=(
            "EMCTS wins against every baseline, the more clearly the more action points a turn has."
        ),
        source=SOURCE,
        scales={
            "smoke": [grid(["200 ms"], ["greedy-action"], [5], 2, 0.02)],
            "laptop": [grid(["200 ms"], list(NAMES), list(AP), 50, 1.0)],
            "paper": [grid(list(BUDGETS), list(NAMES), list(AP), 200, 1.0)],
        },
        run=run,
        measure=MEASURE,
        groups=("time", "opponent", "ap"),
        verdict=verdict,
        draw=draw,
        references=[
            Reference(
                {"time": time, "opponent": opponent, "ap": ap}, value / 100, "Baier & Cowling 2018"
            )
            for time, table in PAPER.items()
            for opponent, row in zip(NAMES, table, strict=True)
            for ap, value in zip(AP, row, strict=True)
        ],
    )


MEASURE = Measure("score", "score of EMCTS, a draw counts half", kind="rate", per="games")
EXPERIMENT = _experiment(
    "emcts", "tactics-table-1", "Hero Academy: Evolutionary MCTS against the baselines"
)
PLAIN = _experiment(
    "emcts-plain",
    "tactics-table-1-plain",
    "Hero Academy: Evolutionary MCTS of the paper, without replies, against the baselines",
)
