"""A library file: types, attributes, macros, actions and phrases for goals, read and checked.

``docs/stories.md`` describes the format.  Several files may be loaded one after another: later
ones add, and what has the same name replaces.
"""

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from treewright.apps.stories import checker, language
from treewright.apps.stories.checker import Macro, Vocabulary, read_params
from treewright.apps.stories.language import LanguageError
from treewright.apps.stories.model import (
    BOOL,
    INT,
    NUMBER,
    TRUE,
    Action,
    Attribute,
    Change,
    EntityType,
    Expr,
    Instead,
    Phrase,
    Requirement,
    Rule,
    Type,
    Wording,
)
from treewright.apps.stories.source import Source, StoryError
from treewright.apps.stories.styles import Style, read_styles
from treewright.apps.stories.template import FORMS, Template, template
from treewright.apps.stories.wishes import read_motives
from treewright.errors import nearest
from treewright.library.reading import is_there

PACKAGE = "treewright.apps.stories"
SECTIONS = {
    "name", "title", "types", "enums", "attributes", "macros", "goals", "require", "action",
    "styles", "motives", "notices", "tension",
}  # fmt: skip
_ATTRIBUTE_KEYS = {"is", "range", "start", "like", "over", "fixed", "required", "says"}
_ACTION_KEYS = {
    "name", "params", "needs", "does", "believe", "scale", "text", "after", "where", "says",
    "noun", "why", "speech", "told", "aim", "instead", "consents", "sees",
}  # fmt: skip
_MACRO = re.compile(r"([^\W\d]\w*)\s*\((.*)\)\s*$", re.S)
_MOST_PARAMS = 4


