"""A set-up file: who, what and where, how it begins, what shall happen.  No actions."""

import functools
import itertools
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treewright.apps.stories import checker, language
from treewright.apps.stories.checker import Vocabulary
from treewright.apps.stories.language import LanguageError
from treewright.apps.stories.layout import LONGEST, SIZES, Layout
from treewright.apps.stories.library import (
    Library,
    expecting,
    find_source,
    load_library,
    read_value,
)
from treewright.apps.stories.model import BOOL, INT, Attribute, Event, Expr, Phrase, Type
from treewright.apps.stories.source import Source, StoryError
from treewright.apps.stories.styles import PLAIN
from treewright.apps.stories.tension import Wish, read_wish
from treewright.apps.stories.wishes import Minds, read_minds
from treewright.apps.stories.world import World
from treewright.errors import nearest

if TYPE_CHECKING:
    from treewright.apps.stories.planning.mind import Mind

KEYS = {
    "title", "library", "length", "enough", "goals", "keep", "tuning", "believability",
    "forbid", "require", "order", "prefix", "traits", "style", "motives",
    "tension",
}  # fmt: skip
PRONOUNS = {
    "she": ("she", "her", "her", "herself"),
    "he": ("he", "him", "his", "himself"),
    "they": ("they", "them", "their", "themselves"),
    "it": ("it", "it", "its", "itself"),
}
_TOLD = {
    "person": {"name", "pronoun", "traits"},
    "thing": {"name", "article"},
    "place": {"name", "to", "at", "from"},
}


