"""Values that are put together and taken apart again are not written down for LLVM to remove.

Numba builds the whole tree, some thirty arrays, at the start of each function that takes it, keeps
it in memory, and reads it again for each of its arrays; so it does with an array for each of its
items.  Four fifths of what LLVM had to read said nothing else.  Here a part of a value is the part
that went in, a variable that is set once is its value wherever it is known, and what nobody uses is
left out.  LLVM arrives at the same code.
"""

from typing import Any

from llvmlite import ir
from llvmlite.ir.instructions import (
    AllocaInstr,
    CastInstr,
    CompareInstr,
    ExtractValue,
    GEPInstr,
    InsertValue,
    LoadInstr,
    PhiInstr,
    SelectInstr,
    StoreInstr,
)
from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs, must_use_alloca
from numba.core.compiler_machinery import register_pass
from numba.core.ir import Assign, Del, Global
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering
from numba.core.unsafe.eh import exception_check

# what does nothing but give a result
_PURE = (
    AllocaInstr,
    CastInstr,
    CompareInstr,
    ExtractValue,
    GEPInstr,
    InsertValue,
    LoadInstr,
    SelectInstr,
)


class _Same(CastInstr):  # type: ignore[misc]
    """A value under a name of its own: what is said of a load is not said of where it came from."""

    def set_metadata(self, name: str, node: Any) -> None:
        pass


class FoldingBuilder(ir.IRBuilder):  # type: ignore[misc]
    """Writes instructions, but for parts of values that are known."""

    _parts: dict[Any, tuple[Any, tuple[int, ...]]]  # pointers into variables: to which, and where
    _held: dict[Any, tuple[Any, Any]]  # what a variable holds, and the block that says so
    _sure: bool  # no pointer may be one of several

    @classmethod
    def instead_of(cls, builder: Any) -> Any:
        builder.__class__ = cls
        builder._parts, builder._held, builder._sure = {}, {}, True
        return builder

    def extract_value(self, agg: Any, idx: Any, name: str = "") -> Any:
        value, path = part_of(agg, tuple(idx) if isinstance(idx, (list, tuple)) else (idx,))
        return super().extract_value(value, path, name) if path else value

    def alloca(self, typ: Any, size: Any = None, name: str = "") -> Any:
        found = super().alloca(typ, size, name)
        if size is None and self._sure:
            self._parts[found] = (found, ())
        return found

    def gep(self, ptr: Any, indices: Any, *args: Any, **kws: Any) -> Any:
        found = super().gep(ptr, indices, *args, **kws)
        if ptr in self._parts:
            variable, path = self._parts[ptr]
            numbers: list[Any] = [getattr(i, "constant", None) for i in indices]
            first, *rest = numbers
            if first == 0 and all(isinstance(i, int) for i in rest):
                self._parts[found] = (variable, (*path, *rest))
            else:
                self._forget(variable)
        return found

    def store(self, value: Any, ptr: Any, *args: Any, **kws: Any) -> Any:
        found = super().store(value, ptr, *args, **kws)
        if ptr in self._parts:
            variable, path = self._parts[ptr]
            whole = self._whole(variable) if path else value
            self._held.pop(variable, None)
            if whole is not None and not self._inside():
                if path:
                    whole = self.insert_value(whole, value, path)
                self._held[variable] = whole, self.block
        return found

    def load(self, ptr: Any, name: str = "", align: Any = None, typ: Any = None) -> Any:
        if ptr in self._parts and not self._inside():
            variable, path = self._parts[ptr]
            whole = self._whole(variable)
            if whole is not None:
                value = self.extract_value(whole, path) if path else whole
                if value.type == (typ or ptr.type.pointee):
                    return self._same(value) if len(path) > 1 else value
        return super().load(ptr, name, align, typ)

    def _same(self, value: Any) -> Any:
        """A length out of a shape, of which Numba says that it is not below zero."""
        again = _Same(self.block, "bitcast", value, value.type)
        self._insert(again)
        return again

    def phi(self, typ: Any, *args: Any, **kws: Any) -> Any:
        if isinstance(typ, ir.PointerType):
            self._parts, self._held, self._sure = {}, {}, False
        return super().phi(typ, *args, **kws)

    def _whole(self, variable: Any) -> Any:
        value, block = self._held.get(variable, (None, None))
        return value if block is self.block else None

    def _inside(self) -> bool:
        """Whether instructions are written before others that are there already."""
        return self._anchor < len(self.block.instructions)  # type: ignore[no-any-return]

    def _insert(self, instr: Any) -> None:
        """A variable whose address goes elsewhere may be changed there."""
        super()._insert(instr)
        if not isinstance(instr, (LoadInstr, GEPInstr)):
            for operand in instr.operands[: 1 if isinstance(instr, StoreInstr) else None]:
                if isinstance(operand, ir.Instruction) and operand in self._parts:
                    self._forget(self._parts[operand][0])

    def _forget(self, variable: Any) -> None:
        self._held.pop(variable, None)
        self._parts = {p: at for p, at in self._parts.items() if at[0] is not variable}