class Library:
    """A checked library; ``actions`` in the order of the file."""

    def __init__(self, sources: list[Source]) -> None:
        self.sources = sources
        self.name = "+".join(str(s.data.get("name", Path(s.name).stem)) for s in sources)
        self.known = Vocabulary()
        self.phrases: list[Phrase] = []
        self.requirements: list[Requirement] = []
        self._own_templates: dict[tuple[str, str], Template] = {}
        self.styles: dict[str, Style] = read_styles(sources)
        found: dict[str, Action] = {}
        for source in sources:
            _only(source, source.data, SECTIONS)
            self._types(source)
            self._enums(source)
        for source in sources:
            self._attributes(source)
        for source in sources:
            self._macros(source)
        for source in sources:
            self._check_macros(source)
        self.motives = read_motives(self)
        self.tension = self._tension()
        for source in sources:
            self._phrases(source)
            self._requirements(source)
            seen: dict[str, int] = {}
            for i, table in enumerate(_tables(source, "action")):
                action = self._action(source, i, table)
                if action.name in seen:
                    line = source.line("action", seen[action.name], "name")
                    raise source.error(
                        f"the action {action.name!r} is there already, on line {line}",
                        "action", i, "name",
                    )  # fmt: skip
                seen[action.name] = i
                found[action.name] = action
        if not found:
            raise sources[0].error("a library needs at least one [[action]]")
        self.actions: list[Action] = list(found.values())
        self._by_name = found

    def action(self, name: str) -> Action:
        return self._by_name[name]

    def sentence(self, action: str, text: str) -> Template:
        """The checked template of one of an action's sentences."""
        return self._own_templates[action, text]

    # ------------------------------------------------------------------- types, attributes

    def _types(self, source: Source) -> None:
        for name, given in _table(source, "types").items():
            where = ("types", name)
            _word(source, name, *where)
            if not isinstance(given, dict):
                raise source.error(f"write [types.{name}] with plural and noun", *where)
            _only(source, given, {"plural", "noun"}, *where)
            plural, noun = given.get("plural", name + "s"), given.get("noun", "thing")
            _word(source, plural, *where, "plural")
            if noun not in FORMS:
                raise source.error(f"noun is {_or(FORMS)}, not {noun!r}", *where, "noun")
            if self.known.plurals.get(plural, name) != name:
                raise source.error(f"two types have the plural {plural!r}", *where, "plural")
            self.known.types[name] = EntityType(name, plural, noun)

    def _enums(self, source: Source) -> None:
        for name, words in _table(source, "enums").items():
            _word(source, name, "enums", name)
            if not isinstance(words, list) or not words or len(set(map(str, words))) < len(words):
                raise source.error(f"{name} must be a list of different words", "enums", name)
            for i, word in enumerate(words):
                _word(source, word, "enums", name, i)
            self.known.enums[name] = words

    def _attributes(self, source: Source) -> None:
        for owner, table in _table(source, "attributes").items():
            if owner not in self.known.types:
                raise source.error(
                    f"there is no type {owner!r}{nearest(owner, self.known.types)}",
                    "attributes", owner,
                )  # fmt: skip
            for name, given in table.items():
                self.known.attributes[owner, name] = self._attribute(source, owner, name, given)

    def _attribute(self, source: Source, owner: str, name: str, given: Any) -> Attribute:
        where = ("attributes", owner, name)
        _word(source, name, *where)
        if not isinstance(given, dict):
            raise source.error(f'write {name} = {{ is = "bool" }} or {{ range = [0, 3] }}', *where)
        _only(source, given, _ATTRIBUTE_KEYS, *where)
        types = {"bool": BOOL, "number": NUMBER}
        types |= {t: Type("entity", t) for t in self.known.types}
        types |= {e: Type("enum", e) for e in self.known.enums}
        low, high = 0, 1
        if "range" in given:
            low, high = _range(source, given["range"], *where, "range")
            kind = INT
        else:
            word = given.get("is", "bool")
            if not isinstance(word, str) or word not in types:
                raise source.error(
                    f"{word!r} is no type (a whole number is written range = [0, 3])"
                    f"{nearest(str(word), types)}",
                    *where, "is",
                )  # fmt: skip
            kind = types[word]
        fixed, over = given.get("fixed", False), given.get("over", "")
        if over and over not in self.known.types:
            raise source.error(
                f"over names a type{nearest(str(over), self.known.types)}", *where, "over"
            )
        if kind == NUMBER and not fixed:
            raise source.error(f"{name} is a number: such attributes must be fixed", *where)
        if kind == INT and not fixed and not -100 <= low <= high <= 100:
            raise source.error("a range that changes lies between -100 and 100", *where, "range")
        made = Attribute(
            owner, name, kind, over, low, high, 0, bool(fixed), bool(given.get("required", False)),
            str(given.get("like", "")),
        )  # fmt: skip
        default = _EMPTY.get(kind.kind, 0)
        if kind == INT:
            default = min(max(0, low), high)
        if "start" in given:
            default = read_value(source, made, given["start"], self.known, *where, "start")
        return Attribute(**{**vars(made), "default": default})

    # -------------------------------------------------------------------- macros, phrases

    def _macros(self, source: Source) -> None:
        for head, text in _table(source, "macros").items():
            match = _MACRO.match(head)
            if not match or not isinstance(text, str):
                raise source.error(
                    f'a macro is written "here(A: actor, B: actor)" = "…", not {head!r}',
                    "macros", head,
                )  # fmt: skip
            with expecting(source, text, "macros", head):
                given = [p for p in match[2].split(",") if p.strip()]
                params = read_params(given, self.known, plain=True)
                self.known.macros[match[1]] = Macro(params, language.expression(text), text)

    def _check_macros(self, source: Source) -> None:
        """Each macro is checked by itself, so that an error is reported where it stands."""
        for head, text in _table(source, "macros").items():
            name = head.partition("(")[0].strip()
            scope = {
                n: Expr("var", checker.parameter_type(k), value=f"p{i}")
                for i, (n, k) in enumerate(self.known.macros[name].params)
            }
            call = language.Node("call", 0, name, [language.Node("name", 0, n) for n in scope])
            with expecting(source, text, "macros", head):
                checker.Checker(self.known).check(call, scope)

    def _phrases(self, source: Source) -> None:
        for text, meaning in _table(source, "goals").items():
            where = ("goals", text)
            slots: dict[str, str] = {}
            for slot in re.findall(r"\{(.*?)\}", text):
                name, _, kind = (p.strip() for p in slot.partition(":"))
                if kind not in self.known.types and kind not in ("int", "action"):
                    raise source.error(
                        f"the slot {{{slot}}} is written {{A: actor}} or {{N: int}}", *where
                    )
                slots[name] = kind
            towards = ""
            if isinstance(meaning, dict):
                _only(source, meaning, {"means", "towards"}, *where)
                towards, meaning = meaning.get("towards", ""), meaning.get("means")
            if not isinstance(meaning, str) or not isinstance(towards, str):
                raise source.error("the meaning of a goal is an expression", *where)
            self.phrases = [p for p in self.phrases if p.text != text]
            self.phrases.append(Phrase(text, slots, meaning, towards, (source, where)))

    def _tension(self) -> Expr | None:
        """How tense a moment is: a whole number; of several files, the last one's."""
        found = None
        for source in self.sources:
            text = source.data.get("tension")
            if text is None:
                continue
            if not isinstance(text, str):
                raise source.error("tension is an expression: a whole number", "tension")
            with expecting(source, text, "tension"):
                found = checker.Checker(self.known).check(language.expression(text), {})
            if found.type != INT:
                raise source.error(f"tension is a whole number, this is {found.type}", "tension")
        return found

    def _requirements(self, source: Source) -> None:
        for i, given in enumerate(_tables(source, "require")):
            where = ("require", i)
            _only(source, given, {"for", "that", "else"}, *where)
            with expecting(source, str(given.get("for")), *where, "for"):
                ((name, kind),) = read_params([given.get("for")], self.known, plain=False)
            scope = {name: Expr("var", Type("entity", kind), value="p0")}
            met = self._condition(source, given.get("that", "true"), scope, *where, "that")
            self.requirements.append(Requirement(kind, "p0", met, str(given.get("else", ""))))

    # ---------------------------------------------------------------------------- actions

    def _action(self, source: Source, i: int, given: dict[str, Any]) -> Action:
        where = ("action", i)
        name = given.get("name", "")
        _word(source, name, *where, "name")
        _only(source, given, _ACTION_KEYS, *where)
        with expecting(source, str(given.get("params")), *where, "params"):
            params = read_params(given.get("params"), self.known, plain=False)
        if not 1 <= len(params) <= _MOST_PARAMS:
            raise source.error(f"{name} needs 1 to {_MOST_PARAMS} params", *where, "params")
        scope = {
            n: Expr("var", Type("entity", k), value=f"p{j}") for j, (n, k) in enumerate(params)
        }
        needs = _strings(source, given.get("needs", []), *where, "needs")
        met = [self._condition(source, t, scope, *where, "needs", *at) for at, t in needs]
        changes: list[Change] = []
        for at, text in _strings(source, given.get("does", []), *where, "does"):
            with expecting(source, text, *where, "does", *at):
                changes += checker.changes(text, self.known, scope)
        believe = self._rules(source, given.get("believe", 1.0), scope, *where, "believe")
        if believe[-1].condition != TRUE:
            raise source.error(
                f'the last rule of {name} must be ["otherwise", value]', *where, "believe"
            )
        for j, rule in enumerate(believe[:-1]):
            if rule.condition == TRUE:
                raise source.error(
                    f"the rules after {rule.text!r} are never reached", *where, "believe", j
                )
        scale = self._rules(source, given.get("scale", []), scope, *where, "scale")
        after = []
        for j, pair in enumerate(given.get("after", [])):
            if not isinstance(pair, list) or len(pair) != 2:
                raise source.error("after is a list of [condition, sentence]", *where, "after", j)
            met_after = self._condition(source, pair[0], scope, *where, "after", j, 0)
            said = self._sentences(source, name, pair[1], scope, *where, "after", j, 1)
            after.append((met_after, said))
        texts = _strings(source, given.get("text", []), *where, "text")
        if not texts:
            raise source.error(f"the action {name} needs a text", *where)
        self._sentences(source, name, given["text"], scope, *where, "text")
        return Action(
            name,
            params,
            Expr("and", BOOL, tuple(met)) if met else TRUE,
            tuple(changes),
            tuple(believe),
            tuple(scale),
            tuple(t for _, t in texts),
            tuple(after),
            bool(given.get("where", False)),
            self._wording(source, name, given, scope, *where),
            self._consents(source, given, params, *where),
            self._sees(source, given, scope, *where),
        )

    def _consents(
        self, source: Source, given: dict[str, Any], params: Any, *where: Any
    ) -> tuple[int, ...]:
        """Who takes part of their own will: the first parameter, if that is a person."""
        people = [n for n, k in params if self.known.types[k].noun == "person"]
        if "consents" not in given:
            return (0,) if params[0][0] in people else ()
        found = _strings(source, given["consents"], *where, "consents")
        for at, name in found:
            if name not in people:
                raise source.error(
                    f"{name!r} is none of the people in params{nearest(name, people)}",
                    *where, "consents", *at,
                )  # fmt: skip
        names = [n for n, _ in params]
        return tuple(names.index(name) for _, name in found)

    def _sees(self, source: Source, given: dict[str, Any], scope: Any, *where: Any) -> Expr | None:
        if "sees" not in given:
            return None
        if self.motives is None:
            raise source.error("sees needs a [motives] that says who sees", *where, "sees")
        name = self.motives.names[0]
        if name in scope:
            raise source.error(f"{name} is who sees it; rename the parameter", *where, "sees")
        seer = {name: self.motives.scope()[name]}
        return self._condition(source, given["sees"], scope | seer, *where, "sees")

    def _wording(
        self, source: Source, name: str, given: dict[str, Any], scope: Any, *where: Any
    ) -> Wording:
        """How else an action is told: as a cause, with its reason, with speech, in a style."""
        told = given.get("told", {})
        if not isinstance(told, dict):
            raise source.error('told is written { report = ["…"] }', *where, "told")
        for style in told:
            if style not in self.styles:
                raise source.error(
                    f"there is no style {style!r}{nearest(style, self.styles)}",
                    *where, "told", style,
                )  # fmt: skip
        noun = self._sentences(source, name, given.get("noun", []), scope, *where, "noun")
        aim = self._sentences(source, name, given.get("aim", []), scope, *where, "aim")
        return Wording(
            noun[0] if noun else "",
            tuple(t for _, t in _strings(source, given.get("why", []), *where, "why")),
            self._sentences(source, name, given.get("speech", []), scope, *where, "speech"),
            {
                style: self._sentences(source, name, texts, scope, *where, "told", style)
                for style, texts in told.items()
            },
            aim[0] if aim else "",
            self._insteads(source, name, given.get("instead", []), scope, *where, "instead"),
        )

    def _insteads(
        self, source: Source, name: str, given: Any, scope: Any, *where: Any
    ) -> tuple[Instead, ...]:
        """``[{ if = "I.owner == A", text = ["…"], speech = ["…"] }]``."""
        found = []
        for j, other in enumerate(given if isinstance(given, list) else [given]):
            if not isinstance(other, dict) or not {"if", "text"} <= other.keys():
                raise source.error('instead is a list of { if = "…", text = "…" }', *where)
            _only(source, other, {"if", "text", "speech"}, *where, j)
            found.append(
                Instead(
                    self._condition(source, other["if"], scope, *where, j, "if"),
                    self._sentences(source, name, other["text"], scope, *where, j, "text"),
                    self._sentences(
                        source, name, other.get("speech", []), scope, *where, j, "speech"
                    ),
                )
            )
        return tuple(found)

    def _sentences(
        self, source: Source, action: str, given: Any, scope: Any, *where: Any
    ) -> tuple[str, ...]:
        """One sentence or variants of it, each checked."""
        found = _strings(source, given, *where)
        for at, text in found:
            self._sentence(source, action, text, scope, *where, *at)
        return tuple(text for _, text in found)

    def _sentence(self, source: Source, action: str, text: Any, scope: Any, *where: Any) -> None:
        if not isinstance(text, str) or not text.strip():
            raise source.error('a sentence is a text such as "{A} went {P:to}"', *where)
        with expecting(source, text, *where):
            self._own_templates[action, text] = template(text, self.known, scope)

    def _rules(self, source: Source, given: Any, scope: Any, *where: Any) -> list[Rule]:
        """``[[condition, value], …]``, or one number."""
        if isinstance(given, (int, float)) and not isinstance(given, bool):
            given = [["otherwise", given]]
        if not isinstance(given, list):
            raise source.error("write a number or a list of [condition, value]", *where)
        found = []
        for j, pair in enumerate(given):
            if not isinstance(pair, list) or len(pair) != 2:
                raise source.error(f"a rule is [condition, value], not {pair!r}", *where, j)
            text, value = pair
            if (
                isinstance(value, bool)
                or not isinstance(value, (int, float))
                or not 0 <= value <= 1
            ):
                raise source.error(
                    f"a believability lies between 0 and 1, not {value!r}", *where, j, 1
                )
            met = TRUE
            if text not in ("otherwise", "true"):
                met = self._condition(source, text, scope, *where, j, 0)
            found.append(Rule(met, float(value), str(text)))
        return found

    def _condition(self, source: Source, text: Any, scope: Any, *where: Any) -> Expr:
        if not isinstance(text, str):
            raise source.error(f"expected an expression in quotes, not {text!r}", *where)
        with expecting(source, text, *where):
            return checker.condition(text, self.known, scope)


