"""Tournaments of Hero Academy agents: paired deals, alternating sides, resumable.

A tournament is a series of cells like any experiment, one for each game, so the same runner
plays it and the same store keeps it.
"""

import contextlib
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from treewright.apps.tactics.agents import AGENTS
from treewright.apps.tactics.domain import HeroAcademy
from treewright.apps.tactics.match import play_named
from treewright.errors import OptionError, nearest
from treewright.library.evolutionary import Budget
from treewright.random import below, stream
from treewright.workshop.experiments.executors import executor
from treewright.workshop.experiments.experiment import (
    SCALES,
    ExperimentError,
    Grid,
    Measure,
    Row,
    Rows,
    Series,
    Settings,
)
from treewright.workshop.experiments.runner import RunProgress, standing
from treewright.workshop.experiments.runner import run as run_cells
from treewright.workshop.experiments.stats import Interval, better_than_even, rate, stars
from treewright.workshop.experiments.store import Store


@dataclass(frozen=True)
class Fixture:
    """One game to be played: who against whom, with what, and which of the paired deals."""

    first: str  # of the pair, whose score is counted
    second: str
    ap: int
    budget: str
    number: int


def parse_budget(text: str) -> Budget:
    """``evals:20000``, ``200ms`` or ``1s``."""
    found = re.fullmatch(r"evals:(\d+)", text)
    if found:
        return Budget(evaluations=int(found[1]))
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s)", text)
    if found:
        return Budget(seconds=float(found[1]) / (1000 if found[2] == "ms" else 1))
    raise OptionError(f"budget {text!r}: write it like 200ms, 1s or evals:20000")


def tournament(
    agents: Sequence[str],
    budgets: Mapping[int, str],
    games: int,
    seed: int = 0,
    settings: Settings | None = None,
) -> Series:
    """Every pair of agents at every number of action points, which ``budgets`` lists."""
    if len(agents) < 2:
        raise OptionError("a tournament needs at least two agents, such as emcts,oep-greedy")
    for name in agents:
        if name not in AGENTS:
            raise OptionError(f"there is no agent {name!r}{nearest(name, AGENTS)}")
    if games < 1:
        raise OptionError(f"games must be at least 1, not {games}")
    rules = dict(settings or {})
    for ap, budget in budgets.items():  # what can't be played is refused before the first game
        parse_budget(budget)
        HeroAcademy(ap=ap, **{k: v for k, v in rules.items() if k != "open_hands"})
    grids = []
    for ap, budget in budgets.items():
        for a, b in combinations(agents, 2):
            cell: dict[str, Any] = {
                "first": a,
                "second": b,
                "ap": ap,
                "budget": budget,
                "deals": seed,
            } | rules
            grids.append(Grid({name: [value] for name, value in cell.items()}, games))
    return Series(
        name="tactics-tournament",
        scales=dict.fromkeys(SCALES, grids),  # a tournament has one size
        run=play_cell,
        measure=Measure("score", "score of the first, a draw counts half", kind="rate"),
        groups=("first", "second", "ap"),
    )


def play_cell(settings: Settings, seed: int) -> Row:
    """The game with this number; the seed of the tournament is the setting ``deals``."""
    rules: dict[str, Any] = dict(settings)
    deals = rules.pop("deals")
    names = [f.name for f in fields(Fixture) if f.name != "number"]
    fixture = Fixture(**{name: rules.pop(name) for name in names}, number=seed)
    return play(fixture, deals, rules)


def play(fixture: Fixture, seed: int, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Play one game; games 2k and 2k + 1 have the same two decks and swapped sides.

    The decks belong to the seats, so that each agent has each of them once.
    """
    deal = stream(seed * 1_000_003 + fixture.number // 2)
    decks = (int(below(deal, 1000)), int(below(deal, 1000)))
    swapped = fixture.number % 2 == 1
    names = (fixture.second, fixture.first) if swapped else (fixture.first, fixture.second)
    game = play_named(
        names,
        fixture.ap,
        parse_budget(fixture.budget),
        seed * 7919 + fixture.number,
        decks,
        **settings,
    )
    score = 0.5
    if game.winner:
        score = 1.0 if (game.winner == 1) != swapped else 0.0
    return {"score": score, "turns": len(game.turns), "swapped": swapped}


@dataclass(frozen=True)
class PairScore:
    """The score of the first of two agents so far."""

    first: str
    second: str
    ap: int
    games: int
    score: float  # draws count half
    draws: int
    interval: Interval
    stars: str


def run(
    games: Series,
    store: Path | None = None,
    workers: int = 1,
    watch: Callable[[RunProgress], object] = lambda progress: None,
    cluster: str | None = None,
) -> tuple[RunProgress, list[PairScore]]:
    """Play what the store does not hold yet; without a store nothing is kept.

    Ctrl-C ends it with what was played.
    """
    with contextlib.ExitStack() as stack:
        games = replace(games, kept=store is not None)
        if store is None:
            store = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "games.sqlite"
        kept = stack.enter_context(Store(store))
        engine = "threads" if workers == 1 else "processes"
        there = workers if cluster is None or workers > 1 else None
        cells = stack.enter_context(executor(engine, there, cluster))
        done = run_cells(games, kept, cells, retry=True, watch=watch)
        rows = [stored.values for stored in standing(games, kept, SCALES[0]).good]
    for error, times in done.errors.most_common(1):
        raise ExperimentError(f"{times} games ended with {error}")
    return done, scores(rows)


def scores(rows: Rows) -> list[PairScore]:
    """One row for each pair and number of action points."""
    pairs: dict[tuple[Any, Any, Any], list[Any]] = {}
    for row in rows:
        pairs.setdefault((row["first"], row["second"], row["ap"]), []).append(row["score"])
    return [
        PairScore(
            *pair,
            games=len(found),
            score=sum(found) / len(found),
            draws=sum(s == 0.5 for s in found),
            interval=rate(sum(found), len(found)),
            stars=stars(better_than_even(sum(found), len(found))),
        )
        for pair, found in pairs.items()
    ]
