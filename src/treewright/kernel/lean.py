"""How the functions of one program hand arrays to each other: by address and shape.

Numba passes seven values for each array, and so seven hundred for the tree, the tables and the
buffers that nearly every step takes.  To pack and unpack them was four fifths of the code that LLVM
had to read.  Where references are not counted an array is its address and its shape: strides and
sizes follow from its type, and an array inside a state has its shape there too.

The values themselves are as Numba has them, so that all its operations work on them.  Only calls
between functions that were compiled here differ, which are known by their names; functions that
Numba has compiled in its own way are called in its own way.
"""

import contextlib
import copy
import hashlib
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.callconv import CPUCallConv
from numba.core.cgutils import get_record_member, raw_memmove
from numba.core.cpu import CPUContext
from numba.core.datamodel import ArgPacker, default_manager
from numba.core.datamodel.manager import DataModelManager
from numba.core.datamodel.models import ArrayModel, NestedArrayModel
from numba.core.types.functions import Dispatcher
from numba.np.numpy_support import as_dtype

from treewright.kernel.fingerprint import Unhashable
from treewright.kernel.folded import without_unused
from treewright.kernel.pieces import described

PREFIX = "_ZN10treewright"  # how names of functions that take arrays in this way begin
ENVIRONMENT = "_ZN08NumbaEnv"
SIZE = ir.IntType(64)
ROW = ir.ArrayType(SIZE, 1)


class _Lean:
    """An array as an argument; what is not passed is put together again."""

    _fe_type: Any
    _fields: Any
    _models: Any

    def _passed(self) -> tuple[str, ...]:
        return ("data", "shape") if self._fe_type.layout == "C" else ("data", "shape", "strides")

    def get_argument_type(self) -> Any:
        return tuple(self._of(name).get_argument_type() for name in self._passed())

    def as_argument(self, builder: Any, value: Any) -> Any:
        return tuple(
            self._of(name).as_argument(builder, builder.extract_value(value, self._at(name)))
            for name in self._passed()
        )

    def from_argument(self, builder: Any, value: Any) -> Any:
        passed = {
            name: self._of(name).from_argument(builder, part)
            for name, part in zip(self._passed(), value, strict=True)
        }
        known = self._known()
        kind = self.get_value_type()  # type: ignore[attr-defined]
        parts = zip(self._fields, kind.elements, strict=True)
        array = kind([known.get(name, ir.Constant(part, None)) for name, part in parts])
        for name, part in (self._sizes(builder, passed) | passed).items():
            array = builder.insert_value(array, part, self._at(name))
        return array

    def _known(self) -> dict[str, Any]:
        """What follows from the type alone, which costs no instruction."""
        size = SIZE(as_dtype(self._fe_type.dtype).itemsize)
        flat = self._fe_type.ndim == 1 and self._fe_type.layout == "C"
        return {"itemsize": size} | ({"strides": ROW([size])} if flat else {})

    def _sizes(self, builder: Any, passed: dict[str, Any]) -> dict[str, Any]:
        """What follows from the shape: the strides of an array without gaps come first."""
        shape = [builder.extract_value(passed["shape"], i) for i in range(self._fe_type.ndim)]
        if len(shape) == 1:
            return {"nitems": shape[0]}
        strides = ir.Constant(ir.ArrayType(SIZE, len(shape)), ir.Undefined)
        count: Any = SIZE(1)
        for i in reversed(range(len(shape))):
            step = builder.mul(count, SIZE(as_dtype(self._fe_type.dtype).itemsize))
            strides = builder.insert_value(strides, step, i)
            count = builder.mul(count, shape[i])
        return {"strides": strides, "nitems": count}

    def _at(self, name: str) -> int:
        return self._fields.index(name)  # type: ignore[no-any-return]

    def _of(self, name: str) -> Any:
        return self._models[self._at(name)]


class _LeanArray(_Lean, ArrayModel):  # type: ignore[misc]
    """Any array."""


class _LeanNested(_Lean, NestedArrayModel):  # type: ignore[misc]
    """An array inside a record: its address is enough."""

    def _passed(self) -> tuple[str, ...]:
        return ("data",)

    def _known(self) -> dict[str, Any]:
        kind = self._fe_type
        row = ir.ArrayType(SIZE, kind.ndim)
        return {
            "nitems": SIZE(kind.nitems),
            "itemsize": SIZE(as_dtype(kind.dtype).itemsize),
            "shape": row([SIZE(n) for n in kind.shape]),
            "strides": row([SIZE(n) for n in kind.strides]),
        }

    def _sizes(self, builder: Any, passed: dict[str, Any]) -> dict[str, Any]:
        return {}


