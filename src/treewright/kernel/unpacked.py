"""The arguments of a kernel out of a row of slots (native.py), in the compiler's language.

Its arrays have no owner that compiled code could count references to: the caller keeps them alive.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

import itertools

from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


@intrinsic(prefer_literal=False)
def unpacked(typing_context, slots, kinds):
    """The value of a type, mostly a tuple of arguments, from ``slots``, a pointer to numbers."""
    wanted = kinds.instance_type

    def code(context, builder, signature, arguments):
        numbers = itertools.count()

        def slot():
            place = cgutils.gep_inbounds(builder, arguments[0], next(numbers))
            return builder.load(place)

        def made(kind):
            if isinstance(kind, types.Array):
                return array(kind)
            if isinstance(kind, types.BaseTuple):
                return context.make_tuple(builder, kind, [made(part) for part in kind])
            number = slot()
            if kind == types.float64:
                return builder.bitcast(number, context.get_value_type(kind))
            if kind == types.boolean:
                return builder.icmp_unsigned("!=", number, number.type(0))
            return number

        def array(kind):
            found = make_array(kind)(context, builder)
            data = builder.inttoptr(slot(), found.data.type)
            shape = [slot() for _ in range(kind.ndim)]
            strides = [slot() for _ in range(kind.ndim)]
            itemsize = context.get_abi_sizeof(context.get_data_type(kind.dtype))
            populate_array(
                found,
                data=data,
                shape=shape,
                strides=strides,
                itemsize=context.get_constant(types.intp, itemsize),
                meminfo=None,
            )
            return found._getvalue()

        return impl_ret_borrowed(context, builder, wanted, made(wanted))

    return wanted(slots, kinds), code