def part_of(value: Any, path: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
    """Where a part of a value comes from: a value before, and what is left of the way into it."""
    while path:
        if isinstance(value, InsertValue):
            at = tuple(value.indices)
            same = min(len(at), len(path))
            if at[:same] != path[:same]:
                value = value.aggregate
            elif len(at) <= len(path):
                value, path = value.value, path[len(at) :]
            else:
                break
        elif isinstance(value, ExtractValue):
            value, path = value.aggregate, (*value.indices, *path)
        elif isinstance(value, ir.Constant) and isinstance(value.constant, (list, tuple)):
            value, path = value.constant[path[0]], path[1:]
        elif isinstance(value, ir.Constant) and _blank(value.constant):
            value, path = ir.Constant(value.type.elements[path[0]], value.constant), path[1:]
        else:
            break
    return value, path


def _blank(constant: Any) -> bool:
    return constant is None or constant is ir.Undefined


class FoldingLower(Lower):  # type: ignore[misc]
    """Numba's way from its own instructions to LLVM's, with fewer variables in memory."""

    builder: Any

    def setup_function(self, fndesc: Any) -> None:
        super().setup_function(fndesc)
        self.builder = FoldingBuilder.instead_of(self.builder)

    def _find_singly_assigned_variable(self) -> None:
        """Those, too, that are set in one block and read in others, after it on every way."""
        super()._find_singly_assigned_variable()
        blocks = self.func_ir.blocks
        if self.func_ir.func_id.is_generator or _tries(blocks):
            return
        in_memory = must_use_alloca(blocks)
        before = compute_cfg_from_blocks(blocks).dominators()
        incoming = compute_use_defs(blocks).usemap
        assigned: dict[str, list[int]] = {}
        read: dict[str, set[int]] = {}
        for label, block in blocks.items():
            for assignment in block.find_insts(Assign):
                assigned.setdefault(assignment.target.name, []).append(label)
            for deleted in block.find_insts(Del):
                read.setdefault(deleted.value, set()).add(label)
            for name in incoming[label]:
                read.setdefault(name, set()).add(label)
        for name, [at, *others] in assigned.items():
            if not others and name not in in_memory and name not in incoming[at]:
                after = read.get(name, set()) - {at}
                if all(at < label and at in before[label] for label in after):
                    self._singly_assigned_vars.add(name)

    def delvar(self, name: str) -> None:
        """Nothing: what it held is not counted."""


@register_pass(mutates_CFG=True, analysis_only=False)
class FoldingLowering(NativeLowering):  # type: ignore[misc]
    """Numba's stage of that name."""

    _name = "treewright_lowering"
    lowering_class = FoldingLower


def folding(stages: Any) -> Any:
    """Numba's stages, with ours in the place of one."""
    stages.passes = [
        (FoldingLowering if stage is NativeLowering else stage, what)
        for stage, what in stages.passes
    ]
    stages.finalize()
    return stages


def _tries(blocks: Any) -> bool:
    """Whether a function catches exceptions, so that it may leave a block in its middle."""
    return any(
        isinstance(assignment.value, Global) and assignment.value.value is exception_check
        for block in blocks.values()
        for assignment in block.find_insts(Assign)
    )


def without_unused(module: Any) -> None:
    """Leave out all instructions whose results nobody uses, and variables that nobody reads."""
    for function in module.functions:
        if function.blocks:
            _clean(function)


def _clean(function: Any) -> None:
    instructions = [i for block in function.blocks for i in block.instructions]
    uses: dict[Any, int] = {}
    stores: dict[Any, list[Any]] = {}
    for instruction in instructions:
        for operand in _operands(instruction):
            uses[operand] = uses.get(operand, 0) + 1
        if isinstance(instruction, StoreInstr):
            stores.setdefault(instruction.operands[1], []).append(instruction)
    dead: set[Any] = set()
    looked_at = [i for i in instructions if isinstance(i, _PURE)]
    while looked_at:
        instruction = looked_at.pop()
        written = stores.get(instruction, []) if isinstance(instruction, AllocaInstr) else []
        if instruction in dead or uses.get(instruction, 0) > len(written):
            continue
        for gone in (instruction, *written):
            dead.add(gone)
            for operand in _operands(gone):
                uses[operand] -= 1
                if isinstance(operand, _PURE):
                    looked_at.append(operand)
    for block in function.blocks:
        block.instructions = [i for i in block.instructions if i not in dead]


def _operands(instruction: Any) -> list[Any]:
    found = instruction.operands
    if isinstance(instruction, PhiInstr):
        found = [value for value, _ in instruction.incomings]
    return [value for value in found if isinstance(value, ir.Instruction)]
