"""A story in English: variants, pronouns, joined sentences, and nobody who comes from nowhere."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from treewright.apps.stories.model import Event, Expr
from treewright.apps.stories.setup import PRONOUNS, Entity, Setup
from treewright.apps.stories.story import Story
from treewright.apps.stories.template import Slot, Template
from treewright.apps.stories.world import Scope, World, scope_of

_CASES = {"he": 0, "him": 1, "his": 2, "himself": 3}
_JOINED = 3  # actions in one sentence


@dataclass
class Clause:
    """One step before it becomes a sentence."""

    step: int
    subject: Entity | None  # who does it, if the sentence begins with their name
    predicate: Template  # what follows the subject, or the whole sentence
    scope: Scope
    world: World
    where: bool
    after: list[tuple[Template, World]] = field(default_factory=list)


@dataclass
class Sentence:
    """What is printed, and the steps that it tells."""

    text: str
    steps: list[int]


def sentences(story: Story) -> list[Sentence]:
    """The story sentence by sentence, after an opening that says who is where."""
    teller = _Teller(story.setup, story.seed)
    clauses = teller.clauses(story.events)
    opening = teller.opening(clauses)
    told = [Sentence(opening, [])] if opening else []
    at = 0
    while at < len(clauses):
        group = teller.group(clauses, at)
        text = teller.sentence(group)
        for template, world in group[-1].after:
            text += " " + teller.aside(template, group[-1].scope, world)
        told.append(Sentence(text, [c.step for c in group]))
        at += len(group)
    return told


def opening(stories: Sequence[Story]) -> str:
    """Who is where when several stories begin, of those who appear in any of them."""
    teller = _Teller(stories[0].setup, stories[0].seed)
    return teller.opening([c for story in stories for c in teller.clauses(story.events)])


def single_sentences(story: Story) -> list[str]:
    """One sentence per step with full names: for choices, graphs and tables."""
    setup = story.setup
    told = []
    for clause in _Teller(setup, story.seed).clauses(story.events):
        teller = _Teller(setup, story.seed)
        told.append(teller.sentence([clause]))
    return told


def prose(story: Story) -> str:
    """The whole story, in paragraphs."""
    if not story.steps:
        return "Nothing had to happen."
    paragraphs: list[list[str]] = [[]]
    told = sentences(story)
    for i, sentence in enumerate(told):
        if len(paragraphs[-1]) >= 4 or (i == 1 and not told[0].steps):
            paragraphs.append([])
        paragraphs[-1].append(sentence.text)
    if len(paragraphs) > 2 and len(paragraphs[-1]) == 1:
        last = paragraphs.pop()
        paragraphs[-1] += last
    return "\n\n".join(" ".join(p) for p in paragraphs if p)


class _Teller:
    """Remembers who was mentioned, so that pronouns are clear and things become known."""

    def __init__(self, setup: Setup, seed: int) -> None:
        self._setup = setup
        self._random = random.Random(seed)
        self._known: set[Entity] = set()  # things that were mentioned
        self._previous: Entity | None = None  # the last sentence's subject
        self._mentioned: list[Entity] = []  # people in the sentence under way
        self._before: list[Entity] = []  # and in the one before
        self._used: dict[str, str] = {}
        self._joined = False  # whether the sentence goes on with another action
        self._things: list[Entity] = []  # things in the sentence under way
        self._here: Entity | None = None  # the place in it, if "where …" follows

    # ---------------------------------------------------------------------------- planning

    def clauses(self, events: list[Event]) -> list[Clause]:
        world = World.start(self._setup)
        found = []
        for i, event in enumerate(events):
            action = self._setup.library.action(event.action)
            scope = scope_of(event)
            text = self._variant(action.name, action.texts)
            template = self._setup.library.sentence(action.name, text)
            before = World(self._setup, dict(world.values))
            world.play(event)
            subject = self._subject(template, scope, before)
            predicate = template[1:] if subject else template
            clause = Clause(i, subject, predicate, scope, before, action.where)
            after = World(self._setup, dict(world.values))
            for condition, sentence in action.after:
                if after.value(condition, scope):
                    own = self._setup.library.sentence(action.name, sentence)
                    clause.after.append((own, after))
            found.append(clause)
        return found

    def _variant(self, name: str, texts: tuple[str, ...]) -> str:
        """Any of an action's sentences, but not the one that was used last."""
        fresh = [t for t in texts if t != self._used.get(name)] or list(texts)
        self._used[name] = self._random.choice(fresh)
        return self._used[name]

    def _subject(self, template: Template, scope: Scope, world: World) -> Entity | None:
        first = template[0]
        if isinstance(first, Slot) and first.noun == "person" and first.form == "name":
            return self._entity(first.entity, scope, world)
        return None

    def group(self, clauses: list[Clause], at: int) -> list[Clause]:
        """The steps that go into the next sentence: of one person, one after another."""
        group = [clauses[at]]
        while (
            len(group) < _JOINED
            and at + len(group) < len(clauses)
            and group[-1].subject is not None
            and not group[-1].after
            and clauses[at + len(group)].subject == group[-1].subject
            and not _alone(clauses[at + len(group)].predicate)
            and not _alone(group[-1].predicate)
            and not any(c.where for c in group[1:])
        ):
            group.append(clauses[at + len(group)])
        return group

    def opening(self, clauses: list[Clause]) -> str:
        """Who is where at the beginning, of those who will be heard of."""
        people = list(dict.fromkeys(p for c in clauses for p in self._people(c)))
        world = World.start(self._setup)
        told = []
        for person in people:
            place = self._place_of(person, world)
            if place is not None:
                self._mentioned = [person]
                told.append((person.name, self._place(place, "at")))
        if not told:
            return ""
        parts = [f"{told[0][0]} was {told[0][1]}", *(f"{n} {p}" for n, p in told[1:])]
        return _capital(_listed(parts)) + "."

    def _people(self, clause: Clause) -> list[Entity]:
        slots = [p for p in clause.predicate if isinstance(p, Slot) and p.noun == "person"]
        found = [clause.subject] if clause.subject else []
        found += [e for s in slots if (e := self._entity(s.entity, clause.scope, clause.world))]
        return found

    def _place_of(self, person: Entity, world: World) -> Entity | None:
        """Where somebody is: by the first attribute that is a place and can change."""
        for (owner, _), attribute in self._setup.library.known.attributes.items():
            kind = attribute.type
            if owner != person.type or kind.kind != "entity" or attribute.over or attribute.fixed:
                continue
            if self._setup.library.known.types[kind.name].noun == "place":
                number = world.values[attribute, person.number, 0]
                return self._setup.entity(kind.name, number) if number >= 0 else None
        return None

    # ----------------------------------------------------------------------------- wording

    def sentence(self, group: list[Clause]) -> str:
        self._before, self._mentioned = self._mentioned, []
        self._things, self._here = [], None
        first = group[0]
        text = ""
        if first.subject is not None:
            text = self._as_subject(first.subject)
        parts: list[str] = []
        for clause in group:
            self._joined = bool(parts)
            parts.append(self._said(clause.predicate, clause))
        self._joined = False
        if first.subject is None:
            text = parts[0]
        elif len(group) > 1 and first.where:
            pronoun = self._pronoun(first.subject, "he")
            rest = in_turn([_agreeing(pronoun, p) for p in parts[1:]])
            text += f"{parts[0]}, where {pronoun} {rest}"
        else:
            text += " " + in_turn([_agreeing(text, p) for p in parts])
        self._previous = first.subject
        return _finished(text)

    def aside(self, template: Template, scope: Scope, world: World) -> str:
        clause = Clause(-1, None, template, scope, world, False)
        return _finished(self._said(template, clause))

    def _said(self, template: Template, clause: Clause) -> str:
        return "".join(
            part if isinstance(part, str) else self._named(part, clause) for part in template
        )

    def _as_subject(self, person: Entity) -> str:
        """A pronoun, if nobody else in the sentence before could be meant."""
        again = person == self._previous
        rivals = {p for p in self._before if p != person and self._word(p) == self._word(person)}
        self._mentioned.append(person)
        return self._word(person) if again and not rivals else person.name

    def _word(self, person: Entity) -> str:
        return person.told.get("pronoun", "they")

    def _pronoun(self, person: Entity, form: str) -> str:
        return PRONOUNS[self._word(person)][_CASES[form]]

    def _named(self, slot: Slot, clause: Clause) -> str:
        entity = self._entity(slot.entity, clause.scope, clause.world)
        if entity is None:
            return "nobody" if slot.noun == "person" else "nothing"
        if slot.noun == "person":
            return self._person(entity, slot.form, clause)
        if slot.noun == "place":
            if self._joined and entity == self._here and slot.form in ("at", "from"):
                return ""  # "…, where she left it", not "where she left it there"
            self._here = entity if clause.where else self._here
            return self._place(entity, slot.form)
        return self._thing(entity, slot.form)

    def _person(self, person: Entity, form: str, clause: Clause) -> str:
        own = person == clause.subject
        others = {p for p in self._mentioned if p != person and p != clause.subject}
        alone = all(self._word(p) != self._word(person) for p in others)
        if not own and clause.subject and self._word(clause.subject) == self._word(person):
            alone = alone and form == "him"  # "him" can't be whoever does it; "he" could
        seen = person in self._mentioned
        if person not in self._mentioned:
            self._mentioned.append(person)
        if form in _CASES and own:
            return self._pronoun(person, form)
        if form in _CASES:
            if seen and alone:
                return self._pronoun(person, form)
            return _possessive(person.name) if form == "his" else person.name
        if form == "'s":
            return self._pronoun(person, "his") if seen and alone else _possessive(person.name)
        again = self._joined and seen and not own
        if again and all(self._word(p) != self._word(person) for p in others):
            return self._pronoun(person, "him")
        return person.name

    def _place(self, place: Entity, form: str) -> str:
        name = _definite(place)
        for person in self._mentioned[:1]:  # "her house", if it is the subject's
            own = re.fullmatch(re.escape(person.name) + r"['’]s? (.+)", place.name)
            if own:
                name = f"{self._pronoun(person, 'his')} {own[1]}"
        if form == "'s":
            return _possessive(name)
        if form == "name":
            return name
        if form in place.told:
            return place.told[form]
        return f"{form} {name}"

    def _thing(self, thing: Entity, form: str) -> str:
        known = thing in self._known
        self._known.add(thing)
        article = thing.told.get("article")
        again = self._things == [thing]
        if not again:
            self._things.append(thing)
        if again and form in ("a", "the"):
            return "them" if article == "" else "it"  # handcuffs
        if form == "bare":
            return thing.name
        if form == "'s":
            return _possessive(f"the {thing.name}")
        if form == "the" or known:
            return f"the {thing.name}"
        if article is None:
            article = "an" if thing.name[0].lower() in "aeiou" else "a"
        return f"{article} {thing.name}".strip()

    def _entity(self, expr: Expr, scope: Scope, world: World) -> Entity | None:
        number = int(world.value(expr, scope))
        return self._setup.entity(expr.type.name, number) if number >= 0 else None


