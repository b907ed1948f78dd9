"""From syntax trees to checked expressions: names resolved, types agreed, macros expanded."""

import functools
from dataclasses import dataclass, field, replace
from typing import Any

from treewright.apps.stories import language
from treewright.apps.stories.language import LanguageError, Node
from treewright.apps.stories.model import (
    BOOL,
    INT,
    NONE,
    NUMBER,
    Attribute,
    Change,
    EntityType,
    Event,
    Expr,
    Type,
)
from treewright.errors import nearest

_LARGEST = 20_000  # nodes after macros are expanded


@dataclass
class Macro:
    """A named expression with parameters."""

    params: tuple[tuple[str, str], ...]
    body: Node
    text: str


@dataclass
class Vocabulary:
    """Everything that a name in an expression can mean."""

    types: dict[str, EntityType] = field(default_factory=dict)
    enums: dict[str, list[str]] = field(default_factory=dict)
    attributes: dict[tuple[str, str], Attribute] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)
    entities: dict[str, Expr] = field(default_factory=dict)  # of a set-up
    actions: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    @property
    def plurals(self) -> dict[str, str]:
        return {t.plural: t.name for t in self.types.values()}


def condition(text: str, vocabulary: Vocabulary, scope: dict[str, Expr]) -> Expr:
    """A checked expression that is true or false."""
    return Checker(vocabulary).boolean(language.expression(text), scope)


def changes(text: str, vocabulary: Vocabulary, scope: dict[str, Expr]) -> tuple[Change, ...]:
    """The checked effects of one line."""
    return Checker(vocabulary).effects(language.effects(text), scope, 0)


