"""Turns a page of compiler output into one sentence with file and line."""

import re
import types
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np

from treewright.kernel.rebind import Rebinder
from treewright.kernel.specialise import Searchable, takes_tables

_PLACE = re.compile(r'File "([^"]+)", line (\d+)')
_NOISE = ("Failed in nopython", "During:", "File ", "- During", "<source", "^", "[1", "Enable log")


def explain(domain: Searchable, record: np.dtype, error: Exception) -> str:
    """Say which domain function can't be compiled, where, and why."""
    for name, function, arguments in _signatures(domain, record):
        from numba import njit

        copied = Rebinder(njit(nogil=True, error_model="numpy")).function(function)
        try:
            copied.compile(arguments)
        except Exception as inner:
            return _sentence(function, f"{type(domain).__name__}.{name}", inner)
    return f"{type(domain).__name__} can't be compiled: {_reason(str(error))}"


def _signatures(domain: Searchable, record: np.dtype) -> Any:
    """Each domain function with the argument types that the kernel calls it with."""
    from numba import float64, from_dtype, int32, int64, typeof, uint64

    state = from_dtype(record)
    known: dict[str, tuple[Any, ...]] = {
        "legal": (int32[::1],),
        "play": (int64,),
        "ended": (),
        "rewards": (float64[::1],),
        "player": (),
        "rollout": (uint64[::1], int32[::1]),
        "weight": (int64,),
        "legal_weights": (int32[::1], float64[::1]),
        "beat": (float64,),
        "priority": (),
        "prior": (int64,),
        "value": (float64[::1],),
        "amaf_key": (int64,),
        "sample_chance": (uint64[::1],),
    }
    values = getattr(domain, "tables", {})
    kind = namedtuple("Tables", tuple(values))  # type: ignore[misc] # noqa: PYI024
    for name, function in domain.functions.items():
        middle: tuple[Any, ...] = ()
        if takes_tables(function):
            middle = (typeof(kind(*values.values())),)
        yield name, function, (state, *middle, *known[name])


def _sentence(function: types.FunctionType, name: str, error: Exception) -> str:
    text = str(error)
    file, line = function.__code__.co_filename, function.__code__.co_firstlineno
    for found_file, found_line in _PLACE.findall(text):
        if Path(found_file).exists() and "numba" not in Path(found_file).parts:
            file, line = found_file, int(found_line)
    return f"{Path(file).name}, line {line}, in {name}: Numba can't compile this: {_reason(text)}"


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