_EMPTY = {"entity": -1}


@contextmanager
def expecting(source: Source, text: str, *where: str | int) -> Iterator[None]:
    """Turn an error in an expression into one with file, line, the expression and the place."""
    try:
        yield
    except LanguageError as error:
        place = source.where(*where, down=text.count("\n", 0, error.at))
        shown = " ".join(text.split())
        at = len(" ".join(text[: error.at].split()))
        if len(shown) > 70:
            begin = max(0, min(at - 30, len(shown) - 66))
            shown = (
                ("…" if begin else "")
                + shown[begin : begin + 66]
                + ("…" if begin + 66 < len(shown) else "")
            )
        raise StoryError(f"{place}, in '{shown}' (character {error.at + 1}): {error}") from None


def read_value(
    source: Source, attribute: Attribute, given: Any, known: Vocabulary, *where: str | int
) -> Any:
    """A value of an attribute from a file; entities are numbers already, or ``"none"``."""
    kind = attribute.type
    if kind == BOOL:
        if not isinstance(given, bool):
            raise source.error(f"{attribute} is true or false, not {given!r}", *where)
        return int(given)
    if kind == INT:
        if isinstance(given, bool) or not isinstance(given, int):
            raise source.error(f"{attribute} is a whole number, not {given!r}", *where)
        if not attribute.low <= given <= attribute.high:
            raise source.error(
                f"{attribute} lies between {attribute.low} and {attribute.high}, not {given}",
                *where,
            )
        return given
    if kind == NUMBER:
        if (
            isinstance(given, bool)
            or not isinstance(given, (int, float))
            or not math.isfinite(given)
        ):
            raise source.error(f"{attribute} is a number, not {given!r}", *where)
        return float(given)
    if kind.kind == "enum":
        words = known.enums[kind.name]
        if given not in words:
            raise source.error(f"{given!r} is no {kind.name}{nearest(str(given), words)}", *where)
        return words.index(given)
    if given == "none":
        return -1
    entity = known.entities.get(given) if isinstance(given, str) else None
    if entity is None:
        ids = [k for k, e in known.entities.items() if e.type == kind]
        raise source.error(f"there is no {kind.name} {given!r}{nearest(str(given), ids)}", *where)
    if entity.type != kind:
        raise source.error(f"{attribute} is {kind}; {given!r} is {entity.type}", *where)
    return int(entity.value)


