"""A set-up with motives as a planning problem: the same ground form as the benchmark's files.

Attributes that change become fluents, and everything else is put in as it is.  ``none`` is what
the format calls unknown, so that somebody who does not know where a thing is believes that it is
nowhere.  Effects of an action follow one another in a library and happen at once in a problem:
what a later one reads is written out in terms of what held before the action.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from treewright.apps.stories.model import Action, Change, Event, Expr, Type
from treewright.apps.stories.planning.folding import fold
from treewright.apps.stories.planning.problem import (
    MOST_GROUND,
    UNKNOWN,
    Effect,
    Ground,
    Problem,
    Rated,
    calculated,
    chosen,
    compared,
    counted,
    joined,
    negated,
)
from treewright.apps.stories.setup import Goal, Setup
from treewright.apps.stories.source import StoryError
from treewright.apps.stories.wishes import Minds, Motives
from treewright.apps.stories.world import World, covers, scope_of

FULL = 10_000  # the author's utility when all goals are met
Scope = dict[str, int]


class SetupProblem(Problem):
    """The problem of a set-up; ``events`` are what its ground actions stand for."""

    def __init__(self, setup: Setup) -> None:
        assert setup.minds is not None
        assert setup.library.motives is not None
        self.name = setup.source.name
        self.full = FULL
        if not setup.minds.hard:
            self.partly = setup.library.motives.partly
            self.unexplained = setup.library.motives.unexplained
        self._setup = setup
        self._check_size()
        motives = setup.library.motives
        people = setup.entities[motives.kind]
        self.entities = [p.id for p in people]
        self.characters = list(range(len(people)))
        self._cells = [cell for cell in setup.values if not cell[0].fixed]
        self.fluents = [(f"{c[0]}", c[1:]) for c in self._cells]
        self.kinds = [_kind(c[0].type) for c in self._cells]
        self.write = Writer(setup, {cell: i for i, cell in enumerate(self._cells)})
        self.initial = dict(self._start(setup.minds))
        self.utilities = self._utilities(motives, setup.minds)
        self.actions = [self._action(motives, a, e) for a, e in _events(setup)]
        self.triggers = list(_noticing(setup, motives, self.write))
        fold(self)
        self.events = [_event(setup, g) for g in self.actions]

    def _check_size(self) -> None:
        sizes = (
            math.prod(len(self._setup.entities[kind]) for _, kind in action.params)
            for action in self._setup.library.actions
        )
        total = sum(sizes)
        if total > MOST_GROUND:
            raise StoryError(
                f"{self.name}: with motives a story has at most {MOST_GROUND:,} ground actions, "
                f"not {total:,}: leave people, places or things out"
            )

    def _start(self, minds: Minds) -> Iterator[tuple[tuple[tuple[int, ...], int], int]]:
        """What holds, and what somebody believes instead."""
        for cell, value in self._setup.values.items():
            if cell in self.write.fluent:
                yield ((), self.write.fluent[cell]), _number(cell[0].type, value)
        for path, changes in minds.beliefs.items():
            world = World.start(self._setup)
            before = dict(world.values)
            for change in changes:
                world.apply(change, {})
            for cell, value in world.values.items():
                if value != before[cell]:
                    yield (path, self.write.fluent[cell]), _number(cell[0].type, value)

    def _utilities(self, motives: Motives, minds: Minds) -> list[Any]:
        found = []
        for who in self.characters:
            want = minds.wants.get(who, motives.wants)
            found.append(self.write.counted(want, {"x": who}))
        return [*found, self._share()]

    def _share(self) -> Any:
        """The author's utility: the weighted share of goals, of FULL."""
        goals = self._setup.goals
        total = sum(g.weight for g in goals)
        found: Any = 0
        for goal in goals:
            found = calculated("+", found, self._part(goal, round(FULL * goal.weight / total)))
        for kept in self._setup.keep:
            found = chosen(self.write.truth(kept.expr, {}), found, 0)
        return found

    def _part(self, goal: Goal, worth: int) -> Any:
        if not goal.of:
            return chosen(self.write.truth(goal.expr, {}), worth, 0)
        value = self.write.value(goal.expr, {})
        part = calculated("/", calculated("*", value, worth), goal.of)
        return chosen(compared(">=", value, goal.of), worth, part)

    def _action(self, motives: Motives, action: Action, event: Event) -> Ground:
        scope = scope_of(event)
        consenting = {event.args[i] for i in action.consents if action.params[i][1] == motives.kind}
        precondition = self.write.truth(action.precondition, scope)
        if precondition is False:  # most are: two who are one, a vase for a weapon
            return Ground(action.name, (), False, ())
        return Ground(
            action.name,
            tuple(str(a) for a in event.args),
            precondition,
            tuple(self.write.effects(action.changes, scope)),
            tuple(sorted(consenting)),
            tuple(self._seen(motives, action, event, who) for who in self.characters),
            tuple(self._rules(action, event)),
        )

    def _rules(self, action: Action, event: Event) -> Iterator[Rated]:
        """How believable it is: the first rule that holds, the factors, the user's own wishes."""
        steering, scope = self._setup.steering, scope_of(event)
        before: Any = True
        for rule in action.believe:
            met = self.write.truth(rule.condition, scope)
            yield Rated(joined("and", [before, met]), False, rule.value)
            before = joined("and", [before, negated(met)])
        for rule in action.scale:
            yield Rated(self.write.truth(rule.condition, scope), True, rule.value)
        if action.name in steering.fixed:
            yield Rated(True, False, steering.fixed[action.name])
        factor = steering.factors.get(action.name, 1.0)
        if self._setup.library.known.types[action.params[0][1]].noun == "person":
            factor *= steering.traits.get(event.args[0], {}).get(action.name, 1.0)
        if any(covers(pattern, event) for pattern in steering.forbidden):
            factor = 0.0
        yield Rated(True, True, factor)

    def _seen(self, motives: Motives, action: Action, event: Event, who: int) -> Any:
        """Who takes part sees an action, and whoever the library says."""
        people = [
            n for n, (_, k) in zip(event.args, action.params, strict=True) if k == motives.kind
        ]
        if who in people:
            return True
        if action.sees is not None:
            return self.write.truth(action.sees, scope_of(event) | {"x": who})
        return joined("or", [self.write.truth(motives.sees, {"x": who, "y": y}) for y in people])


