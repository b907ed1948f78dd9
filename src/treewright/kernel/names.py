"""The names that a function's code reads: its globals, and attributes of whatever it meets."""

import dis
import functools
import types

LIBRARIES = frozenset({"numpy", "numba", "math", "cmath", "operator", "builtins"})


@functools.cache
def globals_read(code: types.CodeType) -> frozenset[str]:
    """Names of the globals that the code, and code nested in it, reads."""
    names = {
        i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    return frozenset(names).union(*(globals_read(c) for c in nested(code)))


@functools.cache
def attributes_read(code: types.CodeType) -> frozenset[str]:
    """Names of all attributes that the code, and code nested in it, mentions."""
    names = {
        i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_ATTR", "LOAD_METHOD")
    }
    return frozenset(names).union(*(attributes_read(c) for c in nested(code)))


def nested(code: types.CodeType) -> list[types.CodeType]:
    return [c for c in code.co_consts if isinstance(c, types.CodeType)]


def is_library(module: str | None) -> bool:
    return (module or "").split(".")[0] in LIBRARIES
