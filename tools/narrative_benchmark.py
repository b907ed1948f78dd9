"""The public benchmark of narrative planning: how many of its goals are reached, and how fast.

    python tools/narrative_benchmark.py FOLDER [--method best-first] [--seconds 300]

FOLDER has the benchmark's problem files, which are not part of this project.  Each plan is checked
by the interpreter of the tests, which shares no code with the planner.
"""

import argparse
import csv
import sys
import time
from pathlib import Path

HERE = Path(__file__).parents[1]
sys.path.insert(0, str(HERE / "tests/apps/stories"))

from narrative_checker import Refused, Story  # noqa: E402

from treewright.apps.stories.planning.planner import DEFAULT_METHOD, Planner, as_data  # noqa: E402
from treewright.apps.stories.planning.problem import load_problem  # noqa: E402

MILLION = 1_000_000
# problem: goals, then the limits of the author, of characters, and of layers of belief
PAIRS = {
    "treasure": ((1,), (4, 4, 3)),
    "space": ((1, 2, 3, 4, 5), (9, 3, 1)),
    "fantasy": ((1, 2, 3), (9, 3, 2)),
    "secretagent": ((1,), (8, 8, 1)),
    "raiders": ((1,), (7, 4, 1)),
    "bribery": ((1,), (5, 5, 2)),
    "deerhunter": ((1, 2), (10, 6, 1)),
    "jailbreak": ((1, 3, 6), (7, 6, 1)),
    "basketball": ((1, 2), (7, 5, 2)),
    "hospital": ((1, 2), (11, 5, 3)),
}


def nested(steps):
    return [(s["action"], {who: nested(r) for who, r in s["because"].items()}) for s in steps]


def solved(folder, name, goal, limits, method, seconds):
    """One row: the plan's length, the nodes visited, CPU seconds, the checker's verdict."""
    file = folder / f"{name}.txt"
    planner = Planner(load_problem(file), goal, *limits)
    planner.solve(method, 1)  # compiled before the clock runs
    begun = time.process_time()

    def seen(nodes, score):
        if time.process_time() - begun > seconds:
            raise KeyboardInterrupt

    plan = planner.solve(method, MILLION, seed=1, progress=seen)
    spent = time.process_time() - begun
    verdict = plan.stopped
    if plan.solved:
        try:
            Story(file.read_text()).check(nested(as_data(plan)["plan"]), goal, *limits)
            verdict = "accepted"
        except Refused as refused:
            verdict = f"refused: {refused}"
    return [name, goal, method, plan.solved, len(plan.steps), plan.nodes, f"{spent:.2f}", verdict]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--method", default=DEFAULT_METHOD)
    parser.add_argument("--seconds", type=float, default=300.0, help="CPU time of each goal")
    parser.add_argument("--only", nargs="*", default=list(PAIRS))
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    rows = []
    for name in asked.only:
        goals, limits = PAIRS[name]
        for goal in goals:
            row = solved(asked.folder, name, goal, limits, asked.method, asked.seconds)
            print(*row, flush=True)
            rows.append(row)
    print(f"{sum(r[3] for r in rows)} of {len(rows)} solved")
    if asked.out is not None:
        head = ["problem", "goal", "method", "solved", "length", "nodes", "cpu_s", "checker"]
        with asked.out.open("w", newline="") as file:
            csv.writer(file).writerows([head, *rows])


if __name__ == "__main__":
    main()
