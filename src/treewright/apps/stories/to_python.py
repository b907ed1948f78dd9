"""From a checked library to the text of a domain: plain Python over one record.

Everything that is written here comes from checked expressions, never from a file's own text.
Legal actions are found by nested loops over the parameters.  Each part of a precondition is
tested as soon as its parameters are known, and actions whose tests begin alike share them: the
loops of all actions form one tree (:class:`_Branch`).  It is written twice: ``possible`` lists the
actions, ``rated`` also how believable each is, without asking again what kind of action it is.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, cast

from treewright.apps.stories.domain_text import DOMAIN, HEAD, MACHINE, STEERED, TENSE, TENSION
from treewright.apps.stories.layout import EVENTS, LONGEST, MOST_ACTIONS, STACK, Layout
from treewright.apps.stories.library import Library
from treewright.apps.stories.model import BOOL, TRUE, Action, Attribute, Change, Expr
from treewright.apps.stories.tension import LARGEST
from treewright.apps.stories.world import OPERATIONS


def domain_source(library: Library, layout: Layout, tense: bool = False) -> str:
    """The text of a module with one class, ``Story``; ``tense``: with a wish for tension."""
    return _Writer(library, layout).module(tense)


# what conditions read besides the state: functions take these few arrays, not all the tables,
# since each array is seven arguments to the compiler
FACTS = {"c": "words", "k": "numbers", "n": "counts"}
KNOWN = ("v", *FACTS.values())
UNPACK = ["v = s.v", *(f"{name} = t.{table}" for table, name in FACTS.items())]
MASK = 62  # bits of the set of kinds; with more kinds, some share one


@dataclass
class _Branch:
    """What happens after a common beginning: tests, loops and actions, in order."""

    steps: dict[object, "_Branch"] = field(default_factory=dict)

    def kinds(self, step: object) -> set[int]:
        """The kinds of action, by number, that come after a step into this branch."""
        own = {step} if isinstance(step, int) else set()
        return own.union(*(inner.kinds(after) for after, inner in self.steps.items()))


class _Writer:
    def __init__(self, library: Library, layout: Layout) -> None:
        self._library = library
        self._layout = layout
        self._helpers: dict[Expr, str] = {}
        self._helper_text: list[str] = []
        self._rated = False
        self._types = {name: i for i, name in enumerate(layout.types)}
        dense = sum(self._size(a) for a in library.actions) + 1
        spare = 2 * len(library.actions) + 4
        self._may_overflow = dense > MOST_ACTIONS - spare
        self._limit = MOST_ACTIONS - spare if self._may_overflow else dense
        self._max_actions = self._limit + spare - 1

    def _size(self, action: Action) -> int:
        size = 1
        for _, kind in action.params:
            size *= self._layout.caps[kind]
        return size

    def module(self, tense: bool) -> str:
        actions = self._library.actions
        tree = self._tree(actions)
        body = [self._believe(k, action) for k, action in enumerate(actions)]
        body.append(
            self._dispatch(
                "believed",
                actions,
                self._ask,
                "return steered(t.fixed, t.scale, a, b) if t.steered[k] else b",
            )
        )
        body.append(self._dispatch("change", actions, self._effects, "return"))
        body += [self._legal(tree, rated) for rated in (False, True)]
        zero = any(r.value == 0.0 for a in actions for r in (*a.believe, *a.scale))
        domain = DOMAIN.format(
            max_actions=self._max_actions,
            longest=LONGEST + 1,
            keys=len(actions) + 1,
            size=self._layout.sizes["v"],
            types=len(self._layout.types),
            cast=self._layout.sizes["cast"],
            events=EVENTS,
            stack=STACK,
            limit=self._limit,
            always=zero,
            **(TENSE if tense else dict.fromkeys(TENSE, "")),
        )
        if tense:
            body.append(self._felt())
        full = f"n >= {self._limit}" if self._may_overflow else "False"
        steered = STEERED.format(limit=self._limit, full=full)
        return "\n\n".join([HEAD, MACHINE, steered, *self._helper_text, *body, domain])

    def _felt(self) -> str:
        assert self._library.tension is not None
        text = self.code(self._library.tension)
        lines = [*UNPACK, f"return min({LARGEST}, max(-{LARGEST}, {text}))"]
        return "\n".join(["def felt_now(s, t):", *_indent(lines), "", TENSION])

    # ------------------------------------------------------------------------ expressions

    def code(self, expr: Expr) -> str:
        """A Python expression without branches: fewer blocks compile and run faster."""
        op = expr.op
        if op == "const":
            if expr.type.kind == "bool":
                return "True" if expr.value else "False"
            return repr(expr.value) if expr.value >= 0 else f"({expr.value!r})"
        if op == "var":
            return str(expr.value)
        if op == "attribute":
            address = self._address(expr)
            return f"({address} != 0)" if expr.type.kind == "bool" else address
        if expr.over:
            return self._helper(expr)
        if op == "not":
            inner = expr.args[0]
            if inner.op == "attribute":
                return f"({self._address(inner)} == 0)"
            return f"({self.code(inner)} == False)"
        if op in ("and", "or"):
            return (
                "(" + f" {'&' if op == 'and' else '|'} ".join(self.code(a) for a in expr.args) + ")"
            )
        left, right = (self.code(a) for a in expr.args)
        return f"({left} {op} {right})"

    def _address(self, expr: Expr) -> str:
        """``array[…]``; the row of ``none`` makes every index valid.

        A mask tells the compiler that an index is not negative: Numba would look.
        """
        attribute: Attribute = expr.value
        slot = self._layout.slots[attribute]
        parts = [self.code(a) for a in expr.args]
        array = "v" if slot.table == "v" else FACTS[slot.table]
        index = parts[0] if slot.stride == 1 else f"{parts[0]} * {slot.stride}"
        if attribute.over:
            index += f" + {parts[1]}"
        index = f"{slot.base} + {index}"
        if any(a.op not in ("var", "const") for a in expr.args):
            index = f"({index}) & {(1 << self._layout.sizes[slot.table].bit_length()) - 1}"
        return f"{array}[{index}]"

    def _helper(self, expr: Expr) -> str:
        """A call of a function that loops, where a quantifier stands inside an expression."""
        free = sorted(expr.variables)
        if expr not in self._helpers:
            lines = self._loop(expr, "found")
            name = f"{expr.op}_{len(self._helpers)}"
            self._helpers[expr] = name
            head = f"def {name}({', '.join([*KNOWN, *free])}):"
            body = "\n".join("    " + line for line in [*lines, "return found"])
            self._helper_text.append(f"{head}\n{body}\n")
        return f"{self._helpers[expr]}({', '.join([*KNOWN, *free])})"

    def _loop(self, expr: Expr, name: str) -> list[str]:
        """Statements that leave the value of a quantifier in ``name``."""
        body = self.code(expr.args[0])
        first, test, found = {
            "any": ("False", body, "True"),
            "all": ("True", f"{body} == False", "False"),
            "count": ("0", body, f"{name} + 1"),
            "first": ("-1", body, expr.value),
        }[expr.op]
        loop = f"for {expr.value} in range(counts[{self._types[expr.over]}]):"
        lines = [f"{name} = {first}", loop, f"    if {test}:", f"        {name} = {found}"]
        if expr.op != "count":
            # a loop that can stop is not unrolled and vectorised: there are dozens, all short
            lines.append("        break")
        row = None
        if expr.op != "all":
            found_in = (_empty_row(part, expr.value) for part in _conjuncts(expr.args[0]))
            row = next((r for r in found_in if r is not None), None)
        if row is not None:
            return [lines[0], f"if {self._row(row)} != 0:", *_indent(lines[1:])]
        return lines

    def _row(self, expr: Expr) -> str:
        """The flag of a relation's row."""
        owner = expr.args[0]
        index = f"{self._layout.rows[expr.value]} + {self.code(owner)}"
        if owner.op != "var":
            index = f"({index}) & {(1 << self._layout.sizes['v'].bit_length()) - 1}"
        return f"v[{index}]"

    def _if(self, condition: Expr, then: list[str]) -> list[str]:
        """``if condition: then``: what is cheap is tested first, quantifiers become loops."""
        if condition == TRUE:
            return then
        parts = _conjuncts(condition)
        cheap = [p for p in parts if not any(e.over for e in p.walk())]
        dear = [p for p in parts if p not in cheap]
        for part in reversed(dear):
            if part.op in ("any", "all"):
                name = f"q{part.value}"
                then = [*self._loop(part, name), f"if {name}:", *_indent(then)]
            else:
                then = [f"if {self.code(part)}:", *_indent(then)]
        if cheap:
            then = [f"if {' & '.join(self.code(c) for c in cheap)}:", *_indent(then)]
        return then

    # ---------------------------------------------------------- believability and effects

    def _dispatch(self, name: str, actions: list[Action], body: Any, last: str) -> str:
        lines = [
            "@apart",
            f"def {name}(s, t, a):",
            *_indent(UNPACK),
            "    k = t.schema[a]",
            "    b = -1.0",
        ]
        lines += [
            f"    p{i} = int64(t.p{i}[a])" for i in range(max(len(a.params) for a in actions))
        ]
        for k, action in enumerate(actions):
            lines.append(f"    {'if' if k == 0 else 'elif'} k == {k}:")
            lines += _indent(body(action), 2)
        return "\n".join([*lines, f"    {last}", ""])

    def _believe(self, k: int, action: Action) -> str:
        """A function: the first rule that is met sets ``b``; factors multiply it."""
        lines = ["b = -1.0"]
        for i, rule in enumerate(action.believe):
            then = self._if(rule.condition, [f"b = {rule.value!r}"])
            lines += then if i == 0 else ["if b < 0.0:", *_indent(then)]
        for rule in action.scale:
            lines += self._if(rule.condition, [f"b *= {rule.value!r}"])
        head = f"def {_asked(k, action)}:"
        return "\n".join(["@inlined", head, *_indent([*lines, "return b"]), ""])

    def _ask(self, action: Action) -> list[str]:
        return [f"b = {_asked(self._library.actions.index(action), action)}"]

    def _effects(self, action: Action) -> list[str]:
        return [line for change in action.changes for line in self._change(change)] or ["pass"]

    def _change(self, change: Change) -> list[str]:
        if change.kind == "set":
            return self._assign(change)
        body = [line for inner in change.body for line in self._change(inner)]
        lines = self._if(change.condition, body)
        if change.kind == "for":
            loop = f"for {change.variable} in range(counts[{self._types[change.over]}]):"
            lines = [loop, *_indent(lines)]
        return lines

    def _assign(self, change: Change) -> list[str]:
        assert change.target is not None
        assert change.value is not None
        address = self._address(change.target)
        attribute: Attribute = change.target.value
        value = self.code(change.value)
        kind = attribute.type.kind
        if change.sign != "=":
            value = f"{address} {change.sign[0]} {value}"
        if change.value.op == "const" and change.sign == "=":
            number = int(change.value.value)
            value = repr(
                min(attribute.high, max(attribute.low, number)) if kind == "int" else number
            )
        elif kind == "bool":
            value = f"1 if {value} else 0"
        elif kind == "int":
            value = f"min({attribute.high}, max({attribute.low}, {value}))"
        lines = [f"{address} = {value}"]
        if attribute.over and value != repr(attribute.empty):
            lines.append(f"{self._row(change.target)} = 1")
        tests = [
            f"({self.code(a)} >= 0)" for a in change.target.args if a.op not in ("var", "const")
        ]
        if tests:  # the row of none must stay empty
            return [f"if {' & '.join(tests)}:", *_indent(lines)]
        return lines

    # ------------------------------------------------------------------------ legal actions

    def _tree(self, actions: list[Action]) -> _Branch:
        """All actions as one tree: tests that many share come first on their level."""
        tests = {a.name: _conjuncts(a.precondition) for a in actions}
        common = Counter(t for found in tests.values() for t in set(found))
        root = _Branch()
        for k, action in enumerate(actions):
            steps: list[object] = []
            for level in range(-1, len(action.params)):
                if level >= 0:
                    steps.append((level, action.params[level][1]))
                own = [t for t in dict.fromkeys(tests[action.name]) if _level(t) == level]
                own.sort(key=lambda test: -common[test])
                steps += own
            branch = root
            for step in [*steps, k]:
                branch = branch.steps.setdefault(step, _Branch())
        return root

    def _legal(self, tree: _Branch, rated: bool) -> str:
        """Kinds of action that could not lead to a better story are not looked for."""
        self._rated = rated
        kinds = len(self._library.actions)
        lines = [
            *UNPACK,
            "n = 0",
            "fixed = t.fixed",
            "scale = t.scale",
            "so_far = s.believability",
            "beat = s.beat",
            "alive = int64(0)",
            f"for k in range({kinds}):",
            "    if so_far * t.most[k] > beat:",
            f"        alive |= int64(1) << (k % {MASK})",
            *self._branch(tree),
            "return n",
        ]
        head = "def rated(s, t, out, weights):" if rated else "def possible(s, t, out):"
        return "\n".join(["@apart", head, *_indent(lines), ""])

    def _branch(self, branch: _Branch) -> list[str]:
        lines = []
        for step, inner in branch.steps.items():
            mask = sum({1 << k % MASK for k in inner.kinds(step)})
            tests = []
            while isinstance(step, Expr) and len(inner.steps) == 1:  # a chain is one test
                tests.append(step)
                step, inner = next(iter(inner.steps.items()))
            if isinstance(step, Expr):
                tests.append(step)
                then = self._branch(inner)
            elif isinstance(step, int):
                then = self._offer(step)
            else:
                level, kind = cast(tuple[int, str], step)
                then = self._over_cast(level, kind, self._branch(inner))
            then = self._if(Expr("and", BOOL, tuple(tests)), then) if tests else then
            if len(branch.steps) > 1:
                then = [f"if alive & {mask} != 0:", *_indent(then)]
            lines += then
        return lines

    def _over_cast(self, level: int, kind: str, body: list[str]) -> list[str]:
        """A loop over those of a type that may act (casting.py)."""
        seat = f"s.cast[{self._layout.seats[kind]} + i{level}]"
        return [
            f"for i{level} in range(int64(s.acting[{self._types[kind]}])):",
            *_indent([f"p{level} = int64({seat})", *body]),
        ]

    def _offer(self, k: int) -> list[str]:
        action = self._library.actions[k]
        number = "p0"
        for i, (_, kind) in enumerate(action.params[1:], start=1):
            number = f"({number} * counts[{self._types[kind]}] + p{i})"
        number = f"t.base[{k}] + {number}"
        if not self._rated:
            room = [f"if n >= {self._limit}:", f"    return {self._limit + 1}"]
            return [*(room if self._may_overflow else []), f"out[n] = {number}", "n += 1"]
        offered = (
            f"n = offered(fixed, scale, t.steered[{k}], out, weights, n, {k}, {number}, "
            f"{_asked(k, action)}, so_far, beat)"
        )
        full = [f"if n > {self._limit}:", "    return n"]
        return [offered, *(full if self._may_overflow else [])]


