"""Functions of real numbers: Iterated Splitting, SOO, and our best method."""

from treewright.optimize.minimize import (
    OptimizeResult,
    cec_bounds,
    cec_function,
    minimize,
    scipy_method,
)
from treewright.optimize.objective import FunctionError

__all__ = [
    "FunctionError",
    "OptimizeResult",
    "cec_bounds",
    "cec_function",
    "minimize",
    "scipy_method",
]
