"""What is in a library or a set-up, what looks wrong in it, and a set-up written by asking."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from treewright.apps.stories.domain import Grounding
from treewright.apps.stories.grounding import compile_goals
from treewright.apps.stories.library import Library, built_in_names, find_source, load_library
from treewright.apps.stories.model import Attribute
from treewright.apps.stories.reach import impossible
from treewright.apps.stories.setup import Setup, read_setup
from treewright.apps.stories.source import Source, StoryError


def check_file(name: str) -> dict[str, Any]:
    """Facts and notes about a file; a library is told by its actions."""
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
            raise StoryError(f"there is no set-up and no library {name!r}") from None


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


_SLOT = re.compile(r"\{(\w+)\s*:\s*(\w+)\}")  # of a goal's phrase: {A: actor}


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
            _SLOT.sub(lambda m: m[1] if m[2] == "int" else f"<{m[2]}>", p.text)
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


# ------------------------------------------------------------------------------------ asking

Ask = Callable[[str, str], str]


def ask(library_name: str, prompt: Ask) -> str:
    """Questions and answers that become a set-up; the answer to each is one line."""
    library = load_library(library_name)
    lines = [
        f'title = "{_quoted(prompt("Title", "A new story"))}"',
        f'library = "{library_name}"',
    ]
    sections: list[str] = []
    ids: dict[str, list[str]] = {}
    shipped = _shipped(library_name)
    order = sorted(
        library.known.types.values(), key=lambda t: ("place", "person", "thing").index(t.noun)
    )
    for kind in order:
        answer = prompt(f"Names of the {kind.plural}, with commas", _EXAMPLES[kind.noun])
        names = [n.strip() for n in answer.split(",") if n.strip()]
        ids[kind.name] = [_identifier(n) for n in names]
        sections.append(f"\n[{kind.plural}]")
        for key, name in zip(ids[kind.name], names, strict=True):
            parts = [f'name = "{_quoted(name)}"'] if name != key else []
            parts += _placed(library, kind.name, name, ids, shipped.get(name, {}), prompt)
            sections.append(f"{key} = {{ {', '.join(parts)} }}" if parts else f"{key} = {{}}")
    phrases = described(library)["goals"]
    goals: list[str] = []
    while True:
        hint = "; ".join(phrases[:4])
        answer = prompt(
            f"A goal, such as: {hint} (empty: no more)",
            "" if goals else _filled(library.phrases[0].text, ids),
        )
        if not answer.strip():
            break
        goals.append(answer.strip())
    lines.append("goals = [" + ", ".join(f'"{_quoted(g)}"' for g in goals) + "]")
    text = "\n".join([*lines, *sections]) + "\n"
    read_setup(Source(text, "the new set-up"))
    return text


_EXAMPLES = {
    "person": "Alice, Bob, Charlie",
    "place": "house, market, jail",
    "thing": "vase, knife",
}


def _shipped(library_name: str) -> dict[str, dict[str, Any]]:
    """What entities are in the set-ups that come with Treewright: a knife is a weapon there."""
    found: dict[str, dict[str, Any]] = {}
    for setup in built_in_names("setups"):
        data = find_source(setup, "setups").data
        if data.get("library", "crime") == library_name:
            for section in (v for v in data.values() if isinstance(v, dict)):
                found.update({k: v for k, v in section.items() if isinstance(v, dict)})
    return found


def _filled(phrase: str, ids: dict[str, list[str]]) -> str:
    """A goal's phrase about the first ones, and the number 1."""
    left = {kind: iter(keys) for kind, keys in ids.items()}
    return _SLOT.sub(lambda m: next(left.get(m[2], iter(())), "1"), phrase)


def _placed(
    library: Library,
    kind: str,
    name: str,
    ids: dict[str, list[str]],
    usual: dict[str, Any],
    prompt: Ask,
) -> list[str]:
    """Ask for the attributes that say where somebody or something is, and for chosen words."""
    parts = []
    noun = library.known.types[kind].noun
    for (owner, attribute_name), attribute in library.known.attributes.items():
        if owner != kind or attribute.over:
            continue
        place = (
            attribute.type.kind == "entity"
            and library.known.types[attribute.type.name].noun == "place"
        )
        where = place and not attribute.fixed and (attribute.required or noun == "thing")
        if where and ids.get(attribute.type.name):
            known = ids[attribute.type.name]
            answer = prompt(f"Where is {name} ({', '.join(known)})", known[0])
            parts.append(f'{attribute_name} = "{_identifier(answer)}"')
        elif attribute.type.kind == "enum" and attribute.fixed:
            words = library.known.enums[attribute.type.name]
            default = usual.get(attribute_name, name if name in words else words[0])
            answer = prompt(f"{attribute_name} of {name} ({', '.join(words)})", default)
            if answer.strip() != words[0]:
                parts.append(f'{attribute_name} = "{_quoted(answer.strip())}"')
        elif attribute.type.kind == "number":
            default = str(usual.get(attribute_name, attribute.default))
            answer = prompt(f"{attribute_name} of {name} (0 to 1)", default)
            parts.append(f"{attribute_name} = {_float(answer)}")
    return parts


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise StoryError(f"{text!r} is no number") from None


def _identifier(name: str) -> str:
    found = re.sub(r"\W+", "_", name.strip()).strip("_") or "x"
    return found if not found[0].isdigit() else f"n{found}"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
