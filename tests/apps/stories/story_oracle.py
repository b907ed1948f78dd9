"""A plain interpreter of story files that shares no code with the product.

It reads the TOML itself, parses expressions with Python's own ``ast`` and keeps the world as a
dictionary of names: slow, simple, and written from the documentation of the format.
"""

import ast
import itertools
import re
import tomllib


class Oracle:
    def __init__(self, library_text, setup_text):
        self.library = tomllib.loads(library_text)
        self.setup = tomllib.loads(setup_text)
        self.types = {n: t["plural"] for n, t in self.library["types"].items()}
        self.kind = {}  # id -> type
        self.ids = {n: [] for n in self.types}
        for kind, plural in self.types.items():
            for key in self.setup.get(plural, {}):
                self.kind[key] = kind
                self.ids[kind].append(key)
        self.macros = {}
        for head, body in self.library["macros"].items():
            name, params = re.fullmatch(r"(\w+)\((.*)\)", head).groups()
            names = [p.split(":")[0].strip() for p in params.split(",") if p.strip()]
            self.macros[name] = (names, ast.parse(body, mode="eval").body)
        self.actions = {a["name"]: a for a in self.library["action"]}
        self.words = {w for ws in self.library.get("enums", {}).values() for w in ws}
        self.parsed = {}
        self.state = {}
        self.happened = []
        self.start()

    # ----------------------------------------------------------------------------- the start

    def declared(self, kind, name):
        return self.library["attributes"][kind][name]

    def empty(self, kind, name):
        given = self.declared(kind, name)
        if "range" in given:
            return min(max(0, given["range"][0]), given["range"][1])
        what = given.get("is", "bool")
        if what == "bool":
            return False
        if what == "number":
            return 0.0
        if what in self.types:
            return None
        return self.library["enums"][what][0]

    def start(self):
        for kind, attributes in self.library["attributes"].items():
            for key in self.ids[kind]:
                own = self.setup[self.types[kind]][key]
                for name, given in attributes.items():
                    default = given.get("start", self.empty(kind, name))
                    if "over" in given:
                        told = own.get(name, {})
                        told = dict.fromkeys(told, True) if isinstance(told, list) else told
                        for other in self.ids[given["over"]]:
                            self.state[kind, name, key, other] = told.get(other, default)
                    else:
                        if "like" in given:
                            default = own.get(given["like"], default)
                        value = own.get(name, default)
                        self.state[kind, name, key] = None if value == "none" else value

    # ----------------------------------------------------------------------------- expressions

    def tree(self, text):
        if text not in self.parsed:
            self.parsed[text] = ast.parse(text.strip(), mode="eval").body
        return self.parsed[text]

    def true(self, text, env):
        return text in ("otherwise", "true") or bool(self.value(self.tree(text), env))

    def value(self, node, env):
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return self.named(node.id, env)
            case ast.Attribute() | ast.Subscript():
                cell = self.cell(node, env)
                if cell is None:
                    plain = node.value if isinstance(node, ast.Subscript) else node
                    return self.empty(self.owner_kind(plain.value, plain.attr, env), plain.attr)
                return self.state[cell]
            case ast.BoolOp(op=ast.And()):
                return all(self.value(v, env) for v in node.values)
            case ast.BoolOp():
                return any(self.value(v, env) for v in node.values)
            case ast.UnaryOp(op=ast.Not()):
                return not self.value(node.operand, env)
            case ast.UnaryOp():
                return -self.value(node.operand, env)
            case ast.BinOp():
                left, right = self.value(node.left, env), self.value(node.right, env)
                if isinstance(node.op, ast.Add):
                    return left + right
                return left - right if isinstance(node.op, ast.Sub) else left * right
            case ast.Compare():
                return self.compared(node, env)
            case ast.Call():
                return self.called(node, env)
        raise AssertionError(ast.dump(node))

    def named(self, name, env):
        if name in env:
            return env[name]
        if name in ("none", "true", "false"):
            return {"none": None, "true": True, "false": False}[name]
        assert name in self.kind or name in self.words, name
        return name

    def owner_kind(self, node, attribute, env):
        """Whose attribute is read through none: the type that has it, or what the chain says."""
        found = [k for k, a in self.library["attributes"].items() if attribute in a]
        if len(found) == 1 or not isinstance(node, ast.Attribute):
            return found[0]
        inner = self.owner_kind(node.value, node.attr, env)
        owner = self.value(node.value, env)
        if owner is not None:
            inner = self.kind[owner]
        return self.declared(inner, node.attr)["is"]

    def cell(self, node, env):
        index = None
        if isinstance(node, ast.Subscript):
            index = self.value(node.slice, env)
            if index is None:
                return None
            node = node.value
        owner = self.value(node.value, env)
        if owner is None:
            return None
        cell = (self.kind[owner], node.attr, owner)
        return cell if index is None else (*cell, index)

    def compared(self, node, env):
        left, right = self.value(node.left, env), self.value(node.comparators[0], env)
        op = node.ops[0]
        if isinstance(op, (ast.Eq, ast.NotEq)):
            return (left == right) == isinstance(op, ast.Eq)
        if isinstance(left, str):  # entities have the order of the file
            order = self.ids[self.kind[left]]
            left, right = order.index(left), order.index(right)
        compare = {ast.Lt: left < right, ast.LtE: left <= right, ast.Gt: left > right}
        return compare.get(type(op), left >= right)

    def called(self, node, env):
        name = node.func.id
        if name in ("times", "happens", "before"):
            return self.events(name, node.args)
        if name in ("any", "all", "count", "first"):
            loop = node.args[0].generators[0]
            plural = loop.iter.id
            kind = next(k for k, p in self.types.items() if p == plural)
            scopes = [env | {loop.target.id: key} for key in self.ids[kind]]
            scopes = [s for s in scopes if all(self.value(c, s) for c in loop.ifs)]
            met = [self.value(node.args[0].elt, s) for s in scopes]
            if name == "first":
                return met[0] if met else None
            return {"any": any, "all": all, "count": lambda m: sum(map(bool, m))}[name](met)
        names, body = self.macros[name]
        given = [self.value(a, env) for a in node.args]
        return self.value(body, dict(zip(names, given, strict=True)))

    def events(self, name, args):
        def moments(node):
            action = node.func.id if isinstance(node, ast.Call) else node.id
            wanted = [a.id for a in node.args] if isinstance(node, ast.Call) else None
            return [
                i
                for i, (done, given) in enumerate(self.happened)
                if done == action
                and (
                    wanted is None or all(w in ("_", g) for w, g in zip(wanted, given, strict=True))
                )
            ]

        found = [moments(a) for a in args]
        if name == "times":
            return len(found[0])
        if name == "happens":
            return bool(found[0])
        return bool(found[0]) and bool(found[1]) and found[0][0] < found[1][0]

    # --------------------------------------------------------------------------------- actions

    def env(self, name, args):
        params = [p.split(":")[0].strip() for p in self.actions[name]["params"]]
        return dict(zip(params, args, strict=True))

    def possible(self, name, args):
        needs = self.actions[name].get("needs", [])
        env = self.env(name, args)
        return all(self.true(n, env) for n in ([needs] if isinstance(needs, str) else needs))

    def believability(self, name, args):
        action, env = self.actions[name], self.env(name, args)
        rules = action["believe"]
        if not isinstance(rules, list):
            rules = [["otherwise", rules]]
        b = next(value for rule, value in rules if self.true(rule, env))
        for rule, factor in action.get("scale", []):
            if self.true(rule, env):
                b *= factor
        return b

    def do(self, name, args):
        env = self.env(name, args)
        does = self.actions[name].get("does", [])
        for line in [does] if isinstance(does, str) else does:
            self.effects(line, env)
        self.happened.append((name, tuple(args)))

    def effects(self, line, env):
        loop = re.match(r"\s*for (\w+) in (\w+)(?: if (.*?))?:(.*)$", line, re.S)
        if loop:
            kind = next(k for k, p in self.types.items() if p == loop[2])
            for key in self.ids[kind]:
                inner = env | {loop[1]: key}
                if loop[3] is None or self.true(loop[3], inner):
                    self.effects(loop[4], inner)
            return
        test = re.match(r"\s*if (.*?):(.*)$", line, re.S)
        if test:
            if self.true(test[1], env):
                self.effects(test[2], env)
            return
        first, semicolon, rest = line.partition(";")
        self.assign(first, env)
        if semicolon:
            self.effects(rest, env)

    def assign(self, text, env):
        target, sign, value = re.match(
            r"(.*?)\s*(\+=|-=|(?<![=!<>])=(?!=))\s*(.*)$", text.strip()
        ).groups()
        cell = self.cell(self.tree(target), env)
        if cell is None:
            return
        new = self.value(self.tree(value), env)
        given = self.declared(cell[0], cell[1])
        if sign != "=":
            new = self.state[cell] + (new if sign == "+=" else -new)
        if "range" in given:
            new = min(given["range"][1], max(given["range"][0], new))
        self.state[cell] = new

    # ----------------------------------------------------------------------------------- goals

    def goal(self, text):
        named = {}
        for kind, plural in self.types.items():
            for key in self.ids[kind]:
                shown = self.setup[plural][key].get("name", key.replace("_", " "))
                named[kind, shown.lower()] = named[kind, key.lower()] = key
        for phrase, meaning in sorted(self.library["goals"].items(), key=lambda p: p[0].count("{")):
            meaning = meaning["means"] if isinstance(meaning, dict) else meaning
            pattern, slots = "", []
            for i, part in enumerate(re.split(r"\{(.*?)\}", phrase)):
                if i % 2:
                    slots.append(tuple(p.strip() for p in part.split(":")))
                    pattern += "(.+?)"
                else:
                    pattern += re.escape(part)
            match = re.fullmatch(pattern, text, re.I)
            if not match:
                continue
            env = {}
            for (slot, kind), said in zip(slots, match.groups(), strict=True):
                env[slot] = int(said) if kind == "int" else named.get((kind, said.lower()))
            if None not in env.values():
                return bool(self.value(self.tree(meaning), env))
        return bool(self.value(self.tree(text), {}))

    def share(self):
        if not all(self.goal(k) for k in self.setup.get("keep", [])):
            return 0.0
        wanted = list(self.setup["goals"])
        wanted += [f"happens({r})" for r in self.setup.get("require", [])]
        for chain in self.setup.get("order", []):
            pairs = itertools.pairwise(chain)
            wanted += [f"before({first}, {then})" for first, then in pairs]
        return sum(self.goal(g) for g in wanted) / len(wanted)
