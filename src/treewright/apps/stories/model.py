"""What a library of actions is made of, once it has been checked."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from treewright.apps.stories.source import Source


@dataclass(frozen=True)
class Type:
    """``bool``, ``int``, ``number``, ``none``, an ``enum`` or an ``entity`` with its name."""

    kind: str
    name: str = ""

    def __str__(self) -> str:
        words = {"bool": "a condition", "int": "a whole number", "number": "a number"}
        if self.kind == "entity":
            return f"{'an' if self.name[0] in 'aeiou' else 'a'} {self.name}"
        return words.get(self.kind, self.name or self.kind)


BOOL, INT, NUMBER, NONE = Type("bool"), Type("int"), Type("number"), Type("none")


@dataclass(frozen=True)
class EntityType:
    """A kind of entity: ``noun`` says how it is told (person, thing or place)."""

    name: str
    plural: str
    noun: str


@dataclass(frozen=True)
class Attribute:
    """One value per entity, or per pair of entities if ``over`` names a second type.

    A ``fixed`` attribute is set by the set-up and never changes; it is no part of the state.
    """

    owner: str
    name: str
    type: Type
    over: str = ""
    low: int = 0
    high: int = 1
    default: Any = 0
    fixed: bool = False
    required: bool = False
    like: str = ""  # another attribute of the same entity, whose value is the default

    @property
    def empty(self) -> int:
        """What reading it through ``none`` gives."""
        if self.type.kind == "entity":
            return -1
        return min(max(0, self.low), self.high) if self.type.kind == "int" else 0

    def __hash__(self) -> int:
        """Of its name only: values are looked up by it all the time."""
        return hash((self.owner, self.name))

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}" + (f"[{self.over}]" if self.over else "")


@dataclass(frozen=True)
class Expr:
    """A checked expression, macros expanded; equal expressions are equal values.

    op: const var attribute not and or == != < <= > >= + - * any all count first times when
    """

    op: str
    type: Type
    args: tuple["Expr", ...] = ()
    value: Any = 0  # of a const; the name of a var; the Attribute; the Event
    over: str = ""  # the type that a quantifier runs over; ``value`` is its variable

    def walk(self) -> "Iterator[Expr]":
        yield self
        for part in self.args:
            yield from part.walk()

    @property
    def variables(self) -> frozenset[str]:
        """Free variables."""
        own = frozenset({self.value}) if self.op == "var" else frozenset()
        inner = frozenset().union(*(a.variables for a in self.args)) if self.args else own
        return inner - {self.value} if self.over else own | inner


TRUE = Expr("const", BOOL, value=1)


@dataclass(frozen=True)
class Change:
    """A checked effect: ``set`` (target, sign, value), ``if`` (condition), ``for`` (variable)."""

    kind: str
    target: Expr | None = None
    sign: str = "="
    value: Expr | None = None
    condition: Expr = TRUE
    variable: str = ""
    over: str = ""
    body: tuple["Change", ...] = ()

    def walk(self) -> "Iterator[Change]":
        yield self
        for part in self.body:
            yield from part.walk()


@dataclass(frozen=True)
class Rule:
    """``if condition: believability is (or is multiplied by) value``; ``text`` as written."""

    condition: Expr
    value: float
    text: str


@dataclass(frozen=True)
class Instead:
    """Other sentences for an action where a condition holds just before it."""

    condition: Expr
    texts: tuple[str, ...]
    speech: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wording:
    """How else an action can be told."""

    noun: str = ""  # what it is called when it is the cause of something: the theft of the vase
    why: tuple[str, ...] = ()  # what joins it to its cause: to get even for
    speech: tuple[str, ...] = ()  # what is said
    told: dict[str, tuple[str, ...]] = field(default_factory=dict)  # its sentences in a style
    aim: str = ""  # what it is when somebody has it in mind: to steal the vase
    instead: tuple[Instead, ...] = ()  # the first whose condition holds is told


@dataclass(frozen=True)
class Action:
    """A kind of action; ``params`` are (name, type) and the variables p0, p1 … inside."""

    name: str
    params: tuple[tuple[str, str], ...]
    precondition: Expr
    changes: tuple[Change, ...]
    believe: tuple[Rule, ...]
    scale: tuple[Rule, ...]
    texts: tuple[str, ...]
    after: tuple[tuple[Expr, tuple[str, ...]], ...] = ()
    where: bool = False  # its sentence ends with a place, so that "where he …" may follow
    wording: Wording = Wording()
    consents: tuple[int, ...] = ()  # the parameters who must have a reason, where there are motives
    sees: Expr | None = None  # who sees it besides them (x), unless the library's rule holds

    @property
    def variables(self) -> dict[str, Expr]:
        return {
            name: Expr("var", Type("entity", kind), value=f"p{i}")
            for i, (name, kind) in enumerate(self.params)
        }


@dataclass(frozen=True)
class Event:
    """A pattern over ground actions: an action's name and entity numbers, -1 for any."""

    action: str
    args: tuple[int, ...]


@dataclass(frozen=True)
class Phrase:
    """A goal in plain words: ``at least {N} dead``."""

    text: str
    slots: dict[str, str]  # slot name -> entity type or "number"
    meaning: str  # expression text
    towards: str  # an expression that is met in part on the way there, or nothing
    place: tuple[Source, tuple[str | int, ...]] = field(compare=False, hash=False, default=None)  # type: ignore[assignment]


@dataclass(frozen=True)
class Requirement:
    """What must hold for every entity of a type at the start of a story."""

    over: str
    variable: str
    condition: Expr
    message: str
