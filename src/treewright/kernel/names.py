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


@functools.cache
def returns_nothing(code: types.CodeType) -> bool:
    """Whether the code ends without giving anything, wherever it ends: a ``return`` is missing."""
    before, found = None, []
    for i in dis.get_instructions(code):
        if i.opname == "RETURN_CONST":
            found.append(i.argval is None)
        elif i.opname == "RETURN_VALUE" and before is not None:
            found.append(before.opname == "LOAD_CONST" and before.argval is None)
        before = i
    return bool(found) and all(found)


def nested(code: types.CodeType) -> list[types.CodeType]:
    return [c for c in code.co_consts if isinstance(c, types.CodeType)]


def is_library(module: str | None) -> bool:
    return (module or "").split(".")[0] in LIBRARIES


SYMBOL = "__treewright_symbol__"  # the attribute of a function that is its name in a program
STEP = "step:"  # how the names of a search's own functions begin there
_numbers: dict[str, dict[str, int]] = {}  # of functions alike in name, by their fingerprints


def symbol(name: str, fingerprint: str) -> str:
    """The name of a function, the same in each process where no other of that name comes first."""
    known = _numbers.setdefault(name, {})
    return f"{name}#{known.setdefault(fingerprint, len(known))}"
