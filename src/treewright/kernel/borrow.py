"""Arrays without reference counts, for the length of one kernel call.

Numba counts references to every array it passes between functions, with atomic operations
that cost more than the search itself.  The caller keeps the arrays alive, so inside the
kernel they can be borrowed: the same memory, nothing counted.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from llvmlite.ir import Constant
from numba.core import cgutils, types
from numba.extending import intrinsic


def _borrowed(context, builder, kind, value):
    if isinstance(kind, types.Array):
        array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
        array.meminfo = Constant(array.meminfo.type, None)
        array.parent = Constant(array.parent.type, None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        for i, part in enumerate(kind):
            old = builder.extract_value(value, i)
            value = builder.insert_value(value, _borrowed(context, builder, part, old), i)
    return value


@intrinsic(prefer_literal=False)
def borrow(typing_context, arrays):
    """The same arrays (or tuple of arrays), not counted."""

    def code(context, builder, signature, arguments):
        return _borrowed(context, builder, signature.args[0], arguments[0])

    return arrays(arrays), code
