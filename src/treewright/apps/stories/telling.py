"""A story in English: variants, pronouns, joined sentences, and nobody who comes from nowhere."""

import itertools
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from treewright.apps.stories.model import Action, Event, Expr
from treewright.apps.stories.setup import PRONOUNS, Entity, Setup
from treewright.apps.stories.story import Story, links
from treewright.apps.stories.template import Slot, Template
from treewright.apps.stories.world import Scope, World, scope_of

_CASES = {"he": 0, "him": 1, "his": 2, "himself": 3}
_PRONOUNS = PRONOUNS | {"I": ("I", "me", "my", "myself")}
_JOINED = 3  # actions in one sentence
_DOER = re.compile(r"(^|, and |\bsaid )$")  # after this a name is a subject


@dataclass
class Clause:
    """One step before it becomes a sentence."""

    step: int
    subject: Entity | None  # who does it, if the sentence begins with their name
    predicate: Template  # what follows the subject, or the whole sentence
    scope: Scope
    world: World
    where: bool
    action: Action | None = None
    speech: tuple[str, ...] = ()
    after: list[tuple[tuple[str, ...], World]] = field(default_factory=list)
    causes: list["Clause"] = field(default_factory=list)  # what made it believable
    aim: Event | None = None  # what its subject does it for, where people have motives
    again: list[int] = field(default_factory=list)  # the same once more, which is not told


@dataclass
class Sentence:
    """What is printed, and the steps that it tells."""

    text: str
    steps: list[int]
    scene: bool = False  # whether the story goes elsewhere with it
    answer: bool = False  # whether it begins with an answer to the one before, or a pronoun


def sentences(story: Story) -> list[Sentence]:
    """The story sentence by sentence, after an opening that says who is where."""
    teller = _Teller(story.setup, story.seed)
    clauses = teller.clauses(story.events)
    teller.give_reasons(story, clauses)
    opening = teller.opening(clauses)
    told = [Sentence(opening, [])] if opening else []
    clauses = _once(clauses)
    at = 0
    while at < len(clauses):
        group = teller.group(clauses, at)
        scene = bool(at) and teller.elsewhere(clauses[at - 1], group[0])
        text = teller.sentence(group, scene)
        answer = teller.answered or teller.leans or text.split(" ")[0].lower() in PRONOUNS
        text = " ".join([text, *teller.asides(group[-1])])
        told.append(Sentence(text, _steps(group), scene, answer))
        at += len(group)
    return told


def _once(clauses: list[Clause]) -> list[Clause]:
    """Without what somebody does again at once: it is told once, with what followed in the end."""
    kept: list[Clause] = []
    for clause in clauses:
        last = kept[-1] if kept else None
        if last and clause.action == last.action and clause.scope == last.scope:
            last.again.append(clause.step)
            last.after = clause.after
        else:
            kept.append(clause)
    return kept


def _steps(group: list[Clause]) -> list[int]:
    return [step for clause in group for step in (clause.step, *clause.again)]


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
    """The whole story, in paragraphs, in the style of its set-up."""
    if not story.steps:
        met = story.share > 0.0
        return "Nothing had to happen." if met else "Nothing happened: no story was found."
    style = story.setup.library.styles[story.setup.style]
    paragraphs = [" ".join(texts) for texts in _paragraphs(sentences(story))]
    first = len(paragraphs) > 1  # who is where is no entry of its own
    for i, entry in enumerate(style.entries[: len(paragraphs) - first]):
        paragraphs[i + first] = entry + paragraphs[i + first]
    if style.closing:
        paragraphs.append(style.closing[(story.seed + len(story.steps)) % len(style.closing)])
    return "\n\n".join(paragraphs)


def _paragraphs(told: list[Sentence]) -> list[list[str]]:
    """A new one where the story goes elsewhere, unless the last is short, or it gets long.

    A long one ends neither before an answer nor shortly before the story goes elsewhere.
    """
    found: list[list[str]] = [[]]
    for i, sentence in enumerate(told):
        size = len(found[-1])
        soon = any(later.scene for later in told[i + 1 : i + 3])
        ends = size >= 2 if sentence.scene else size >= 5 and not sentence.answer and not soon
        if ends or (i == 1 and not told[0].steps):
            found.append([])
        found[-1].append(sentence.text)
    if len(found) > 2 and len(found[-1]) == 1:
        last = found.pop()
        found[-1] += last
    return [texts for texts in found if texts]


