"""Rules of the search that a user gives as functions: one table, and how they reach the kernel.

A rule is compiled into the kernel in the place of what is built in (:class:`treewright.Rules`).
The first three look at statistics, and name what they want to see; the last two look at a state,
as a domain's ``weight`` does.  ``docs/rules.md`` shows the same with examples.
"""

import functools
import types
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from treewright.errors import DomainError
from treewright.kernel.hooks import with_tables


class Rule(NamedTuple):
    """One kind of rule."""

    parameters: Mapping[str, str]
    """What it can ask for by name, with the Numba type; a state rule takes them all."""
    meaning: str
    caller: str
    on_state: bool = False

    @property
    def returns(self) -> bool:
        """Whether it must give something back."""
        return self.meaning.startswith("Returns")


_NODES = {"node": "node", "child": "node"}
_STATE = {"s": "state", "action": "int64"}

RULES: Mapping[str, Rule] = {
    "urgency": Rule(
        _NODES
        | dict.fromkeys(("q", "log", "root", "prior", "c"), "float64")
        | {"rng": "uint64[::1]"},
        "Returns how much a child deserves the next simulation; the highest gets it.",
        "selection, for each child of each node on the way down",
    ),
    "choose": Rule(
        dict(_NODES),
        "Returns how good a child of the root is; the highest is played.",
        "`result.best`, and each commit of `run_phases`",
    ),
    "back_up": Rule(
        _NODES | {"reward": "float64"},
        "Changes the statistics of a node after a simulation was counted in `visits` and `value`.",
        "backpropagation, from the leaf up to the root",
    ),
    "order": Rule(
        _STATE,
        "Returns how soon an untried action is added: the highest comes first.",
        "expansion, when a node gets its children",
        on_state=True,
    ),
    "rollout_weight": Rule(
        _STATE,
        "Returns how likely an action is in rollouts, as any number from 0 up.",
        'rollouts, in the place of `weight`, with `policy="weighted"`, `"greedy"` or `"table"`',
        on_state=True,
    ),
}


def wanted(function: types.FunctionType) -> tuple[str, ...]:
    """The names of a function's parameters."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def numeric(name: str, own: types.FunctionType, ready: Any) -> Callable[..., Any]:
    """An interpreted rule whose answers are looked at; compiled ones have types."""
    if not RULES[name].returns:
        return ready  # type: ignore[no-any-return]

    @functools.wraps(ready)
    def call(*given: Any) -> Any:
        found = ready(*given)
        if not isinstance(found, int | float | np.number | np.bool_):
            raise DomainError(f"the rule {name} ({own.__name__}) returned {found!r}: no number")
        return found

    return call


def uniform(name: str, own: types.FunctionType, ready: Any) -> Callable[..., Any]:
    """A rule with all the parameters of its kind: the kernel calls every one alike.

    ``ready`` is the copy of ``own`` for the engine at hand.
    """
    rule = RULES[name]
    if rule.on_state:
        return with_tables(ready, own)
    given, asked = ", ".join(rule.parameters), ", ".join(wanted(own))
    scope: dict[str, Any] = {"rule": ready, "__name__": __name__}
    exec(f"def {name}({given}):\n    return rule({asked})", scope)
    call: Callable[..., Any] = scope[name]
    return call
