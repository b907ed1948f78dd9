"""The expression language of story files: words, grammar, syntax trees.

It looks like Python and is none: names, ``A.anger[B]``, comparisons, ``and/or/not``,
``+ - *``, macros, and ``any``, ``all``, ``count`` and ``first`` over the entities of a type.
An effect is an assignment, or one under ``if …:`` or ``for X in … if …:``.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

KEYWORDS = frozenset({"and", "or", "not", "for", "in", "if", "true", "false", "none"})
QUANTIFIERS = frozenset({"any", "all", "count", "first"})
_WORDS = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[^\W\d]\w*)"
    r"|(?P<sign>==|!=|<=|>=|\+=|-=|[-+*<>=().,\[\]:;]))"
)
_DEEPEST = 40
_LONGEST = 4000


class LanguageError(ValueError):
    """What is wrong with an expression, and at which character."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.at = at


@dataclass
class Node:
    """One part of a syntax tree."""

    kind: str  # number word none name attribute call quantifier not and or compare sum negate
    at: int
    text: str = ""
    parts: list["Node"] = field(default_factory=list)
    value: float = 0.0
    names: tuple[str, ...] = ()


@dataclass
class Effect:
    """``set``: target, sign, value.  ``if``: condition, body.  ``for``: variable and body."""

    kind: str
    at: int
    target: Node | None = None
    sign: str = "="
    value: Node | None = None
    variable: str = ""
    over: str = ""
    condition: Node | None = None
    body: list["Effect"] = field(default_factory=list)


@dataclass
class _Word:
    kind: str  # number name sign end
    text: str
    at: int


def _words(text: str) -> list[_Word]:
    if len(text) > _LONGEST:
        raise LanguageError(f"an expression has at most {_LONGEST} characters")
    found = []
    at = 0
    while text[at:].strip():
        match = _WORDS.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            raise LanguageError(f"{text[at]!r} has no meaning here", at)
        kind = match.lastgroup or ""
        found.append(_Word(kind, match[kind], match.start(kind)))
        at = match.end()
    return [*found, _Word("end", "the end", len(text))]


def expression(text: str) -> Node:
    """The syntax tree of a whole expression."""
    reader = _Reader(text)
    found = reader.expression()
    reader.expect_end()
    return found


def effects(text: str) -> list[Effect]:
    """The syntax trees of one line of effects."""
    reader = _Reader(text)
    found = reader.effects()
    reader.expect_end()
    return found


