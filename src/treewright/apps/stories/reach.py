"""Goals that can't be reached, as far as that can be shown.

Every attribute gets the set of values that it might ever have: an action that might be possible
adds the values that it writes and never takes one away (the planners' relaxation).  A goal that
can't come true even then is impossible, and so is one that takes more rounds, in each of which
everything possible happens at once, than the story has actions.  The converse does not hold.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

from treewright.apps.stories.model import TRUE, Action, Attribute, Change, Event, Expr
from treewright.apps.stories.setup import Setup
from treewright.apps.stories.world import OPERATIONS, Scope, World, covers

_MOST = 4000  # ground actions; more are not looked at
_BOTH = frozenset({0, 1})


def impossible(setup: Setup) -> str:
    """A sentence about the first goal that can't be reached, or nothing."""
    world = _Relaxed(setup)
    wanted = [("goals", i, g) for i, g in enumerate(setup.goals)]
    wanted += [("keep", i, g) for i, g in enumerate(setup.keep)]

    def closed() -> list[Any]:
        return [w for w in wanted if not any(world.value(w[2].expr, {}))]

    late: list[Any] = []  # what is not reached yet when the story must end
    rounds = 0
    while closed():
        if rounds == setup.length:
            late = closed()
        if not world.sweep():
            break
        rounds += 1
    if world.unknown:
        return ""
    for key, i, goal in closed() or late:
        part = world.culprit(goal.expr)
        if not closed():
            why = f"the length of the story, {setup.length}, is too short for it"
        elif part != goal.expr:
            why = f"{shown(part, setup)} can't come true"
        else:
            why = "nothing leads there"
        where = setup.source.where(*_stands(setup, key, i))
        return f"{where}: the goal {goal.text!r} can't be reached: {why}"
    return ""


def _stands(setup: Setup, key: str, i: int) -> tuple[str | int, ...]:
    """Where a goal was given: what is required comes after the goals, then the order."""
    given = setup.source.data.get(key, [])
    after = i - (len(given) if isinstance(given, list) else 1)
    if after < 0:
        return (key, i)
    return ("require", after) if after < len(setup.source.data.get("require", [])) else ("order",)


