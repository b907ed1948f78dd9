"""A ground problem as arrays of numbers, so that one compiled kernel serves every problem.

Worlds: the story's own is node 0; below it, one for what each character believes, what each
believes that another believes, and so on to one layer more than explanations need (a condition of
a trigger may look one belief further).  They are numbered so that the worlds below one follow it
directly.  What lies deeper is taken to be as in the last world that there is.
"""

import itertools
from typing import Any

import numpy as np

from treewright.apps.stories.planning.places import FLAT, FLAT_SIZE, ROOM, WIDE
from treewright.apps.stories.planning.problem import Effect, Ground, Problem, counted
from treewright.apps.stories.source import StoryError

MOST_CLAUSES = 2000
PARTS = 1_000_000_000  # a believability of 1 in whole numbers
SIGNS = {"==": 0, "!=": 1, ">": 2, ">=": 3, "<": 4, "<=": 5}
# the rows of the small machine that calculates (worlds.py)
END, PUSH, READ, ADD, SUBTRACT, MULTIPLY, DIVIDE, LITERAL, AND, OR, NOT, COMPARE, CHOOSE = range(13)
_ARITHMETIC = {"+": ADD, "-": SUBTRACT, "*": MULTIPLY, "/": DIVIDE}
# the slots of dims
(
    CHARACTERS,
    WORLDS,
    FLUENTS,
    ACTIONS,
    TRIGGERS,
    AUTHOR_LIMIT,
    CHARACTER_LIMIT,
    LAYERS,
    GOAL,
    FIRST_UTILITY,
    STRIDE,
    FULL,
    PARTLY,
    UNEXPLAINED,
) = range(14)


# the slots of notes, which compiled code writes
# NODES: visited, whose actions were tried; MADE: every step that was imagined
CHANGES, TROUBLE, TOP, NODES, FOUND, MADE = range(6)
ENDLESS, FRACTION = 1, 2  # kinds of trouble: triggers without end, a property that is not whole


def clauses(condition: Any) -> list[tuple[Any, ...]]:
    """Disjunctive normal form: a list of lists of literals.

    What has too many cases becomes one literal, which is calculated; nobody who is surprised
    learns anything from it.
    """
    if isinstance(condition, bool):
        return [()] if condition else []
    if condition[0] == "or":
        found = [c for part in condition[1:] for c in clauses(part)]
    elif condition[0] == "and":
        found = [()]
        for part in condition[1:]:
            merged = (_merged(a, b) for a, b in itertools.product(found, clauses(part)))
            found = list(dict.fromkeys(c for c in merged if c is not None))
            if len(found) > MOST_CLAUSES:
                return [(("compare", "==", ("truth", condition), 1),)]
    else:
        return [(condition,)]
    return found


