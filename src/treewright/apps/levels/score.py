"""What a level is worth: S + g + e + r through the logistic function, without a flat part.

The paper scores a level with ``S + g + e + r``, where S is -100,000 if it can't be finished, g, e
and r are quadratics of the numbers of gaps, enemies and rewards, and takes the logistic function
of the sum.  In double precision that is exactly 0 for every level with a gap too wide, and
nearly so for each that is far from what is wished: the search then sees no difference between a
bad level and a worse one.  Here

- a level that can't be finished is worth at most ``FAILED`` = 0.1, the more the farther it got;
- any other is worth ``FAILED + (1 - FAILED) · logistic(4 s / (4 + |s|))``: the inner function
  bends the score into (-4, 4), where the logistic function is not flat, and keeps its order.

Each quadratic is ``-weight · (miss / tolerance)²``, where the miss is how far the count is outside
its range at this column; a plain target is a range of one number.  A score of one's own is any
function of the same quantities, or an expression of them.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import ast
import itertools
import linecache
import math
from collections.abc import Callable
from typing import Any

from treewright.apps.levels.tiles import LevelError
from treewright.errors import nearest

FAILED = 0.1
BENT = 4.0
LONGEST = 4_000  # characters of an expression
DEEPEST = 120  # levels of one: a sum of a hundred terms has as many
BEST = 2.0  # the default score of a level that misses nothing

QUANTITIES = ("gaps", "enemies", "rewards", "height")
VARIABLES = ("columns", "length", *QUANTITIES, "difficulty")
FUNCTIONS: dict[str, Any] = {
    name: getattr(math, name) for name in ("sqrt", "exp", "log", "sin", "cos", "floor")
} | {"abs": abs, "min": min, "max": max}

Score = Callable[..., float]


def worth(score: float) -> float:
    """A finishable level's score as a reward in (FAILED, 1)."""
    bent = BENT * score / (BENT + abs(score))
    return FAILED + (1.0 - FAILED) / (1.0 + math.exp(-bent))


def quadratic(count, low, high, tolerance):
    """(miss / tolerance)², 0 inside the range."""
    miss = max(low - count, count - high, 0.0) / tolerance
    return miss * miss


_numbers = itertools.count()


def from_expression(text: str) -> Score:
    """A score from an expression such as ``2 - (gaps - 12)**2 / 20 - (enemies - 30)**2 / 50``.

    Names: columns (so far), length, gaps, enemies, rewards, height (mean, above the bottom row),
    difficulty (at this column).
    """
    if len(text) > LONGEST:
        raise LevelError(f"the score has {len(text):,} characters; {LONGEST:,} are the most")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        _check_depth(tree)
    except SyntaxError as error:
        where = f"at character {error.offset}" if error.offset else "at the end"
        raise LevelError(f"score {text!r}: {error.msg} {where}") from error
    except (RecursionError, MemoryError):
        raise LevelError("the score is nested too deeply, or has too many terms") from None
    except ValueError as error:  # a null character, or half a character
        raise LevelError(f"score {text!r} can't be read: {error}") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in (*VARIABLES, *FUNCTIONS):
            raise LevelError(
                f"score: there is no {node.id!r}{nearest(node.id, [*VARIABLES, *FUNCTIONS])}"
            )
        if not isinstance(node, _ALLOWED) or (
            isinstance(node, ast.Constant) and not isinstance(node.value, (int, float))
        ):
            raise LevelError(
                f"score {text!r}: only numbers, + - * / **, comparisons, and calls of "
                f"{', '.join(FUNCTIONS)} can be used"
            )
    score = _function(_FloatPowers().visit(tree))
    _try(text, score)
    return score


def _check_depth(tree: ast.AST) -> None:
    """Refuse a tree that Python's own compiler, which calls itself for each level, can't take."""
    layer: list[ast.AST] = [tree]
    for _ in range(DEEPEST):
        layer = [below for node in layer for below in ast.iter_child_nodes(node)]
        if not layer:
            return
    raise RecursionError


class _FloatPowers(ast.NodeTransformer):
    """9**9**9 as floats: too large at once, instead of computed for ever.

    Only the power of something without a power in it, by a small number that is written out, such
    as ``(gaps - 12)**2``, stays one of whole numbers.
    """

    def visit_BinOp(self, node: ast.BinOp) -> ast.BinOp:
        small = isinstance(node.right, ast.Constant) and abs(node.right.value) <= 8  # type: ignore[arg-type,operator]
        inside = any(isinstance(below, ast.Pow) for below in ast.walk(node.left))
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow) and (inside or not small):
            node.left = ast.BinOp(ast.Constant(1.0), ast.Mult(), node.left)
        return node


def _function(tree: ast.Expression) -> Score:
    """An expression as a function, with a source that the compiler can find."""
    name = f"<score {next(_numbers)}>"
    source = f"def score({', '.join(VARIABLES)}):\n    return 0.0 + ({ast.unparse(tree)})\n"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {"__name__": __name__, **FUNCTIONS}  # compiled code is cached under a module's name
    exec(compile(source, name, "exec"), scope)
    found: Score = scope["score"]
    return found


def _try(text: str, score: Score) -> None:
    """Refuse a score that has no number for an ordinary level."""
    try:
        ok = math.isfinite(score(100, 320, 5, 10, 10, 2.0, 0.5))
    except (ArithmeticError, ValueError, TypeError):
        ok = False
    if not ok:
        raise LevelError(f"score {text!r} is no number for 5 gaps, 10 enemies and 10 rewards")


_ALLOWED = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.IfExp,
    ast.BoolOp,
    ast.Call,
    ast.Name,
    ast.Constant,
    ast.Load,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.boolop,
)