def _alone(template: Template) -> bool:
    """Whether a sentence can't be joined: it has its own full stop, or parts of its own."""
    return any(isinstance(p, str) and re.search(r"[,;.!?]| and they ", p) for p in template)


def _listed(parts: list[str]) -> str:
    """``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def in_turn(deeds: list[str]) -> str:
    """``a, b and c``; ``a, b, then c`` if one of them has an "and" of its own."""
    if len(deeds) > 1 and any(" and " in deed for deed in deeds):
        return f"{', '.join(deeds[:-1])}, then {deeds[-1]}"
    return _listed(deeds)


def _agreeing(subject: str, predicate: str) -> str:
    """``they were``: the only verb in the past tense that minds."""
    return re.sub(r"^was\b", "were", predicate.strip()) if subject == "they" else predicate.strip()


def _possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") and not name.endswith("ss") else f"{name}'s"


def _definite(place: Entity) -> str:
    """``the house``, unless it is a proper name, has an article, or its own phrases have none."""
    name = place.name
    bare = any(name in said and f"the {name}" not in said for said in place.told.values())
    done = name[0].isupper() or name.split()[0] in ("the", "a", "an")
    return name if bare or done else f"the {name}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _finished(text: str) -> str:
    text = _capital(" ".join(text.split()))
    return text if text.endswith((".", "!", "?")) else text + "."
