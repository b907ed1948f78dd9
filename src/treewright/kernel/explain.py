"""Turns a page of compiler output into one sentence with file and line."""

import functools
import re
import types
from collections import namedtuple
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from treewright.kernel.hooks import HOOKS, Searchable, takes_tables
from treewright.kernel.names import attributes_read
from treewright.kernel.rebind import Rebinder
from treewright.kernel.rules import RULES, wanted

_PLACE = re.compile(r'File "([^"]+)", line (\d+)')
_NOISE = ("Failed in nopython", "During:", "File ", "- During", "<source", "^", "[1", "Enable log")


def explain(
    domain: Searchable, error: Exception, rules: Mapping[str, types.FunctionType] | None = None
) -> str:
    """Say which function of the domain, or which rule, can't be compiled, where, and why."""
    for name, function, arguments, numeric in (*_signatures(domain), *_rules(domain, rules or {})):
        from numba import njit

        jit = functools.partial(njit, nogil=True, error_model="numpy")
        try:
            copied = Rebinder(jit).function(function)
            copied.compile(arguments)
        except Exception as inner:
            return _sentence(function, name, inner)
        if numeric and (given := _no_number(copied)):
            return f"{_place(function)}, in {name}: it must return a number, and returns {given}"
    reason = _reason(str(error))
    for name, function in (rules or {}).items():
        for read in attributes_read(function.__code__):
            if reason == f"'{read}'.":  # Numba says no more about a field that is not there
                return (
                    f"{_place(function)}, in the rule {name}: nodes have no {read!r}; what is "
                    f"listed in Rules(statistics=...) they have"
                )
    return f"{type(domain).__name__} can't be compiled: {reason}"


def _no_number(compiled: Any) -> str:
    """What a function returns that is no number, in words; empty if it is one."""
    from numba import types as kinds

    kind = kinds.unliteral(compiled.nopython_signatures[-1].return_type)
    if isinstance(kind, kinds.Number | kinds.Boolean):
        return ""
    if isinstance(kind, kinds.Optional):
        return "nothing on some of its ways"
    return "nothing" if kind == kinds.none else "text" if kind == kinds.unicode_type else str(kind)


def _signatures(domain: Searchable) -> Any:
    """Each domain function with the argument types that the kernel calls it with."""
    from numba import from_dtype, typeof

    record = getattr(domain, "state", None)
    if not isinstance(record, np.dtype):  # not a domain: some functions for a kernel of their own
        return
    state = from_dtype(record)
    values = getattr(domain, "tables", {})
    kind = namedtuple("Tables", tuple(values))  # type: ignore[misc] # noqa: PYI024
    for name, function in domain.functions.items():
        middle = (typeof(kind(*values.values())),) if takes_tables(function) else ()
        kinds = HOOKS[name].parameters.values()
        where = f"{type(domain).__name__}.{name}"
        numeric = HOOKS[name].returns and name != "prior"  # that is a pair
        yield where, function, (state, *middle, *(_numba(k, state) for k in kinds)), numeric


def _rules(domain: Searchable, rules: Mapping[str, types.FunctionType]) -> Any:
    """Each rule on statistics with the types of what it asks for, with any statistics at all.

    A rule on states is called like ``weight``.
    """
    from numba import from_dtype

    extra = [n for function in rules.values() for n in attributes_read(function.__code__)]
    names = dict.fromkeys(
        n for n in ("value", "best", *sorted(extra)) if n not in ("visits", "action")
    )
    node = from_dtype(np.dtype([("visits", "i4"), ("action", "i4"), *((n, "f8") for n in names)]))
    for name, function in rules.items():
        kinds = RULES[name].parameters
        if RULES[name].on_state:
            domain_like = types.SimpleNamespace(
                state=getattr(domain, "state", None),
                tables=getattr(domain, "tables", {}),
                functions={"weight": function},
            )
            for _, _, arguments, _ in _signatures(domain_like):  # type: ignore[arg-type]
                yield f"the rule {name}", function, arguments, RULES[name].returns
        else:
            asked = [
                node if kinds[n] == "node" else _numba(kinds[n], node) for n in wanted(function)
            ]
            yield f"the rule {name}", function, tuple(asked), RULES[name].returns


def _numba(kind: str, state: Any) -> Any:
    """The type of an argument, from its name in the table of hooks."""
    import numba

    if kind == "state":
        return state
    base = getattr(numba, kind.removesuffix("[::1]"))
    return base[::1] if kind.endswith("[::1]") else base


def _sentence(function: types.FunctionType, name: str, error: Exception) -> str:
    text, place = str(error), _place(function)
    for file, line in _PLACE.findall(text):
        if Path(file).exists() and "numba" not in Path(file).parts:
            place = f"{Path(file).name}, line {line}"
    return f"{place}, in {name}: Numba can't compile this: {_reason(text)}"


def _place(function: types.FunctionType) -> str:
    code = function.__code__
    return f"{Path(code.co_filename).name}, line {code.co_firstlineno}"


def _reason(text: str) -> str:
    """The first line that says something, without the compiler's colours."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    lines = [line.strip() for line in plain.splitlines()]
    said = [line for line in lines if line and not line.startswith(_NOISE)]
    reason = said[0] if said else "unknown reason"
    if reason.startswith("No implementation of function"):
        signature = next((line for line in said if line.startswith(">>>")), "")
        reason = f"{reason} {signature[4:]}"
    return reason[:300].rstrip(".:") + "."
