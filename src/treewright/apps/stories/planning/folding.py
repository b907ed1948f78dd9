"""What never changes is put in where it is read; what can never happen is dropped."""

from collections import defaultdict
from typing import Any

from treewright.apps.stories.planning import problem as p


def fold(problem: "p.Problem") -> None:
    """Simplify a problem in place; the fluents that stay are numbered anew."""
    everything = [*problem.actions, *problem.triggers]
    changed = {e.fluent for g in everything for e in g.effects}
    believed = {f for path, f in problem.initial if path}
    fixed = {
        f: problem.start((), f)
        for f in range(len(problem.fluents))
        if f not in changed and f not in believed
    }
    kept = [f for f in range(len(problem.fluents)) if f not in fixed]
    number = {f: i for i, f in enumerate(kept)}
    replace = _Replacer(fixed, number)
    problem.initial = {
        (path, number[f]): v for (path, f), v in problem.initial.items() if f in number
    }
    problem.fluents = [problem.fluents[f] for f in kept]
    problem.kinds = [problem.kinds[f] for f in kept]
    problem.utilities = [replace.value(u) for u in problem.utilities]
    actions = [replace.event(g) for g in problem.actions]
    triggers = [replace.event(g) for g in problem.triggers]
    happening = _possible(problem, [*actions, *triggers])
    problem.actions = [g for g in actions if id(g) in happening and g.effects]
    problem.triggers = [g for g in triggers if id(g) in happening and g.effects]


class _Replacer:
    def __init__(self, fixed: dict[int, int], number: dict[int, int]) -> None:
        self._fixed = fixed
        self._number = number

    def event(self, g: "p.Ground") -> "p.Ground":
        effects = [
            p.Effect(self.truth(e.condition), e.path, self._number[e.fluent], self.value(e.value))
            for e in g.effects
        ]
        return p.Ground(
            g.name,
            g.arguments,
            self.truth(g.precondition),
            tuple(e for e in effects if e.condition is not False),
            g.consenting,
            tuple(self.truth(o) for o in g.observing),
            tuple(self._rated(r) for r in g.rules),
            g.line,
        )

    def _rated(self, r: "p.Rated") -> "p.Rated":
        return p.Rated(self.truth(r.condition), r.factor, r.value)

    def truth(self, c: Any) -> Any:
        if isinstance(c, bool):
            return c
        if c[0] in ("and", "or"):
            return p.joined(c[0], [self.truth(part) for part in c[1:]])
        if c[0] == "literal":
            _, path, fluent, sign, right = c
            return p.compared(sign, self.value(("value", path, fluent)), self.value(right))
        _, sign, left, right = c
        return p.compared(sign, self.value(left), self.value(right))

    def value(self, v: Any) -> Any:
        if isinstance(v, int):
            return v
        if v[0] == "value":
            _, path, fluent = v
            if fluent in self._fixed:
                return self._fixed[fluent]
            return ("value", path, self._number[fluent])
        if v[0] == "truth":
            return p.counted(self.truth(v[1]))
        if v[0] == "choose":
            return p.chosen(self.truth(v[1]), self.value(v[2]), self.value(v[3]))
        return p.calculated(v[0], self.value(v[1]), self.value(v[2]))


def _possible(problem: "p.Problem", events: list["p.Ground"]) -> set[int]:
    """The ids of those that can happen if no effect is ever undone, in whatever belief."""
    reached: dict[int, set[int]] = defaultdict(set)
    for f in range(len(problem.fluents)):
        reached[f].add(problem.start((), f))
    for (_, f), v in problem.initial.items():
        reached[f].add(v)
    free: set[int] = set()  # fluents whose values are calculated: anything is possible
    todo = [g for g in events if g.precondition is not False]
    happened: set[int] = set()
    copies: list[p.Effect] = []
    more = True
    while more:
        more = False
        for g in todo:
            if id(g) in happened or not _can_hold(g.precondition, reached, free):
                continue
            happened.add(id(g))
            more = True
            for e in g.effects:
                _add(e, reached, free)
                if not isinstance(e.value, int):
                    copies.append(e)
        for e in copies:  # of what other fluents have, which may be more by now
            before = len(reached[e.fluent]), len(free)
            _add(e, reached, free)
            more = more or before != (len(reached[e.fluent]), len(free))
    return happened


def _add(e: "p.Effect", reached: dict[int, set[int]], free: set[int]) -> None:
    reached[e.fluent].add(p.UNKNOWN)  # surprises make things unknown
    if isinstance(e.value, int):
        reached[e.fluent].add(e.value)
    elif e.value[0] == "value" and e.value[2] not in free:
        reached[e.fluent] |= reached[e.value[2]]
    else:
        free.add(e.fluent)


def _can_hold(c: Any, reached: dict[int, set[int]], free: set[int]) -> bool:
    if isinstance(c, bool):
        return c
    if c[0] == "and":
        return all(_can_hold(part, reached, free) for part in c[1:])
    if c[0] == "or":
        return any(_can_hold(part, reached, free) for part in c[1:])
    if c[0] == "compare":
        return True
    _, _, fluent, sign, right = c
    if fluent in free:
        return True
    if not isinstance(right, int):
        return True
    return any(p.holds(sign, v, right) for v in reached[fluent])
