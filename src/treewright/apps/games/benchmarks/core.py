"""Simulations per CPU second, ours and our peers', in one run.

All use UCT with one uniform random rollout per simulation, the same number of simulations
per search, from the empty board.  OpenSpiel's returns are in [-1, 1] and ours in [0, 1], so
the same search needs twice the exploration constant there.
"""

import math
import statistics
import time
from collections.abc import Callable
from itertools import count
from typing import Any

from treewright.library.options import Options, Rules
from treewright.library.registry import make
from treewright.library.search import Search
from treewright.workshop.measuring import per_cpu_second

C = 1.4
ROUNDS = 5
Run = Callable[[int, int], None]  # simulations, seed


def ours(domain: str) -> Run:
    ready = make(domain)

    def run(simulations: int, seed: int) -> None:
        Search(ready, Options(c=C), seed=seed, memory="256MiB").run(simulations)

    return run


def open_spiel_cpp(game: str) -> Run:
    import pyspiel

    ready = pyspiel.load_game(game)

    def run(simulations: int, seed: int) -> None:
        rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(ready, rollouts, 2 * C, simulations, 1000, False, seed, False)
        bot.mcts_search(ready.new_initial_state())  # step() crashes with games in Python (2.0.2)

    return run


def open_spiel_python_game() -> Run:
    from open_spiel.python.games import tic_tac_toe  # noqa: F401 - registers the game

    return open_spiel_cpp("python_tic_tac_toe")


def open_spiel_python() -> Run:
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms import mcts

    game = pyspiel.load_game("tic_tac_toe")

    def run(simulations: int, seed: int) -> None:
        state = np.random.RandomState(seed)
        rollouts = mcts.RandomRolloutEvaluator(1, state)
        bot = mcts.MCTSBot(game, 2 * C, simulations, rollouts, random_state=state)
        bot.step(game.new_initial_state())

    return run


def mctspy_package() -> Run:
    import numpy as np
    from mctspy.games.examples.tictactoe import TicTacToeGameState
    from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
    from mctspy.tree.search import MonteCarloTreeSearch

    def run(simulations: int, seed: int) -> None:
        np.random.seed(seed)
        state = TicTacToeGameState(state=np.zeros((3, 3)), next_to_move=1)
        root = TwoPlayersGameMonteCarloTreeSearchNode(state=state)
        MonteCarloTreeSearch(root).best_action(simulations)

    return run


def mcts_package() -> Run:
    import random

    from mcts import mcts

    from treewright.apps.games.benchmarks.peers import PlainTicTacToe

    def run(simulations: int, seed: int) -> None:
        random.seed(seed)
        mcts(iterationLimit=simulations, explorationConstant=C).search(PlainTicTacToe())

    return run


# name, game, how to make it, simulations per search, what ours is compared with
CONTESTANTS: list[tuple[str, str, Callable[[], Run], int]] = [
    ("treewright", "tictactoe", lambda: ours("tictactoe"), 200_000),
    ("OpenSpiel C++", "tictactoe", lambda: open_spiel_cpp("tic_tac_toe"), 200_000),
    ("OpenSpiel C++, game in Python", "tictactoe", open_spiel_python_game, 2_000),
    ("OpenSpiel Python", "tictactoe", open_spiel_python, 2_000),
    ("mctspy", "tictactoe", mctspy_package, 500),
    ("mcts", "tictactoe", mcts_package, 500),
    ("treewright", "connect-four", lambda: ours("connect-four"), 200_000),
    ("OpenSpiel C++", "connect-four", lambda: open_spiel_cpp("connect_four"), 200_000),
    ("treewright", "samegame", lambda: ours("samegame"), 5_000),
]


def run(seconds: float) -> list[dict[str, Any]]:
    """Measure every contestant that is installed, in turns, so that noise hits all alike."""
    ready: list[tuple[str, str, Run, int]] = []
    rows: list[dict[str, Any]] = []
    for name, game, build, simulations in CONTESTANTS:
        try:
            runner = build()
            runner(100, 0)  # compile and warm up
            ready.append((name, game, runner, simulations))
        except ImportError:
            rows.append({"name": name, "game": game, "rate": None, "ratio": None})
    rates: dict[tuple[str, str], list[float]] = {(n, g): [] for n, g, _, _ in ready}
    for round_ in range(ROUNDS):
        for name, game, runner, simulations in ready:
            rates[name, game].append(_rate(runner, simulations, seconds / ROUNDS, round_))
    for name, game, _, _ in ready:
        rate = statistics.median(rates[name, game])
        own = statistics.median(rates["treewright", game])
        rows.append({"name": name, "game": game, "rate": rate, "ratio": own / rate})
    rows += [_rule("tictactoe"), _rule("connect-four"), _threads()]
    return rows


def _rate(runner: Run, simulations: int, seconds: float, seed: int) -> float:
    """Simulations per CPU second over at least ``seconds``."""
    seeds = count(seed, simulations)

    def work() -> int:
        runner(simulations, next(seeds))
        return simulations

    return per_cpu_second(work, seconds)


def uct(q, log, root, c):  # type: ignore[no-untyped-def]  # compiled
    """The rule that is built in, as a user would give it."""
    return q + c * math.sqrt(log) * root


def _rule(game: str, simulations: int = 10_000, turns: int = 200) -> dict[str, Any]:
    """What UCT costs as a function beside the one built in: the same tree, in short turns.

    The least time of each counts: whatever else the machine does only adds to it.
    """
    rules = (None, Rules(urgency=uct))
    searches = [Search(make(game), Options(c=C, rules=rule), memory="8MiB") for rule in rules]
    least = [math.inf, math.inf]
    for _ in range(turns):
        for i, search in enumerate(searches):
            search.begin()
            search.run(1)  # the first turn compiles here
            started = time.process_time()
            search.run(simulations)
            least[i] = min(least[i], time.process_time() - started)
    ratio = least[1] / least[0]
    return {"name": "UCT built in against a function", "game": game, "rate": None, "ratio": ratio}


def _threads(simulations: int = 400_000) -> dict[str, Any]:
    """Wall time of one worker against two workers with twice the simulations."""
    domain = make("connect-four")
    times: dict[int, list[float]] = {1: [], 2: []}
    for seed in range(ROUNDS):
        for workers in times:
            search = Search(domain, Options(c=C), seed=seed, workers=workers, memory="256MiB")
            started = time.perf_counter()
            search.run(simulations * workers)
            times[workers].append(time.perf_counter() - started)
    gain = 2 * statistics.median(times[1]) / statistics.median(times[2])
    return {"name": "two threads against one", "game": "connect-four", "rate": None, "ratio": gain}


def table(rows: list[dict[str, Any]]) -> str:
    """The rows for people."""
    lines = [f"{'game':14}{'library':34}{'simulations/CPU s':>18}{'treewright is':>16}"]
    for row in rows:
        rate = f"{row['rate']:,.0f}" if row["rate"] else "-"
        ratio = f"{row['ratio']:,.2f} x" if row["ratio"] else "not installed"
        lines.append(f"{row['game']:14}{row['name']:34}{rate:>18}{ratio:>16}")
    return "\n".join(lines)