def _merged(left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Both, or None if they contradict each other."""
    found = left + tuple(r for r in right if r not in left)
    known: dict[Any, Any] = {}
    for _, path, fluent, sign, right in (x for x in found if x[0] == "literal"):
        fixed = sign == "==" and isinstance(right, int)
        if fixed and known.setdefault((path, fluent), right) != right:
            return None
    for literal in found:
        unlike = literal[0] == "literal" and literal[3] == "!="
        if unlike and known.get(literal[1:3]) == literal[4] and literal[1:3] in known:
            return None
    return found


class Worlds:
    """The tree of worlds within worlds."""

    def __init__(self, characters: int, depth: int) -> None:
        self.paths: list[tuple[int, ...]] = []
        self.size: list[int] = []
        self._grow((), characters, depth)
        index = {path: i for i, path in enumerate(self.paths)}
        self.child = np.zeros((len(self.paths), characters), np.int32)
        self.parent = np.zeros(len(self.paths), np.int32)
        self.owner = np.array([p[-1] if p else -1 for p in self.paths], np.int32)
        for i, path in enumerate(self.paths):
            self.parent[i] = index[path[:-1]] if path else -1
            for c in range(characters):
                same = path and path[-1] == c
                self.child[i, c] = i if same else index.get((*path, c), i)

    def _grow(self, path: tuple[int, ...], characters: int, depth: int) -> None:
        at = len(self.paths)
        self.paths.append(path)
        self.size.append(0)
        if len(path) < depth:
            for c in range(characters):
                if not path or path[-1] != c:
                    self._grow((*path, c), characters, depth)
        self.size[at] = len(self.paths) - at


class Writer:
    """Collects literals, clauses, conditions, programs and effects."""

    def __init__(self) -> None:
        self.literals: list[tuple[int, ...]] = []
        self._literal: dict[Any, int] = {}
        self.clause_rows: list[int] = []
        self.clause_start = [0]
        self.condition_start = [0]
        self._condition: dict[Any, int] = {}
        self.code: list[tuple[int, int, int, int]] = []
        self._code: dict[Any, int] = {}
        self.effects: list[tuple[int, ...]] = []
        self.deepest = 1

    def literal(self, literal: Any) -> int:
        """(kind, belief, belief in it, fluent, sign, right side, its beliefs)."""
        key = (repr(literal),)
        if key not in self._literal:
            if literal[0] == "compare":
                _, sign, left, right = literal
                row = (2, -1, -1, 0, SIGNS[sign], self.program(left), self.program(right), -1)
            else:
                _, path, fluent, sign, right = literal
                first = (*self._path(path), fluent, SIGNS[sign])
                if isinstance(right, int):
                    row = (0, *first, int(right), -1, -1)
                else:
                    row = (1, *first, right[2], *self._path(right[1]))
            self._literal[key] = len(self.literals)
            self.literals.append(row)
        return self._literal[key]

    def _path(self, path: tuple[int, ...]) -> tuple[int, int]:
        self.deepest = max(self.deepest, len(path))
        first, second = (*path, -1, -1)[:2]
        return first, second

    def condition(self, condition: Any) -> int:
        key = repr(condition)
        if key not in self._condition:
            found = [[self.literal(x) for x in clause] for clause in clauses(condition)]
            for clause in found:
                self.clause_rows += clause
                self.clause_start.append(len(self.clause_rows))
            self.condition_start.append(len(self.clause_start) - 1)
            self._condition[key] = len(self.condition_start) - 2
        return self._condition[key]

    def program(self, value: Any) -> int:
        key = repr(value)
        if key not in self._code:
            rows: list[tuple[int, int, int, int]] = []
            self._emit(value, rows)
            self._code[key] = len(self.code)
            self.code += [*rows, (END, 0, 0, 0)]
        return self._code[key]

    def _emit(self, value: Any, rows: list[tuple[int, int, int, int]]) -> None:
        if isinstance(value, int):
            rows.append((PUSH, int(value), 0, 0))
        elif value[0] == "value":
            rows.append((READ, value[2], *self._path(value[1])))
        elif value[0] == "truth":
            self._emit_truth(value[1], rows)
        elif value[0] == "choose":
            self._emit_truth(value[1], rows)
            self._emit(value[2], rows)
            self._emit(value[3], rows)
            rows.append((CHOOSE, 0, 0, 0))
        else:
            self._emit(value[1], rows)
            self._emit(value[2], rows)
            rows.append((_ARITHMETIC[value[0]], 0, 0, 0))

    def _emit_truth(self, condition: Any, rows: list[tuple[int, int, int, int]]) -> None:
        if isinstance(condition, bool):
            rows.append((PUSH, int(condition), 0, 0))
        elif condition[0] in ("and", "or"):
            self._emit_truth(condition[1], rows)
            for part in condition[2:]:
                self._emit_truth(part, rows)
                rows.append((AND if condition[0] == "and" else OR, 0, 0, 0))
        elif condition[0] == "literal":
            rows.append((LITERAL, self.literal(condition), 0, 0))
        else:
            _, sign, left, right = condition
            self._emit(left, rows)
            self._emit(right, rows)
            rows.append((COMPARE, SIGNS[sign], 0, 0))

    def effect(self, e: Effect) -> None:
        """(condition or -1, belief, belief in it, fluent, kind, value, its beliefs)."""
        condition = -1 if e.condition is True else self.condition(e.condition)
        first = (condition, *self._path(e.path), e.fluent)
        if isinstance(e.value, int):
            self.effects.append((*first, 0, int(e.value), -1, -1))
        elif e.value[0] == "value":
            self.effects.append((*first, 1, e.value[2], *self._path(e.value[1])))
        else:
            self.effects.append((*first, 2, self.program(e.value), -1, -1))


def tables(
    problem: Problem, goal: int, author: int, character: int, layers: int
) -> tuple[dict[str, np.ndarray], Worlds]:
    """The arrays of worlds.py, and the tree of worlds."""
    w = Writer()
    events: list[Ground] = [*problem.actions, *problem.triggers]
    pre, effect_start = [], [0]
    for g in events:
        pre.append(w.condition(g.precondition))
        for e in g.effects:
            w.effect(e)
        effect_start.append(len(w.effects))
    observing = [[w.condition(o) for o in g.observing] for g in problem.actions]
    programs = [w.program(u) for u in problem.utilities]
    rules, rule_start = _rules(problem, w)
    depth = layers + w.deepest
    worlds = Worlds(len(problem.characters), depth)
    stride = len(worlds.paths) * len(problem.fluents)
    start = [problem.start(p, f) for p in worlds.paths for f in range(len(problem.fluents))]
    sizes = (len(problem.characters), len(worlds.paths), len(problem.fluents))
    dims = (
        *sizes,
        len(problem.actions),
        len(problem.triggers),
        author,
        character,
        layers,
        goal,
        0,
        stride,
        problem.full,
        round(problem.partly * PARTS),
        round(problem.unexplained * PARTS),
    )
    watch_start, watch = _watches(problem, w, pre)
    people = len(problem.characters)
    consents = np.zeros((len(problem.actions), people), np.int64)
    for a, g in enumerate(problem.actions):
        consents[a, list(g.consenting)] = 1
    first = len(problem.actions)
    plain = [i for i, g in enumerate(events) if i >= first and any(not e.path for e in g.effects)]
    flat = {
        "dims": dims,
        "pre": pre,
        "effect_start": np.array(effect_start) + len(w.literals),
        "clause": w.clause_rows,
        "clause_start": w.clause_start,
        "condition_start": w.condition_start,
        "utility": programs,
        "solo": [_solo(g) for g in problem.actions],
        "watch_start": watch_start + len(w.code),
        "rule_start": np.array(rule_start) + len(w.code) + len(watch),
        "shift": [16 if k in ("number", "boolean") else 0 for k in problem.kinds],
        "plain": [len(plain), *plain],
        "parent": worlds.parent,
        "owner": worlds.owner,
        "size": worlds.size,
        "start": start,
        "child": _wide(worlds.child),
        "observing": _wide(np.array(observing, np.int64).reshape(-1, people)),
        "consents": _wide(consents),
    }
    made = {
        "flat": _packed(flat, problem.name),
        "rows": _rows([*w.literals, *w.effects], 8),
        "quads": _rows([*w.code, *watch.tolist(), *rules], 4),
    }
    return made, worlds


def _rules(problem: Problem, w: Writer) -> tuple[list[tuple[int, ...]], list[int]]:
    """(program, whether it multiplies, value) of what makes actions believable."""
    found: list[tuple[int, ...]] = []
    start = [0]
    for g in problem.actions:
        for rule in g.rules:
            condition = w.program(counted(rule.condition))
            found.append((condition, int(rule.factor), round(rule.value * PARTS), 0))
        start.append(len(found))
    return found, start


def _wide(rows: np.ndarray) -> np.ndarray:
    found = np.zeros((len(rows), WIDE), np.int64)
    found[:, : rows.shape[1]] = rows
    return found


def _packed(parts: dict[str, Any], name: str) -> np.ndarray:
    """All lists in one array, each at its place."""
    found = np.zeros(FLAT_SIZE, np.int64)
    for part, numbers in parts.items():
        row = np.asarray(numbers, np.int64).ravel()
        if len(row) > ROOM[part]:
            raise StoryError(
                f"{name}: too large for what people want and believe: {len(row):,} numbers for "
                f"{part!r}, {ROOM[part]:,} at most; leave people, places or things out"
            )
        found[FLAT[part] : FLAT[part] + len(row)] = row
    return found


def _solo(g: Ground) -> int:
    """-1: nobody's action, the author's; -2: of several; else whose alone."""
    return -1 if not g.consenting else g.consenting[0] if len(g.consenting) == 1 else -2


def _rows(rows: Any, width: int) -> np.ndarray:
    return np.array(rows or [(0,) * width], np.int64).reshape(-1, width)


def _watches(problem: Problem, w: Writer, pre: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """For each fluent: the triggers that a change of it may set off, and by which value.

    (trigger, sign or -1 for any change, value, how many beliefs deep it is read)
    """
    found: list[set[tuple[int, int, int, int]]] = [set() for _ in problem.fluents]
    for i in range(len(problem.triggers)):
        event = len(problem.actions) + i
        condition = pre[event]
        for k in range(w.condition_start[condition], w.condition_start[condition + 1]):
            for row in w.clause_rows[w.clause_start[k] : w.clause_start[k + 1]]:
                for fluent, sign, value, deep in _reads(w, row):
                    found[fluent].add((event, sign, value, deep))
    start = np.cumsum([0, *(len(f) for f in found)]).astype(np.int32)
    return start, _rows([x for f in found for x in sorted(f)], 4)


def _reads(w: Writer, row: int) -> list[tuple[int, int, int, int]]:
    kind, p, q, fluent, sign, a, b, c = w.literals[row]
    deep = (p >= 0) + (q >= 0)
    if kind == 0:
        return [(fluent, sign if sign < 2 else -1, a, deep)]
    if kind == 1:
        return [(fluent, -1, 0, deep), (a, -1, 0, (b >= 0) + (c >= 0))]
    found = []
    for at in (a, b):
        while w.code[at][0] != END:
            op, first, second, third = w.code[at]
            if op == READ:
                found.append((first, -1, 0, (second >= 0) + (third >= 0)))
            elif op == LITERAL:
                found += [(f, -1, 0, d) for f, _, _, d in _reads(w, first)]
            at += 1
    return found
