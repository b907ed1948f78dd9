"""A checked problem: names resolved, actions and triggers ground, constants folded away.

Ground expressions are tuples.  Truth: ``True``, ``False``, ``("and", …)``, ``("or", …)``,
``("literal", path, fluent, sign, right)``, ``("compare", sign, left, right)``.  Values: a whole
number, ``("value", path, fluent)``, ``(sign, left, right)``, ``("truth", condition)`` and
``("choose", condition, then, otherwise)``.  A path is the characters of nested beliefs.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.apps.stories.planning.shipped import problem_names, problem_text
from treewright.apps.stories.planning.syntax import Event, Node, Text, parse
from treewright.apps.stories.source import StoryError
from treewright.errors import nearest
from treewright.library.reading import text_of

UNKNOWN = -20_000
MOST_BYTES = 2**20
MOST_TYPES = 500
MOST_ENTITIES = 60
MOST_CHARACTERS = 12
MOST_BELIEFS = 2  # of one in another
MOST_GROUND = 20_000
MOST_PARTS = 1_000_000  # of expressions, once every quantifier is written out
_OPPOSITE = {"==": "!=", "!=": "==", ">": "<=", "<=": ">", "<": ">=", ">=": "<"}
_BUILT_IN = ("entity", "boolean", "number", "character")
Path_ = tuple[int, ...]


@dataclass(frozen=True)
class Effect:
    """One assignment: where it holds, in whose belief, which fluent, which value."""

    condition: Any
    path: Path_
    fluent: int
    value: Any


@dataclass(frozen=True)
class Rated:
    """Where a condition holds, an action's believability is a value, or is multiplied by it."""

    condition: Any
    factor: bool
    value: float


@dataclass(frozen=True)
class Ground:
    """A ground action or trigger."""

    name: str
    arguments: tuple[str, ...]
    precondition: Any
    effects: tuple[Effect, ...]
    consenting: tuple[int, ...] = ()
    observing: tuple[Any, ...] = ()  # a condition for each character
    rules: tuple[Rated, ...] = ()  # how believable it is, where that is a question
    line: int = 0  # where it is written; 0 if it is in no file

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.arguments)})"


