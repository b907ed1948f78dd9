"""Many nodes in little memory: Kartal's pruning experiment, on a domain of a story's size."""

import resource
from pathlib import Path
from typing import Any

from treewright.apps.games.benchmarks.yarn import STEPS, Yarn
from treewright.library.options import Options, Rollout
from treewright.library.search import Search
from treewright.library.switches import parse_memory


def run(nodes: int, budget: str) -> dict[str, Any]:
    """Explore ``nodes`` nodes with a commit after each step, and see how far one tree gets."""
    options = Options(c=0.5, rollout=Rollout(depth=8))
    Search(Yarn(), options, memory="1MiB").run(100)  # compile before measuring
    resident = Resident()
    search = Search(Yarn(), options, seed=1, memory=budget, when_full="recycle")
    for step in range(STEPS):  # the last steps have few nodes left to add: give the first more
        share = 2.6 * nodes * (STEPS - step) / (STEPS * STEPS)
        told = search.run(nodes=int(share) + 1, progress=resident.look)
        search.commit(told.best)
    with_commit = {
        "nodes": told.created,
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
