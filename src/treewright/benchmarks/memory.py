"""Many nodes in little memory: Kartal's pruning experiment, on a domain of a story's size."""

import resource
from pathlib import Path
from typing import Any

from numpy import float64, int8, int16

from treewright.domain import Domain, record
from treewright.options import Options, Rollout
from treewright.phases import run_phases
from treewright.search import Search
from treewright.setup import parse_memory

ACTORS, KINDS, STEPS = 6, 8, 30


class Yarn(Domain):
    """A story with nothing but its arithmetic: 48 actions, 30 steps, believability x goals.

    An action is what an actor does; it changes that actor's mood and trust in the others, is
    believable if the mood fits, and may reach one of eight goals.
    """

    players = 1
    max_actions = ACTORS * KINDS
    max_length = STEPS
    keys = ACTORS * KINDS
    state = record(
        mood=(int8, ACTORS),
        trust=(int8, ACTORS * ACTORS),
        done=(int8, ACTORS * KINDS),
        goals=int16,
        step=int8,
        belief=float64,
    )

    def start(s):  # type: ignore[no-untyped-def] # noqa: ANN201, ANN001, N805
        s.belief = 1.0

    def legal(s, out):  # type: ignore[no-untyped-def] # noqa: ANN201, ANN001, N805
        n = 0
        for action in range(ACTORS * KINDS):
            out[n] = action
            n += s.done[action] < 2
        return n

    def play(s, action):  # type: ignore[no-untyped-def] # noqa: ANN201, ANN001, N805
        actor = action // KINDS
        kind = action % KINDS
        other = (actor + 1 + kind) % ACTORS
        fit = (s.mood[actor] + s.trust[actor * ACTORS + other] + kind) & 7
        s.belief *= 1.0 - 0.04 * fit
        s.done[action] += 1
        s.mood[other] = (s.mood[other] + kind + 1) & 7
        s.trust[other * ACTORS + actor] = (s.trust[other * ACTORS + actor] + fit) & 7
        if fit == 0:
            s.goals |= 1 << kind
        s.step += 1

    def ended(s):  # type: ignore[no-untyped-def] # noqa: ANN201, ANN001, N805
        return s.step == STEPS

    def rewards(s, out):  # type: ignore[no-untyped-def] # noqa: ANN201, ANN001, N805
        met = 0
        for kind in range(KINDS):
            met += s.goals >> kind & 1
        out[0] = s.belief * met / KINDS

    def value(s, out):  # type: ignore[no-untyped-def] # noqa: ANN201, ANN001, N805
        met = 0
        for kind in range(KINDS):
            met += s.goals >> kind & 1
        out[0] = s.belief * met / KINDS


def run(nodes: int, budget: str) -> dict[str, Any]:
    """Explore ``nodes`` nodes with a commit after each step, and see how far one tree gets."""
    options = Options(c=0.5, rollout=Rollout(depth=8))
    Search(Yarn(), options, memory="1MiB").run(100)  # compile before measuring
    resident = Resident()
    search = Search(Yarn(), options, seed=1, memory=budget)
    # the last steps have few nodes left to add
    told = run_phases(search, nodes=max(1, nodes // (STEPS - 6)), progress=resident.look)
    with_commit = {
        "nodes": told.created,
        "left": search.tree.size,
        "score": told.best_score,
        "resident_mib": resident.peak / 2**20,
    }
    del search
    resident = Resident()
    search = Search(Yarn(), options, seed=1, memory=budget)
    stopped = search.run(nodes=nodes, progress=resident.look)
    without = {
        "nodes": stopped.created,
        "score": stopped.best_score,
        "stopped": stopped.stopped,
        "bytes_per_node": search.tree.nbytes / search.tree.size,
        "resident_mib": resident.peak / 2**20,
    }
    return {
        "budget_mib": parse_memory(budget) / 2**20,
        "with_commit": with_commit,
        "without_commit": without,
    }


class Resident:
    """How much resident memory a search adds to the process, looked at while it runs."""

    def __init__(self) -> None:
        self._before = self._now()
        self.peak = 0

    def look(self, _: object) -> None:
        self.peak = max(self.peak, self._now() - self._before)

    @staticmethod
    def _now() -> int:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()


def text(found: dict[str, Any]) -> str:
    kept, single = found["with_commit"], found["without_commit"]
    return (
        f"budget {found['budget_mib']:,.0f} MiB\n"
        f"with commit:    {kept['nodes']:,} nodes explored, score {kept['score']:.3f}, "
        f"resident {kept['resident_mib']:,.0f} MiB\n"
        f"without commit: {single['nodes']:,} nodes, stopped by {single['stopped']}, "
        f"score {single['score']:.3f}, {single['bytes_per_node']:.1f} bytes a node"
    )