class Problem:
    """A narrative planning problem that can be searched."""

    full = 0  # the author's utility of which parts count; 0: only the goal counts
    partly = unexplained = 0.0  # what is left of an action's believability without all reasons
    actions: list[Ground]
    triggers: list[Ground]

    def __init__(self, text: Text) -> None:
        self.name = text.name
        self._text = text
        self._written = 0  # parts of expressions so far
        self._read_types()
        self._read_entities()
        self._read_properties()
        self._starting = True  # what is believed at the start may be as deep as it likes
        self._read_initial()
        self._starting = False
        self.utilities = self._read_utilities()
        self.actions = self._ground_all(text.actions, "action")
        self.triggers = self._ground_all(text.triggers, "trigger")
        self._fold()

    # ---------------------------------------------------------------- names

    def _error(self, line: int, message: str) -> StoryError:
        return StoryError(f"{self.name}, line {line}: {message}")

    def _read_types(self) -> None:
        parents: dict[str, set[str]] = {t: set() for t in _BUILT_IN}
        parents["character"] = {"entity"}
        lines = {}
        for name, above, line in self._text.types:
            lines[name] = line
            if len(lines) > MOST_TYPES:
                raise self._error(line, f"there are more than {MOST_TYPES} types")
            parents.setdefault(name, set()).update(above or ("entity",))
        for _, above, line in self._text.types:
            for parent in above:
                if parent not in parents:
                    raise self._error(
                        line, f"there is no type {parent!r}{nearest(parent, parents)}"
                    )
        self._above: dict[str, set[str]] = {}
        for name in parents:
            seen: set[str] = set()
            todo = [name]
            while todo:
                new = todo.pop()
                if new not in seen:
                    seen.add(new)
                    todo += parents[new]
            if any(name in parents[s] for s in seen):
                raise self._error(lines.get(name, 1), f"the type {name!r} is its own parent")
            self._above[name] = seen

    def _read_entities(self) -> None:
        self.entities: list[str] = []
        self._kinds: list[set[str]] = []
        for name, above, line in self._text.entities:
            if name in self.entities:
                raise self._error(line, f"the entity {name!r} is defined twice")
            for kind in above:
                self._known_type(kind, line)
                if kind in ("boolean", "number"):
                    raise self._error(line, f"an entity can't be a {kind}")
            self.entities.append(name)
            self._kinds.append(set().union(*(self._above[k] for k in above or ("entity",))))
            if len(self.entities) > MOST_ENTITIES:
                raise self._error(line, f"there are more than {MOST_ENTITIES} entities")
        self.characters = [i for i, k in enumerate(self._kinds) if "character" in k]
        if not self.characters:
            raise self._error(1, "there is no entity of the type 'character'")
        if len(self.characters) > MOST_CHARACTERS:
            raise self._error(1, f"there are more than {MOST_CHARACTERS} characters")

    def _known_type(self, kind: str, line: int) -> None:
        if kind not in self._above:
            raise self._error(line, f"there is no type {kind!r}{nearest(kind, self._above)}")

    def _members(self, kind: str, line: int) -> list[int]:
        self._known_type(kind, line)
        if kind in ("boolean", "number"):
            raise self._error(line, f"a variable can't stand for every {kind}")
        return [i for i, kinds in enumerate(self._kinds) if kind in kinds]

    def _entity(self, name: str, line: int) -> int:
        if name not in self.entities:
            raise self._error(line, f"there is no {name!r} here{nearest(name, self.entities)}")
        return self.entities.index(name)

    def character(self, entity: int, line: int) -> int:
        """The number of an entity among the characters."""
        if entity not in self.characters:
            raise self._error(line, f"{self.entities[entity]} is not a character")
        return self.characters.index(entity)

    def _read_properties(self) -> None:
        self.fluents: list[tuple[str, tuple[int, ...]]] = []
        self.kinds: list[str] = []  # the type of each fluent's value
        self._index: dict[tuple[str, tuple[int, ...]], int] = {}
        for name, params, kind, line in self._text.properties:
            self._known_type(kind, line)
            ranges = [self._members(k, line) if k else [self._entity(n, line)] for n, k in params]
            for arguments in itertools.product(*ranges):
                if (name, arguments) not in self._index:
                    self._index[name, arguments] = len(self.fluents)
                    self.fluents.append((name, arguments))
                    self.kinds.append(kind)
            if len(self.fluents) > MOST_GROUND:
                raise self._error(line, f"{name!r} has too many instances")

    def params(self, action: str) -> tuple[tuple[str, str], ...]:
        """The names and types of an action's parameters."""
        return next(e.params for e in self._text.actions if e.name == action)

    def fluent_name(self, fluent: int) -> str:
        name, arguments = self.fluents[fluent]
        return f"{name}({', '.join(self.entities[a] for a in arguments)})"

    def _fluent(self, node: Node, scope: Mapping[str, int]) -> int:
        name, arguments = node.parts
        found = tuple(self._term(a, scope, node.line) for a in arguments)
        if (name, found) not in self._index:
            names = {n for n, _ in self.fluents}
            if name not in names:
                raise self._error(node.line, f"there is no property {name!r}{nearest(name, names)}")
            shown = ", ".join(self.entities[a] for a in found)
            raise self._error(node.line, f"the property {name!r} does not take ({shown})")
        return self._index[name, found]

    def _term(self, name: str, scope: Mapping[str, int], line: int) -> int:
        return scope[name] if name in scope else self._entity(name, line)

    # ---------------------------------------------------------------- expressions

    def truth(self, node: Node, scope: Mapping[str, int], path: Path_ = ()) -> Any:
        """A ground condition."""
        line = self._counted(node)
        if node.kind == "boolean":
            return node.parts[0]
        if node.kind in ("and", "or"):
            return joined(node.kind, [self.truth(p, scope, path) for p in node.parts])
        if node.kind == "not":
            return negated(self.truth(node.parts[0], scope, path))
        if node.kind in ("exists", "forall"):
            name, kind, inner = node.parts
            each = [self.truth(inner, {**scope, name: e}, path) for e in self._members(kind, line)]
            return joined("or" if node.kind == "exists" else "and", each)
        if node.kind == "believes":
            return self.truth(node.parts[1], scope, self._deeper(node, scope, path))
        if node.kind == "is":
            inner, kind = node.parts
            self._known_type(kind, line)
            if inner.kind != "name":
                raise self._error(line, "only a name can be asked for its type")
            return kind in self._kinds[self._term(inner.parts[0], scope, line)]
        if node.kind == "if":
            return self._chosen_truth(node, scope, path)
        if node.kind == "compare":
            sign, left, right = node.parts
            self._check_comparison(node, scope)
            return compared(sign, self.value(left, scope, path), self.value(right, scope, path))
        if node.kind == "fluent":
            fluent = self._fluent(node, scope)
            if self.kinds[fluent] != "boolean":
                raise self._error(line, f"{self.fluent_name(fluent)} is not true or false")
            return ("literal", path, fluent, "==", True)
        if node.kind == "assign":
            raise self._error(line, "'=' assigns; to compare, write '=='")
        raise self._error(line, f"a condition is needed, not a {node.kind}")

    def _chosen_truth(self, node: Node, scope: Mapping[str, int], path: Path_) -> Any:
        branches, last = node.parts
        found = True if last is None else self.truth(last, scope, path)
        for condition, branch in reversed(branches):
            c = self.truth(condition, scope, path)
            yes = joined("and", [c, self.truth(branch, scope, path)])
            found = joined("or", [yes, joined("and", [negated(c), found])])
        return found

    def _deeper(self, node: Node, scope: Mapping[str, int], path: Path_) -> Path_:
        who = self.character(self._term(node.parts[0], scope, node.line), node.line)
        found = path if path and path[-1] == who else (*path, who)
        if len(found) > MOST_BELIEFS and not self._starting:
            said = f"a condition or an effect looks at most {MOST_BELIEFS} beliefs deep"
            raise self._error(node.line, said)
        return found

    def _counted(self, node: Node) -> int:
        """The line of a part that is written out, unless there are too many."""
        self._written += 1
        if self._written > MOST_PARTS:
            said = f"more than {MOST_PARTS:,} parts, once it is written out for each entity"
            raise self._error(node.line, said)
        return node.line

    def value(self, node: Node, scope: Mapping[str, int], path: Path_ = ()) -> Any:
        """A ground value; what is true counts as 1."""
        line = self._counted(node)
        if node.kind == "number":
            return node.parts[0]
        if node.kind == "unknown":
            return UNKNOWN
        if node.kind == "boolean":
            return node.parts[0]
        if node.kind == "name":
            return self._term(node.parts[0], scope, line)
        if node.kind == "fluent":
            return ("value", path, self._fluent(node, scope))
        if node.kind == "believes":
            return self.value(node.parts[1], scope, self._deeper(node, scope, path))
        if node.kind == "arithmetic":
            sign = node.parts[0]
            left, right = (self.value(part, scope, path) for part in node.parts[1:])
            if sign == "/" and isinstance(right, int) and right == 0:
                raise self._error(line, "nothing can be divided by zero")
            return calculated(sign, left, right)
        if node.kind in ("sum", "product"):
            name, kind, inner = node.parts
            found: Any = 0 if node.kind == "sum" else 1
            for entity in self._members(kind, line):
                more = self.value(inner, {**scope, name: entity}, path)
                found = calculated("+" if node.kind == "sum" else "*", found, more)
            return found
        if node.kind == "if":
            branches, last = node.parts
            if last is None:
                raise self._error(line, "'else' is missing: this 'if' must have a value")
            found = self.value(last, scope, path)
            for condition, branch in reversed(branches):
                then = self.value(branch, scope, path)
                found = chosen(self.truth(condition, scope, path), then, found)
            return found
        return counted(self.truth(node, scope, path))

    def effects(self, node: Node, scope: Mapping[str, int], path: Path_ = ()) -> Iterator[Effect]:
        """The assignments that an effect or an initial fact stands for."""
        line = self._counted(node)
        if node.kind == "and":
            for part in node.parts:
                yield from self.effects(part, scope, path)
        elif node.kind == "forall":
            name, kind, inner = node.parts
            for entity in self._members(kind, line):
                yield from self.effects(inner, {**scope, name: entity}, path)
        elif node.kind == "believes":
            yield from self.effects(node.parts[1], scope, self._deeper(node, scope, path))
        elif node.kind == "not":
            where, fluent = self._target(node.parts[0], scope, path)
            yield self._assigned(line, where, fluent, 0, False)
        elif node.kind == "if":
            yield from self._conditional_effects(node, scope, path)
        elif node.kind in ("assign", "compare"):
            left, right = node.parts[-2:]
            if node.kind == "compare" and node.parts[0] != "==":
                raise self._error(line, f"an effect can't be {node.parts[0]!r}")
            where, fluent = self._target(left, scope, path)
            known = self._is_entity(right, scope)
            yield self._assigned(line, where, fluent, self.value(right, scope, path), known)
        elif node.kind == "fluent":
            where, fluent = self._target(node, scope, path)
            yield self._assigned(line, where, fluent, 1, False)
        elif node.kind == "boolean" and node.parts[0]:
            return
        else:
            raise self._error(line, f"an effect assigns a value; this is {node.kind!r}")

    def _assigned(
        self, line: int, path: Path_, fluent: int, value: Any, entity: bool | None
    ) -> Effect:
        """An assignment; ``entity``: whether the value is one, None where nobody knows it."""
        name, kind = self.fluent_name(fluent), self.kinds[fluent]
        wanted = kind not in ("boolean", "number")
        if entity is not None and entity is not wanted:
            needed = {"boolean": "true or false", "number": "a number"}.get(kind, f"a {kind}")
            said = "an entity" if entity else "no entity"
            raise self._error(line, f"{name} must be {needed}, and this is {said}")
        if entity and isinstance(value, int) and kind not in self._kinds[value]:
            shown = self.entities[value]
            raise self._error(line, f"{name} can't be {shown}: that is no {kind}")
        if kind == "boolean" and isinstance(value, int) and value not in (0, 1, UNKNOWN):
            raise self._error(line, f"{name} must be true or false, and this is {value}")
        return Effect(True, path, fluent, value)

    def _is_entity(self, node: Node, scope: Mapping[str, int]) -> bool | None:
        """Whether the value of an expression is an entity; None of what is unknown."""
        if node.kind in ("name", "unknown"):
            return True if node.kind == "name" else None
        if node.kind == "fluent":
            return self.kinds[self._fluent(node, scope)] not in ("boolean", "number")
        if node.kind == "believes":
            return self._is_entity(node.parts[1], scope)
        if node.kind == "if":
            branches, last = node.parts
            values = [*(then for _, then in branches), *([last] if last else [])]
            found = (self._is_entity(value, scope) for value in values)
            return next((answer for answer in found if answer is not None), None)
        return False

    def _check_comparison(self, node: Node, scope: Mapping[str, int]) -> None:
        sign, *sides = node.parts
        kinds = {self._is_entity(side, scope) for side in sides}
        if kinds >= {True, False}:
            raise self._error(node.line, "an entity is compared with what is none")
        if True in kinds and sign not in ("==", "!="):
            raise self._error(node.line, f"entities have no order: {sign!r} needs numbers")

    def _target(self, node: Node, scope: Mapping[str, int], path: Path_) -> tuple[Path_, int]:
        if node.kind == "believes":
            return self._target(node.parts[1], scope, self._deeper(node, scope, path))
        if node.kind != "fluent":
            raise self._error(
                node.line, f"a value can be given to a property, not to a {node.kind}"
            )
        return path, self._fluent(node, scope)

    def _conditional_effects(
        self, node: Node, scope: Mapping[str, int], path: Path_
    ) -> Iterator[Effect]:
        branches, last = node.parts
        before: Any = True
        for condition, branch in (*branches, (None, last)):
            if branch is None:
                continue
            c = True if condition is None else self.truth(condition, scope, path)
            here = joined("and", [before, c])
            before = joined("and", [before, negated(c)])
            for e in self.effects(branch, scope, path):
                yield Effect(joined("and", [here, e.condition]), e.path, e.fluent, e.value)

    # ---------------------------------------------------------------- the parts of the problem

    def _read_initial(self) -> None:
        """Explicit beliefs are kept by their path; all else is as in the world one step out."""
        self.initial: dict[tuple[Path_, int], int] = {}
        for node in self._text.initial:
            for effect in self.effects(node, {}):
                if not isinstance(effect.value, int) or effect.condition is not True:
                    said = "an initial fact must be a plain value, and a number whole"
                    raise self._error(node.line, said)
                self.initial[effect.path, effect.fluent] = effect.value

    def start(self, path: Path_, fluent: int) -> int:
        """What holds at the beginning, in the world at the end of a path of beliefs."""
        while path and (path, fluent) not in self.initial:
            path = path[:-1]
        default = 0 if self.kinds[fluent] in ("boolean", "number") else UNKNOWN
        return self.initial.get((path, fluent), default)

    @property
    def where_goals_are(self) -> str:
        """File and line of the author's utility."""
        line = next(line for who, _, line in self._text.utilities if not who)
        return f"{self.name}, line {line}"

    def _read_utilities(self) -> list[Any]:
        """One for each character, then the author's."""
        found: list[Any] = [0] * (len(self.characters) + 1)
        seen = set()
        for who, node, line in self._text.utilities:
            at = self.character(self._entity(who, line), line) if who else -1
            if at in seen:
                raise self._error(line, f"utility({who}) is defined twice")
            seen.add(at)
            if self._is_entity(node, {}):
                raise self._error(line, f"utility({who}) must be a number, and this is an entity")
            found[at] = self.value(node, {})
        if -1 not in seen:
            raise self._error(1, "the author's utility is missing: utility(): ...")
        return found

    def _ground_all(self, events: tuple[Event, ...], what: str) -> list[Ground]:
        found: list[Ground] = []
        for event in events:
            ranges = [
                self._members(k, event.line) if k else [self._entity(n, event.line)]
                for n, k in event.params
            ]
            for chosen_ in itertools.product(*ranges):
                found.append(self._ground(event, chosen_))
                if len(found) > MOST_GROUND:
                    raise self._error(
                        event.line,
                        f"the {what} {event.name!r} has more than "
                        f"{MOST_GROUND} instances with those before it",
                    )
        return found

    def _ground(self, event: Event, entities: tuple[int, ...]) -> Ground:
        scope = {n: e for (n, k), e in zip(event.params, entities, strict=True) if k}
        observing: list[Any] = [True] * len(self.characters)
        if event.observing is not None:
            name, kind, node = event.observing
            members = self._members(kind, node.line)
            if not set(members) & set(self.characters):
                raise self._error(node.line, f"no {kind} is a character, who could observe it")
            for i, entity in enumerate(self.characters):
                seen = entity in members
                observing[i] = self.truth(node, {**scope, name: entity}) if seen else False
        consenting = []
        for name, line in event.consenting:
            who = self.character(self._term(name, scope, line), line)
            if who not in consenting:
                consenting.append(who)
        return Ground(
            event.name,
            tuple(self.entities[e] for e in entities),
            True if event.precondition is None else self.truth(event.precondition, scope),
            () if event.effect is None else tuple(self.effects(event.effect, scope)),
            tuple(consenting),
            tuple(observing),
            line=event.line,
        )

    def _fold(self) -> None:
        """Put in what never changes and is believed by all; drop what can't happen."""
        from treewright.apps.stories.planning.folding import fold

        fold(self)


