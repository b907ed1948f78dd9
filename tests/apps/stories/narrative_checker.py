"""An independent check of narrative plans: a plain interpreter that shares no code with Treewright.

It reads the benchmark's format itself, keeps worlds as dictionaries whose beliefs are made when
they are asked for (to any depth), and follows the definition of a solution.  It is slow.
"""

import itertools
import re

UNKNOWN = "?"
_WORDS = re.compile(r"\d+|[A-Za-z_]\w*|==|!=|>=|<=|[-+*/=<>!&|?:;,(){}]")


class Refused(Exception):  # noqa: N818 - reads as what it is
    """What is wrong with a plan."""


def _innermost(e):
    while e[0] == "believes":
        e = e[2]
    return e


class Reader:
    def __init__(self, text):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
        self.words = _WORDS.findall(text)
        self.at = 0

    def peek(self):
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self, word=None):
        found = self.peek()
        assert word is None or found == word, (found, word, self.words[self.at - 5 : self.at + 5])
        self.at += 1
        return found

    def maybe(self, word):
        if self.peek() == word:
            self.at += 1
            return True
        return False

    def listed(self, end):
        found = []
        while not self.maybe(end):
            self.maybe(",")
            found.append(self.take())
        return found

    def params(self):
        self.take("(")
        found = []
        while not self.maybe(")"):
            self.maybe(",")
            name = self.take()
            found.append((name, self.take() if self.maybe(":") else None))
        return found

    def everything(self):
        parts = [self.anything()]
        while self.maybe("&"):
            parts.append(self.anything())
        return parts[0] if len(parts) == 1 else ("&", parts)

    def anything(self):
        parts = [self.one()]
        while self.maybe("|"):
            parts.append(self.one())
        return parts[0] if len(parts) == 1 else ("|", parts)

    def one(self):
        if self.maybe("!"):
            return ("!", self.one())
        if self.peek() in ("exists", "forall"):
            word = self.take()
            ((name, kind),) = self.params()
            return (word, name, kind, self.one())
        left = self.sum(0)
        for sign in ("==", "!=", ">=", "<=", ">", "<", "="):
            if self.maybe(sign):
                return (sign, left, self.one())
        if self.maybe(":"):
            return (":", left, self.take())
        return left

    def sum(self, level):
        if level == 4:
            return self.atom()
        left = self.sum(level + 1)
        while self.peek() == "*/+-"[level]:
            left = ("arith", self.take(), left, self.sum(level + 1))
        return left

    def branch(self):
        self.take("(")
        condition = self.everything()
        self.take(")")
        return condition, self.one()

    def atom(self):
        word = self.take()
        if word == "(":
            inner = self.everything()
            self.take(")")
            return inner
        if word == "-":
            return ("constant", -int(self.take()))
        if word.isdigit():
            return ("constant", int(word))
        if word == "?":
            return ("constant", UNKNOWN)
        if word in ("True", "False"):
            return ("constant", word == "True")
        if word == "if":
            branches, last = [self.branch()], None
            while self.maybe("elseif"):
                branches.append(self.branch())
            if self.maybe("else"):
                last = self.one()
            return ("if", branches, last)
        if word in ("sum", "product") and self.peek() == "(":
            ((name, kind),) = self.params()
            return (word, name, kind, self.sum(0))
        if self.peek() != "(":
            return ("name", word)
        self.take("(")
        if word == "believes":
            who = self.take()
            self.take(",")
            inner = self.everything()
            self.take(")")
            return ("believes", who, inner)
        return ("fluent", word, self.listed(")"))


class World:
    """Values, whose world it is, and a function for what each character believes.

    ``raw`` is a belief before the triggers in it, ``believed`` (of Story) the one after them.
    """

    def __init__(self, values, owner, beliefs):
        self.values = values
        self.owner = owner
        self._beliefs = beliefs
        self._raw = {}
        self.settled = {}

    def raw(self, who):
        if who == self.owner:
            return self
        if who not in self._raw:
            self._raw[who] = self._beliefs(who)
        return self._raw[who]


