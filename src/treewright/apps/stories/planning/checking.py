"""A planning problem without a search: what is in it, and what looks wrong."""

from typing import Any

from treewright.apps.stories.planning.planner import Planner
from treewright.apps.stories.planning.problem import Problem

_FAR = 30_000  # a goal that no start has reached


def checked_problem(problem: Problem) -> dict[str, Any]:
    """Facts and notes; triggers that set each other off without end at the start are refused."""
    Planner(problem, _FAR, 1, 1, 1, "python")
    names = [problem.entities[c] for c in problem.characters]
    notes = [
        f"{name} wants nothing: nothing that happens changes their utility"
        for name, utility in zip(names, problem.utilities, strict=False)
        if isinstance(utility, int)
    ]
    if isinstance(problem.utilities[-1], int):
        notes.append("nothing that happens changes the author's utility")
    return {
        "what": "a planning problem",
        "facts": {
            "characters": ", ".join(names),
            "entities": len(problem.entities),
            "properties that change": len(problem.fluents),
            "ground actions": len(problem.actions),
            "ground triggers": len(problem.triggers),
        },
        "notes": notes,
    }