class Checker:
    """One pass over a syntax tree; ``scope`` maps names to what they stand for."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.known = vocabulary
        self._expanding: list[str] = []
        self._size = 0

    def boolean(self, node: Node, scope: dict[str, Expr], depth: int = 0) -> Expr:
        found = self.check(node, scope, depth)
        if found.type != BOOL:
            raise LanguageError(
                f"expected a condition (true or false), this is {found.type}", node.at
            )
        return found

    def check(self, node: Node, scope: dict[str, Expr], depth: int = 0) -> Expr:
        """The checked form; ``depth`` counts the enclosing quantifiers."""
        self._size += 1
        if self._size > _LARGEST:
            raise LanguageError("with its macros written out, this is too long", node.at)
        return getattr(self, f"_{node.kind}")(node, scope, depth)  # type: ignore[no-any-return]

    # ---------------------------------------------------------------------------- leaves

    def _number(self, node: Node, scope: dict[str, Expr], depth: int) -> Expr:
        whole = "." not in node.text
        return Expr(
            "const", INT if whole else NUMBER, value=int(node.value) if whole else node.value
        )

    def _word(self, node: Node, scope: dict[str, Expr], depth: int) -> Expr:
        return Expr("const", BOOL, value=int(node.value))

    def _none(self, node: Node, scope: dict[str, Expr], depth: int) -> Expr:
        return Expr("const", NONE, value=-1)

    def _name(self, node: Node, scope: dict[str, Expr], depth: int) -> Expr:
        if node.text in scope:
            return scope[node.text]
        if node.text in self.known.entities and not self._expanding:  # macros know no set-up
            return self.known.entities[node.text]
        if any(node.text in values for values in self.known.enums.values()):
            return Expr("const", Type("word", node.text), value=-1)
        words = {w for values in self.known.enums.values() for w in values}
        names = {*scope, *self.known.entities, *words}
        raise LanguageError(f"{node.text!r} is unknown{nearest(node.text, names)}", node.at)

    def _attribute(self, node: Node, scope: dict[str, Expr], depth: int) -> Expr:
        owner = self.check(node.parts[0], scope, depth)
        if owner.type.kind != "entity":
            raise LanguageError(f"{owner.type} has no attributes", node.at)
        found = self.known.attributes.get((owner.type.name, node.text))
        if found is None:
            own = [n for kind, n in self.known.attributes if kind == owner.type.name]
            raise LanguageError(
                f"{owner.type} has no attribute {node.text!r}{nearest(node.text, own)}", node.at
            )
        if bool(found.over) != (len(node.parts) > 1):
            need = f"needs [{found.over}]" if found.over else "takes no index"
            raise LanguageError(f"{found.owner}.{found.name} {need}", node.at)
        args = [owner]
        if found.over:
            index = self.check(node.parts[1], scope, depth)
            if index.type != Type("entity", found.over):
                raise LanguageError(
                    f"{found} is indexed by {Type('entity', found.over)}, this is {index.type}",
                    node.parts[1].at,
                )
            args.append(index)
        return Expr("attribute", found.type, tuple(args), found)

    # ------------------------------------------------------------------------- operators

    def _not(self, node: Node, scope: dict[str, Expr], depth: int) -> Expr:
        return Expr("not", BOOL, (self.boolean(node.parts[0], scope, depth),))

    def _and(self, node: Node, scope: dict[str, Expr], depth: int) -> Expr:
        return Expr("and", BOOL, tuple(self.boolean(p, scope, depth) for p in node.parts))

    def _or(self, node: Node, scope: dict[str, Expr], depth: int) -> Expr:
        return Expr("or", BOOL, tuple(self.boolean(p, scope, depth) for p in node.parts))

    def _compare(self, node: Node, scope: dict[str, Expr], depth: int) -> Expr:
        left, right = (self.check(p, scope, depth) for p in node.parts)
        first, second = node.parts
        left, right = self._as(left, right.type, first), self._as(right, left.type, second)
        numbers = {left.type, right.type} <= {INT, NUMBER}
        same = left.type == right.type and left.type.kind != "word"
        if not numbers and not same:
            raise LanguageError(f"{_shown(left)} can't be compared with {_shown(right)}", node.at)
        if node.text not in ("==", "!=") and not numbers and left.type.kind != "entity":
            raise LanguageError(f"{node.text!r} needs numbers, this is {left.type}", node.at)
        return Expr(node.text, BOOL, (left, right))

    def _as(self, found: Expr, wanted: Type, node: Node) -> Expr:
        """Give ``none`` and the words of an enumeration the type of what they stand beside."""
        if found.type == NONE and wanted.kind == "entity":
            return replace(found, type=wanted)
        named = node.kind == "name" and found.op == "const"  # an id may also be such a word
        if named and wanted.kind == "enum" and found.type != wanted:
            words = self.known.enums[wanted.name]
            word = node.text
            if word not in words:
                raise LanguageError(f"{word!r} is no {wanted.name}{nearest(word, words)}", node.at)
            return Expr("const", wanted, value=words.index(word))
        return found

    def _sum(self, node: Node, scope: dict[str, Expr], depth: int) -> Expr:
        left, right = (self.check(p, scope, depth) for p in node.parts)
        for part, made in zip(node.parts, (left, right), strict=True):
            self._numeric(made, part, node.text)
        kind = NUMBER if NUMBER in (left.type, right.type) else INT
        return Expr(node.text, kind, (left, right))

    def _negate(self, node: Node, scope: dict[str, Expr], depth: int) -> Expr:
        found = self.check(node.parts[0], scope, depth)
        self._numeric(found, node.parts[0], "-")
        zero = Expr("const", found.type, value=0)
        return Expr("-", found.type, (zero, found))

    def _numeric(self, found: Expr, node: Node, sign: str) -> None:
        if found.type not in (INT, NUMBER):
            raise LanguageError(f"{sign!r} needs numbers, this is {found.type}", node.at)

    # ------------------------------------------------------------- quantifiers and macros

    def _quantifier(self, node: Node, scope: dict[str, Expr], depth: int) -> Expr:
        name, plural = node.names
        over = self._entity_type(plural, node.at)
        variable = Expr("var", Type("entity", over), value=f"q{depth}")
        inner = scope | {name: variable}
        extra = [self.boolean(p, inner, depth + 1) for p in node.parts[1:]]
        if node.text == "first":
            body = self.check(node.parts[0], inner, depth + 1)
            if body != variable:
                raise LanguageError(f"write first({name} for {name} in {plural} if …)", node.at)
            met = extra[0] if extra else Expr("const", BOOL, value=1)
            return Expr("first", variable.type, (met,), variable.value, over)
        body = self.boolean(node.parts[0], inner, depth + 1)
        if extra and node.text == "all":
            body = Expr("or", BOOL, (Expr("not", BOOL, (extra[0],)), body))
        elif extra:
            body = Expr("and", BOOL, (extra[0], body))
        return Expr(node.text, INT if node.text == "count" else BOOL, (body,), variable.value, over)

    def _entity_type(self, plural: str, at: int) -> str:
        if plural not in self.known.plurals:
            raise LanguageError(
                f"{plural!r} is no kind of entity{nearest(plural, self.known.plurals)}", at
            )
        return self.known.plurals[plural]

    def _call(self, node: Node, scope: dict[str, Expr], depth: int) -> Expr:
        if node.text in ("times", "happens", "before") and self.known.actions:
            return self._event(node, scope)
        macro = self.known.macros.get(node.text)
        if macro is None:
            names = [*self.known.macros, *language.QUANTIFIERS]
            if self.known.actions:
                names += ["happens", "times", "before"]
            raise LanguageError(
                f"there is no macro {node.text!r}{nearest(node.text, names)}", node.at
            )
        if node.text in self._expanding:
            circle = " → ".join([*self._expanding[self._expanding.index(node.text) :], node.text])
            raise LanguageError(f"the macro {node.text!r} is cyclic: {circle}", node.at)
        if len(node.parts) != len(macro.params):
            raise LanguageError(
                f"{node.text}({', '.join(n for n, _ in macro.params)}) takes {len(macro.params)} "
                f"arguments, not {len(node.parts)}",
                node.at,
            )
        inner: dict[str, Expr] = {}
        for part, (name, kind) in zip(node.parts, macro.params, strict=True):
            given = self.check(part, scope, depth)
            wanted = parameter_type(kind)
            if given.type == NONE and wanted.kind == "entity":
                given = replace(given, type=wanted)
            if given.type != wanted and (given.type, wanted) != (INT, NUMBER):
                raise LanguageError(
                    f"{node.text} expects {wanted} as {name}, this is {given.type}", part.at
                )
            inner[name] = given
        self._expanding.append(node.text)
        try:
            return self.check(macro.body, inner, depth)
        except LanguageError as error:
            if error.args[0].startswith("in the macro") or "cyclic" in error.args[0]:
                raise
            raise LanguageError(f"in the macro {node.text}: {error}", node.at) from None
        finally:
            self._expanding.pop()

    # ----------------------------------------------------------------------------- events

    def _event(self, node: Node, scope: dict[str, Expr]) -> Expr:
        wanted = 2 if node.text == "before" else 1
        if len(node.parts) != wanted:
            raise LanguageError(
                f"{node.text} takes {wanted} event(s), such as Kill(Bob, _, _)", node.at
            )
        found = [self.event(p, scope) for p in node.parts]
        times = [Expr("times", INT, value=e) for e in found]
        if node.text == "times":
            return times[0]
        if node.text == "happens":
            return Expr(">", BOOL, (times[0], Expr("const", INT, value=0)))
        first, then = (Expr("when", INT, value=e) for e in found)
        some = Expr(">", BOOL, (first, Expr("const", INT, value=0)))
        return Expr("and", BOOL, (some, Expr("<", BOOL, (first, then))))

    def event(self, node: Node, scope: dict[str, Expr]) -> Event:
        """``Kill`` or ``Kill(Bob, _, rifle)``."""
        params = self.known.actions.get(node.text) if node.kind in ("name", "call") else None
        if params is None:
            raise LanguageError(
                f"there is no action {node.text!r}{nearest(node.text, self.known.actions)}", node.at
            )
        if node.kind == "name":
            return Event(node.text, (-1,) * len(params))
        if len(node.parts) != len(params):
            names = ", ".join(name for name, _ in params)
            raise LanguageError(f"{node.text}({names}) takes {len(params)} arguments", node.at)
        return Event(
            node.text,
            tuple(
                self._event_argument(part, kind, scope)
                for part, (_, kind) in zip(node.parts, params, strict=True)
            ),
        )

    def _event_argument(self, node: Node, kind: str, scope: dict[str, Expr]) -> int:
        if node.kind == "name" and node.text == "_":
            return -1
        found = self.check(node, scope)
        if found.op != "const" or found.type != Type("entity", kind):
            raise LanguageError(f"expected the id of {Type('entity', kind)}, or _", node.at)
        return int(found.value)

    # ---------------------------------------------------------------------------- effects

    def effects(
        self, parsed: list[language.Effect], scope: dict[str, Expr], depth: int
    ) -> tuple[Change, ...]:
        return tuple(self._effect(e, scope, depth) for e in parsed)

    def _effect(self, effect: language.Effect, scope: dict[str, Expr], depth: int) -> Change:
        if effect.kind == "set":
            return self._assignment(effect, scope, depth)
        inner, variable, over = scope, "", ""
        if effect.kind == "for":
            over = self._entity_type(effect.over, effect.at)
            variable = f"e{depth}"
            inner = scope | {effect.variable: Expr("var", Type("entity", over), value=variable)}
        met = self.boolean(effect.condition, inner) if effect.condition else None
        body = self.effects(effect.body, inner, depth + 1)
        made = Change(effect.kind, variable=variable, over=over, body=body)
        return replace(made, condition=met) if met is not None else made

    def _assignment(self, effect: language.Effect, scope: dict[str, Expr], depth: int) -> Change:
        assert effect.target is not None
        assert effect.value is not None
        target = self.check(effect.target, scope)
        attribute: Attribute = target.value
        if attribute.fixed:
            raise LanguageError(f"{attribute} is fixed: no effect may change it", effect.at)
        value = self._as(self.check(effect.value, scope), target.type, effect.value)
        if effect.sign != "=" and target.type != INT:
            raise LanguageError(
                f"{effect.sign!r} needs a whole number, {attribute} is {target.type}", effect.at
            )
        if value.type != target.type:
            raise LanguageError(
                f"{attribute} is {target.type}, it can't become {_shown(value)}", effect.at
            )
        return Change("set", target=target, sign=effect.sign, value=value)


def _shown(found: Expr) -> str:
    return repr(found.type.name) if found.type.kind == "word" else str(found.type)


@functools.cache
def parameter_type(kind: str) -> Type:
    return {"number": NUMBER, "int": INT, "bool": BOOL}.get(kind, Type("entity", kind))


def read_params(given: Any, vocabulary: Vocabulary, plain: bool) -> tuple[tuple[str, str], ...]:
    """``["A: actor", "P: place"]`` as pairs; ``plain`` also allows int, number and bool."""
    if not isinstance(given, list) or not all(isinstance(p, str) for p in given):
        raise LanguageError('params is a list such as ["A: actor", "P: place"]')
    found: list[tuple[str, str]] = []
    for text in given:
        name, _, kind = (part.strip() for part in text.partition(":"))
        known = [*vocabulary.types, *(("int", "number", "bool") if plain else ())]
        if not name.isidentifier() or name in language.KEYWORDS | language.QUANTIFIERS:
            raise LanguageError(f"{text!r}: a parameter is written 'A: actor'")
        if kind not in known:
            raise LanguageError(f"{text!r}: {kind!r} is no type{nearest(kind, known)}")
        if name in dict(found):
            raise LanguageError(f"the parameter {name!r} is given twice")
        found.append((name, kind))
    return tuple(found)