class Story:
    """A problem, as it is written."""

    def __init__(self, text):
        self.parents = {"character": ["entity"], "entity": []}
        self.entities, self.properties, self.facts = {}, {}, []
        self.actions, self.triggers, self.utilities = {}, [], {}
        reader = Reader(text)
        while reader.peek():
            self._definition(reader)
            reader.maybe(";")
        self.characters = [e for e in self.entities if self.is_a(e, "character")]
        self.start = self._settled(self._initial(()))

    def _definition(self, reader):
        word = reader.peek()
        if word == "type":
            reader.take()
            name = reader.take()
            above = self._names(reader) if reader.maybe(":") else []
            self.parents.setdefault(name, []).extend(above or ["entity"])
        elif word == "entity":
            reader.take()
            name = reader.take()
            reader.take(":")
            self.entities[name] = self._names(reader)
        elif word == "property":
            reader.take()
            name, params = reader.take(), reader.params()
            reader.take(":")
            self.properties.setdefault(name, []).append((params, reader.take()))
        elif word in ("action", "trigger"):
            reader.take()
            event = self._event(reader)
            if word == "action":
                self.actions[event["name"]] = event
            else:
                self.triggers.append(event)
        elif word == "utility":
            reader.take()
            reader.take("(")
            who = None if reader.peek() == ")" else reader.take()
            reader.take(")")
            reader.take(":")
            self.utilities[who] = reader.everything()
        elif not reader.maybe(";"):
            self.facts.append(reader.everything())

    @staticmethod
    def _names(reader):
        found = [reader.take()]
        while reader.maybe(","):
            found.append(reader.take())
        return found

    def _event(self, reader):
        event = {"name": reader.take(), "params": reader.params(), "consenting": []}
        event |= {"precondition": ("constant", True), "effect": ("&", []), "observing": None}
        reader.take("{")
        while not reader.maybe("}"):
            part = reader.take()
            if part == "observing":
                ((name, kind),) = reader.params()
                reader.take(":")
                event[part] = (name, kind, reader.everything())
            else:
                reader.take(":")
                if part == "consenting":
                    event[part] = [] if reader.peek() == ";" else self._names(reader)
                else:
                    event[part] = reader.everything()
            reader.maybe(";")
        return event

    def is_a(self, entity, kind):
        todo, seen = list(self.entities[entity]), set()
        while todo:
            new = todo.pop()
            if new == kind:
                return True
            if new not in seen:
                seen.add(new)
                todo += self.parents.get(new, [])
        return kind == "entity"

    def members(self, kind):
        return [e for e in self.entities if self.is_a(e, kind)]

    # ------------------------------------------------------------ worlds

    def _initial(self, path):
        values = dict(self._initial(path[:-1]).values) if path else {}
        for fact in self.facts:
            for _, where, name, value in self.changes(None, fact, {}):
                if tuple(where) == path:
                    values[name] = value
        owner = path[-1] if path else None
        return World(values, owner, lambda who: self._initial((*path, who)))

    def believed(self, world, who):
        if who == world.owner:
            return world
        if who not in world.settled:
            world.settled[who] = self._settled(world.raw(who))
        return world.settled[who]

    def default(self, name):
        for params, kind in self.properties[name[0]]:
            if len(params) == len(name[1:]) and all(
                self.is_a(e, k) if k else e == n for e, (n, k) in zip(name[1:], params, strict=True)
            ):
                return {"boolean": False, "number": 0}.get(kind, UNKNOWN)
        raise Refused(f"no property {name}")

    def value(self, world, e, scope, raw=False):
        kind = e[0]
        if kind == "constant":
            return e[1]
        if kind == "with":
            return self.value(world, e[1], e[2], raw)
        if kind == "name":
            return scope.get(e[1], e[1])
        if kind == "fluent":
            name = (e[1], *(scope.get(a, a) for a in e[2]))
            return world.values[name] if name in world.values else self.default(name)
        if kind == "believes":
            who = scope.get(e[1], e[1])
            inner = world.raw(who) if raw else self.believed(world, who)
            return self.value(inner, e[2], scope, raw)
        if kind == "&":
            return all(self.value(world, x, scope, raw) is True for x in e[1])
        if kind == "|":
            return any(self.value(world, x, scope, raw) is True for x in e[1])
        if kind == "!":
            return self.value(world, e[1], scope, raw) is False
        if kind in ("exists", "forall"):
            found = (self.value(world, e[3], {**scope, e[1]: m}, raw) for m in self.members(e[2]))
            return any(found) if kind == "exists" else all(found)
        if kind in ("sum", "product"):
            total = 0 if kind == "sum" else 1
            for m in self.members(e[2]):
                more = self.value(world, e[3], {**scope, e[1]: m}, raw)
                total = total + more if kind == "sum" else total * more
            return total
        if kind == "if":
            for condition, branch in e[1]:
                if self.value(world, condition, scope, raw) is True:
                    return self.value(world, branch, scope, raw)
            return True if e[2] is None else self.value(world, e[2], scope, raw)
        if kind == ":":
            return self.is_a(self.value(world, e[1], scope, raw), e[2])
        if kind == "arith":
            left, right = self.value(world, e[2], scope, raw), self.value(world, e[3], scope, raw)
            if UNKNOWN in (left, right):
                return UNKNOWN
            made = {"+": left + right, "-": left - right, "*": left * right}
            return made[e[1]] if e[1] in made else left / right
        left, right = self.value(world, e[1], scope, raw), self.value(world, e[2], scope, raw)
        if kind in ("==", "!="):
            return (left == right) is (kind == "==")
        if UNKNOWN in (left, right):
            return False
        return {">": left > right, "<": left < right, ">=": left >= right, "<=": left <= right}[
            kind
        ]

    def changes(self, world, e, scope, path=()):
        """(holds, in whose belief, fluent, value) for each assignment of an effect."""
        kind = e[0]
        if kind == "&":
            for part in e[1]:
                yield from self.changes(world, part, scope, path)
        elif kind == "forall":
            for m in self.members(e[2]):
                yield from self.changes(world, e[3], {**scope, e[1]: m}, path)
        elif kind == "believes" and _innermost(e)[0] != "fluent":
            yield from self.changes(world, e[2], scope, (*path, scope.get(e[1], e[1])))
        elif kind == "if":
            for condition, branch in e[1]:
                if self.value(world, condition, scope) is True:
                    yield from self.changes(world, branch, scope, path)
                    return
            if e[2] is not None:
                yield from self.changes(world, e[2], scope, path)
        elif kind == "!":
            yield (True, *self._place(e[1], scope, path), False)
        elif kind in ("=", "=="):
            yield (True, *self._place(e[1], scope, path), self.value(world, e[2], scope))
        else:
            yield (True, *self._place(e, scope, path), True)

    def _place(self, e, scope, path):
        while e[0] == "believes":
            path, e = (*path, scope.get(e[1], e[1])), e[2]
        short = tuple(p for i, p in enumerate(path) if not i or path[i - 1] != p)
        return short, (e[1], *(scope.get(a, a) for a in e[2]))

    def scope(self, event, arguments):
        return {n: a for (n, k), a in zip(event["params"], arguments, strict=True) if k}

    def possible(self, world, event, scope):
        """The condition, and all who consent believe it."""
        worlds = [world, *(self.believed(world, c) for c in self.consenting(event, scope))]
        return all(self.value(w, event["precondition"], scope) is True for w in worlds)

    @staticmethod
    def consenting(event, scope):
        return [scope.get(c, c) for c in event["consenting"]]

    def after(self, world, event, scope):
        """An action, and the triggers after it."""
        return self._settled(self._acted(world, event, scope))

    def _acted(self, world, event, scope):
        values, told = self._assigned(world, event, scope)

        def beliefs(who):
            found = self.believed(world, who)
            if self._observes(world, event, scope, who):
                found = self._surprised(world, found, event, scope)
                found = self._acted(found, event, scope)
            return self._told(found, told.get(who, []))

        return World(values, world.owner, beliefs)

    def _assigned(self, world, event, scope):
        values, told = dict(world.values), {}
        own = []
        for _, path, name, value in self.changes(world, event["effect"], scope):
            path = path[1:] if path and path[0] == world.owner else path
            if path:
                told.setdefault(path[0], []).append((path[1:], name, value))
            else:
                own.append((name, value))
        values.update(own)
        return values, told

    def _observes(self, world, event, scope, who):
        if event["observing"] is None:
            return True
        name, kind, condition = event["observing"]
        seen = self.is_a(who, kind)
        return seen and self.value(world, condition, {**scope, name: who}) is True

    def _told(self, world, news):
        for path, name, value in news:
            path = path[1:] if path and path[0] == world.owner else path
            old = world
            if path:

                def beliefs(who, old=old, path=path, name=name, value=value):
                    found = old.raw(who)
                    return self._told(found, [(path[1:], name, value)]) if who == path[0] else found

                world = World(old.values, old.owner, beliefs)
            else:
                world = World({**old.values, name: value}, old.owner, old.raw)
        return world

    def _surprised(self, truth, belief, event, scope):
        """Who sees what they thought impossible first learns what made it possible."""
        if self.possible(belief, event, scope):
            return belief
        for who in [None, *self.consenting(event, scope)]:
            real = truth if who is None else self.believed(truth, who)
            thought = belief if who is None else self.believed(belief, who)
            news = []
            for literal in self._true_literals(real, event["precondition"], scope):
                if self.value(thought, literal, scope) is not True:
                    news += self._lesson(real, literal, scope)
            if news and (who is None or who == belief.owner):
                belief = self._told(belief, news)
            elif news:
                belief = self._told(belief, [((who, *p), n, v) for p, n, v in news])
        return belief

    def _true_literals(self, world, e, scope, wanted=True):
        """The plain conditions that make an expression true."""
        kind = e[0]
        if kind == "!":
            yield from self._true_literals(world, e[1], scope, not wanted)
        elif kind in ("&", "|"):
            if (kind == "&") is wanted:
                for part in e[1]:
                    yield from self._true_literals(world, part, scope, wanted)
            else:
                for part in e[1]:
                    if self.value(world, part, scope) is wanted:
                        yield from self._true_literals(world, part, scope, wanted)
        elif kind in ("exists", "forall"):
            for m in self.members(e[2]):
                inner = {**scope, e[1]: m}
                if self.value(world, e[3], inner) is wanted:
                    for x in self._true_literals(world, e[3], inner, wanted):
                        yield ("with", x, inner) if x[0] != "with" else x
        else:
            yield e if wanted else ("!", e)

    def _lesson(self, world, literal, scope):
        if literal[0] == "with":
            _, literal, scope = literal
        negative = literal[0] == "!"
        literal = literal[1] if negative else literal
        path = ()
        while literal[0] == "believes":
            path, literal = (*path, scope.get(literal[1], literal[1])), literal[2]
        if literal[0] == "fluent":
            p, name = self._place(literal, scope, path)
            return [(p, name, not negative)]
        if literal[0] in ("==", "!=", ">", "<", ">=", "<=") and literal[1][0] in (
            "fluent",
            "believes",
        ):
            p, name = self._place(literal[1], scope, path)
            equal = (literal[0] == "==") is not negative and literal[0] in ("==", "!=")
            value = self.value(world, literal[2], scope) if equal else UNKNOWN
            return [(p, name, value)]
        return []

    def _settled(self, world):
        for _ in range(1000):
            for event, scope in self._instances():
                if self._fires(world, event, scope):
                    values, told = self._assigned(world, event, scope)
                    if values == world.values and not told:
                        continue
                    old = world

                    def beliefs(who, old=old, told=told):
                        return self._told(old.raw(who), told.get(who, []))

                    world = World(values, old.owner, beliefs)
                    break
            else:
                return world
        raise Refused("the triggers never end")

    def _fires(self, world, event, scope):
        """The parts that look at this world only are asked first."""
        pre = event["precondition"]
        parts = sorted(pre[1], key=lambda p: "believes" in repr(p)) if pre[0] == "&" else [pre]
        return all(self.value(world, part, scope, True) is True for part in parts)

    def _instances(self):
        if not hasattr(self, "_ground"):
            self._ground = []
            for event in self.triggers:
                ranges = [self.members(k) if k else [n] for n, k in event["params"]]
                for chosen in itertools.product(*ranges):
                    self._ground.append((event, self.scope(event, chosen)))
        return self._ground

    def utility(self, world, who):
        found = self.value(world, self.utilities.get(who, ("constant", 0)), {})
        return found if found == UNKNOWN else float(found)

    # ------------------------------------------------------------ plans

    def parsed(self, action):
        name, rest = action.rstrip(")").split("(", 1)
        arguments = [a.strip() for a in rest.split(",")] if rest.strip() else []
        if name not in self.actions:
            raise Refused(f"there is no action {name}")
        event = self.actions[name]
        for argument, (n, k) in zip(arguments, event["params"], strict=True):
            if not (self.is_a(argument, k) if k else argument == n):
                raise Refused(f"{action}: {argument} is no {k or n}")
        return event, self.scope(event, arguments)

    def run(self, world, actions):
        """The world after some actions; None if one of them can't happen."""
        for action in actions:
            event, scope = self.parsed(action)
            if not self.possible(world, event, scope):
                return None
            world = self.after(world, event, scope)
        return world

    def check(self, plan, goal, author, character, layers):
        """Refuse a plan that is no solution; a step is (action, {who: explanation})."""
        if not plan or len(plan) > author:
            raise Refused("the plan is empty or too long")
        end = self._steps(self.start, None, plan, character, layers)
        reached, first = self.utility(end, None), self.utility(self.start, None)
        if UNKNOWN in (reached, first) or reached < goal or reached <= first:
            raise Refused(f"the author's utility is {reached}")
        self._minimal(self.start, None, plan, reached, character, layers)

    def _steps(self, world, owner, plan, longest, layers):
        for i, (action, reasons) in enumerate(plan):
            event, scope = self.parsed(action)
            consenting = self.consenting(event, scope)
            if not self.possible(world, event, scope):
                raise Refused(f"{action} can't happen")
            if owner is not None and not consenting:
                raise Refused(f"{owner} can't expect {action}")
            for who in consenting:
                if who != owner and not (owner is not None and i == 0):
                    left = longest if owner is None else longest - i
                    self._reason(world, who, action, reasons.get(who), left, layers)
            world = self.after(world, event, scope)
        return world

    def _reason(self, world, who, action, plan, longest, layers):
        if layers < 0 or (layers == 0 and len(plan or ()) > 1):
            raise Refused(f"{action} is explained too deep")
        if not plan or plan[0][0] != action or len(plan) > longest:
            raise Refused(f"{action} has no explanation of at most {longest} actions for {who}")
        here = self.believed(world, who)
        end = self._steps(here, who, plan, longest, layers - 1)
        before, after = self.utility(here, who), self.utility(end, who)
        if UNKNOWN in (before, after) or after <= before:
            raise Refused(f"{who} gains nothing by {[a for a, _ in plan]}")
        self._minimal(here, who, plan, after, longest, layers - 1)

    def _minimal(self, world, owner, plan, reached, longest, layers):
        actions = [a for a, _ in plan]
        for size in range(1, len(actions)):
            for part in itertools.combinations(actions, size):
                end = self.run(world, part)
                if end is None:
                    continue
                found = self.utility(end, owner)
                better = found != UNKNOWN and found >= reached
                if better and self._explained(world, owner, list(part), longest, layers):
                    raise Refused(f"{list(part)} of {actions} would do")

    def _explained(self, world, owner, actions, longest, layers):
        """Whether a sequence is explained for all but its owner, by plain search."""
        for i, action in enumerate(actions):
            event, scope = self.parsed(action)
            for who in self.consenting(event, scope):
                if who != owner:
                    left = longest if owner is None else longest - i
                    if not self._has_reason(world, who, action, left, layers):
                        return False
            world = self.after(world, event, scope)
        return True

    def _has_reason(self, world, who, action, longest, layers):
        if layers < 0:
            return False
        longest = 1 if layers == 0 else longest
        here = self.believed(world, who)
        goal = self.utility(here, who)
        for length in range(1, longest + 1):
            for plan in self._plans(here, who, [action], length, goal, longest, layers):
                try:
                    end = self.run(here, plan)
                    self._minimal(
                        here,
                        who,
                        [(a, {}) for a in plan],
                        self.utility(end, who),
                        longest,
                        layers - 1,
                    )
                except Refused:
                    continue
                return True
        return False

    def _plans(self, here, who, prefix, length, goal, longest, layers):
        """Executable plans of a length that raise a utility, of its own actions only."""
        world = self.run(here, prefix)
        if world is None:
            return
        reached = self.utility(world, who)
        if len(prefix) == length:
            if reached != UNKNOWN and reached > goal:
                yield prefix
            return
        for event in self.actions.values():
            ranges = [self.members(k) if k else [n] for n, k in event["params"]]
            for chosen in itertools.product(*ranges):
                scope = self.scope(event, chosen)
                if self.consenting(event, scope) == [who] and self.possible(world, event, scope):
                    more = [*prefix, f"{event['name']}({', '.join(chosen)})"]
                    yield from self._plans(here, who, more, length, goal, longest, layers)
