"""Values that are put together and taken apart again are not written down for LLVM to remove.

Numba builds the whole tree, some thirty arrays, at the start of each function that takes it, keeps
it in memory, and reads it again for each of its arrays.  Most of what LLVM had to read said nothing
else.  Here a part of a value is the part that went in, a variable that is set once is its value
wherever it is known, and what nobody uses is left out.  To follow what Numba writes to memory, too,
would save a little more time, but searches of Go ran four to five per cent slower.
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
from numba.core.typed_passes import NativeLowering, PreLowerStripPhis
from numba.core.unsafe.eh import exception_check
from numba.core.untyped_passes import ReconstructSSA

from treewright.kernel.items import ItemsLower
from treewright.kernel.stages import SSA, Stages, StripPhis

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


class FoldingBuilder(ir.IRBuilder):  # type: ignore[misc]
    """Writes instructions, but for parts of values that are known."""

    @classmethod
    def instead_of(cls, builder: Any) -> Any:
        builder.__class__ = cls
        return builder

    def extract_value(self, agg: Any, idx: Any, name: str = "") -> Any:
        value, path = part_of(agg, tuple(idx) if isinstance(idx, (list, tuple)) else (idx,))
        return super().extract_value(value, path, name) if path else value


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


class FoldingLower(ItemsLower):
    """Numba's way from its own instructions to LLVM's, with fewer variables in memory."""

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


OURS = {NativeLowering: FoldingLowering, ReconstructSSA: SSA, PreLowerStripPhis: StripPhis}


def folding(stages: Any) -> Any:
    """Numba's stages, with ours in the place of some."""
    stages.passes = [(OURS.get(stage, stage), what) for stage, what in stages.passes]
    stages.finalize()
    stages.__class__ = Stages
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
