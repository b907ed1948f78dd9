"""What is left unwritten for LLVM changes nothing that a function does."""

import math
from collections import namedtuple
from typing import Any

import numpy as np
import pytest
from llvmlite import ir
from test_lean import OPTIONS, inner, result

from treewright.kernel.folded import FoldingBuilder, part_of, without_unused

INT = ir.IntType(64)
PAIR = ir.LiteralStructType([INT, ir.ArrayType(INT, 2)])
Both = namedtuple("Both", "first second")  # noqa: PYI024


def again(a: Any, n: Any) -> Any:
    """Set once in a loop's body and read in its next round."""
    total = 0
    last = 0
    for i in range(n):
        if i > 0:
            total += last
        last = a[i] * 2
    return total + last


def either(a: Any, n: Any) -> Any:
    """Set on two ways, read behind both."""
    if n > 2:
        found = a[0]
        more = found + 1
    else:
        found = a[1]
        more = found - 1
    while n > 0:
        n -= 1
        found += more
    return found


def exchanged(a: Any, n: Any) -> Any:
    """Arrays under changing names."""
    b = a[1:]
    for _ in range(n):
        a, b = b, a
        a[0] += 1
    return a[0] * 100 + b[0] + len(a)


def tuples(a: Any, n: Any) -> Any:
    """Tuples that are made, changed and taken apart."""
    pair = (a, n)
    both = Both(pair[1], pair)
    for i in range(n):
        both = Both(both.first + i, (both.second[0], both.second[1] + both.first))
    return both.first * 1000 + both.second[1] + both.second[0][0]


def caught(a: Any, n: Any) -> Any:
    """A function that leaves a block in its middle."""
    reached = 0
    try:
        reached = 1
        if n > 3:
            raise ValueError
        reached = a[n]
    except Exception:
        reached += 10
    return reached


def calls_itself(a: Any, n: Any) -> Any:
    if n <= 0:
        return a[0]
    return calls_itself(a, n - 1) + a[n % len(a)]


def rows(a: Any, n: Any) -> Any:
    """Views of views, whose shapes are put together here."""
    grid = a.reshape(2, 3)
    row = grid[n % 2]
    part = row[1:]
    part[0] = 50
    return row.sum() + part.shape[0] + grid.shape[1] + math.floor(row[2] / 2)


@pytest.mark.parametrize("n", [0, 1, 3, 5])
@pytest.mark.parametrize("function", [again, either, exchanged, tuples, caught, calls_itself, rows])
def test_it_does_what_python_does(function, n, monkeypatch):
    mine, theirs = np.arange(3, 9), np.arange(3, 9)
    expected = function(mine, n)
    compiled = inner(**OPTIONS)(function)
    if function is calls_itself:
        monkeypatch.setitem(globals(), "calls_itself", compiled)
    assert result(compiled, theirs, n) == expected
    assert mine.tolist() == theirs.tolist()


@pytest.fixture
def builder():
    kind = ir.FunctionType(INT, [INT, INT])
    function = ir.Function(ir.Module(), kind, "f")
    return FoldingBuilder.instead_of(ir.IRBuilder(function.append_basic_block()))


def opcodes(builder):
    without_unused(builder.module)
    return [i.opname for block in builder.function.blocks for i in block.instructions]


def test_a_part_is_what_went_in(builder):
    a, b = builder.function.args
    whole = builder.insert_value(ir.Constant(PAIR, ir.Undefined), a, 0)
    whole = builder.insert_value(whole, b, (1, 1))
    assert builder.extract_value(whole, 0) is a
    assert builder.extract_value(builder.extract_value(whole, 1), 1) is b
    assert part_of(ir.Constant(PAIR, None), (1, 0))[0].constant == 0
    builder.ret(a)
    assert opcodes(builder) == ["ret"]


def test_what_is_written_to_a_variable_is_read_from_it(builder):
    a, b = builder.function.args
    at = builder.alloca(PAIR)
    builder.store(ir.Constant(PAIR, None), at)
    builder.store(a, builder.gep(at, [INT(0), ir.IntType(32)(0)]))
    assert builder.load(builder.gep(at, [INT(0), ir.IntType(32)(0)])) is a
    builder.store(b, builder.gep(at, [INT(0), ir.IntType(32)(0)]))
    assert builder.load(builder.gep(at, [INT(0), ir.IntType(32)(0)])) is b


def test_a_variable_that_others_may_write_is_read_from_memory(builder):
    a, _ = builder.function.args
    at = builder.alloca(INT)
    builder.store(a, at)
    other = ir.Function(builder.module, ir.FunctionType(ir.VoidType(), [at.type]), "other")
    builder.call(other, [at])
    read = builder.load(at)
    assert read.opname == "load"
    builder.ret(read)
    assert opcodes(builder) == ["alloca", "store", "call", "load", "ret"]


def test_another_block_reads_from_memory(builder):
    a, b = builder.function.args
    at = builder.alloca(INT)
    builder.store(a, at)
    with builder.if_then(builder.icmp_signed("<", a, b)):
        builder.store(b, at)
    read = builder.load(at)
    assert read.opname == "load"
    builder.ret(read)
    assert opcodes(builder).count("store") == 2


def test_a_pointer_that_may_be_one_of_several(builder):
    a, b = builder.function.args
    one, two = builder.alloca(INT), builder.alloca(INT)
    entry = builder.block
    builder.position_at_end(builder.function.append_basic_block())
    which = builder.phi(one.type)
    which.add_incoming(one, entry)
    which.add_incoming(two, builder.block)
    builder.store(a, one)
    builder.store(b, which)
    assert builder.load(one).opname == "load"


def test_a_length_is_claimed_of_the_variable_alone(builder):
    a, _ = builder.function.args
    at = builder.alloca(PAIR)
    builder.store(ir.Constant(PAIR, None), at)
    place = builder.gep(at, [INT(0), ir.IntType(32)(1), ir.IntType(32)(0)])
    total = builder.add(a, a)
    builder.store(total, place)
    length = builder.load(place)
    length.set_metadata("range", builder.module.add_metadata([INT(0), INT(9)]))
    assert not total.metadata
    assert not length.metadata
