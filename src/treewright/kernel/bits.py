"""Bits of 64-bit masks, in one machine instruction each where code is compiled.

Python has no such operators, so each function is written twice: here for the interpreter, and in
the compiler's language.  ``Rebinder`` puts the second in place of the first (see rebind.py).
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import functools
from typing import Any


def lowest_bit(mask):
    """The number of the lowest bit of a mask that is not 0."""
    return (int(mask) & -int(mask)).bit_length() - 1


def count_bits(mask):
    """How many bits of a mask are set."""
    return (int(mask) & 0xFFFFFFFFFFFFFFFF).bit_count()


def is_native(function: Any) -> bool:
    """Whether compiled code has something else for a function."""
    return function is lowest_bit or function is count_bits


def native(function: Any) -> Any:
    """What stands for one of these functions in compiled code."""
    return _natives()[function]


@functools.cache
def natives() -> dict[Any, str]:
    """The names of what stands for these functions in compiled code."""
    return {code: function.__name__ for function, code in _natives().items()}


@functools.cache
def _natives() -> dict[Any, Any]:
    from llvmlite.ir import Constant, IntType
    from numba import types
    from numba.extending import intrinsic

    def unary(emit: Any) -> Any:
        def typed(typing_context, mask):
            def code(context, builder, signature, arguments):
                value = context.cast(builder, arguments[0], signature.args[0], types.int64)
                return emit(builder, value)

            return types.int64(types.int64), code

        return intrinsic(typed)

    return {
        lowest_bit: unary(lambda builder, value: builder.cttz(value, Constant(IntType(1), 1))),
        count_bits: unary(lambda builder, value: builder.ctpop(value)),
    }
