"""The names that a function's code reads: its globals, and attributes of whatever it meets."""

import dis
import functools
import sys
import types

LIBRARIES = frozenset({"numpy", "numba", "math", "cmath", "operator", "builtins"})


@functools.cache
def globals_read(code: types.CodeType) -> frozenset[str]:
    """Names of the globals that the code, and code nested in it, reads."""
    return _read(code)[0].union(*(globals_read(c) for c in nested(code)))


@functools.cache
def attributes_read(code: types.CodeType) -> frozenset[str]:
    """Names of all attributes that the code, and code nested in it, mentions."""
    return _read(code)[1].union(*(attributes_read(c) for c in nested(code)))


@functools.cache
def _read(code: types.CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """Globals and attributes: ``dis`` would tell the same, and takes ten times as long."""
    found: tuple[set[str], set[str]] = set(), set()
    names, high = code.co_names, 0
    for operation, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        if operation in _NAMED:
            kind, shift = _NAMED[operation]
            found[kind].add(names[(high | low) >> shift])
        high = (high | low) << 8 if operation == dis.EXTENDED_ARG else 0
    return frozenset(found[0]), frozenset(found[1])


def _named() -> dict[int, tuple[int, int]]:
    """Operations that name a global (0) or an attribute (1), and the flags beside the name."""
    attribute = 1 if sys.version_info >= (3, 12) else 0
    known = {
        "LOAD_NAME": (0, 0),
        "LOAD_GLOBAL": (0, 1),
        "LOAD_ATTR": (1, attribute),
        "LOAD_METHOD": (1, 0),
    }
    return {dis.opmap[name]: v for name, v in known.items() if dis.opmap.get(name, 256) < 256}


_NAMED = _named()


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
