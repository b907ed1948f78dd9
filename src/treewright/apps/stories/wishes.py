"""What people want and see: the words of a library, and those of a set-up that makes use of them.

A library's ``[motives]`` gives every person of a type a number to raise and says who sees what
others do; ``[[notices]]`` says which facts a person sees without anybody doing anything.  The
``[motives]`` of a set-up turn that on: how deep people think, how far they plan, what they want
and believe.
"""

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treewright.apps.stories import checker, language
from treewright.apps.stories.model import BOOL, INT, Attribute, Change, Expr, Type
from treewright.apps.stories.source import Source
from treewright.errors import nearest

if TYPE_CHECKING:
    from treewright.apps.stories.library import Library
    from treewright.apps.stories.setup import Setup

MOST_PEOPLE = 12
_LIBRARY_KEYS = {"people", "wants", "sees", "partly", "unexplained"}
_NOTICE_KEYS = {"for", "if", "what"}
_SETUP_KEYS = {"layers", "ahead", "hard", "wants", "beliefs"}


@dataclass(frozen=True)
class Notice:
    """What a person (x) sees of every entity (y) of a type while a condition holds."""

    over: str
    condition: Expr
    attributes: tuple[Attribute, ...]


@dataclass(frozen=True)
class Motives:
    """A library's words: people of a type want a number (of x), and see (x) what others (y) do."""

    names: tuple[str, str]
    kind: str
    wants: Expr
    sees: Expr
    partly: float  # the factor of an action that some who consent to it have no reason for
    unexplained: float  # and of one that nobody has a reason for
    notices: tuple[Notice, ...] = ()

    def scope(self, kind: str | None = None) -> dict[str, Expr]:
        """The two names, the second one of another type where facts are meant."""
        kinds = (self.kind, kind or self.kind)
        pairs = zip(self.names, kinds, "xy", strict=True)
        return {n: Expr("var", Type("entity", k), value=v) for n, k, v in pairs}


@dataclass(frozen=True)
class Minds:
    """A set-up's choice; numbers stand for people of the library's type."""

    layers: int = 1
    ahead: int = 3
    hard: bool = False
    wants: dict[int, Expr] = field(default_factory=dict)
    beliefs: dict[tuple[int, ...], tuple[Change, ...]] = field(default_factory=dict)


# ---------------------------------------------------------------------------------- libraries


def read_motives(library: "Library") -> Motives | None:
    """The words of the last source that has them; None where no source does."""
    found = None
    for source in library.sources:
        if "motives" in source.data:
            found = _motives(source, library)
    for source in library.sources:
        if found is None and "notices" in source.data:
            raise source.error("[[notices]] needs a [motives] that says who has beliefs", "notices")
    if found is None:
        return None
    notices = [n for s in library.sources for n in _notices(s, library, found)]
    return Motives(**{**vars(found), "notices": tuple(notices)})


def _motives(source: Source, library: "Library") -> Motives:
    from treewright.apps.stories.library import expecting

    given = source.data["motives"]
    if not isinstance(given, dict):
        raise source.error("write [motives] with people, wants and sees", "motives")
    _known(source, given, _LIBRARY_KEYS, "motives")
    with expecting(source, str(given.get("people")), "motives", "people"):
        people = checker.read_params(given.get("people"), library.known, plain=False)
    if len(people) != 2 or people[0][1] != people[1][1]:
        raise source.error(
            'people names two of one type: ["X: actor", "Y: actor"]', "motives", "people"
        )
    (first, kind), (second, _) = people
    if library.known.types[kind].noun != "person":
        raise source.error(f"{kind} is no person: it can want nothing", "motives", "people")
    blank = Motives((first, second), kind, Expr("const", INT), Expr("const", BOOL), 0.0, 0.0)
    scope = blank.scope()
    wants = _number(source, given.get("wants"), library.known, {first: scope[first]}, "motives")
    sees = blank.sees
    if "sees" in given:
        with expecting(source, str(given["sees"]), "motives", "sees"):
            sees = checker.condition(str(given["sees"]), library.known, scope)
    factors = {
        key: _factor(source, given.get(key, usual), key)
        for key, usual in (("partly", 0.5), ("unexplained", 0.1))
    }
    return Motives(**{**vars(blank), "wants": wants, "sees": sees, **factors})


def _notices(source: Source, library: "Library", motives: Motives) -> list[Notice]:
    from treewright.apps.stories.library import _tables, expecting

    found = []
    for i, given in enumerate(_tables(source, "notices")):
        where = ("notices", i)
        _known(source, given, _NOTICE_KEYS, *where)
        with expecting(source, str(given.get("for")), *where, "for"):
            ((name, kind),) = checker.read_params([given.get("for")], library.known, plain=False)
        if name == motives.names[0]:
            raise source.error(f"{name} is who sees it; use another name", *where, "for")
        x, y = motives.scope(kind).values()
        text = str(given.get("if", "true"))
        with expecting(source, text, *where, "if"):
            met = checker.condition(text, library.known, {motives.names[0]: x, name: y})
        what = given.get("what")
        if not isinstance(what, list) or not what:
            raise source.error(f'what is a list of attributes of {name}, ["place"]', *where)
        own = [n for k, n in library.known.attributes if k == kind]
        for j, attribute in enumerate(what):
            if attribute not in own:
                others = nearest(str(attribute), own)
                raise source.error(
                    f"a {kind} has no attribute {attribute!r}{others}", *where, "what", j
                )
            if library.known.attributes[kind, attribute].fixed:
                raise source.error(
                    f"everybody knows {attribute}, which never changes", *where, "what", j
                )
        seen = tuple(library.known.attributes[kind, attribute] for attribute in what)
        found.append(Notice(kind, met, seen))
    return found