# --------------------------------------------------------------------------- reading by name


def built_in_names(folder: str = "libraries") -> list[str]:
    """The libraries (or set-ups) that come with Treewright."""
    files = resources.files(PACKAGE) / folder
    return sorted(f.name.removesuffix(".toml") for f in files.iterdir() if f.name.endswith(".toml"))


def find_source(name: str, folder: str, beside: Path | None = None) -> Source:
    """A file by path, or one that comes with Treewright by name."""
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_absolute() and beside is not None and not is_there(path):
            path = beside / path
        return Source.read(path)
    known = built_in_names(folder)
    if name not in known:
        what = {"libraries": "library", "setups": "set-up"}[folder]
        raise StoryError(
            f"there is no {what} {name!r} (a file ends in .toml){nearest(name, known)}"
        )
    text = (resources.files(PACKAGE) / folder / f"{name}.toml").read_text(encoding="utf-8")
    return Source(text, f"{name}.toml")


def load_library(names: str | list[str], beside: Path | None = None) -> Library:
    """One library, or several on top of each other."""
    wanted = [names] if isinstance(names, str) else names
    return Library([find_source(n, "libraries", beside) for n in wanted])


# ----------------------------------------------------------------------- small shape checks


def _only(source: Source, given: dict[str, Any], known: set[str], *where: str | int) -> None:
    for key in given:
        if key not in known:
            raise source.error(f"{key!r} is unknown here{nearest(key, known)}", *where, key)


