"""Expressions about named entities, turned into a small program.

Goals belong to the set-up, so they are not compiled into the kernel: a change of goals must not
cost a compilation.  They become instructions for a stack machine of a dozen lines, which the
kernel runs only after actions that can change them.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treewright.apps.stories.layout import EVENTS, STACK
from treewright.apps.stories.model import Attribute, Event, Expr
from treewright.apps.stories.source import StoryError
from treewright.apps.stories.world import World

if TYPE_CHECKING:
    from treewright.apps.stories.setup import Goal, Setup

(
    CONST, LOAD, LOAD_1, LOAD_2, FIXED_1, FIXED_2, NOT, AND, OR, EQUAL, UNEQUAL, LESS, AT_MOST,
    PLUS, MINUS, TIMES, COUNT, WHEN, GOAL, KEEP, CHOOSE, MOST, LEAST,
) = range(23)  # fmt: skip
_BINARY = {"==": EQUAL, "!=": UNEQUAL, "<": LESS, "<=": AT_MOST, "+": PLUS, "-": MINUS, "*": TIMES}
_LONGEST = 60_000
# where goals count in part
ON_THE_WAY = 0.4  # how far a goal is met at most by what only leads to it
UNMET = 0.2  # what each goal that is not met at all leaves of a story's worth


@dataclass
class Program:
    """Instructions (operation, two numbers, a float) for the goals and the kept conditions."""

    code: list[tuple[int, int, int, float]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    reads: set[Attribute] = field(default_factory=set)


def compile_goals(setup: "Setup", towards: "list[Goal] | None" = None) -> Program:
    """Each goal leaves its value, then GOAL adds its weighted share; KEEP ends it with 0.

    ``towards`` some of the goals: only these count, in part too, so that a search is drawn there:
    one of two murders, a murderer who is not yet arrested.  They are multiplied, not added up: what
    is missing costs more than what is hardly believable.
    """
    compiler = _Compiler(setup)
    goals = setup.goals if towards is None else towards
    total = sum(g.weight for g in goals)
    for i, goal in enumerate(goals):
        if towards is None:
            compiler.emit_expr(goal.expr, {})
            compiler.emit(GOAL, max(goal.of, 1), 0, goal.weight / total)
        else:
            compiler.emit_drawn(goal)
            if i:
                compiler.emit(TIMES)
    if towards is not None:
        compiler.emit(GOAL, 1, 0, 1.0)
    for kept in setup.keep:
        compiler.emit_expr(kept.expr, {})
        compiler.emit(KEEP)
    if compiler.deepest > STACK:
        raise StoryError(f"{setup.source.name}: the goals are nested too deeply")
    return compiler.program


class _Compiler:
    def __init__(self, setup: "Setup") -> None:
        self._setup = setup
        self._start = World.start(setup)
        self.program = Program()
        self.deepest = 0
        self._depth = 0

    def emit(self, op: int, a: int = 0, b: int = 0, x: float = 0.0) -> None:
        code = self.program.code
        code.append((op, a, b, x))
        if len(code) > _LONGEST:
            raise StoryError(f"{self._setup.source.name}: the goals are too long when written out")
        pushes = {CONST: 1, LOAD: 1, COUNT: 1, WHEN: 1, NOT: 0, LOAD_1: 0, FIXED_1: 0}
        self._depth += pushes.get(op, -2 if op == CHOOSE else -1)
        self.deepest = max(self.deepest, self._depth)

    def emit_expr(self, expr: Expr, scope: dict[str, int]) -> None:
        known = self._constant(expr, scope)
        if known is not None:
            self.emit(CONST, x=float(known))
            return
        op = expr.op
        if op == "attribute":
            self._attribute(expr, scope)
        elif op in ("times", "when"):
            self.emit(COUNT if op == "times" else WHEN, self._slot(expr.value))
        elif expr.over:
            self._quantifier(expr, scope)
        elif op == "not":
            self.emit_expr(expr.args[0], scope)
            self.emit(NOT)
        elif op in ("and", "or"):
            self._chain(expr.args, scope, AND if op == "and" else OR)
        else:
            left, right = expr.args
            if op in (">", ">="):
                left, right, op = right, left, "<" if op == ">" else "<="
            self.emit_expr(left, scope)
            self.emit_expr(right, scope)
            self.emit(_BINARY[op])

    def emit_drawn(self, goal: "Goal") -> None:
        """What a goal leaves of a story's worth, from UNMET to 1."""
        if goal.of:
            self.emit_expr(goal.expr, {})
            self.scaled(1.0 / goal.of)
            self.emit(CONST, x=1.0)
            self.emit(LEAST)
            self.emit(CONST)
            self.emit(MOST)
        else:
            self.emit_graded(goal.expr, {})
        if goal.towards is not None:
            self.emit_graded(goal.towards, {})
            self.scaled(ON_THE_WAY)
            self.emit(MOST)
        self.scaled(1.0 - UNMET)
        self.emit(CONST, x=UNMET)
        self.emit(PLUS)

    def emit_graded(self, expr: Expr, scope: dict[str, int]) -> None:
        """How far a condition is met: the mean of what must all hold, the most of alternatives.

        For ``all`` it is half the mean and half the least: most people are no murderers, and that
        they need not be arrested should not count for much.
        """
        parts = self._parts(expr, scope)
        at_least = self._at_least(expr, scope)
        if parts and expr.op in ("or", "any"):
            self._joined(parts, MOST)
        elif parts:
            self._joined(parts, PLUS)
            self.scaled(1.0 / len(parts))
            if expr.op == "all":
                self._joined(parts, LEAST)
                self.emit(PLUS)
                self.scaled(0.5)
        elif at_least > 0:
            self.emit_expr(expr.args[0], scope)
            self.scaled(1.0 / at_least)
            self.emit(CONST, x=1.0)
            self.emit(LEAST)
        else:
            self.emit_expr(expr, scope)

    def _joined(self, parts: list[tuple[Expr, dict[str, int]]], op: int) -> None:
        for i, (part, inner) in enumerate(parts):
            self.emit_graded(part, inner)
            if i:
                self.emit(op)

    def scaled(self, factor: float) -> None:
        self.emit(CONST, x=factor)
        self.emit(TIMES)

    def _parts(self, expr: Expr, scope: dict[str, int]) -> list[tuple[Expr, dict[str, int]]]:
        """What a condition is joined from, less what can't change; nothing if it is not joined."""
        if self._constant(expr, scope) is not None:
            return []
        parts: list[tuple[Expr, dict[str, int]]] = []
        if expr.op in ("any", "all"):
            entities = self._setup.entities[expr.over]
            parts = [(expr.args[0], scope | {expr.value: e.number}) for e in entities]
        elif expr.op in ("and", "or"):
            parts = [(part, scope) for part in expr.args]
        return [(p, s) for p, s in parts if self._constant(p, s) is None]

    def _at_least(self, expr: Expr, scope: dict[str, int]) -> float:
        """The number that has to be reached, of ``count(…) >= 2``; otherwise 0."""
        if expr.op not in (">", ">=") or expr.args[0].type.kind != "int":
            return 0.0
        wanted = self._constant(expr.args[1], scope)
        if wanted is None or self._constant(expr.args[0], scope) is not None:
            return 0.0
        return float(wanted + (expr.op == ">"))

    def _constant(self, expr: Expr, scope: dict[str, int]) -> Any:
        """The value, if it can't change during a story."""
        if any(
            e.op in ("times", "when") or (e.op == "attribute" and not e.value.fixed)
            for e in expr.walk()
        ):
            return None
        return self._start.value(expr, scope)

    def _chain(self, parts: Any, scope: dict[str, int], op: int) -> None:
        """Joined two by two; what is known and changes nothing is left out."""
        neutral = op == AND
        known = [self._constant(p, scope) for p in parts]
        if any(k is not None and bool(k) != neutral for k in known):
            self.emit(CONST, x=float(not neutral))
            return
        open_parts = [p for p, k in zip(parts, known, strict=True) if k is None]
        for i, part in enumerate(open_parts):
            self.emit_expr(part, scope)
            if i:
                self.emit(op)

    def _attribute(self, expr: Expr, scope: dict[str, int]) -> None:
        attribute: Attribute = expr.value
        slot = self._setup.layout.slots[attribute]
        known = [self._constant(a, scope) for a in expr.args]
        if slot.table == "v":
            self.program.reads.add(attribute)
        if None not in known:
            if min(known) < 0:
                self.emit(CONST, x=float(attribute.empty))
            else:
                self.emit(LOAD, self._setup.layout.address(attribute, *known))
            return
        for part in expr.args:
            self.emit_expr(part, scope)
        fixed = slot.table != "v"
        if fixed and slot.table == "k":
            raise StoryError(
                f"{self._setup.source.name}: a goal can't read {attribute} of whoever it may be"
            )
        if len(expr.args) == 1:
            self.emit(FIXED_1 if fixed else LOAD_1, slot.base)
        else:
            self.emit(FIXED_2 if fixed else LOAD_2, slot.base, slot.stride)

    def _quantifier(self, expr: Expr, scope: dict[str, int]) -> None:
        entities = self._setup.entities[expr.over]
        scopes = [scope | {expr.value: e.number} for e in entities]
        body = expr.args[0]
        if expr.op == "count":
            self.emit(CONST)
            for each in scopes:
                if self._constant(body, each) not in (0, False):
                    self.emit_expr(body, each)
                    self.emit(PLUS)
            return
        if expr.op == "first":  # from the last to the first: x = number if met else x
            self.emit(CONST, x=-1.0)
            for entity, each in zip(reversed(entities), reversed(scopes), strict=True):
                self.emit(CONST, x=float(entity.number))
                self.emit_expr(body, each)
                self.emit(CHOOSE)
            return
        op = AND if expr.op == "all" else OR
        self.emit(CONST, x=float(op == AND))
        for each in scopes:
            known = self._constant(body, each)
            if known is not None and bool(known) == (op == AND):
                continue
            self.emit_expr(body, each)
            self.emit(op)

    def _slot(self, event: Event) -> int:
        events = self.program.events
        if event not in events:
            if len(events) == EVENTS:
                raise StoryError(
                    f"{self._setup.source.name}: goals may speak of {EVENTS} events at most"
                )
            events.append(event)
        return events.index(event)
