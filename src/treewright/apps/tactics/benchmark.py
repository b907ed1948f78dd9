"""Speed of Hero Academy, one core: the rules alone, and the turns that the planners evaluate."""

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.tactics.agents import CLASS, agent
from treewright.apps.tactics.domain import HeroAcademy
from treewright.apps.tactics.match import view
from treewright.library.evolutionary import Budget, Turn
from treewright.library.evolutionary.agent import stream
from treewright.library.program import Program
from treewright.workshop.measuring import per_cpu_second

ROUNDS = 5
CHUNK = 100_000  # random actions
POSITIONS = 24  # beginnings of turns, from games of greedy OEP with itself
RANDOM = "random play"
PLANNERS = ("oep", "oep-greedy", "emcts-plain", "emcts")
# per CPU second: 10 times the Java testbed's random play, 5 and 8 times its OEP
BARS = {(RANDOM, 5): 2_310_000, ("oep", 5): 294_000, ("oep", 10): 264_000, ("oep", 15): 264_000}


def run(seconds: float) -> list[dict[str, Any]]:
    """A row for each contestant; they run in turns, so that noise hits all alike."""
    rows = []
    for ap in CLASS:
        positions = _positions(ap)
        contestants = {RANDOM: _random_play(ap)}
        contestants |= {name: _planning(name, ap, positions) for name in PLANNERS}
        rates: dict[str, list[float]] = {name: [] for name in contestants}
        for _ in range(ROUNDS):
            for name, work in contestants.items():
                rates[name].append(per_cpu_second(work, seconds / ROUNDS))
        found = {name: statistics.median(r) for name, r in rates.items()}
        rows += [
            {
                "what": name,
                "ap": ap,
                "per_cpu_second": round(rate),
                "wanted": BARS.get((name, ap))
                or (round(0.8 * found["oep"]) if name.startswith("emcts") else None),
            }
            for name, rate in found.items()
        ]
    return rows


def _random_play(ap: int) -> Callable[[], int]:
    """List all legal actions, pick one, play it."""
    domain = HeroAcademy(ap=ap, pruned=False)
    text = Path(__file__).parent / "benchmark_kernel.py"
    program = Program(domain, (text,), "wander")
    start = np.zeros(1, domain.state)
    start[0] = domain.new_state()._record[0]
    state = start.copy()
    rng, buffer = stream(1), np.zeros(domain.max_actions + 1, np.int32)

    def work(actions: int = CHUNK) -> int:
        program.call(state, start, program.tables, rng, buffer, actions)
        return actions

    work(1)  # compiles
    return work


def _planning(name: str, ap: int, positions: list[np.ndarray]) -> Callable[[], int]:
    planner = agent(name, ap)
    planner.plan(positions[0], Budget(evaluations=10))  # compiles
    turn = 0

    def work() -> int:
        nonlocal turn
        turn += 1
        state = positions[turn % len(positions)]
        return planner.plan(state, Budget(evaluations=CLASS[ap]), turn).evaluations

    return work


def _positions(ap: int) -> list[np.ndarray]:
    """What a player sees at the beginning of turns."""
    found: list[np.ndarray] = []
    planner = agent("oep-greedy", ap)
    seed = 0
    while len(found) < POSITIONS:
        domain = HeroAcademy(ap=ap, seed=seed)
        turn = Turn(domain, ap)
        state = np.zeros(1, domain.state)
        state[0] = domain.new_state()._record[0]
        while not state[0]["over"]:
            found.append(view(state, open_hands=False))
            turn.follow(state, planner.plan(found[-1], Budget(evaluations=500), seed).actions)
        seed += 1
    return found[:: len(found) // POSITIONS][:POSITIONS]


def table(rows: list[dict[str, Any]]) -> str:
    lines = [f"{'':14}{'action points':>14}{'per CPU second':>16}{'wanted':>12}"]
    for row in rows:
        wanted = f"{row['wanted']:,}" if row["wanted"] else ""
        lines.append(f"{row['what']:14}{row['ap']:>14}{row['per_cpu_second']:>16,}{wanted:>12}")
    return "\n".join(
        [*lines, "random play: actions listed, picked and played; else: evaluated turns"]
    )
