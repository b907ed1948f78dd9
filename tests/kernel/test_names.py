"""What code reads, told as ``dis`` tells it."""

import ast
import dis
import inspect
import types
from collections.abc import Iterator

import pytest

from treewright.kernel import names


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in names.nested(code):
        yield from _codes(inner)


def _told(code: types.CodeType, *operations: str) -> set[str]:
    return {
        i.argval for c in _codes(code) for i in dis.get_instructions(c) if i.opname in operations
    }


@pytest.mark.parametrize("module", [ast, dis, inspect, types, names])
def test_names_are_those_of_dis(module: types.ModuleType) -> None:
    whole = compile(inspect.getsource(module), "", "exec")
    for code in _codes(whole):
        assert names.globals_read(code) == _told(code, "LOAD_GLOBAL", "LOAD_NAME")
        assert names.attributes_read(code) == _told(code, "LOAD_ATTR", "LOAD_METHOD")


def test_code_with_hundreds_of_names() -> None:
    """Beyond 127 a name's number takes two bytes."""
    many = compile("def f(x):\n" + "".join(f"    g{i}(x.a{i})\n" for i in range(700)), "", "exec")
    assert names.globals_read(many) == {f"g{i}" for i in range(700)}
    assert names.attributes_read(many) == {f"a{i}" for i in range(700)}
