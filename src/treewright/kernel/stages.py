"""Numba's stages for our functions, without what they would only do for others.

Numba looks at a function again after each of its thirty stages, whatever that has changed, finds
out five times where each variable is needed, describes each stage in words to whoever may listen,
compares options by all of their values, and decides for each ``a + b`` anew, by trial, which of
twenty additions is meant.  That is a quarter of the time that compiling takes.  What comes out is
the same.
"""

import copy
from typing import Any

from numba.core import ir, transforms, types
from numba.core.compiler import Flags
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.ir_utils import build_definitions
from numba.core.rewrites import rewrite_registry
from numba.core.ssa import reconstruct_ssa
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import PreLowerStripPhis
from numba.core.untyped_passes import ReconstructSSA

from treewright.kernel.names import is_library

kinds: Any = types


class Stages(PassManager):  # type: ignore[misc]
    """The stages of one function."""

    _ways: Any = None  # from block to block, as they were made canonical last

    def _runPass(self, index: int, pss: Any, internal_state: Any) -> None:  # noqa: N802 - Numba's name
        """A stage, and each loop with one way back; nothing is measured."""
        needed = NEEDED.get(pss.name())
        if needed is not None and not needed(internal_state):
            return
        pss.analysis = self._analysis
        pss.run_initialization(internal_state)
        pss.run_pass(internal_state)
        pss.run_finalizer(internal_state)
        function = internal_state.func_ir
        if _ways(function) != self._ways:
            function.blocks = transforms.canonicalize_cfg(function.blocks)
            self._ways = _ways(function)


def _ways(function: Any) -> list[Any]:
    return [(at, block.terminator.get_targets()) for at, block in function.blocks.items()]


@register_pass(mutates_CFG=True, analysis_only=False)
class SSA(ReconstructSSA):  # type: ignore[misc]
    """Each variable is set once.  Where it is needed only a generator asks before the next look."""

    _name = "treewright_ssa"

    def run_pass(self, state: Any) -> bool:
        if _is_generator(state):
            return bool(super().run_pass(state))
        state.func_ir = reconstruct_ssa(state.func_ir)
        self._patch_locals(state)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class StripPhis(PreLowerStripPhis):  # type: ignore[misc]
    """The way back; the stage before LLVM looks where variables are needed."""

    _name = "treewright_strip_phis"

    def run_pass(self, state: Any) -> bool:
        if _is_generator(state):
            return bool(super().run_pass(state))
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


def _is_generator(state: Any) -> bool:
    return bool(state.func_ir.is_generator)


def _has_inner_functions(state: Any) -> bool:
    """Whether a function may stand where it is called, or a list's items where it is read."""
    return any(
        isinstance(assignment.value, ir.Expr) and assignment.value.op in _INSIDE
        for block in state.func_ir.blocks.values()
        for assignment in block.find_insts(ir.Assign)
    )


def _has_array_expressions(state: Any) -> bool:
    """Whether it computes with whole arrays, or reads a field by a name in a variable."""
    if any(isinstance(kind, kinds.StringLiteral) for kind in state.typemap.values()):
        return True
    others = rewrite_registry.rewrites["after-inference"]
    if not all(is_library(rewrite.__module__) for rewrite in others):
        return True
    return any(
        isinstance(assignment.value, ir.Expr)
        and assignment.value.op in ("binop", "unary", "call", "build_list")
        and isinstance(state.typemap.get(assignment.target.name), kinds.Array)
        for block in state.func_ir.blocks.values()
        for assignment in block.find_insts(ir.Assign)
    )


_INSIDE = ("make_function", "build_list")
NEEDED = {
    "ir_processing": _is_generator,
    "inline_closure_likes": _has_inner_functions,
    "make_function_op_code_to_jit_function": _has_inner_functions,
    "nopython_rewrites": _has_array_expressions,
}
"""Stages that leave most functions as they are, and when they do not."""


class QuickFlags(Flags):  # type: ignore[misc]
    """Options that are equal if the same of them are set: what Numba compares is their values."""

    __slots__ = ()
    _HASH = hash(Flags())

    def __hash__(self) -> int:
        return self._HASH  # Numba's own, which is of the options' names

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Flags) and self._values == other._values
        return same or bool(super().__eq__(other))


class Answers:
    """Numba's context of types, which remembers which of its own functions a call means.

    The answer depends on the options, too.  Of functions with several forms the one that was asked
    for last is the one that is called, so that is said again, too.
    """

    known: dict[Any, tuple[Any, Any]]

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        usual = super().resolve_function_type  # type: ignore[misc]
        if type(func) is not kinds.Function or kws:
            return usual(func, args, kws)
        key = (func, args, ConfigStack.top_or_none())
        found = self.known.get(key)
        if found is None:
            answer = usual(func, args, kws)
            if answer is not None and all(kind.is_precise() for kind in args):
                self.known[key] = answer, func._impl_keys.get(answer.args)
            return answer
        answer, form = found
        func._impl_keys[answer.args] = form
        return answer


_contexts: dict[int, Any] = {}


def remembering(context: Any) -> Any:
    """The context of types for our functions; all else in it is Numba's."""
    found = _contexts.get(id(context))
    if found is None:
        found = copy.copy(context)
        found.__class__ = type("RememberingContext", (Answers, type(context)), {})
        found.known = {}
        _contexts[id(context)] = found
    return found


def forget() -> None:
    """A program begins: what others were told is not asked for again."""
    for context in _contexts.values():
        context.known.clear()