class _Teller:
    """Remembers who was mentioned, so that pronouns are clear and things become known."""

    def __init__(self, setup: Setup, seed: int) -> None:
        self._setup = setup
        self._random = random.Random(seed)
        self._known: set[Entity] = set()  # people and things that were mentioned
        self._previous: Entity | None = None  # the last sentence's subject
        self._mentioned: list[Entity] = []  # people in the sentence under way
        self._before: list[Entity] = []  # and in the one before
        self._used: dict[str, list[str]] = {}
        self._style = setup.library.styles[setup.style]
        self._narrator: Entity | None = None  # who says "I"
        self._told: list[Clause] = []  # all steps, in order
        self.answered = False  # whether the last sentence said what it followed from
        self.leans = False  # whether it needs the one before, to say who "him" is
        self._joined = False  # whether the sentence goes on with another action
        self._doer = False  # whether who comes now does something: "and Anselm awoke"
        self._last: list[Entity] = []  # people in the last sentence, be it speech or a feeling
        self._fully = False  # whether people are named, even if they were just spoken of
        self._things: list[Entity] = []  # things in the sentence under way
        self._here: Entity | None = None  # the place in it, which need not be said twice

    # ---------------------------------------------------------------------------- planning

    def clauses(self, events: list[Event]) -> list[Clause]:
        world = World.start(self._setup)
        found = []
        for i, event in enumerate(events):
            action = self._setup.library.action(event.action)
            scope = scope_of(event)
            texts = action.wording.told.get(self._setup.style, action.texts)
            speech = action.wording.speech
            for other in action.wording.instead:
                if world.value(other.condition, scope):
                    texts, speech = other.texts, other.speech
                    break
            text = self._variant(action.name, texts)
            template = self._setup.library.sentence(action.name, text)
            before = World(self._setup, dict(world.values))
            world.play(event)
            subject = self._subject(template, scope, before)
            predicate = template[1:] if subject else template
            clause = Clause(i, subject, predicate, scope, before, action.where, action, speech)
            after = World(self._setup, dict(world.values))
            for condition, variants in action.after:
                if after.value(condition, scope):
                    clause.after.append((variants, after))
            found.append(clause)
        self._told = found
        if self._style.first_person and found:
            self._narrator = next((c.subject for c in reversed(found) if c.subject), None)
        return found

    def give_reasons(self, story: Story, clauses: list[Clause]) -> None:
        """Note for each step which earlier ones made it believable."""
        for link in links(story):
            if link.motive and link.target < len(clauses):
                clauses[link.target].causes.append(clauses[link.source])
        for clause, step in zip(clauses, story.steps, strict=True):
            if step.reasons is not None and clause.subject is not None:
                plan = step.reasons.plans.get(clause.subject.number) or ()
                done = [e for e in story.events[clause.step + 1 : clause.step + 2] if e in plan]
                clause.aim = plan[-1] if len(plan) > 1 and not done else None

    def _variant(self, name: str, texts: tuple[str, ...]) -> str:
        """Any of some texts: one that was not used yet, or else not the one that was used last."""
        used = self._used.setdefault(name, [])
        fresh = [t for t in texts if t not in used] or [t for t in texts if t not in used[-1:]]
        used.append(self._random.choice(fresh or list(texts)))
        return used[-1]

    def _unused(self, name: str, texts: tuple[str, ...]) -> str:
        """A text that was not used yet, or nothing."""
        fresh = [t for t in texts if t not in self._used.get(name, [])]
        return self._variant(name, tuple(fresh)) if fresh else ""

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
            and not self._reason_of(group[-1])
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
        groups: dict[str, list[tuple[Entity, Entity]]] = {}  # those at one place, or at their own
        for person in people:
            place = self._place_of(person, world)
            if place is not None:
                own = _own(person, place)
                groups.setdefault(f"own {own}" if own else place.id, []).append((person, place))
        told = [self._gathered(group) for group in sorted(groups.values(), key=len, reverse=True)]
        if not told:
            return ""
        names, where = told[0]
        alone = len(max(groups.values(), key=len)) == 1
        parts = [
            f"{names} {'was' if alone else 'were'} {where}",
            *(f"{n} {p}" for n, p in told[1:]),
        ]
        self._mentioned = []
        return _capital(self._style.opening + _listed(parts)) + "."

    def _gathered(self, group: list[tuple[Entity, Entity]]) -> tuple[str, str]:
        """Some people and where they are: ``Alice and Bob``, ``each at their own house``."""
        group = sorted(group, key=lambda pair: pair[0] == self._narrator)  # who says "I" comes last
        person, place = group[0]
        self._mentioned = [person]
        names = _listed([self._called(who) for who, _ in group])
        own = _own(person, place)
        if len(group) == 1 or not own:
            return names, self._place(place, "at")
        whose = "our" if group[-1][0] == self._narrator else "their"
        return names, f"each at {whose} own {own}"

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

    def sentence(self, group: list[Clause], scene: bool = False) -> str:
        self._before, self._mentioned = [] if scene else self._mentioned, []
        self._things, self._here = [], None
        self.leans = False
        first = group[0]
        lead = self._lead(group, scene)
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
        self._previous, self._last = first.subject, list(self._mentioned)
        return _finished(lead + text + self._reason(group[-1]))

    def elsewhere(self, last: Clause, now: Clause) -> bool:
        """Whether another person acts at another place, who was not heard of just before."""
        if now.subject is None or now.subject in self._people(last):
            return False
        here = self._place_of(last.subject, now.world) if last.subject else None
        return self._place_of(now.subject, now.world) != here

    def _lead(self, group: list[Clause], scene: bool) -> str:
        """What leads over from the sentence before: a change of scene, or an answer to a deed.

        Whoever tells the story needs no news of what they saw themselves.
        """
        clause = group[0]
        answers = any(
            cause.step == clause.step - 1 and cause.subject != clause.subject
            for cause in clause.causes
        )
        if scene:
            own = any(self._narrator in self._people(part) for part in group)
            texts = () if own else self._style.scene
        else:
            texts = self._style.result if answers and not self.answered else ()
        lead = self._unused("lead", texts)
        self.answered = bool(lead) and not scene
        return lead

    def _reason_of(self, clause: Clause) -> Clause | None:
        """The earlier deed that is named as the reason of this one, if both have the words."""
        if clause.action is None or not clause.action.wording.why or _alone(clause.predicate):
            return None
        named = [
            c
            for c in clause.causes
            if c.action is not None and c.action.wording.noun and c.subject != clause.subject
        ]  # nobody gets even for a deed of their own
        return next((c for c in reversed(named) if c.step < clause.step - 1), None)

    def _reason(self, clause: Clause) -> str:
        """``to get even for the theft of the vase``."""
        cause = self._reason_of(clause)
        if cause is None or clause.action is None or cause.action is None:
            return self._aim(clause)
        said = self._deeds(clause, cause)
        why = self._variant("why", clause.action.wording.why)
        if self._unused("cause", (f"{clause.subject} {said}",)) == "":
            return ""
        return f" {why} {said}"

    def _deeds(self, clause: Clause, cause: Clause) -> str:
        """``the murders of Alice and Charlie``.

        Who was wronged answers that wrong; who was not (an officer) all that the doer did.
        """
        assert cause.action is not None
        noun = self._setup.library.sentence(cause.action.name, cause.action.wording.noun)
        deeds = [cause]
        if clause.subject not in self._people(cause):
            before = self._told[: clause.step]
            deeds += [c for c in before if c is not cause and c.action == cause.action]
            deeds = [c for c in deeds if c.subject == cause.subject]
        self._fully = True
        told = [self._said(noun, Clause(-1, None, noun, c.scope, c.world, False)) for c in deeds]
        self._fully = False
        first, *others = dict.fromkeys(told)
        kind, of, victim = first.partition(" of ")
        same = [t.removeprefix(kind + of) for t in others if t.startswith(kind + of)]
        return f"{kind}s of {_listed([victim, *same])}" if same else first

    def _aim(self, clause: Clause) -> str:
        """``, meaning to steal the vase from Bob``."""
        aim = clause.aim
        text = self._setup.library.action(aim.action).wording.aim if aim is not None else ""
        if aim is None or not text or (aim.args[0] != getattr(clause.subject, "number", None)):
            return ""
        template = self._setup.library.sentence(aim.action, text)
        said = self._said(template, Clause(-1, None, template, scope_of(aim), clause.world, False))
        return f", {self._variant('aim', ('meaning', 'hoping'))} to {said}"

    def asides(self, clause: Clause) -> list[str]:
        """What is said, and the sentences that follow; none of them twice in the same words."""
        texts = [(clause.speech, clause.world)] if self._style.speech else []
        texts += clause.after if self._style.feelings else []
        found = []
        for variants, world in texts:
            name = clause.action.name if clause.action else ""
            chosen = self._unused(f"{name} aside", variants)
            if chosen:
                found.append(self._aside(name, chosen, clause.scope, world))
        return found

    def _aside(self, name: str, text: str, scope: Scope, world: World) -> str:
        template = self._setup.library.sentence(name, text)
        subject = self._subject(template, scope, world)
        clause = Clause(-1, subject, template, scope, world, False)
        self._last = self._people(clause) or self._last
        if subject is None:
            return _finished(self._said(template, clause))
        self._previous = subject
        said = self._said(template[1:], clause)
        return _finished(self._called(subject) + said)

    def _said(self, template: Template, clause: Clause) -> str:
        said = ""
        for part, follows in itertools.zip_longest(template, template[1:]):
            described = isinstance(follows, str) and follows.startswith(", who")
            self._doer = described or bool(_DOER.search(said))
            said += part if isinstance(part, str) else self._named(part, clause)
        return said

    def _as_subject(self, person: Entity) -> str:
        """A pronoun, if nobody else in the sentence before could be meant."""
        again = person == self._previous
        rivals = {p for p in self._last if p != person and self._word(p) == self._word(person)}
        self._mentioned.append(person)
        clear = person == self._narrator or (again and not rivals)
        return self._word(person) if clear else self._called(person)

    def _called(self, person: Entity) -> str:
        """By name; without the title once it was said: Lestrade, not Inspector Lestrade."""
        if person == self._narrator:
            return "I"
        words = person.name.split()
        short = words[-1] == person.id and (words[0] != "the" or len(words) > 2)
        if short and person in self._known:
            return person.id
        self._known.add(person)
        return person.name

    def _word(self, person: Entity) -> str:
        return "I" if person == self._narrator else person.told.get("pronoun", "they")

    def _pronoun(self, person: Entity, form: str) -> str:
        return _PRONOUNS[self._word(person)][_CASES[form]]

    def _named(self, slot: Slot, clause: Clause) -> str:
        entity = self._entity(slot.entity, clause.scope, clause.world)
        if entity is None:
            return "nobody" if slot.noun == "person" else "nothing"
        if slot.noun == "person":
            return self._person(entity, slot.form, clause)
        if slot.noun == "place":
            if self._joined and entity == self._here and slot.form in ("at", "from"):
                return ""  # "…, where she left it", not "where she left it there"
            self._here = entity if clause.where or slot.form in ("at", "from") else self._here
            return self._place(entity, slot.form)
        return self._thing(entity, slot.form)

    def _person(self, person: Entity, form: str, clause: Clause) -> str:
        own = person == clause.subject
        others = {p for p in self._mentioned if p != person and p != clause.subject}
        alone = all(self._word(p) != self._word(person) for p in others)
        if not own and clause.subject and self._word(clause.subject) == self._word(person):
            alone = alone and form == "him"  # "him" can't be whoever does it; "he" could
        seen = person in self._mentioned
        if not seen:
            self._mentioned.append(person)
        if person == self._narrator:
            name = "he" if self._doer else "him"
            return self._pronoun(person, {"name": name, "'s": "his"}.get(form, form))
        if form in _CASES and own:
            return self._pronoun(person, form)
        if form in _CASES:
            if seen and alone:
                return self._pronoun(person, form)
            return _possessive(self._called(person)) if form == "his" else self._called(person)
        if form == "'s":
            own_word = self._pronoun(person, "his")
            return own_word if seen and alone else _possessive(self._called(person))
        clear = self._is_clear(person, clause, seen)
        return self._pronoun(person, "him") if clear else self._called(person)

    def _is_clear(self, person: Entity, clause: Clause, here: bool) -> bool:
        """Whether "him" can only be one who was spoken of in this sentence or the one before."""
        if self._fully or self._doer or person == clause.subject:
            return False
        if not here and person not in self._before:
            return False
        around = {*self._mentioned, *([clause.subject] if clause.subject else [])}
        around |= set() if here else set(self._before)
        alone = all(self._word(p) != self._word(person) for p in around if p != person)
        clear = alone and self._word(person) in ("he", "she")
        self.leans = self.leans or (clear and not here)
        return clear

    def _place(self, place: Entity, form: str) -> str:
        name = _definite(place)
        owners = [*self._mentioned[:1], *([self._narrator] if self._narrator else [])]
        for person in owners:  # "her house", if it is the subject's; "my house" always
            own = _own(person, place)
            others = (p for p in self._mentioned if p != person)
            if own and all(self._word(p) != self._word(person) for p in others):
                name = f"{self._pronoun(person, 'his')} {own}"
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


def _own(person: Entity, place: Entity) -> str:
    """What somebody's own place is: ``house`` for Alice and Alice's house."""
    found = re.fullmatch(re.escape(person.name) + r"['’]s? (.+)", place.name)
    return found[1] if found else ""


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
    return text if text.rstrip('"').endswith((".", "!", "?")) else text + "."
