"""What is in a library or a set-up, what looks wrong in it, and a set-up written by asking."""

import re
from pathlib import Path
from typing import Any

from treewright.apps.stories.domain import Grounding
from treewright.apps.stories.grounding import compile_goals
from treewright.apps.stories.library import Library, find_source
from treewright.apps.stories.model import Attribute
from treewright.apps.stories.planning.checking import checked_problem
from treewright.apps.stories.planning.problem import load_problem
from treewright.apps.stories.planning.shipped import problem_names
from treewright.apps.stories.reach import impossible
from treewright.apps.stories.setup import Setup, read_setup
from treewright.apps.stories.source import Source, StoryError


def check_file(name: str) -> dict[str, Any]:
    """Facts and notes about a file; a library is told by its actions."""
    if name.endswith(".txt") or name in problem_names():
        return checked_problem(load_problem(name))
    source = _either(name)
    beside = Path(name).parent if name.endswith(".toml") else None
    if "action" in source.data or "attributes" in source.data:
        library = Library([source])
        # what comes with Treewright offers more to set-ups than it uses itself
        notes = unused(library) if name.endswith(".toml") else []
        return {"what": "a library", "facts": _library_facts(library), "notes": notes}
    setup = read_setup(source, beside)
    found = impossible(setup)
    return {
        "what": f"a set-up for {setup.library.name}",
        "facts": _setup_facts(setup),
        "notes": [found] if found else [],
    }


def _either(name: str) -> Source:
    try:
        return find_source(name, "setups")
    except StoryError:
        if name.endswith(".toml"):
            raise
        try:
            return find_source(name, "libraries")
        except StoryError:
            raise StoryError(f"there is no set-up, library or problem {name!r}") from None


def _library_facts(library: Library) -> dict[str, Any]:
    return {
        "types": ", ".join(library.known.types),
        "attributes": len(library.known.attributes),
        "macros": len(library.known.macros),
        "actions": len(library.actions),
        "goal phrases": len(library.phrases),
    }


def _setup_facts(setup: Setup) -> dict[str, Any]:
    sizes = {setup.library.known.types[k].plural: len(e) for k, e in setup.entities.items()}
    compile_goals(setup)
    return {
        **sizes,
        "ground actions": Grounding(setup).total,
        "goals": len(setup.goals),
        "conditions to keep": len(setup.keep),
        "longest story": setup.length,
    }


def unused(library: Library) -> list[str]:
    """Attributes that nothing reads, or that are read and never set."""
    read: set[Attribute] = set()
    for action in library.actions:
        exprs = [action.precondition, *(r.condition for r in (*action.believe, *action.scale))]
        exprs += [c for c, _ in action.after]
        exprs += [other.condition for other in action.wording.instead]
        for change in (c for top in action.changes for c in top.walk()):
            exprs += [e for e in (change.condition, change.value) if e is not None]
            exprs += list(change.target.args) if change.target is not None else []
        read |= {e.value for x in exprs for e in x.walk() if e.op == "attribute"}
    phrases = " ".join(p.meaning for p in library.phrases)
    macros = " ".join(m.text for m in library.known.macros.values())
    notes = [
        f"{a} is read by no action"
        for a in library.known.attributes.values()
        if a not in read and not re.search(rf"\.{a.name}\b", phrases)
    ]
    texts = [t for s in library.sources for t in _strings(s.data)]
    for name in library.known.macros:
        if not any(re.search(rf"\b{name}\s*\(", t) for t in [*texts, macros]):
            notes.append(f"the macro {name} is used nowhere in the library")
    return notes


def _strings(data: Any) -> list[str]:
    if isinstance(data, str):
        return [data]
    values = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [s for v in values for s in _strings(v)]


SLOT = re.compile(r"\{(\w+)\s*:\s*(\w+)\}")  # of a goal's phrase: {A: actor}


def described(library: Library) -> dict[str, Any]:
    """Attributes, goal phrases and actions, for somebody who writes a set-up."""
    known = library.known
    attributes: dict[str, dict[str, str]] = {t.plural: {} for t in known.types.values()}
    for (owner, name), attribute in known.attributes.items():
        kind = {"int": f"{attribute.low} to {attribute.high}", "bool": "true or false"}.get(
            attribute.type.kind, attribute.type.name or attribute.type.kind
        )
        if attribute.type.kind == "enum":
            kind = " or ".join(known.enums[attribute.type.name])
        over = f" towards each {attribute.over}" if attribute.over else ""
        says = _says(library, owner, name)
        need = "; must be given" if attribute.required else ""
        attributes[known.types[owner].plural][name] = f"{kind}{over}{need}{says}"
    return {
        "attributes": attributes,
        "goals": [
            SLOT.sub(lambda m: m[1] if m[2] == "int" else f"<{m[2]}>", p.text)
            for p in library.phrases
        ],
        "actions": [
            f"{a.name}({', '.join(f'{n}: {k}' for n, k in a.params)})" for a in library.actions
        ],
    }


def _says(library: Library, owner: str, name: str) -> str:
    for source in reversed(library.sources):
        given = source.data.get("attributes", {}).get(owner, {}).get(name)
        if given and "says" in given:
            return f" ({given['says']})"
    return ""
