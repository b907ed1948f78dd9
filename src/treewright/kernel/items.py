"""Items of arrays and sums of numbers, in the instructions that stay.

For each ``a[i]`` Numba puts the array's seven parts into memory, takes shape and strides out, makes
the shape and strides of a view, and then computes an address: fifty instructions, of which LLVM
leaves five.  They were half of all that it had to read.  Here the five are written at once, with
the same result: the same address, and the same place for a negative index.  Slices, views of some
axes and lists of indices are left to Numba, and so is the debug build, which checks each index.

Nor does an operator on two numbers need to be looked up as Numba does, which tries it with each
operand as a constant first: only powers have a way of their own for that.
"""

import operator
from typing import Any

from numba.core import types
from numba.core.cgutils import get_item_pointer2
from numba.core.ir import StaticSetItem
from numba.core.lowering import Lower
from numba.np.arrayobj import fix_integer_index, load_item, store_item

kinds: Any = types
_VALUES = (kinds.Number, kinds.Boolean)
_NAMES = "add sub mul truediv floordiv mod lt le gt ge eq ne and_ or_ xor lshift rshift"
_OPERATORS = frozenset(getattr(operator, name) for name in _NAMES.split(" "))


class ItemsLower(Lower):  # type: ignore[misc]
    """Numba's way to LLVM, with shorter ones to an array's items and between numbers."""

    builder: Any
    context: Any
    fndesc: Any

    def lower_inst(self, inst: Any) -> Any:
        """A number in the text is an index like any other; Numba first looks for a special way."""
        if isinstance(inst, StaticSetItem) and self._is_numbered(inst.target, inst):
            signature = self.fndesc.calltypes[inst]
            return self.lower_setitem(inst.target, inst.index_var, inst.value, signature)
        return super().lower_inst(inst)

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        if expr.op == "static_getitem" and self._is_numbered(expr.value, expr):
            signature = self.fndesc.calltypes[expr]
            return self.lower_getitem(resty, expr, expr.value, expr.index_var, signature)
        return super().lower_expr(resty, expr)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        array, at = signature.args
        if array != self.typeof(value.name) or not self._is_item(array, at):
            return super().lower_getitem(resty, expr, value, index, signature)
        item = load_item(self.context, self.builder, array, self._address(value, array, index, at))
        return self.context.cast(self.builder, item, signature.return_type, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        array, at, put = signature.args
        numbers = isinstance(array, kinds.Array) and isinstance(array.dtype, _VALUES)
        fits = put == getattr(array, "dtype", None) or (numbers and isinstance(put, _VALUES))
        same = array == self.typeof(target_var.name)
        if not (same and fits and self._is_item(array, at)):
            return super().lower_setitem(target_var, index_var, value_var, signature)
        address = self._address(target_var, array, index_var, at)
        value = self.loadvar(value_var.name)
        for before, after in ((self.typeof(value_var.name), put), (put, array.dtype)):
            value = self.context.cast(self.builder, value, before, after)
        return store_item(self.context, self.builder, array, value, address)

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        signature = self.fndesc.calltypes[expr]
        if op not in _OPERATORS or not all(map(_is_number, signature.args)):
            return super().lower_binop(resty, expr, op)
        values = [
            self.context.cast(self.builder, self.loadvar(v.name), self.typeof(v.name), kind)
            for v, kind in zip((expr.lhs, expr.rhs), signature.args, strict=True)
        ]
        found = self.context.get_function(op, signature)(self.builder, values)
        return self.context.cast(self.builder, found, signature.return_type, resty)

    def _is_numbered(self, variable: Any, instruction: Any) -> bool:
        number = type(instruction.index) is int and instruction.index_var is not None
        return number and isinstance(self.typeof(variable.name), kinds.Array)

    def _is_item(self, array: Any, at: Any) -> bool:
        """Whether this is one item of an array without gaps."""
        if not isinstance(array, kinds.Array) or array.layout != "C" or not array.ndim:
            return False
        indices = tuple(at) if isinstance(at, kinds.BaseTuple) else (at,)
        whole = all(isinstance(index, kinds.Integer) for index in indices)
        plain = isinstance(array.dtype, (*_VALUES, kinds.Record))
        checked = self.context.enable_boundscheck
        return whole and plain and len(indices) == array.ndim and not checked

    def _address(self, variable: Any, array: Any, index: Any, at: Any) -> Any:
        builder, context = self.builder, self.context
        value = self.loadvar(variable.name)
        given = context.cast(builder, self.loadvar(index.name), self.typeof(index.name), at)
        fields = context.data_model_manager[array]._fields
        shape = [
            builder.extract_value(value, (fields.index("shape"), axis))
            for axis in range(array.ndim)
        ]
        found = [(at, given)]
        if isinstance(at, kinds.BaseTuple):
            found = [(kind, builder.extract_value(given, i)) for i, kind in enumerate(at)]
        indices = [
            fix_integer_index(context, builder, kind, number, size)
            for (kind, number), size in zip(found, shape, strict=True)
        ]
        data = builder.extract_value(value, fields.index("data"))
        if len(indices) == 1:
            return builder.gep(data, indices)
        return get_item_pointer2(context, builder, data, shape, (), "C", indices)


def _is_number(kind: Any) -> bool:
    return isinstance(kind, _VALUES) and not isinstance(kind, kinds.Literal)
