"""Questions and answers that become a set-up; what is wrong is said at once, and asked again."""

import functools
import re
from collections.abc import Callable
from typing import Any

from treewright.apps.stories import language
from treewright.apps.stories.library import Library, built_in_names, find_source, load_library
from treewright.apps.stories.lint import SLOT, described
from treewright.apps.stories.model import Attribute
from treewright.apps.stories.setup import PRONOUNS, read_setup
from treewright.apps.stories.source import Source, StoryError
from treewright.errors import nearest

Ask = Callable[[str, str], str]
Tell = Callable[[str], object]
_EXAMPLES = {
    "person": "Alice, Bob, Charlie",
    "place": "house, market, jail",
    "thing": "vase, knife",
}


def ask(library_name: str, prompt: Ask, tell: Tell) -> str:
    """The text of a set-up; ``tell`` gets a sentence about an answer that can't be used."""
    return _Asking(library_name, prompt, tell).text()


class _Asking:
    def __init__(self, library_name: str, prompt: Ask, tell: Tell) -> None:
        self._library: Library = load_library(library_name)
        self._prompt = prompt
        self._tell = tell
        self._head = [f'library = "{library_name}"']
        self._sections: list[str] = []
        self._ids: dict[str, list[str]] = {}
        self._shipped = _shipped(library_name)

    def text(self) -> str:
        title = self._prompt("Title", "A new story")
        self._head.insert(0, f'title = "{_quoted(title)}"')
        order = ("place", "person", "thing")
        for kind in sorted(self._library.known.types.values(), key=lambda t: order.index(t.noun)):
            self._entities(kind.name, kind.plural, kind.noun)
        return self._whole(self._goals())

    def _answer(self, question: str, default: str, check: Callable[[str], Any]) -> Any:
        """What ``check`` makes of an answer, once it accepts one."""
        while True:
            try:
                return check(self._prompt(question, default))
            except StoryError as error:
                self._tell(str(error))

    def _entities(self, kind: str, plural: str, noun: str) -> None:
        names = self._answer(
            f"Names of the {plural}, with commas",
            _EXAMPLES[noun],
            lambda answer: self._names(answer, plural),
        )
        self._ids[kind] = [_identifier(n) for n in names]
        self._sections.append(f"\n[{plural}]")
        for key, name in zip(self._ids[kind], names, strict=True):
            parts = [f'name = "{_quoted(name)}"'] if name != key else []
            parts += self._placed(kind, name)
            parts += [self._called(name)] if noun == "person" else []
            self._sections.append(f"{key} = {{ {', '.join(parts)} }}" if parts else f"{key} = {{}}")

    def _names(self, answer: str, plural: str) -> list[str]:
        names = [n.strip() for n in answer.split(",") if n.strip()]
        if not names:
            raise StoryError(f"the story has no {plural}: name at least one")
        taken = [i for ids in self._ids.values() for i in ids]
        for name in names:
            key = _identifier(name)
            if key in taken:
                raise StoryError(f"{name!r} is there already")
            if key in language.KEYWORDS | language.QUANTIFIERS:
                raise StoryError(f"{name!r} can't be a name: it is a word of the language")
            taken.append(key)
        return names

    def _goals(self) -> list[str]:
        goals: list[str] = []
        hint = "; ".join(described(self._library)["goals"][:4])
        first = _filled(self._library.phrases[0].text, self._ids) if self._library.phrases else ""
        while True:
            answer = self._answer(
                f"A goal, such as: {hint} (empty: no more)",
                "" if goals else first,
                lambda answer: self._goal(answer, goals),
            )
            if not answer:
                return goals
            goals.append(answer)

    def _goal(self, answer: str, goals: list[str]) -> str:
        goal = answer.strip()
        if goal or not goals:
            self._whole([*goals, goal] if goal else [])
        return goal

    def _whole(self, goals: list[str]) -> str:
        listed = ", ".join(f'"{_quoted(g)}"' for g in goals)
        text = "\n".join([*self._head, f"goals = [{listed}]", *self._sections]) + "\n"
        read_setup(Source(text, "the new set-up"))
        return text

    def _placed(self, kind: str, name: str) -> list[str]:
        """Ask where somebody or something is, and for chosen words and numbers."""
        parts = []
        usual = self._shipped.get(name, {})
        for (owner, key), attribute in self._library.known.attributes.items():
            if owner != kind or attribute.over:
                continue
            if self._is_asked_where(kind, attribute):
                known = self._ids[attribute.type.name]
                at = self._answer(
                    f"Where is {name} ({', '.join(known)})",
                    known[0],
                    functools.partial(_one_of, known),
                )
                parts.append(f'{key} = "{at}"')
            elif attribute.type.kind == "enum" and attribute.fixed:
                words = self._library.known.enums[attribute.type.name]
                default = usual.get(key, name if name in words else words[0])
                word = self._answer(
                    f"{key} of {name} ({', '.join(words)})",
                    default,
                    functools.partial(_one_of, words),
                )
                parts += [f'{key} = "{word}"'] if word != words[0] else []
            elif attribute.type.kind == "number":
                default = str(usual.get(key, attribute.default))
                parts.append(
                    f"{key} = {self._answer(f'{key} of {name} (0 to 1)', default, _share)}"
                )
        return parts

    def _called(self, name: str) -> str:
        word = self._answer(
            f"Pronoun of {name} ({', '.join(PRONOUNS)})",
            "they",
            functools.partial(_one_of, list(PRONOUNS)),
        )
        return f'pronoun = "{word}"'

    def _is_asked_where(self, kind: str, attribute: Attribute) -> bool:
        types = self._library.known.types
        place = attribute.type.kind == "entity" and types[attribute.type.name].noun == "place"
        needed = attribute.required or types[kind].noun == "thing"
        return place and not attribute.fixed and needed and bool(self._ids.get(attribute.type.name))


def _one_of(known: list[str], answer: str) -> str:
    for found in (answer.strip(), _identifier(answer)):
        if found in known:
            return found
    raise StoryError(f"{answer!r} is none of {', '.join(known)}{nearest(answer, known)}")


def _share(answer: str) -> float:
    try:
        found = float(answer)
    except ValueError:
        raise StoryError(f"{answer!r} is no number") from None
    if not 0 <= found <= 1:
        raise StoryError(f"the number is from 0 to 1, not {answer}")
    return found


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
    return SLOT.sub(lambda m: next(left.get(m[2], iter(())), "1"), phrase)


def _identifier(name: str) -> str:
    found = re.sub(r"\W+", "_", name.strip()).strip("_") or "x"
    return found if not found[0].isdigit() else f"n{found}"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
