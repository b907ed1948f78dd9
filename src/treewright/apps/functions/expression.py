"""A function that somebody types in: arithmetic in ``x`` and ``y``, and nothing else."""

import ast
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from treewright.errors import OptionError

LONGEST = 300
OPERATORS: dict[type, Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
FUNCTIONS: dict[str, Callable[[float], float]] = {
    name: getattr(math, name) for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "tanh")
} | {"abs": abs}
CONSTANTS = {"pi": math.pi, "e": math.e}


def function_of(text: str) -> Callable[[Sequence[float]], float]:
    """The function of a point; what has no real value there is infinite."""
    if len(text) > LONGEST:
        raise OptionError(f"a function has at most {LONGEST} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise OptionError(f"{text!r} is no formula; write one such as x**2 + sin(3*y)") from None
    _check(tree)

    def value(x: Sequence[float]) -> float:
        names = {"x": float(x[0]), "y": float(x[1]), **CONSTANTS}
        try:
            found = _value(tree, names)
        except (ArithmeticError, ValueError):
            return math.inf
        return found if isinstance(found, float) and not math.isnan(found) else math.inf

    return value


def _check(node: Any) -> None:
    """Only numbers, the two names, the operators and the functions above."""
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        _check(node.left)
        _check(node.right)
    elif isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        _check(node.operand)
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "id", "")
        if name not in FUNCTIONS or len(node.args) != 1 or node.keywords:
            raise OptionError(f"the functions are {', '.join(FUNCTIONS)}, each of one number")
        _check(node.args[0])
    elif isinstance(node, ast.Name):
        if node.id not in ("x", "y", *CONSTANTS):
            raise OptionError(f"{node.id!r} is unknown; there are x, y, pi and e")
    elif not (isinstance(node, ast.Constant) and type(node.value) in (int, float)):
        raise OptionError("a formula has numbers, x, y, + - * / ** and functions such as sin")


def _value(node: Any, names: dict[str, float]) -> float:
    if isinstance(node, ast.Constant):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.Call):
        return FUNCTIONS[node.func.id](_value(node.args[0], names))  # type: ignore[attr-defined]
    if isinstance(node, ast.UnaryOp):
        return OPERATORS[type(node.op)](_value(node.operand, names))
    left = _value(node.left, names)
    return OPERATORS[type(node.op)](left, _value(node.right, names))