def joined(kind: str, parts: list[Any]) -> Any:
    """``and`` or ``or``, flat, without constants."""
    neutral = kind == "and"
    found: list[Any] = []
    for part in parts:
        if isinstance(part, bool):
            if part is not neutral:
                return part
        elif part[0] == kind:
            found += [p for p in part[1:] if p not in found]
        elif part not in found:
            found.append(part)
    return neutral if not found else found[0] if len(found) == 1 else (kind, *found)


def negated(condition: Any) -> Any:
    """The opposite; a comparison with what is unknown is false either way, unless by equality."""
    if isinstance(condition, bool):
        return not condition
    kind = condition[0]
    if kind in ("and", "or"):
        return joined("or" if kind == "and" else "and", [negated(p) for p in condition[1:]])
    if kind == "literal":
        _, path, fluent, sign, right = condition
        if sign == "==" and isinstance(right, bool):
            return ("literal", path, fluent, "==", not right)
        return ("literal", path, fluent, _OPPOSITE[sign], right)
    _, sign, left, right = condition
    return ("compare", _OPPOSITE[sign], left, right)


_MIRROR = {"==": "==", "!=": "!=", ">": "<", "<": ">", ">=": "<=", "<=": ">="}


def holds(sign: str, left: int, right: int) -> bool:
    """A comparison of numbers; only equality says anything about what is unknown."""
    if sign in ("==", "!="):
        return (left == right) is (sign == "==")
    if UNKNOWN in (left, right):
        return False
    return {">": left > right, ">=": left >= right, "<": left < right, "<=": left <= right}[sign]