def _events(setup: Setup) -> Iterator[tuple[Action, Event]]:
    for action in setup.library.actions:
        ranges = [range(len(setup.entities[kind])) for _, kind in action.params]
        for args in itertools.product(*ranges):
            yield action, Event(action.name, args)


def _event(setup: Setup, g: Ground) -> Event:
    return Event(g.name, tuple(int(a) for a in g.arguments))


def _noticing(setup: Setup, motives: Motives, write: "Writer") -> Iterator[Ground]:
    """Triggers: people believe what they see, and no longer what they should see and do not."""
    for notice in motives.notices:
        for x in range(len(setup.entities[motives.kind])):
            for y in range(len(setup.entities[notice.over])):
                seen = write.truth(notice.condition, {"x": x, "y": y})
                thought = write.truth(notice.condition, {"x": x, "y": y}, (x,))
                for attribute in notice.attributes:
                    others = setup.entities[attribute.over] if attribute.over else [None]
                    for i in range(len(others)):
                        f = write.fluent[attribute, y, i]
                        yield from _noticed(x, f, seen, thought, attribute.type.kind == "entity")


def _noticed(x: int, f: int, seen: Any, thought: Any, may_vanish: bool) -> Iterator[Ground]:
    differs = ("literal", (x,), f, "!=", ("value", (), f))
    learns = Effect(True, (x,), f, ("value", (), f))
    yield Ground("sees", (), joined("and", [differs, _in_one(seen)]), (learns,))
    if may_vanish:
        vanished = _in_one(joined("and", [thought, negated(seen)]))
        misses = joined("and", [differs, vanished])
        yield Ground("misses", (), misses, (Effect(True, (x,), f, UNKNOWN),))


def _in_one(condition: Any) -> Any:
    """A condition that is calculated as a whole, after what is asked beside it: mostly not."""
    return compared("==", counted(condition), 1)


def _kind(kind: Type) -> str:
    return {"bool": "boolean", "entity": kind.name}.get(kind.kind, "number")


def _number(kind: Type, value: Any) -> int:
    return UNKNOWN if kind.kind == "entity" and value < 0 else int(value)


