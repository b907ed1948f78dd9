"""A plan as sentences: who does what, and what for.

A problem has no phrases of its own, so they are made of its names: an action's words are its verb,
its parameters' names and types say how each argument is put.
"""

import re

from treewright.apps.stories.planning.planner import Plan, Step
from treewright.apps.stories.planning.problem import Ground, Problem

_PREPOSITIONS = {"from": "from", "to": "to", "at": "at", "with": "with", "in": "in", "on": "on"}
_PLACES = ("place", "room", "location", "city", "town", "landform", "ship")
_TOOLS = ("weapon", "gun", "tool")
_SECOND = {  # what joins the second thing or person that a verb has
    "steal": "from", "take": "from", "buy": "from", "loot": "from", "borrow": "from", "get": "from",
    "give": "to", "sell": "to", "tell": "to", "send": "to", "show": "to", "hand": "to",
}  # fmt: skip
_NO_S = ("s", "sh", "ch", "x", "z", "o")


def told(plan: Plan) -> str:
    """The story, one sentence for each action, with the reasons of those who act."""
    return " ".join(_sentence(plan.problem, step) for step in plan.steps)


def _sentence(problem: Problem, step: Step) -> str:
    g = problem.actions[step.action]
    if not g.consenting:
        return f"It so happens: {words(g.name)}{_rest(problem, g, set())}."
    people = [problem.entities[problem.characters[c]] for c in g.consenting]
    sentence = f"{_listed(people)} {_verb(g.name, len(people))}{_rest(problem, g, set(people))}"
    aims: dict[str, list[int]] = {}
    for c, reason in step.reasons.items():
        if len(reason) > 1:
            aims.setdefault(_aim(problem, reason[-1]), []).append(c)
    if not aims:
        return f"{sentence}."
    parts = []
    for aim, who in aims.items():
        names = [problem.entities[problem.characters[c]] for c in who]
        everybody = len(aims) == 1 and len(who) == len(people)
        parts.append(f"so that {aim}" if everybody else f"{_listed(names)} so that {aim}")
    return f"{sentence}, {', '.join(parts)}."


def _aim(problem: Problem, last: Step) -> str:
    """What the last action of somebody's plan will be."""
    g = problem.actions[last.action]
    people = [problem.entities[problem.characters[c]] for c in g.consenting]
    return f"{_listed(people)} can {words(g.name)}{_rest(problem, g, set(people))}"


def _rest(problem: Problem, g: Ground, people: set[str]) -> str:
    """The arguments that are not the subject, each with its preposition."""
    found = ""
    left = set(people)
    objects = 0
    for (name, kind), argument in zip(problem.params(g.name), g.arguments, strict=True):
        if argument in left:
            left.discard(argument)
            continue
        shown = words(argument)
        if name in _PREPOSITIONS:
            found += f" {_PREPOSITIONS[name]} {shown}"
        elif kind in _PLACES or name in _PLACES:
            found += f" in {shown}"
        elif kind in _TOOLS or name in _TOOLS:
            found += f" with {shown}"
        else:
            joint = _SECOND.get(words(g.name).split()[0].lower()) if objects == 1 else None
            found += f" {shown}" if objects == 0 else f" {joint} {shown}" if joint else f", {shown}"
            objects += 1
    return found


def words(name: str) -> str:
    """``play_basketball`` and ``BasketballCourt`` as words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").strip()


def _verb(name: str, how_many: int) -> str:
    first, _, rest = words(name).partition(" ")
    if how_many == 1:
        if first.endswith("y") and first[-2:-1] not in "aeiou":
            first = f"{first[:-1]}ies"
        else:
            first += "es" if first.endswith(_NO_S) else "s"
    return f"{first} {rest}".strip()


def _listed(names: list[str]) -> str:
    shown = [words(n) for n in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
