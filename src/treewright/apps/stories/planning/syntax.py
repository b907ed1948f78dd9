"""The text of a narrative planning problem, as trees whose every node knows its line.

The format is that of the field's public benchmark.  Its precedence is unusual and is kept: ``&``
splits an expression first, then ``|``, so that ``if(a) b & c`` is ``(if(a) b) & c`` and
``a & b | c`` is ``a & (b | c)``; in arithmetic ``*`` splits before ``+``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from treewright.apps.stories.source import StoryError

_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign>==|!=|>=|<=|[-+*/=<>!&|?:;,(){}])",
    re.DOTALL,
)
_COMPARISONS = ("==", "!=", ">=", "<=", ">", "<")
_DEEPEST = 100
_LARGEST = 10_000


@dataclass(frozen=True)
class Node:
    """A part of the text: what it is, its line, and what it is made of."""

    kind: str
    line: int
    parts: tuple[Any, ...]
    depth: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        deepest = max((n.depth for n in _nodes(self.parts)), default=0)
        object.__setattr__(self, "depth", deepest + 1)


@dataclass(frozen=True)
class Token:
    text: str
    kind: str
    line: int


@dataclass(frozen=True)
class Event:
    """An action or a trigger as it is written; parameters are (name, type) or (entity, "")."""

    name: str
    line: int
    params: tuple[tuple[str, str], ...]
    precondition: Node | None
    effect: Node | None
    consenting: tuple[tuple[str, int], ...] = ()
    observing: tuple[str, str, Node] | None = None


@dataclass(frozen=True)
class Text:
    """A whole file, in the order in which it is written."""

    name: str
    types: tuple[tuple[str, tuple[str, ...], int], ...]
    entities: tuple[tuple[str, tuple[str, ...], int], ...]
    properties: tuple[tuple[str, tuple[tuple[str, str], ...], str, int], ...]
    initial: tuple[Node, ...]
    actions: tuple[Event, ...]
    triggers: tuple[Event, ...]
    utilities: tuple[tuple[str, Node, int], ...]  # the author's has the name ""


def _nodes(parts: tuple[Any, ...]) -> Iterator[Node]:
    """The nodes among the parts of one, those of branches included."""
    for part in parts:
        if isinstance(part, Node):
            yield part
        elif isinstance(part, tuple):
            yield from _nodes(part)


def parse(text: str, name: str) -> Text:
    """The definitions of a file, or an error that names the line."""
    return _Parser(text, name).file()


def _tokens(text: str, name: str) -> list[Token]:
    found: list[Token] = []
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise StoryError(f"{name}, line {line}: {text[at]!r} does not belong here")
        if match.group() == "/" and text.startswith("/*", at):
            raise StoryError(f"{name}, line {line}: this comment is not closed")
        if match.lastgroup != "space":
            found.append(Token(match.group(), match.lastgroup or "", line))
        line += match.group().count("\n")
        at = match.end()
    return found


class _Parser:
    """Recursive descent, one method for each level of precedence."""

    def __init__(self, text: str, name: str) -> None:
        self._name = name
        self._tokens = _tokens(text, name)
        self._at = 0
        self._depth = 0
        self._last = text.count("\n") + 1

    def file(self) -> Text:
        types, entities, properties, initial = [], [], [], []
        actions: list[Event] = []
        triggers: list[Event] = []
        utilities = []
        while self._at < len(self._tokens):
            if self._accept(";"):
                continue
            line, word = self._line(), self._tokens[self._at].text
            after = self._peek(1)
            if word == "type" and after != "(":
                self._at += 1
                types.append((self._name_of("a type"), self._parents(), line))
            elif word == "entity" and after != "(":
                self._at += 1
                entities.append((self._name_of("an entity"), self._parents(), line))
            elif word == "property" and after != "(":
                self._at += 1
                made = self._name_of("a property"), self._params()
                self._expect(":", "and the type of its value")
                properties.append((*made, self._name_of("a type"), line))
            elif word in ("action", "trigger") and after != "(":
                self._at += 1
                (actions if word == "action" else triggers).append(self._event(word, line))
            elif word == "utility":
                self._at += 1
                self._expect("(", "after 'utility'")
                who = "" if self._peek() == ")" else self._name_of("a character")
                self._expect(")", "after the character")
                self._expect(":", "before the expression")
                utilities.append((who, self._expression(), line))
            else:
                initial.append(self._expression())
            self._end_of_definition()
        return Text(
            self._name,
            tuple(types),
            tuple(entities),
            tuple(properties),
            tuple(initial),
            tuple(actions),
            tuple(triggers),
            tuple(utilities),
        )

    def _end_of_definition(self) -> None:
        if self._at < len(self._tokens):
            self._expect(";", "at the end of a definition")

    def _parents(self) -> tuple[str, ...]:
        found = []
        if self._accept(":"):
            found.append(self._name_of("a type"))
            while self._accept(","):
                found.append(self._name_of("a type"))
        return tuple(found)

    def _params(self) -> tuple[tuple[str, str], ...]:
        self._expect("(", "before the parameters")
        found: list[tuple[str, str]] = []
        while not self._accept(")"):
            if found:
                self._expect(",", "between parameters")
            name = self._name_of("a parameter")
            found.append((name, self._name_of("a type") if self._accept(":") else ""))
        return tuple(found)

    def _event(self, what: str, line: int) -> Event:
        name, params = self._name_of(f"the {what}'s name"), self._params()
        self._expect("{", f"before the parts of {name}")
        parts: dict[str, Any] = {}
        known: tuple[str, ...] = ("precondition", "effect")
        known += ("consenting", "observing") if what == "action" else ()
        while not self._accept("}"):
            if self._accept(";"):
                continue
            part = self._name_of(f"a part of {name}")
            if part not in known or part in parts:
                told = "a second time" if part in parts else f"an {what} has {', '.join(known)}"
                raise self._error(f"{part!r} in {name}: {told}", -1)
            if part == "observing":
                self._expect("(", "after 'observing'")
                who = self._name_of("a variable")
                self._expect(":", "before its type")
                kind = self._name_of("a type")
                self._expect(")", "after the type")
            self._expect(":", f"after {part!r}")
            if part == "consenting":
                parts[part] = self._names()
            elif part == "observing":
                parts[part] = (who, kind, self._expression())
            else:
                parts[part] = self._expression()
            if self._peek() != "}":
                self._expect(";", f"at the end of the {part}")
        return Event(
            name,
            line,
            params,
            parts.get("precondition"),
            parts.get("effect"),
            parts.get("consenting", ()),
            parts.get("observing"),
        )

    def _names(self) -> tuple[tuple[str, int], ...]:
        brackets = self._accept("(")
        found: list[tuple[str, int]] = []
        while self._peek() not in (";", "}", ")"):
            if found:
                self._expect(",", "between characters")
            found.append((self._name_of("a character"), self._line(-1)))
        if brackets:
            self._expect(")", "after the characters")
        return tuple(found)

    def _expression(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(f"brackets are nested more than {_DEEPEST} deep")
        line = self._line()
        found = [self._either()]
        while self._accept("&"):
            found.append(self._either())
        self._depth -= 1
        return found[0] if len(found) == 1 else Node("and", line, tuple(found))

    def _either(self) -> Node:
        line = self._line()
        found = [self._item()]
        while self._accept("|"):
            found.append(self._item())
        return found[0] if len(found) == 1 else Node("or", line, tuple(found))

    def _item(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(f"an expression is nested more than {_DEEPEST} deep")
        found = self._inner_item()
        self._depth -= 1
        return found

    def _inner_item(self) -> Node:
        line, word = self._line(), self._peek()
        if self._accept("!"):
            return Node("not", line, (self._item(),))
        if word == "if":
            return self._conditional()
        if word in ("exists", "forall"):
            self._at += 1
            name, kind = self._bound(word)
            return Node(word, line, (name, kind, self._item()))
        left = self._product()
        if self._accept("="):
            return Node("assign", line, (left, self._item()))
        for sign in _COMPARISONS:
            if self._accept(sign):
                return Node("compare", line, (sign, left, self._item()))
        if self._accept(":"):
            return Node("is", line, (left, self._name_of("a type")))
        return left

    def _conditional(self) -> Node:
        line, branches = self._line(), []
        last: Node | None = None
        self._at += 1
        while True:
            self._expect("(", "before the condition")
            condition = self._expression()
            self._expect(")", "after the condition")
            branches.append((condition, self._item()))
            if self._accept("elseif"):
                continue
            if self._accept("else"):
                last = self._item()
            return Node("if", line, (tuple(branches), last))

    def _bound(self, word: str) -> tuple[str, str]:
        self._expect("(", f"after {word!r}")
        name = self._name_of("a variable")
        self._expect(":", "before its type")
        kind = self._name_of("a type")
        self._expect(")", "after the type")
        return name, kind

    def _product(self) -> Node:
        return self._chain(("*", "/", "+", "-"))

    def _chain(self, signs: tuple[str, ...]) -> Node:
        if not signs:
            return self._atom()
        left = self._chain(signs[1:])
        while self._peek() == signs[0]:
            line = self._line()
            self._at += 1
            left = Node("arithmetic", line, (signs[0], left, self._chain(signs[1:])))
            if left.depth > _DEEPEST:
                raise self._error(f"more than {_DEEPEST} terms in a row, or in one another")
        return left

    def _atom(self) -> Node:
        line, word = self._line(), self._peek()
        if self._accept("("):
            inner = self._expression()
            self._expect(")", "to close the bracket")
            return inner
        if self._accept("-"):
            return self._number(-1)
        if word == "?":
            self._at += 1
            return Node("unknown", line, ())
        if word in ("sum", "product") and self._peek(1) == "(":
            self._at += 1
            name, kind = self._bound(word)
            body = self._conditional() if self._peek() == "if" else self._product()
            return Node(word, line, (name, kind, body))
        if word in ("True", "False"):
            self._at += 1
            return Node("boolean", line, (word == "True",))
        if self._at < len(self._tokens) and self._tokens[self._at].kind == "number":
            return self._number(1)
        if word == "if":
            return self._conditional()
        name = self._name_of("a value")
        if not self._accept("("):
            return Node("name", line, (name,))
        if name == "believes":
            who = self._name_of("a character")
            self._expect(",", "after the character")
            inner = self._expression()
            self._expect(")", "after what is believed")
            return Node("believes", line, (who, inner))
        arguments: list[str] = []
        while not self._accept(")"):
            if arguments:
                self._expect(",", "between arguments")
            arguments.append(self._name_of("an argument"))
        return Node("fluent", line, (name, tuple(arguments)))

    def _number(self, sign: int) -> Node:
        """A whole number, or a fraction of two: 0.5 is 5 / 10."""
        if self._at >= len(self._tokens) or self._tokens[self._at].kind != "number":
            raise self._error(f"a number is missing before {self._shown()}")
        line, text = self._line(), self._tokens[self._at].text
        whole, _, part = text.partition(".")
        part = part.rstrip("0")
        digits = (whole + part).lstrip("0")  # Python refuses to read thousands of them
        if len(digits) > len(str(_LARGEST)) or int(digits or "0") > _LARGEST or len(part) > 4:
            raise self._error(
                f"{text} has too many digits: {_LARGEST} is the most, with four decimals"
            )
        self._at += 1
        number = Node("number", line, (sign * int(digits or "0"),))
        below = Node("number", line, (10 ** len(part),))
        return Node("arithmetic", line, ("/", number, below)) if part else number

    def _name_of(self, what: str) -> str:
        if self._at >= len(self._tokens) or self._tokens[self._at].kind != "name":
            raise self._error(f"{what} is missing before {self._shown()}")
        self._at += 1
        return self._tokens[self._at - 1].text

    def _expect(self, sign: str, where: str) -> None:
        if not self._accept(sign):
            raise self._error(f"{sign!r} is missing {where}, before {self._shown()}")

    def _accept(self, sign: str) -> bool:
        if self._peek() != sign:
            return False
        self._at += 1
        return True

    def _peek(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._tokens[at].text if at < len(self._tokens) else ""

    def _shown(self) -> str:
        return repr(self._peek()) if self._at < len(self._tokens) else "the end of the file"

    def _line(self, back: int = 0) -> int:
        at = self._at + back
        return self._tokens[at].line if at < len(self._tokens) else self._last

    def _error(self, message: str, back: int = 0) -> StoryError:
        return StoryError(f"{self._name}, line {self._line(back)}: {message}")
