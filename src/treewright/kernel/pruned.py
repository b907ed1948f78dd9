"""A kernel's text without the branches that are switched off.

Numba drops them too, but only after it has taken them apart.  Whatever is not plainly decided by
the switches stays as it is, and lines keep their numbers.
"""

import ast
from collections.abc import Mapping
from typing import Any

from treewright.kernel import layout

_COMPARED: dict[type, Any] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}


def pruned(text: str, path: str, constants: Mapping[str, object]) -> Any:
    """The text's code, for switches with these values."""
    tree = ast.parse(text, path)
    known = dict(constants)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            from_layout = node.module == layout.__name__
            for name in node.names:
                value = getattr(layout, name.name) if from_layout else None
                known[name.asname or name.name] = value
        elif isinstance(node, ast.arg):
            known[node.arg] = None  # hides a switch of this name, somewhere in the text
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            known[node.id] = None
    return compile(_Pruner(known).visit(tree), path, "exec")


class _Pruner(ast.NodeTransformer):
    def __init__(self, constants: Mapping[str, object]) -> None:
        self._constants = constants

    def visit_If(self, node: ast.If) -> Any:
        decided, node.test = self._decided(node.test)
        if decided is None:
            return self.generic_visit(node)
        left = node.body if decided else node.orelse
        return self._visited(left) or ast.copy_location(ast.Pass(), node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        decided, node.test = self._decided(node.test)
        if decided is None:
            return self.generic_visit(node)
        return self.visit(node.body if decided else node.orelse)

    def _visited(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in body:
            new = self.visit(statement)
            found.extend(new if isinstance(new, list) else [new])
        return found

    def _decided(self, test: ast.expr) -> tuple[bool | None, ast.expr]:
        """Whether a condition holds, if the switches say so, and what is left of it."""
        if isinstance(test, ast.BoolOp):
            return self._joined(test)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            decided, test.operand = self._decided(test.operand)
            return (None if decided is None else not decided), test
        value = self._value(test)
        if value is None and isinstance(test, ast.Compare) and len(test.ops) == 1:
            left, right = self._value(test.left), self._value(test.comparators[0])
            compare = _COMPARED.get(type(test.ops[0]))
            if left is not None and right is not None and compare is not None:
                return bool(compare(left, right)), test
        return (None if value is None else bool(value)), test

    def _joined(self, test: ast.BoolOp) -> tuple[bool | None, ast.expr]:
        """``and`` and ``or``: parts are left out as long as nothing before them is computed."""
        settles = isinstance(test.op, ast.Or)  # the value of a part that decides the whole
        left: list[ast.expr] = []
        for part in test.values:
            decided, rest = self._decided(part)
            if decided is None:
                left.append(rest)
            elif decided == settles:
                if not left:
                    return settles, test
                left.append(rest)
                break
        if not left:
            return not settles, test
        if len(left) == 1:
            return None, left[0]
        test.values = left
        return None, test

    def _value(self, node: ast.expr) -> Any:
        """The value of a switch or of a number; None for anything else."""
        if isinstance(node, ast.Name):
            value = self._constants.get(node.id)
        else:
            value = node.value if isinstance(node, ast.Constant) else None
        return value if isinstance(value, (bool, int)) else None