@dataclass(frozen=True)
class Entity:
    """One actor, item or place; ``told`` holds how to name it."""

    id: str
    type: str
    number: int
    name: str
    told: dict[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Goal:
    """What counts ``weight`` towards the share of goals; ``of``: graded, value / of."""

    text: str
    expr: Expr
    weight: float = 1.0
    of: int = 0
    towards: Expr | None = None  # what is met in part on the way there; only a search looks at it


@dataclass
class Steering:
    """What the user asks for beyond the goals."""

    factors: dict[str, float] = field(default_factory=dict)  # action -> factor
    fixed: dict[str, float] = field(default_factory=dict)  # action -> believability
    traits: dict[int, dict[str, float]] = field(default_factory=dict)  # person -> action -> factor
    forbidden: list[Event] = field(default_factory=list)
    prefix: list[Event] = field(default_factory=list)


class Setup:
    """A checked set-up with the start of the story as numbers."""

    def __init__(self, source: Source, library: Library) -> None:
        self.source = source
        self.library = library
        plurals = library.known.plurals
        for key in source.data:
            if key not in KEYS | plurals.keys():
                known = KEYS | plurals.keys()
                raise source.error(f"{key!r} is unknown here{nearest(key, known)}", key)
        self.title = str(source.data.get("title", Path(source.name).stem))
        self.style = str(source.data.get("style", PLAIN))
        if self.style not in library.styles:
            others = nearest(self.style, library.styles)
            raise source.error(f"there is no style {self.style!r}{others}", "style")
        self.length = self._whole("length", 20, 1, LONGEST)
        self.enough = self._share("enough", 1.0)
        self.entities: dict[str, list[Entity]] = {t: [] for t in library.known.types}
        self.known = Vocabulary(**{**vars(library.known), "entities": {}})
        self.known.actions = {a.name: a.params for a in library.actions}
        for plural, kind in plurals.items():
            self._read_entities(plural, kind)
        for kind, listed in self.entities.items():
            if not listed:
                plural = library.known.types[kind].plural
                raise source.error(f"the story has no {plural}: write a section [{plural}]")
        self.layout = Layout(library, {k: len(e) for k, e in self.entities.items()})
        self.steering = Steering()
        self.values: dict[tuple[Attribute, int, int], Any] = {}
        self.minds: Minds | None = None
        self.wish: Wish | None = None
        self._read_attributes()
        self._check_start()
        self.goals = self._goals("goals")
        self.keep = self._goals("keep")
        if not self.goals:
            raise source.error('a story needs goals, such as goals = ["at least 1 dead"]')
        self._read_steering()
        self.minds = read_minds(self)
        self.wish = read_wish(self)
        self.engine: Literal["compiled", "python"] = "compiled"  # of what people think

    @functools.cached_property
    def mind(self) -> "Mind":
        """What people want and believe, where they have motives."""
        from treewright.apps.stories.planning.mind import Mind

        return Mind(self)

    @functools.cached_property
    def counted(self) -> tuple[Event, ...]:
        """The events that goals speak of: how often they happen, and when."""
        goals = [*self.goals, *self.keep]
        parts = (e for goal in goals for e in goal.expr.walk())
        return tuple(dict.fromkeys(e.value for e in parts if e.op in ("times", "when")))

    def __getstate__(self) -> dict[str, Any]:
        """What people think is compiled, and does not travel to other processes."""
        return {name: value for name, value in vars(self).items() if name != "mind"}

    @property
    def people(self) -> list[Entity]:
        nouns = {t.name: t.noun for t in self.library.known.types.values()}
        return [e for k, listed in self.entities.items() for e in listed if nouns[k] == "person"]

    def entity(self, kind: str, number: int) -> Entity:
        return self.entities[kind][number]

    # --------------------------------------------------------------------------- entities

    def _read_entities(self, plural: str, kind: str) -> None:
        source = self.source
        section = source.data.get(plural, {})
        if not isinstance(section, dict):
            raise source.error(f"write [{plural}] and below it one line for each", plural)
        if len(section) > SIZES[-1]:
            raise source.error(f"at most {SIZES[-1]} {plural}, not {len(section)}", plural)
        for key, given in section.items():
            where = (plural, key)
            if (
                not re.fullmatch(r"[^\W\d]\w*", key)
                or key in language.KEYWORDS | language.QUANTIFIERS
            ):
                raise source.error(f"{key!r} can't be an id: use letters, digits and _", *where)
            if key in KEYS and not isinstance(given, dict):
                raise source.error(f"{key} must stand above the first [section]", *where)
            if not isinstance(given, dict):
                raise source.error(f"write {key} = {{ … }}", *where)
            if key in self.known.entities:
                other = self.known.entities[key].type.name
                line = source.line(self.library.known.types[other].plural, key)
                raise source.error(f"{key!r} is there already: the {other} on line {line}", *where)
            if key == "_":
                raise source.error("'_' stands for anything; choose another id", *where)
            number = len(self.entities[kind])
            self.known.entities[key] = Expr("const", Type("entity", kind), value=number)
            self.entities[kind].append(self._entity(plural, key, kind, number, given))

    def _entity(
        self, plural: str, key: str, kind: str, number: int, given: dict[str, Any]
    ) -> Entity:
        source = self.source
        noun = self.library.known.types[kind].noun
        own = [n for k, n in self.library.known.attributes if k == kind]
        told: dict[str, str] = {}
        for name, value in given.items():
            if name in own or name == "traits":
                continue
            if name not in _TOLD[noun]:
                known = [*own, *_TOLD[noun]]
                raise source.error(f"{name!r} is unknown{nearest(name, known)}", plural, key, name)
            if not isinstance(value, str):
                raise source.error(f"{name} is a text, not {value!r}", plural, key, name)
            told[name] = value
        if told.get("pronoun", "they") not in PRONOUNS:
            raise source.error(
                f"a pronoun is {', '.join(PRONOUNS)}; not {told['pronoun']!r}",
                plural,
                key,
                "pronoun",
            )
        shown = told.pop("name", key.replace("_", " "))
        if not shown.strip() or "\n" in shown:
            raise source.error("a name is one line of text", plural, key, "name")
        same = [e for e in self.entities[kind] if e.name.casefold() == shown.casefold()]
        if same:
            raise source.error(f"{same[0].id} has the same name, {shown!r}", plural, key, "name")
        return Entity(key, kind, number, shown, told)

    def _read_attributes(self) -> None:
        known = self.library.known
        for kind, listed in self.entities.items():
            plural = known.types[kind].plural
            own = [a for (k, _), a in known.attributes.items() if k == kind]
            for entity in listed:
                given = self.source.data[plural][entity.id]
                for attribute in sorted(own, key=lambda a: bool(a.like)):
                    self._read_attribute(attribute, entity, given, plural)
                self._read_traits(entity, given, plural)

    def _read_attribute(
        self, attribute: Attribute, entity: Entity, given: dict[str, Any], plural: str
    ) -> None:
        where = (plural, entity.id, attribute.name)
        if attribute.over:
            for other in self.entities[attribute.over]:
                self.values[attribute, entity.number, other.number] = attribute.default
            for name, value in self._relation(attribute, given.get(attribute.name, {}), *where):
                self.values[attribute, entity.number, name] = value
            return
        default = attribute.default
        if attribute.like:
            same = self.library.known.attributes[attribute.owner, attribute.like]
            default = self.values[same, entity.number, 0]
        elif attribute.required and attribute.name not in given:
            raise self.source.error(f"{entity.id} needs {attribute.name}", plural, entity.id)
        value = default
        if attribute.name in given:
            value = read_value(self.source, attribute, given[attribute.name], self.known, *where)
        self.values[attribute, entity.number, 0] = value

    def _relation(
        self, attribute: Attribute, given: Any, *where: str | int
    ) -> list[tuple[int, Any]]:
        """``{ Alice = 2 }``, or a list of ids for what is true or false."""
        if isinstance(given, list) and attribute.type == BOOL:
            given = {str(name): True for name in given}
        if not isinstance(given, dict):
            raise self.source.error(f"{attribute} is written {{ Alice = … }}", *where)
        index = Attribute("", attribute.name, Type("entity", attribute.over))
        return [
            (
                read_value(self.source, index, name, self.known, *where, name),
                read_value(self.source, attribute, value, self.known, *where, name),
            )
            for name, value in given.items()
        ]

    def _check_start(self) -> None:
        """The library's requirements, for every entity at the start."""
        world = World.start(self)
        for rule in self.library.requirements:
            for entity in self.entities[rule.over]:
                if not world.value(rule.condition, {rule.variable: entity.number}):
                    plural = self.library.known.types[rule.over].plural
                    raise self.source.error(f"{entity.id}: {rule.message}", plural, entity.id)

    # ------------------------------------------------------------------------------ goals

    def _goals(self, key: str) -> list[Goal]:
        given = self.source.data.get(key, [])
        if isinstance(given, (str, dict)):
            given = [given]
        if not isinstance(given, list):
            raise self.source.error(f"{key} is a list of goals", key)
        return [self._goal(goal, key, i) for i, goal in enumerate(given)]

    def _goal(self, given: Any, *where: str | int) -> Goal:
        weight, of = 1.0, 0
        if isinstance(given, dict):
            for name in given:
                if name not in ("want", "weight", "of"):
                    raise self.source.error(
                        f"a goal has want, weight and of; not {name!r}", *where, name
                    )
            weight, of = given.get("weight", 1.0), given.get("of", 0)
            if (
                isinstance(weight, bool)
                or not isinstance(weight, (int, float))
                or not 0 < weight < 1e6
            ):
                raise self.source.error(f"a weight is above 0, not {weight!r}", *where, "weight")
            if isinstance(of, bool) or not isinstance(of, int) or of < 0:
                raise self.source.error(f"of is a whole number, not {of!r}", *where, "of")
            given = given.get("want")
        if not isinstance(given, str):
            raise self.source.error(f"a goal is a text, not {given!r}", *where)
        expr, towards = self._meaning(given, *where)
        wanted = INT if of else BOOL
        if expr.type != wanted:
            raise self.source.error(
                f"the goal {given!r} is {expr.type}; expected {wanted}"
                + ("" if of else "; of = 3 would count value / 3"),
                *where,
            )
        return Goal(given, expr, float(weight), of, towards)

    def _meaning(self, text: str, *where: str | int) -> tuple[Expr, Expr | None]:
        """One of the library's phrases, or an expression."""
        refused: StoryError | None = None
        for phrase in sorted(self.library.phrases, key=lambda p: len(p.slots)):
            try:
                found = self._phrase(phrase, text, *where)
            except StoryError as error:
                refused = refused or error
                continue
            if found is not None:
                return found
        if refused is not None:
            raise refused
        try:
            tree = language.expression(text)
        except LanguageError:
            if re.search(r"[=<>()]|\.\w", text):
                with expecting(self.source, text, *where):
                    language.expression(text)
            phrases = [re.sub(r"\{(\w+).*?\}", r"\1", p.text) for p in self.library.phrases]
            raise self.source.error(
                f"the goal {text!r} is neither an expression nor one of the phrases: "
                + "; ".join(phrases),
                *where,
            ) from None
        with expecting(self.source, text, *where):
            return checker.Checker(self.known).check(tree, {}), None

    def _phrase(
        self, phrase: Phrase, text: str, *where: str | int
    ) -> tuple[Expr, Expr | None] | None:
        pattern = re.escape(phrase.text)
        for name in phrase.slots:
            pattern = re.sub(r"\\\{" + name + r"\b.*?\\\}", f"(?P<{name}>.+?)", pattern)
        pattern = r"\s*" + pattern.replace(r"\ ", r"\s+") + r"\s*\.?\s*"
        match = re.fullmatch(pattern, text, re.I)
        if match is None:
            return None
        scope: dict[str, Expr] = {}
        for name, kind in phrase.slots.items():
            given = match[name].strip()
            if kind == "int":
                if not given.isdigit():
                    return None
                scope[name] = Expr("const", INT, value=int(given))
                continue
            entity = self._named(given, kind)
            if entity is None:
                ids = [e.id for e in self.entities[kind]]
                raise self.source.error(
                    f"in the goal {text!r} there is no {kind} {given!r}{nearest(given, ids)}",
                    *where,
                )
            scope[name] = Expr("const", Type("entity", kind), value=entity.number)
        words = Vocabulary(**{**vars(self.known), "entities": {}})
        source, place = phrase.place
        with expecting(source, phrase.meaning, *place):
            found = checker.Checker(words).check(language.expression(phrase.meaning), scope)
        if not phrase.towards:
            return found, None
        with expecting(source, phrase.towards, *place, "towards"):
            return found, checker.condition(phrase.towards, words, scope)

    def _named(self, given: str, kind: str) -> Entity | None:
        """By id or by name."""
        for entity in self.entities[kind]:
            if given.casefold() in (entity.id.casefold(), entity.name.casefold()):
                return entity
        return None

    # --------------------------------------------------------------------------- steering

    def _read_steering(self) -> None:
        data, steering = self.source.data, self.steering
        steering.factors = self._sliders(data.get("tuning", {}), 100.0, "tuning")
        steering.fixed = self._sliders(data.get("believability", {}), 1.0, "believability")
        people = {p.id: p for p in self.people}
        traits = data.get("traits", {})
        if not isinstance(traits, dict):
            raise self.source.error("write [traits] and below it Bob = { Steal = 0.2 }", "traits")
        for name, given in traits.items():
            if name not in people:
                raise self.source.error(
                    f"there is no person {name!r}{nearest(name, people)}", "traits", name
                )
            own = steering.traits.setdefault(people[name].number, {})
            own |= self._sliders(given, 100.0, "traits", name)
        for i, text in enumerate(self._list("forbid")):
            steering.forbidden.append(self.event(text, "forbid", i))
        for i, text in enumerate(self._list("prefix")):
            steering.prefix.append(self.ground(text, "prefix", i))
        for i, text in enumerate(self._list("require")):
            self._must(f"happens({text})", "require", i)
        for i, pair in enumerate(self._list("order")):
            if not isinstance(pair, list) or len(pair) < 2:
                raise self.source.error('order is a list such as [["Steal", "Kill"]]', "order", i)
            for action in pair:  # what is wrong with one is said of it alone
                self.event(action, "order", i)
            for first, then in itertools.pairwise(pair):
                self._must(f"before({first}, {then})", "order", i)

    def _must(self, text: str, *where: str | int) -> None:
        with expecting(self.source, text, *where):
            found = checker.condition(text, self.known, {})
        self.goals.append(Goal(text, found))

    def _sliders(self, given: Any, most: float, *where: str | int) -> dict[str, float]:
        """Numbers by the name of an action."""
        if not isinstance(given, dict):
            raise self.source.error(f"write [{where[0]}] and below it Kill = 0.5", *where)
        for name, value in given.items():
            if name not in self.known.actions:
                raise self.source.error(
                    f"there is no action {name!r}{nearest(name, self.known.actions)}", *where, name
                )
            if (
                isinstance(value, bool)
                or not isinstance(value, (int, float))
                or not 0 <= value <= most
            ):
                raise self.source.error(
                    f"{name} = {value!r}: expected a number from 0 to {most:g}", *where, name
                )
        return {k: float(v) for k, v in given.items()}

    def _read_traits(self, entity: Entity, given: dict[str, Any], plural: str) -> None:
        if "traits" in given:
            if self.library.known.types[entity.type].noun != "person":
                raise self.source.error("only people have traits", plural, entity.id, "traits")
            found = self._sliders(given["traits"], 100.0, plural, entity.id, "traits")
            self.steering.traits[entity.number] = found

    def _list(self, key: str) -> list[Any]:
        given = self.source.data.get(key, [])
        if not isinstance(given, list) or any(not isinstance(g, (str, list)) for g in given):
            raise self.source.error(f'{key} is a list of actions such as ["Kill(Bob, _, _)"]', key)
        return given

    def event(self, text: Any, *where: str | int) -> Event:
        """``Kill`` or ``Kill(Bob, _, rifle)``."""
        with expecting(self.source, str(text), *where):
            return checker.Checker(self.known).event(language.expression(str(text)), {})

    def ground(self, text: str, *where: str | int) -> Event:
        """An action with all its entities named."""
        found = self.event(text, *where)
        if -1 in found.args:
            raise self.source.error(f"{text!r} must name every entity", *where)
        return found

    def _whole(self, key: str, default: int, low: int, high: int) -> int:
        value = self.source.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.source.error(
                f"{key} is a whole number from {low} to {high}, not {value!r}", key
            )
        return value

    def _share(self, key: str, default: float) -> float:
        value = self.source.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1:
            raise self.source.error(f"{key} is above 0 and at most 1, not {value!r}", key)
        return float(value)


def load_setup(name: str, changes: dict[str, Any] | None = None) -> Setup:
    """A set-up that comes with Treewright, by name, or a file that ends in ``.toml``."""
    source = find_source(name, "setups")
    return read_setup(source, Path(name).parent if name.endswith(".toml") else None, changes)


def read_setup(
    source: Source, beside: Path | None = None, changes: dict[str, Any] | None = None
) -> Setup:
    """A set-up from a source; ``changes`` replace top-level keys (the command line's steering).

    What is None there is taken out.
    """
    for key, value in (changes or {}).items():
        if value is None:
            source.data.pop(key, None)
        else:
            source.change(key, value)
    names = source.data.get("library", "crime")
    if not isinstance(names, str) and not (
        isinstance(names, list) and names and all(isinstance(n, str) for n in names)
    ):
        raise source.error("library is a name, a file or a list of them", "library")
    try:
        library = load_library(names, beside)
    except StoryError as error:
        if str(error).startswith("there is no library") or "can't be read" in str(error):
            raise source.error(str(error), "library") from None
        raise
    return Setup(source, library)