class _Reader:
    """Recursive descent: one method per level of the grammar."""

    def __init__(self, text: str) -> None:
        self._words = _words(text)
        self._next = 0
        self._depth = 0

    @property
    def _word(self) -> _Word:
        return self._words[self._next]

    def _take(self) -> _Word:
        self._next += 1
        return self._words[self._next - 1]

    def _is(self, *texts: str) -> bool:
        return self._word.kind in ("sign", "name") and self._word.text in texts

    def _expect(self, text: str, after: str) -> _Word:
        if not self._is(text):
            raise LanguageError(f"expected {text!r} {after}, found {self._shown()}", self._word.at)
        return self._take()

    def _shown(self) -> str:
        return self._word.text if self._word.kind == "end" else repr(self._word.text)

    def _variable(self, after: str) -> str:
        if self._word.kind != "name" or self._word.text in KEYWORDS | QUANTIFIERS:
            raise LanguageError(f"expected a name {after}, found {self._shown()}", self._word.at)
        return self._take().text

    def _deeper(self, at: int) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise LanguageError(f"nested more than {_DEEPEST} deep", at)

    def expect_end(self) -> None:
        if self._word.kind != "end":
            raise LanguageError(
                f"expected an operator or the end, found {self._shown()}", self._word.at
            )

    # ------------------------------------------------------------------------- expressions

    def expression(self) -> Node:
        self._deeper(self._word.at)
        found = self._chain("or", lambda: self._chain("and", self._negation))
        self._depth -= 1
        return found

    def _chain(self, word: str, part: Callable[[], Node]) -> Node:
        first = part()
        if not self._is(word):
            return first
        parts = [first]
        while self._is(word):
            self._take()
            parts.append(part())
        return Node(word, first.at, parts=parts)

    def _negation(self) -> Node:
        if not self._is("not"):
            return self._comparison()
        at = self._take().at
        self._deeper(at)
        found = Node("not", at, parts=[self._negation()])
        self._depth -= 1
        return found

    def _comparison(self) -> Node:
        left = self._sum()
        signs = ("==", "!=", "<", "<=", ">", ">=")
        if not self._is(*signs):
            return left
        sign = self._take()
        found = Node("compare", sign.at, sign.text, [left, self._sum()])
        if self._is(*signs):
            raise LanguageError("comparisons can't be chained: join two with 'and'", self._word.at)
        return found

    def _sum(self) -> Node:
        left = self._product()
        while self._is("+", "-"):
            sign = self._take()
            left = Node("sum", sign.at, sign.text, [left, self._product()])
        return left

    def _product(self) -> Node:
        left = self._signed()
        while self._is("*"):
            sign = self._take()
            left = Node("sum", sign.at, "*", [left, self._signed()])
        return left

    def _signed(self) -> Node:
        if not self._is("-"):
            return self._postfix()
        at = self._take().at
        self._deeper(at)
        found = Node("negate", at, parts=[self._signed()])
        self._depth -= 1
        return found

    def _postfix(self) -> Node:
        found = self._primary()
        chain = 0
        while self._is("."):
            self._take()
            at = self._word.at
            parts = [found]
            name = self._variable("after '.'")
            if self._is("["):
                self._take()
                parts.append(self.expression())
                self._expect("]", "after the index")
            found = Node("attribute", at, name, parts)
            chain += 1
            if chain > _DEEPEST:
                raise LanguageError(f"nested more than {_DEEPEST} deep", at)
        return found

    def _primary(self) -> Node:
        word = self._word
        if word.kind == "number":
            self._take()
            return Node("number", word.at, word.text, value=float(word.text))
        if self._is("("):
            self._take()
            inner = self.expression()
            self._expect(")", "to close the bracket")
            return inner
        if self._is("true", "false"):
            self._take()
            return Node("word", word.at, word.text, value=float(word.text == "true"))
        if self._is("none"):
            self._take()
            return Node("none", word.at, "none")
        if self._is(*QUANTIFIERS):
            return self._quantifier()
        if word.kind != "name" or word.text in KEYWORDS:
            raise LanguageError(f"expected a name, a number or '(', found {self._shown()}", word.at)
        self._take()
        if not self._is("("):
            return Node("name", word.at, word.text)
        self._take()
        return Node("call", word.at, word.text, self._arguments(word.text))

    def _arguments(self, name: str) -> list[Node]:
        found: list[Node] = []
        while not self._is(")"):
            if found:
                self._expect(",", f"or ')' in {name}(…)")
            found.append(self.expression())
        self._take()
        return found

    def _quantifier(self) -> Node:
        word = self._take()
        self._expect("(", f"after {word.text}")
        body = self.expression()
        self._expect("for", f"in {word.text}(… for X in …)")
        variable = self._variable("after 'for'")
        self._expect("in", f"after 'for {variable}'")
        over = self._variable("of a kind of entity after 'in'")
        parts = [body]
        if self._is("if"):
            self._take()
            parts.append(self.expression())
        self._expect(")", f"to close {word.text}(…)")
        return Node("quantifier", word.at, word.text, parts, names=(variable, over))

    # ----------------------------------------------------------------------------- effects

    def effects(self) -> list[Effect]:
        found = [self._effect()]
        while self._is(";"):
            self._take()
            found.append(self._effect())
        return found

    def _effect(self) -> Effect:
        at = self._word.at
        self._deeper(at)
        if self._is("if"):
            self._take()
            condition = self.expression()
            self._expect(":", "after the condition")
            found = Effect("if", at, condition=condition, body=self.effects())
        elif self._is("for"):
            self._take()
            variable = self._variable("after 'for'")
            self._expect("in", f"after 'for {variable}'")
            over = self._variable("of a kind of entity after 'in'")
            condition = None
            if self._is("if"):
                self._take()
                condition = self.expression()
            self._expect(":", "before what is done for each")
            found = Effect(
                "for", at, variable=variable, over=over, condition=condition, body=self.effects()
            )
        else:
            found = self._assignment(at)
        self._depth -= 1
        return found

    def _assignment(self, at: int) -> Effect:
        target = self._postfix()
        if target.kind != "attribute":
            raise LanguageError("an effect changes an attribute, such as A.place = P", at)
        if not self._is("=", "+=", "-="):
            raise LanguageError(f"expected '=', '+=' or '-=', found {self._shown()}", self._word.at)
        sign = self._take().text
        return Effect("set", at, target=target, sign=sign, value=self.expression())