def compared(sign: str, left: Any, right: Any) -> Any:
    """A comparison of values, as simple as it can be written."""
    if isinstance(left, int) and isinstance(right, int):
        return holds(sign, left, right)
    if isinstance(left, int):
        return compared(_MIRROR[sign], right, left)
    if left[0] == "value" and (isinstance(right, int) or right[0] == "value"):
        return ("literal", left[1], left[2], sign, right)
    return ("compare", sign, left, right)


def calculated(sign: str, left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        if UNKNOWN in (left, right) or (sign == "/" and right == 0):
            return UNKNOWN
        found = {"+": left + right, "-": left - right, "*": left * right}
        if sign in found:
            return found[sign]
        return left // right if left % right == 0 else ("/", left, right)
    if sign == "+" and left == 0:
        return right
    if sign in "+-" and right == 0:
        return left
    return (sign, left, right)


def counted(condition: Any) -> Any:
    return int(condition) if isinstance(condition, bool) else ("truth", condition)


def chosen(condition: Any, then: Any, otherwise: Any) -> Any:
    if isinstance(condition, bool):
        return then if condition else otherwise
    if then == otherwise:
        return then
    if (then, otherwise) == (1, 0):
        return counted(condition)
    return ("choose", condition, then, otherwise)


def load_problem(name: str | Path) -> Problem:
    """The problem of a file, or one that comes with Treewright."""
    if str(name) in problem_names():
        return Problem(parse(problem_text(str(name)), f"{name}.txt"))
    return Problem(parse(text_of(Path(name), StoryError, MOST_BYTES), str(name)))