class Writer:
    """From checked expressions about named entities to ground conditions and values."""

    def __init__(self, setup: Setup, fluent: dict[Any, int]) -> None:
        self._setup = setup
        self._start = World.start(setup)
        self.fluent = fluent
        self._now: dict[int, Any] = {}  # what effects of the action at hand have changed already
        self._path: tuple[int, ...] = ()

    def truth(self, expr: Expr, scope: Scope, path: tuple[int, ...] = ()) -> Any:
        """A ground condition, in the world at the end of a path of beliefs."""
        kept, self._path = self._path, path
        try:
            return self._truth(expr, scope)
        finally:
            self._path = kept

    def counted(self, expr: Expr, scope: Scope) -> Any:
        """A number, or a condition that counts 1 or 0."""
        if expr.type.kind == "bool":
            return counted(self._truth(expr, scope))
        return self.value(expr, scope)

    def _constant(self, expr: Expr) -> bool:
        return not any(
            e.op in ("times", "when") or (e.op == "attribute" and not e.value.fixed)
            for e in expr.walk()
        )

    def _each(self, expr: Expr, scope: Scope) -> list[Any]:
        return [
            self._truth(expr.args[0], scope | {expr.value: e.number})
            for e in self._setup.entities[expr.over]
        ]

    def _truth(self, expr: Expr, scope: Scope) -> Any:
        if self._constant(expr):
            return bool(self._start.value(expr, scope))
        op = expr.op
        if op == "not":
            return negated(self._truth(expr.args[0], scope))
        if op in ("and", "or"):
            return joined(op, [self._truth(a, scope) for a in expr.args])
        if op in ("any", "all"):
            return joined("or" if op == "any" else "and", self._each(expr, scope))
        unclear = self._unclear(expr, scope)
        if unclear is not None:
            return joined(
                "or",
                [
                    joined("and", [self._is(unclear, n, scope), self._truth(case, scope)])
                    for n, case in self._cases(expr, unclear)
                ],
            )
        if op == "attribute":
            return self._plain(self._read(expr, scope))
        left, right = expr.args
        if left.type.kind == "bool":
            a, b = (self._truth(side, scope) for side in expr.args)
            same = joined("or", [joined("and", [a, b]), joined("and", [negated(a), negated(b)])])
            return same if op == "==" else negated(same)
        return compared(op, self.value(left, scope), self.value(right, scope))

    def _plain(self, read: Any) -> Any:
        """What was read of a true-or-false attribute, as a condition."""
        if isinstance(read, int):
            return bool(read)
        if read[0] == "value":
            return ("literal", read[1], read[2], "==", True)
        return read[1] if read[0] == "truth" else compared("!=", read, 0)

    def value(self, expr: Expr, scope: Scope) -> Any:
        """A ground value: of a number, a word of an enumeration or an entity."""
        if self._constant(expr):
            return _number(expr.type, self._start.value(expr, scope))
        op = expr.op
        if op == "count":
            found: Any = 0
            for condition in self._each(expr, scope):
                found = calculated("+", found, counted(condition))
            return found
        if op == "first":
            found = UNKNOWN
            for number, condition in reversed(list(enumerate(self._each(expr, scope)))):
                found = chosen(condition, number, found)
            return found
        if op in ("times", "when"):
            raise StoryError(
                f"{self._setup.source.name}: with motives, goals can't ask which actions happened"
            )
        unclear = self._unclear(expr, scope)
        if unclear is not None:
            cases = list(self._cases(expr, unclear))
            found = self.value(cases[-1][1], scope)
            for number, case in cases[:-1]:
                found = chosen(self._is(unclear, number, scope), self.value(case, scope), found)
            return found
        if op == "attribute":
            return self._read(expr, scope)
        return calculated(op, *(self.value(a, scope) for a in expr.args))

    def _read(self, expr: Expr, scope: Scope) -> Any:
        at = self._at(expr, scope)
        return _number(expr.type, expr.value.empty) if at is None else self._current(at)

    def _current(self, fluent: int) -> Any:
        """A fluent's value, with what the action at hand has done to it so far."""
        return self._now.get(fluent, ("value", self._path, fluent))

    def _at(self, expr: Expr, scope: Scope) -> int | None:
        """The fluent of an attribute of known entities; None where one of them is none."""
        at = [int(self._start.value(a, scope)) for a in expr.args]
        return None if min(at) < 0 else self.fluent[expr.value, at[0], at[1] if at[1:] else 0]

    def _unclear(self, expr: Expr, scope: Scope) -> Expr | None:
        """An entity inside, of which something is read, that depends on how the story goes."""
        if expr.over:  # what is inside depends on whom it speaks of
            return None
        for inner in expr.args:
            found = self._unclear(inner, scope)
            if found is not None:
                return found
            if expr.op == "attribute" and not self._constant(inner):
                return inner
        return None

    def _cases(self, expr: Expr, unclear: Expr) -> Iterator[tuple[int, Expr]]:
        """The expression for each entity that it may be, and for none, the last."""
        for number in (*range(len(self._setup.entities[unclear.type.name])), UNKNOWN):
            known = Expr("const", unclear.type, value=-1 if number == UNKNOWN else number)
            yield number, _put_in(expr, unclear, known)

    def _is(self, entity: Expr, number: int, scope: Scope) -> Any:
        if entity.op == "first":
            met = self._each(entity, scope)
            before = [negated(m) for m in (met if number == UNKNOWN else met[:number])]
            return joined("and", before if number == UNKNOWN else [met[number], *before])
        return compared("==", self.value(entity, scope), number)

    # ------------------------------------------------------------------------------ effects

    def effects(self, changes: tuple[Change, ...], scope: Scope) -> list[Effect]:
        """All changes of an action at once."""
        self._now = {}
        for change in changes:
            self._change(change, scope, True)
        made, self._now = self._now, {}
        found = []
        for fluent, value in made.items():
            old = ("value", (), fluent)
            if value == old:
                continue
            if isinstance(value, tuple) and value[0] == "choose" and value[3] == old:
                found.append(Effect(value[1], (), fluent, value[2]))
            elif isinstance(value, tuple) and value[0] == "choose" and value[2] == old:
                found.append(Effect(negated(value[1]), (), fluent, value[3]))
            else:
                found.append(Effect(True, (), fluent, value))
        return found

    def _change(self, change: Change, scope: Scope, condition: Any) -> None:
        if change.kind == "set":
            self._assign(change, scope, condition)
            return
        numbers = range(len(self._setup.entities[change.over])) if change.over else (-1,)
        for number in numbers:
            inner = scope | {change.variable: number} if change.over else scope
            met = joined("and", [condition, self._truth(change.condition, inner)])
            if met is not False:
                for part in change.body:
                    self._change(part, inner, met)

    def _assign(self, change: Change, scope: Scope, condition: Any) -> None:
        assert change.target is not None
        assert change.value is not None
        flag = change.target.type.kind == "bool"
        value = self.counted(change.value, scope) if flag else self.value(change.value, scope)
        for met, target in self._targets(change.target, scope):
            here = joined("and", [condition, met])
            if here is not False:
                old = self._current(target)
                new = value if change.sign == "=" else self._moved(change, old, value)
                self._now[target] = chosen(here, new, old)

    def _moved(self, change: Change, old: Any, by: Any) -> Any:
        """A number that rises or falls within its range."""
        assert change.target is not None
        attribute = change.target.value
        new = calculated(change.sign[0], old, by)
        new = chosen(compared(">", new, attribute.high), attribute.high, new)
        return chosen(compared("<", new, attribute.low), attribute.low, new)

    def _targets(self, target: Expr, scope: Scope) -> list[tuple[Any, int]]:
        """The fluents that may be meant, each with the condition under which it is."""
        unclear = self._unclear(target, scope)
        if unclear is None:
            at = self._at(target, scope)
            return [] if at is None else [(True, at)]
        found = []
        for number, case in list(self._cases(target, unclear))[:-1]:  # none: nothing is written
            met = self._is(unclear, number, scope)
            found += [(joined("and", [met, more]), at) for more, at in self._targets(case, scope)]
        return [(met, at) for met, at in found if met is not False]


def _put_in(expr: Expr, old: Expr, new: Expr) -> Expr:
    if expr == old:
        return new
    return replace(expr, args=tuple(_put_in(a, old, new) for a in expr.args))