def _table(source: Source, name: str) -> dict[str, Any]:
    found = source.data.get(name, {})
    if not isinstance(found, dict):
        raise source.error(f"{name} must be a table: [{name}]", name)
    return found


def _tables(source: Source, name: str) -> list[dict[str, Any]]:
    found = source.data.get(name, [])
    if not isinstance(found, list) or not all(isinstance(t, dict) for t in found):
        raise source.error(f"{name} must be written as [[{name}]]", name)
    return found


def _strings(source: Source, given: Any, *where: str | int) -> list[tuple[tuple[int, ...], str]]:
    """One text or a list of them, each with its place below ``where``."""
    if isinstance(given, str):
        return [((), given)]
    if not isinstance(given, list) or not all(isinstance(g, str) for g in given):
        raise source.error(f"expected a text or a list of texts, not {given!r}", *where)
    return [((i,), g) for i, g in enumerate(given)]


def _word(source: Source, word: Any, *where: str | int) -> None:
    bad = not isinstance(word, str) or not re.fullmatch(r"[^\W\d]\w*", word)
    if bad or word in language.KEYWORDS | language.QUANTIFIERS:
        raise source.error(f"{word!r} can't be a name: use letters, digits and _", *where)


def _range(source: Source, given: Any, *where: str | int) -> tuple[int, int]:
    if (
        not isinstance(given, list)
        or len(given) != 2
        or any(isinstance(g, bool) or not isinstance(g, int) for g in given)
        or given[0] > given[1]
    ):
        raise source.error(f"a range is [lowest, highest], not {given!r}", *where)
    return given[0], given[1]


def _or(words: Any) -> str:
    names: Callable[[Any], list[str]] = list
    return " or ".join(repr(w) for w in names(words))