def _factor(source: Source, value: Any, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise source.error(f"{key} lies between 0 and 1, not {value!r}", "motives", key)
    return float(value)


def _known(source: Source, given: dict[str, Any], known: set[str], *where: str | int) -> None:
    for key in given:
        if key not in known:
            raise source.error(f"{key!r} is unknown here{nearest(key, known)}", *where, key)


def _number(source: Source, text: Any, known: Any, scope: dict[str, Expr], *where: str) -> Expr:
    """What somebody wants: a whole number to raise, or a condition to bring about."""
    from treewright.apps.stories.library import expecting

    if not isinstance(text, str):
        raise source.error("wants is an expression: a number to raise", *where)
    with expecting(source, text, *where, "wants"):
        found = checker.Checker(known).check(language.expression(text), scope)
    if found.type not in (INT, BOOL):
        raise source.error(
            f"a want is a whole number or a condition, this is {found.type}", *where, "wants"
        )
    if any(part.op in ("times", "when") for part in found.walk()):
        raise source.error("a want can't ask which actions happened", *where, "wants")
    return found


# ------------------------------------------------------------------------------------ set-ups


def read_minds(setup: "Setup") -> Minds | None:
    """What a set-up says of motives; None if it makes no use of them."""
    source = setup.source
    given = source.data.get("motives")
    if given is None:
        return None
    motives = setup.library.motives
    if motives is None:
        raise source.error(
            f"the library {setup.library.name} has no [motives]: nobody wants anything", "motives"
        )
    if not isinstance(given, dict):
        raise source.error("write [motives], and below it layers = 1", "motives")
    _known(source, given, _SETUP_KEYS, "motives")
    people = setup.entities[motives.kind]
    if len(people) > MOST_PEOPLE:
        raise source.error(
            f"with motives a story has at most {MOST_PEOPLE} people, not {len(people)}", "motives"
        )
    if not isinstance(given.get("hard", False), bool):
        raise source.error(f"hard is true or false, not {given['hard']!r}", "motives", "hard")
    return Minds(
        _whole(source, given, "layers", 1, 1, 3),
        _whole(source, given, "ahead", 3, 1, 8),
        given.get("hard", False),
        {_person(setup, who, "wants"): e for who, e in _wants(setup, given.get("wants", {}))},
        dict(_beliefs(setup, given.get("beliefs", {}))),
    )


def _whole(source: Source, given: dict[str, Any], key: str, usual: int, low: int, high: int) -> int:
    value = given.get(key, usual)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise source.error(f"{key} is from {low} to {high}, not {value!r}", "motives", key)
    return value


def _person(setup: "Setup", name: str, key: str) -> int:
    motives = setup.library.motives
    assert motives is not None
    people = {e.id: e.number for e in setup.entities[motives.kind]}
    if name not in people:
        whose = "a want of nobody" if key == "wants" else "a belief of nobody"
        raise setup.source.error(
            f"{whose}: there is no {motives.kind} {name!r}{nearest(name, people)}",
            "motives", key, name,
        )  # fmt: skip
    return people[name]


def _wants(setup: "Setup", given: Any) -> list[tuple[str, Expr]]:
    if not isinstance(given, dict):
        raise setup.source.error('wants is written { Bob = "…" }', "motives", "wants")
    found = []
    for who, text in given.items():
        _person(setup, who, "wants")
        found.append((who, _number(setup.source, text, setup.known, {}, "motives", "wants", who)))
    return found


def _beliefs(setup: "Setup", given: Any) -> list[tuple[tuple[int, ...], tuple[Change, ...]]]:
    """``Bob = ["Alice.place = downtown"]``; ``"Bob, Alice"``: what Bob thinks that she believes."""
    from treewright.apps.stories.library import _strings, expecting

    if not isinstance(given, dict):
        raise setup.source.error('beliefs is written { Bob = ["…"] }', "motives", "beliefs")
    found = []
    for whose, texts in given.items():
        where = ("motives", "beliefs", whose)
        path = tuple(_person(setup, name.strip(), "beliefs") for name in whose.split(","))
        if any(a == b for a, b in itertools.pairwise(path)):
            raise setup.source.error("nobody has beliefs about their own beliefs", *where)
        changes: list[Change] = []
        for at, text in _strings(setup.source, texts, *where):
            with expecting(setup.source, text, *where, *at):
                changes += checker.changes(text, setup.known, {})
        found.append((path, tuple(changes)))
    return found
