"""Sentences with slots: ``{A} stole {B's} {I:bare}`` and the forms that a slot can ask for."""

import re
from dataclasses import dataclass

from treewright.apps.stories import language
from treewright.apps.stories.checker import Checker, Vocabulary
from treewright.apps.stories.language import LanguageError
from treewright.apps.stories.model import Expr
from treewright.errors import nearest

FORMS = {
    "person": ("name", "'s", "he", "him", "his", "himself"),
    "thing": ("a", "the", "bare", "'s"),
    "place": ("name", "to", "at", "from", "'s"),
}
_SLOT = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Slot:
    """An entity to name, in one of the forms above."""

    entity: Expr
    noun: str
    form: str


Template = tuple[str | Slot, ...]


def template(text: str, vocabulary: Vocabulary, scope: dict[str, Expr]) -> Template:
    """The parts of a sentence, each slot checked."""
    found: list[str | Slot] = []
    end = 0
    for match in _SLOT.finditer(text):
        found.append(text[end : match.start()])
        found.append(_slot(match[1], match.start(), vocabulary, scope))
        end = match.end()
    rest = text[end:]
    if "{" in rest or "}" in rest or any("}" in p or "{" in p for p in found if isinstance(p, str)):
        raise LanguageError("a curly bracket has no partner", end)
    return tuple(p for p in [*found, rest] if p != "")


def _slot(text: str, at: int, vocabulary: Vocabulary, scope: dict[str, Expr]) -> Slot:
    name, colon, form = text.partition(":")
    if not colon and text.endswith(("'s", "’s")):
        name, form = text[:-2], "'s"
    entity = Checker(vocabulary).check(language.expression(name), scope)
    if entity.type.kind != "entity":
        raise LanguageError(f"{{{text}}} must name an entity, this is {entity.type}", at)
    noun = vocabulary.types[entity.type.name].noun
    form = form.strip() or FORMS[noun][0]
    if form not in FORMS[noun]:
        raise LanguageError(
            f"{{{text}}}: a {noun} has no form {form!r}{nearest(form, FORMS[noun])}", at
        )
    return Slot(entity, noun, form)
