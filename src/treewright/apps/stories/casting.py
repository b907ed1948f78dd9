"""Who acts in one search of a large set-up: a cast of some people, with their things and places.

With forty people nearly all that can be done has nothing to do with the story so far, and no
search of some thousand nodes gets anywhere.  So each restart has a cast, drawn at random, whose
size follows the sequence of Luby, Sinclair & Zuckerman (1993): mostly small, now and then two,
four, eight … times as large, up to everybody.  Whoever is not in the cast is there all the same:
conditions, effects and goals speak of everybody.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from treewright.apps.stories.model import Event, Expr
from treewright.apps.stories.setup import Goal, Setup
from treewright.apps.stories.world import World

LARGE = 6  # people: up to so many all act in every search
SMALLEST = 6  # people of the smallest cast
Who = tuple[str, int]  # a type and a number
Cast = dict[str, list[int]]  # those of each type who act, in order


def casts(setup: Setup, seed: int, goals: Sequence[Goal]) -> Iterator[Cast] | None:
    """A cast for each restart, without end; None if the set-up is not large.

    Whom the ``goals`` name is in every cast, and whom only other goals name in none: the dead and
    the jailed can't do what is still asked of them.
    """
    if len(setup.people) <= LARGE:
        return None
    return _casts(_Company(setup, goals), random.Random(seed))


def _casts(company: "_Company", rng: random.Random) -> Iterator[Cast]:
    count = 0
    while True:
        count += 1
        yield company.cast(SMALLEST * luby(count), rng)


def luby(i: int) -> int:
    """The i-th number of 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 …, from i = 1."""
    size = i.bit_length()
    if i + 1 == 1 << size:
        return 1 << (size - 1)
    return luby(i + 1 - (1 << (size - 1)))


class _Company:
    """Everybody and everything in a set-up, and what belongs together when the story begins."""

    def __init__(self, setup: Setup, goals: Sequence[Goal]) -> None:
        world = World.start(setup)
        for event in setup.steering.prefix:
            world.do(event, 1.0)
        known = setup.library.known
        self._everything = {k: range(len(e)) for k, e in setup.entities.items()}
        self._people = [k for k, t in known.types.items() if t.noun == "person"]
        self._named = named(setup, goals)
        self._spared = named(setup, setup.goals) - self._named
        self._joined: dict[Who, set[Who]] = {}
        words: dict[Who, list[tuple[str, Any]]] = {}
        for (attribute, owner, _), value in world.values.items():
            if attribute.over:
                continue
            who = (attribute.owner, owner)
            if attribute.type.kind == "entity" and value >= 0:
                other = (attribute.type.name, value)
                self._joined.setdefault(who, set()).add(other)
                self._joined.setdefault(other, set()).add(who)
            elif attribute.fixed and attribute.type.kind != "entity":
                word = value > 0 if attribute.type.kind == "number" else value
                words.setdefault(who, []).append((attribute.name, word))
        self._role = {w: tuple(sorted(found)) for w, found in words.items()}

    def cast(self, size: int, rng: random.Random) -> Cast:
        """So many people: those whom the goals name, one of each job, and others by chance."""
        everybody = [(k, n) for k in self._people for n in self._everything[k]]
        everybody = [w for w in everybody if w not in self._spared]
        if size >= len(everybody) and not self._spared:
            return {k: list(numbers) for k, numbers in self._everything.items()}
        chosen = {w for w in everybody if w in self._named}
        self._add_roles(everybody, chosen, rng)
        rest = [w for w in everybody if w not in chosen]
        chosen.update(rng.sample(rest, min(len(rest), max(0, size - len(chosen)))))
        self._add_belongings(chosen)
        for kind, numbers in self._everything.items():
            if kind not in self._people:
                others = [(kind, n) for n in numbers]
                chosen.update(w for w in others if w in self._named or len(others) <= size)
                self._add_roles(others, chosen, rng)
        self._add_belongings(chosen)
        return {k: sorted(n for t, n in chosen if t == k) for k in self._everything}

    def _add_roles(self, among: Sequence[Who], chosen: set[Who], rng: random.Random) -> None:
        """One of every job, every kind of place, every kind of thing … that nobody has yet."""
        roles: dict[object, list[Who]] = {}
        for who in among:
            roles.setdefault((who[0], self._role.get(who)), []).append(who)
        for players in roles.values():
            if chosen.isdisjoint(players):
                chosen.add(rng.choice(players))

    def _add_belongings(self, chosen: set[Who]) -> None:
        """Places where they are, what lies there or is theirs, and so on; but no more people."""
        found = list(chosen)
        while found:
            for other in self._joined.get(found.pop(), ()):
                if other not in chosen and other[0] not in self._people:
                    chosen.add(other)
                    found.append(other)


def named(setup: Setup, goals: Sequence[Goal]) -> set[Who]:
    """Whom and what goals, the conditions to keep and the pinned beginning speak of."""
    found = set()
    for goal in (*goals, *setup.keep):
        for part in goal.expr.walk():
            found |= _named_in(setup, part)
    for event in setup.steering.prefix:
        found |= taking_part(setup, event)
    return found


def _named_in(setup: Setup, part: Expr) -> set[Who]:
    if part.op in ("times", "when"):
        return taking_part(setup, part.value)
    if part.op == "const" and part.type.kind == "entity" and part.value >= 0:
        return {(part.type.name, part.value)}
    return set()


def taking_part(setup: Setup, event: Event) -> set[Who]:
    """Who and what an event speaks of."""
    params = setup.library.action(event.action).params
    return {(kind, n) for n, (_, kind) in zip(event.args, params, strict=True) if n >= 0}
