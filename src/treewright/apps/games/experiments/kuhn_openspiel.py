"""Kuhn poker: our information-set search and OpenSpiel's, against each other."""

import random
from collections.abc import Callable
from itertools import permutations
from typing import Any

from treewright.apps.games.kuhn import CARDS, KuhnPoker
from treewright.errors import MissingExtra
from treewright.kernel.rng import stream_seed
from treewright.library.options import Options
from treewright.library.search import Search
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

C = 0.7  # on rewards from 0 to 1; OpenSpiel counts chips, from -2 to 2
OURS, THEIRS, RANDOM = "Treewright", "OpenSpiel", "random"
DEALS = list(permutations(range(3), 2))
Player = Callable[[tuple[int, int], list[int]], int]


def ours(simulations: int, seed: int) -> Player:
    """A player: from the deal and what was played to an action."""

    def choose(deal: tuple[int, int], line: list[int]) -> int:
        domain = KuhnPoker(deal=CARDS[deal[0]] + CARDS[deal[1]])
        at = stream_seed(seed, 100 * len(line) + 3 * deal[0] + deal[1])
        search = Search(domain, Options(c=C), seed=at, memory="1MiB")
        for action in line:
            search.commit(action)
        return search.run(simulations).best

    return choose


def theirs(simulations: int, seed: int) -> Player:
    try:
        import pyspiel
    except ImportError:
        raise MissingExtra("the match against OpenSpiel", "bench") from None
    game = pyspiel.load_game("kuhn_poker")
    rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
    most = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    bot = pyspiel.ISMCTSBot(seed, rollouts, 4 * C, simulations, -1, most, False, False)

    def choose(deal: tuple[int, int], line: list[int]) -> int:
        state = game.new_initial_state()
        for action in (*deal, *line):
            state.apply_action(action)
        return int(bot.step(state))

    return choose


def at_random(simulations: int, seed: int) -> Player:
    dice = random.Random(seed)
    return lambda deal, line: dice.randrange(2)


PLAYERS = {OURS: ours, THEIRS: theirs, RANDOM: at_random}


def run(settings: Settings, seed: int) -> Row:
    """Every deal once from each seat; the seed is that of the searches."""
    simulations = int(settings["simulations"])  # type: ignore[arg-type]
    names = (str(settings["player"]), str(settings["opponent"]))
    pair = [PLAYERS[name](simulations, seed + 10**6 * i) for i, name in enumerate(names)]
    total = 0.0
    for deal in DEALS:
        for seat in range(2):
            seats = pair if seat == 0 else pair[::-1]
            search = Search(KuhnPoker(deal=CARDS[deal[0]] + CARDS[deal[1]]), engine="python")
            while not search.position.ended:
                chosen = seats[search.position.player](deal, list(search.history))
                search.commit(chosen)
            total += search.position.rewards()[seat]
    return {"score": total / (2 * len(DEALS))}


def verdict(rows: Rows) -> Verdict:
    match = where(rows, player=OURS, opponent=THEIRS)
    both = [where(rows, player=name, opponent=RANDOM) for name in (OURS, THEIRS)]
    if not match or not all(both):
        return Verdict(None, "Too little was run to tell.")
    even, mine, other = (estimate(MEASURE, part) for part in (match, *both))
    return judge(
        f"Our search scored {even.value:.3f} ({even.low:.3f} to {even.high:.3f}) against "
        f"OpenSpiel's, where 0.5 is even; against random play {mine.value:.3f} ({mine.low:.3f} to "
        f"{mine.high:.3f}), OpenSpiel's {other.value:.3f} ({other.low:.3f} to {other.high:.3f})",
        0.5 in even and mine.low <= other.high and other.low <= mine.high,
        enough=even.n >= 80,
    )


def draw(rows: Rows, axes: Any) -> None:
    shown = [{**r, "match": f"{r['player']} against {r['opponent']}"} for r in rows]
    curves(EXPERIMENT, shown, axes, x="simulations", by="match", even=0.5)
    axes.set_xlabel("simulations a move")


MEASURE = Measure("score", "mean reward, from 0 (2 chips lost) to 1 (2 chips won)")
BUDGETS = [100, 1000]
EXPERIMENT = Experiment(
    name="kuhn-openspiel",
    title="Kuhn poker: our information sets and OpenSpiel's",
    claim="Our information-set search is as strong as OpenSpiel's with the same simulations.",
    source="OpenSpiel (Lanctot et al. 2019), its ISMCTS bot; no published number for this setting",
    scales={
        "smoke": [Grid({"player": [OURS], "opponent": [RANDOM], "simulations": [100]}, seeds=2)],
        "laptop": [
            Grid({"player": [OURS], "opponent": [THEIRS, RANDOM], "simulations": BUDGETS}, 100),
            Grid({"player": [THEIRS], "opponent": [RANDOM], "simulations": BUDGETS}, 100),
        ],
        "paper": [
            Grid({"player": [OURS], "opponent": [THEIRS, RANDOM], "simulations": BUDGETS}, 1000),
            Grid({"player": [THEIRS], "opponent": [RANDOM], "simulations": BUDGETS}, 1000),
        ],
    },
    run=run,
    measure=MEASURE,
    groups=("player", "opponent", "simulations"),
    verdict=verdict,
    draw=draw,
    references=[Reference({"player": OURS, "opponent": THEIRS}, 0.5, "even")],
)