def _array(manager: Any, kind: Any) -> Any:
    return (_LeanArray if kind.ndim else ArrayModel)(manager, kind)


_models = DataModelManager().chain(default_manager)
_models.register(types.Array, _array)  # type: ignore[attr-defined]
_models.register(types.NestedArray, _LeanNested)  # type: ignore[attr-defined]


def _inside(context: Any, builder: Any, record: Any, value: Any, name: str) -> Any:
    """An array inside a state, from its address: Numba writes all the rest into memory first."""
    kind = record.typeof(name)
    context.sentry_record_alignment(record, name)
    item = context.get_data_type(kind.dtype)
    data = get_record_member(builder, value, record.offset(name), item)
    return _models[kind].from_argument(builder, (data,))


class LeanContext(CPUContext):  # type: ignore[misc]
    """Where a function is compiled whose arrays travel by address and shape.

    ``known``: how Numba calls it, and its name in a program.
    """

    known: tuple[str, str] | None = None

    def mangler(self, name: str, types: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
        """A short name: Numba's spells out every field of every state.

        A function has another one for what it needs of the interpreter.
        """
        if self.known is not None and name == self.known[0]:
            with contextlib.suppress(Unhashable):  # the same name in each process (pieces.py)
                return _short(PREFIX, repr((self.known[1], abi_tags, *map(described, types))))
        whole = super().mangler(name, types, abi_tags=abi_tags, uid=uid)
        return _short(ENVIRONMENT if whole.startswith(ENVIRONMENT) else PREFIX, whole)

    def get_constant_generic(self, builder: Any, ty: Any, val: Any) -> Any:
        """Functions are no values; Numba would remember each of them for as long as we live."""
        if isinstance(ty, Dispatcher):
            return self.get_dummy_value()
        return super().get_constant_generic(builder, ty, val)

    def post_lowering(self, mod: Any, library: Any) -> None:
        super().post_lowering(mod, library)
        without_unused(mod)

    def get_arg_packer(self, fe_args: Any) -> Any:
        return ArgPacker(_models, fe_args)

    def pack_value(self, builder: Any, ty: Any, value: Any, ptr: Any, align: Any = None) -> None:
        """A state is copied in one piece.

        Numba reads it as one value, which LLVM then takes apart byte by byte: a copy of a state of
        900 bytes became 3,500 instructions, and most of a program was such copies.
        """
        if isinstance(ty, types.Record):
            raw_memmove(builder, ptr, value, SIZE(ty.size), 1)
        else:
            super().pack_value(builder, ty, value, ptr, align)

    def get_getattr(self, typ: Any, attr: str) -> Any:
        if isinstance(typ, types.Record) and isinstance(typ.typeof(attr), types.NestedArray):
            return _inside
        return super().get_getattr(typ, attr)

    def declare_function(self, module: Any, fndesc: Any) -> Any:
        if not fndesc.mangled_name.startswith(PREFIX):
            return self.usual.declare_function(module, fndesc)
        return super().declare_function(module, fndesc)

    @property
    def call_conv(self) -> Any:
        return _Calls(self)

    @property
    def usual(self) -> Any:
        """The same in Numba's own way."""
        context = copy.copy(self)
        context.__class__ = CPUContext
        return context


def _short(begin: str, whole: str) -> str:
    return f"{begin}33h{hashlib.sha256(whole.encode()).hexdigest()[:32]}E"


class _Calls(CPUCallConv):  # type: ignore[misc]
    """How functions are called: those of others in Numba's own way."""

    def call_function(
        self, builder: Any, callee: Any, resty: Any, argtys: Any, args: Any, attrs: Any = None
    ) -> Any:
        named = isinstance(callee, ir.Function)  # what calls itself is found by a pointer
        if named and not callee.name.startswith(PREFIX):
            usual = CPUCallConv(self.context.usual)
            return usual.call_function(builder, callee, resty, argtys, args, attrs)
        return super().call_function(builder, callee, resty, argtys, args, attrs)
