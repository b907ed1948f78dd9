"""How fast stories are found: CPU time of the default search, small set-up and large."""

import time
from typing import Any

from treewright.apps.stories.searches import generate
from treewright.apps.stories.setup import load_setup

SETUPS = ("sherlock", "manor", "city")


def run(nodes: int, setups: tuple[str, ...] = SETUPS) -> list[dict[str, Any]]:
    """For each set-up: what loading (or compiling) and searching took, and the story's score."""
    rows = []
    for name in setups:
        setup = load_setup(name)
        started = time.process_time()
        generate(setup, nodes=1)
        ready = time.process_time()
        story = generate(setup, nodes=nodes, seed=1)
        spent = time.process_time() - ready
        rows.append(
            {
                "setup": name,
                "people": len(setup.people),
                "nodes": int(story.found["nodes"]),
                "ready_seconds": ready - started,
                "seconds": spent,
                "score": story.score,
            }
        )
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    lines = ["set-up     people      nodes   ready   search   a node   score"]
    lines += [
        f"{r['setup']:10} {r['people']:6} {r['nodes']:10,} {r['ready_seconds']:6.1f}s "
        f"{r['seconds']:7.1f}s {1e6 * r['seconds'] / r['nodes']:6.1f}us {r['score']:7.3f}"
        for r in rows
    ]
    return "\n".join(lines)
