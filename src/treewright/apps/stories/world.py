"""A story replayed step by step, from the checked expressions: for telling and explaining it.

The search runs the same rules as compiled code; this is the slow and talkative way, which knows
what each condition rested on.
"""

import operator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from treewright.apps.stories.model import Action, Attribute, Change, Event, Expr, Rule
from treewright.apps.stories.tension import LARGEST

if TYPE_CHECKING:
    from treewright.apps.stories.planning.mind import Reasons
    from treewright.apps.stories.setup import Setup

Cell = tuple[Attribute, int, int]
Scope = dict[str, int]


@dataclass(frozen=True)
class Step:
    """One action of a story and what it did."""

    event: Event
    believability: float
    rule: str  # the rule that decided it, as written
    factors: tuple[str, ...]
    share: float  # of the goals, after it
    score: float  # of the story that stops here
    needs: frozenset[Cell]  # what its precondition rested on
    motive: frozenset[Cell]  # what its believability rested on
    changes: tuple[tuple[Cell, Any, Any], ...]  # before and after
    reasons: "Reasons | None" = None  # of those who consent to it, where people have motives


@dataclass
class World:
    """The values of all attributes at one moment."""

    setup: "Setup"
    values: dict[Cell, Any] = field(default_factory=dict)
    times: dict[Event, int] = field(default_factory=dict)
    when: dict[Event, int] = field(default_factory=dict)
    believability: float = 1.0
    length: int = 0
    history: tuple[Event, ...] = ()
    felt: tuple[int, ...] = ()  # how tense it was at each moment, where a set-up asks

    @classmethod
    def start(cls, setup: "Setup") -> "World":
        made = cls(setup, dict(setup.values))
        made.feel()
        return made

    def copy(self) -> "World":
        return replace(self, values=dict(self.values), times=dict(self.times), when=dict(self.when))

    # ------------------------------------------------------------------------ expressions

    def value(self, expr: Expr, scope: Scope) -> Any:
        """The value of an expression now."""
        op = expr.op
        if op == "const":
            return expr.value
        if op == "var":
            return scope[expr.value]
        if op == "attribute":
            cell = self._cell(expr, scope)
            return expr.value.empty if cell is None else self.values[cell]
        if op == "times":
            return self.times.get(expr.value, 0)
        if op == "when":
            return self.when.get(expr.value, 0)
        if expr.over:
            each = (self._met(expr, scope, n) for n in self._range(expr))
            if op in ("any", "all"):
                return any(each) if op == "any" else all(each)
            return (
                sum(each) if op == "count" else next((n for n, met in enumerate(each) if met), -1)
            )
        if op in ("and", "or"):
            decisive = op == "or"  # one part that is so decides
            for part in expr.args:
                if bool(self.value(part, scope)) == decisive:
                    return decisive
            return not decisive
        return OPERATIONS[op](*[self.value(a, scope) for a in expr.args])

    def support(self, expr: Expr, scope: Scope) -> set[Cell]:
        """The cells on which the value of an expression rests; of alternatives, the first."""
        if expr.op in ("and", "or") or expr.op in ("any", "all"):
            decisive = expr.op in ("or", "any")  # one part that is so decides
            parts = (
                [(expr.args[0], scope | {expr.value: n}) for n in self._range(expr)]
                if expr.over
                else [(a, scope) for a in expr.args]
            )
            for part, inner in parts:
                if bool(self.value(part, inner)) == decisive:
                    return self.support(part, inner)
            return set().union(*(self.support(p, inner) for p, inner in parts))
        if expr.over:
            return set().union(
                *(self.support(expr.args[0], scope | {expr.value: n}) for n in self._range(expr))
            )
        found = set().union(*(self.support(a, scope) for a in expr.args))
        if expr.op == "attribute" and not expr.value.fixed:
            cell = self._cell(expr, scope)
            found |= set() if cell is None else {cell}
        return found

    def _cell(self, expr: Expr, scope: Scope) -> Cell | None:
        owner = self.value(expr.args[0], scope)
        index = self.value(expr.args[1], scope) if len(expr.args) > 1 else 0
        return None if owner < 0 or index < 0 else (expr.value, owner, index)

    def _range(self, expr: Expr) -> range:
        return range(len(self.setup.entities[expr.over]))

    def _met(self, expr: Expr, scope: Scope, number: int) -> bool:
        return bool(self.value(expr.args[0], scope | {expr.value: number}))

    # ---------------------------------------------------------------------------- actions

    def possible(self, event: Event) -> bool:
        """Whether the precondition holds and somebody would believe it."""
        action = self.setup.library.action(event.action)
        met = self.value(action.precondition, scope_of(event))
        return bool(met) and self.believed(event)[0] > 0.0

    def believed(self, event: Event) -> tuple[float, Rule, list[Rule]]:
        """The believability, the rule that decided it and the factors that applied."""
        action, scope = self.setup.library.action(event.action), scope_of(event)
        rule = next(r for r in action.believe if self.value(r.condition, scope))
        factors = [r for r in action.scale if self.value(r.condition, scope)]
        steering = self.setup.steering
        b = rule.value
        for factor in factors:
            b *= factor.value
        if action.name in steering.fixed:
            b = steering.fixed[action.name]
        b *= steering.factors.get(action.name, 1.0)
        if self.setup.library.known.types[action.params[0][1]].noun == "person":
            b *= steering.traits.get(event.args[0], {}).get(action.name, 1.0)
        if any(covers(pattern, event) for pattern in steering.forbidden):
            b = 0.0
        b = min(1.0, b)
        reasons = self.reasons(event)
        return b if reasons is None else b * reasons.factor, rule, factors

    def reasons(self, event: Event) -> "Reasons | None":
        """Why those who consent to an action would do it; None where nobody has motives."""
        if self.setup.minds is None:
            return None
        return self.setup.mind.reasons(self.history, event)

    def play(self, event: Event) -> Step:
        """Do an action that is possible, and say what it rested on and changed."""
        action, scope = self.setup.library.action(event.action), scope_of(event)
        needs = self.support(action.precondition, scope)
        b, rule, factors = self.believed(event)
        motive = self.support(rule.condition, scope)
        reasons = self.reasons(event)
        before = list(self.values.values())
        self.do(event, b)
        share = self.share()
        now = zip(self.values.items(), before, strict=True)  # the cells stay, in their order
        changes = tuple((cell, was, value) for (cell, value), was in now if was != value)
        return Step(
            event,
            b,
            rule.text,
            tuple(f.text for f in factors),
            share,
            self.score(),
            frozenset(needs),
            frozenset(motive),
            changes,
            reasons,
        )

    def do(self, event: Event, believability: float) -> None:
        """Do an action, and say nothing."""
        scope = scope_of(event)
        for change in self.setup.library.action(event.action).changes:
            self.apply(change, scope)
        self.believability *= believability
        self.length += 1
        self.history = (*self.history, event)
        self.feel()
        for pattern in self.setup.counted:
            if covers(pattern, event):
                self.times[pattern] = self.times.get(pattern, 0) + 1
                self.when.setdefault(pattern, self.length)

    def apply(self, change: Change, scope: Scope) -> None:
        if change.kind == "set":
            self._assign(change, scope)
            return
        numbers = range(len(self.setup.entities[change.over])) if change.over else (-1,)
        for number in numbers:
            inner = scope | {change.variable: number} if change.over else scope
            if self.value(change.condition, inner):
                for part in change.body:
                    self.apply(part, inner)

    def _assign(self, change: Change, scope: Scope) -> None:
        assert change.target is not None
        assert change.value is not None
        cell = self._cell(change.target, scope)
        if cell is None:
            return
        value = self.value(change.value, scope)
        if change.sign != "=":
            value = self.values[cell] + (value if change.sign == "+=" else -value)
        if cell[0].type.kind == "int":
            value = min(cell[0].high, max(cell[0].low, value))
        self.values[cell] = int(value)

    # ------------------------------------------------------------------------------ goals

    def met(self) -> list[float]:
        """How far each goal is met, from 0 to 1."""
        return [
            min(1.0, max(0.0, float(self.value(g.expr, {})) / max(1, g.of)))
            for g in self.setup.goals
        ]

    def share(self) -> float:
        """The weighted share of goals; 0 if a condition to keep is broken."""
        if not all(self.value(k.expr, {}) for k in self.setup.keep):
            return 0.0
        weights = [g.weight for g in self.setup.goals]
        return sum(w * m for w, m in zip(weights, self.met(), strict=True)) / sum(weights)

    def feel(self) -> None:
        """Note how tense it is now."""
        tension = self.setup.library.tension
        if self.setup.wish is not None and tension is not None:
            now = min(LARGEST, max(-LARGEST, int(self.value(tension, {}))))
            self.felt = (*self.felt, now)

    def fit(self) -> float:
        """How well the story so far goes with the tension that is wished for."""
        return 1.0 if self.setup.wish is None else self.setup.wish.fit(self.felt)

    def score(self) -> float:
        """Of the story that stops here."""
        return self.believability * self.share() * self.fit()


OPERATIONS: dict[str, Any] = {
    "not": operator.not_,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}


def scope_of(event: Event) -> Scope:
    return {f"p{i}": n for i, n in enumerate(event.args)}


def covers(pattern: Event, event: Event) -> bool:
    """Whether an event is one of those that a pattern describes."""
    return pattern.action == event.action and all(
        p in (-1, a) for p, a in zip(pattern.args, event.args, strict=True)
    )


def ground_text(setup: "Setup", event: Event) -> str:
    """``Kill(Bob, Alice, rifle)``; ``_`` for any."""
    action: Action = setup.library.action(event.action)
    names = [
        "_" if n < 0 else setup.entity(kind, n).id
        for n, (_, kind) in zip(event.args, action.params, strict=True)
    ]
    return f"{event.action}({', '.join(names)})"