def _indent(lines: list[str], levels: int = 1) -> list[str]:
    return ["    " * levels + line for line in lines]


def _conjuncts(expr: Expr) -> list[Expr]:
    if expr == TRUE:
        return []
    if expr.op != "and":
        return [expr]
    return [c for a in expr.args for c in _conjuncts(a)]


def _level(expr: Expr) -> int:
    """The last parameter that a test needs; -1 if it needs none."""
    return max((int(v[1:]) for v in expr.variables if v[0] == "p"), default=-1)


def _asked(k: int, action: Action) -> str:
    """A call of the function that says how believable an action is."""
    return f"believed_{k}({', '.join([*KNOWN, *(f'p{i}' for i in range(len(action.params)))])})"


def _empty_row(part: Expr, variable: str) -> Expr | None:
    """The relation in whose empty rows a condition can't hold: ``A.anger[Z] >= 2``, over Z."""
    if part.op == "attribute":
        return part if _is_row(part, variable) else None
    if part.op not in ("==", "!=", "<", "<=", ">", ">="):
        return None
    for side, other in (part.args, part.args[::-1]):
        if _is_row(side, variable) and other.op == "const":
            values = [side.value.empty if a is side else a.value for a in part.args]
            return None if OPERATIONS[part.op](*values) else side
    return None


def _is_row(expr: Expr, variable: str) -> bool:
    """Whether an expression is ``X.relation[variable]``, with the same X throughout."""
    if expr.op != "attribute" or not expr.value.over or expr.value.fixed:
        return False
    owner, index = expr.args
    return index.op == "var" and index.value == variable and variable not in owner.variables