class _Relaxed:
    """For each attribute of each entity, the values that it might have."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._values: dict[Any, frozenset[Any]] = {
            cell: frozenset({value}) for cell, value in setup.values.items()
        }
        self._fired: set[Event] = set()
        self._undo: dict[Any, frozenset[Any]] = {}  # what the action at hand has changed so far
        start = World.start(setup)
        self._actions: list[_Ground] = []
        self.unknown = False
        for action in setup.library.actions:
            self._actions += self._ground(action, start)
            if len(self._actions) > _MOST:
                self.unknown = True
                self._actions = []
                return

    def _ground(self, action: Action, start: World) -> list["_Ground"]:
        """The actions whose unchanging conditions hold."""
        parts = _parts(action.precondition)
        fixed = [c for c in parts if _is_fixed(c)]
        open_ = [(c, tuple(c.variables)) for c in parts if not _is_fixed(c)]
        ranges = [range(len(self._setup.entities[kind])) for _, kind in action.params]
        found: list[_Ground] = []
        for args in product(*ranges):
            if len(found) > _MOST:
                break
            scope = {f"p{i}": n for i, n in enumerate(args)}
            event = Event(action.name, args)
            if all(start.value(c, scope) for c in fixed) and not any(
                covers(pattern, event) for pattern in self._setup.steering.forbidden
            ):
                found.append(_Ground(event, action, scope, open_))
        return found

    def sweep(self) -> bool:
        """Let every action that might be possible happen at once; False if nothing is new.

        No action sees in this round what another one did in it.
        """
        before = sum(len(v) for v in self._values.values()) + len(self._fired)
        fired: set[Event] = set()
        written: dict[Any, frozenset[Any]] = {}
        known: dict[Any, bool] = {}  # of this round, in which what holds for somebody stays so
        for one in self._actions:
            if one.event in self._fired or self._might_be(one, known):
                fired.add(one.event)
                self._undo = {}
                for change in one.action.changes:
                    self._apply(change, one.scope)
                for cell, values in self._undo.items():
                    written[cell] = written.get(cell, values) | self._values[cell]
                    self._values[cell] = values
        self._fired |= fired
        self._values |= written
        return sum(len(v) for v in self._values.values()) + len(self._fired) > before

    def _might_be(self, one: "_Ground", known: dict[Any, bool]) -> bool:
        """Whether each part of a precondition might hold."""
        for part, names in one.open:
            key = (id(part), *[one.scope[name] for name in names])
            if key not in known:
                known[key] = 1 in self.value(part, one.scope)
            if not known[key]:
                return False
        return True

    def _apply(self, change: Change, scope: Scope) -> None:
        if change.kind != "set":
            numbers = range(len(self._setup.entities[change.over])) if change.over else (-1,)
            for number in numbers:
                inner = scope | {change.variable: number} if change.over else scope
                if 1 in self.value(change.condition, inner):
                    for part in change.body:
                        self._apply(part, inner)
            return
        assert change.target is not None
        assert change.value is not None
        attribute: Attribute = change.target.value
        new = self.value(change.value, scope)
        for cell in _cells(attribute, [self.value(a, scope) for a in change.target.args]):
            values = new
            if change.sign != "=":
                sign = 1 if change.sign == "+=" else -1
                values = frozenset(a + sign * b for a in self._values[cell] for b in new)
            if attribute.type.kind == "int":
                values = frozenset(min(attribute.high, max(attribute.low, v)) for v in values)
            self._undo.setdefault(cell, self._values[cell])
            self._values[cell] |= frozenset(int(v) for v in values)

    def value(self, expr: Expr, scope: Scope) -> frozenset[Any]:
        """Every value that an expression might have."""
        op = expr.op
        if op == "const":
            return frozenset({expr.value})
        if op == "var":
            return frozenset({scope[expr.value]})
        if op == "attribute":
            at = [self.value(a, scope) for a in expr.args]
            found = [self._values[c] for c in _cells(expr.value, at)]
            none = any(-1 in numbers for numbers in at)
            if len(found) == 1 and not none:
                return found[0]
            return frozenset().union(*found, {expr.value.empty} if none or not found else ())
        if op in ("times", "when"):
            some = any(covers(expr.value, e) for e in self._fired)
            return frozenset(range(61)) if some else frozenset({0})
        if expr.over:
            return self._quantifier(expr, scope)
        args = [self.value(a, scope) for a in expr.args]
        if op in ("and", "or"):
            return self._joined(args, op == "and")
        return frozenset(OPERATIONS[op](*pair) for pair in product(*args))

    def _joined(self, args: list[frozenset[Any]], every: bool) -> frozenset[Any]:
        """``and`` (every) or ``or`` of what each part might be."""
        can = [{int(bool(v)) for v in a} for a in args]
        decides = 0 if every else 1
        if any(c == {decides} for c in can):
            return frozenset({decides})
        return _BOTH if any(decides in c for c in can) else frozenset({1 - decides})

    def _quantifier(self, expr: Expr, scope: Scope) -> frozenset[Any]:
        each = [
            frozenset(int(bool(v)) for v in self.value(expr.args[0], scope | {expr.value: n}))
            for n in range(len(self._setup.entities[expr.over]))
        ]
        if expr.op in ("any", "all"):
            return self._joined(each, expr.op == "all")
        if expr.op == "count":
            return frozenset(range(sum(0 not in e for e in each), sum(1 in e for e in each) + 1))
        sure = next((i for i, e in enumerate(each) if 0 not in e), None)
        some = [i for i, e in enumerate(each) if 1 in e and (sure is None or i <= sure)]
        return frozenset(some if sure is not None else [*some, -1])

    def culprit(self, expr: Expr) -> Expr:
        """The smallest part of a conjunction that can't come true by itself."""
        for part in _parts(expr):
            if 1 not in self.value(part, {}) and part != expr:
                return self.culprit(part)
        return expr


class _Ground(NamedTuple):
    """An action for certain people and things."""

    event: Event
    action: Action
    scope: Scope
    open: list[tuple[Expr, tuple[str, ...]]]  # parts of its precondition, and whom they speak of


def _cells(attribute: Attribute, at: Sequence[frozenset[Any]]) -> list[Any]:
    """Those that an expression may mean, for the entities that it may name."""
    return [
        (attribute, owner, index)
        for owner in at[0]
        for index in (at[1] if len(at) > 1 else (0,))
        if owner >= 0 and index >= 0
    ]


def _parts(expr: Expr) -> list[Expr]:
    if expr == TRUE:
        return []
    return [p for a in expr.args for p in _parts(a)] if expr.op == "and" else [expr]


def _is_fixed(expr: Expr) -> bool:
    return all(e.op != "attribute" or e.value.fixed for e in expr.walk())


def shown(expr: Expr, setup: Setup) -> str:
    """A checked expression as one would write it."""
    op = expr.op
    if op == "const":
        if expr.type.kind == "entity":
            return "none" if expr.value < 0 else setup.entity(expr.type.name, expr.value).id
        if expr.type.kind == "enum":
            return str(setup.library.known.enums[expr.type.name][expr.value])
        return ("false", "true")[expr.value] if expr.type.kind == "bool" else str(expr.value)
    if op == "var":
        return str(expr.value).replace("q", "X").replace("p", "A")
    args = [shown(a, setup) for a in expr.args]
    if op == "attribute":
        index = f"[{args[1]}]" if len(args) > 1 else ""
        return f"{args[0]}.{expr.value.name}{index}"
    if op in ("times", "when"):
        return f"{op}({expr.value.action})"
    if expr.over:
        plural = setup.library.known.types[expr.over].plural
        return f"{op}({args[0]} for {str(expr.value).replace('q', 'X')} in {plural})"
    if op == "not":
        return f"not {args[0]}"
    return f" {op} ".join(args)
