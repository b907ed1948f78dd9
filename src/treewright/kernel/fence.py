"""Whether kernels are compiled through Numba's insides (whole.py) or by plain Numba (plain.py).

The insides are used with versions that were tested, if they look as they did there, and once a
small program compiled through them has done what it should.  Otherwise one warning says why not,
and plain Numba compiles the same kernels: several times slower, to slower code, with the same
results.  ``TREEWRIGHT_PLAIN_NUMBA=1`` asks for that.
"""

import functools
import inspect
import os
import sys
import types
import warnings
from importlib import import_module
from typing import Any

from treewright.kernel.versions import version

SWITCH = "TREEWRIGHT_PLAIN_NUMBA"

# from the first tested version up to, but without, the second; pyproject.toml says the same
NUMBA = ((0, 61), (0, 69))
LLVMLITE = ((0, 44), (0, 51))

# what whole.py, lean.py, folded.py, items.py and stages.py derive from or call, with its parameters
LEANS_ON = {
    "numba.core.codegen:JITCodeLibrary._optimize_final_module": ("self",),
    "numba.core.codegen:JITCodeLibrary._finalize_final_module": ("self",),
    "numba.core.codegen:JITCodeLibrary._optimize_functions": ("self", "ll_module"),
    "numba.core.codegen:JITCodeLibrary._finalize_dynamic_globals": ("self",),
    "numba.core.codegen:JITCodeLibrary.enable_object_caching": ("self",),
    "numba.core.base:BaseContext.declare_function": ("self", "module", "fndesc"),
    "numba.core.base:BaseContext.get_arg_packer": ("self", "fe_args"),
    "numba.core.base:BaseContext.mangler": ("self", "name", "types", "abi_tags", "uid"),
    "numba.core.base:BaseContext.pack_value": ("self", "builder", "ty", "value", "ptr", "align"),
    "numba.core.cgutils:raw_memmove": ("builder", "dst", "src", "count", "itemsize", "align"),
    "numba.core.compiler_machinery:PassManager._runPass": (
        "self",
        "index",
        "pss",
        "internal_state",
    ),
    "numba.core.transforms:canonicalize_cfg": ("blocks",),
    "numba.core.typing.context:BaseContext.resolve_function_type": ("self", "func", "args", "kws"),
    "numba.core.targetconfig:ConfigStack.top_or_none": (),
    "numba.core.callconv:CPUCallConv.call_function": (
        "self",
        "builder",
        "callee",
        "resty",
        "argtys",
        "args",
        "attrs",
    ),
    "numba.core.datamodel.manager:DataModelManager.chain": ("self", "other_manager"),
    "numba.core.base:BaseContext.post_lowering": ("self", "mod", "library"),
    "numba.core.lowering:Lower.setup_function": ("self", "fndesc"),
    "numba.core.lowering:Lower._find_singly_assigned_variable": ("self",),
    "numba.core.lowering:Lower.delvar": ("self", "name"),
    "numba.core.lowering:Lower.lower_inst": ("self", "inst"),
    "numba.core.lowering:Lower.lower_expr": ("self", "resty", "expr"),
    "numba.core.lowering:Lower.lower_binop": ("self", "resty", "expr", "op"),
    "numba.core.lowering:Lower.lower_getitem": (
        "self",
        "resty",
        "expr",
        "value",
        "index",
        "signature",
    ),
    "numba.core.lowering:Lower.lower_setitem": (
        "self",
        "target_var",
        "index_var",
        "value_var",
        "signature",
    ),
    "numba.np.arrayobj:fix_integer_index": ("context", "builder", "idxty", "idx", "size"),
    "numba.np.arrayobj:load_item": ("context", "builder", "arrayty", "ptr"),
    "numba.np.arrayobj:store_item": ("context", "builder", "arrayty", "val", "ptr"),
    "numba.core.base:BaseContext.get_getattr": ("self", "typ", "attr"),
    "numba.core.ssa:reconstruct_ssa": ("func_ir",),
    "numba.core.untyped_passes:ReconstructSSA._patch_locals": ("self", "state"),
    "numba.core.typed_passes:PreLowerStripPhis._strip_phi_nodes": ("self", "func_ir"),
    "numba.core.analysis:must_use_alloca": ("blocks",),
    "numba.core.compiler:Compiler.define_pipelines": ("self",),
    "numba.core.compiler:Compiler.compile_extra": ("self", "func"),
    "numba.core.dispatcher:Dispatcher.get_call_template": ("self", "args", "kws"),
    "numba.core.dispatcher:Dispatcher.compile": ("self", "sig"),
    "numba.core.dispatcher:Dispatcher.add_overload": ("self", "cres"),
    "numba.core.dispatcher:_FunctionCompiler.compile": ("self", "args", "return_type"),
    "numba.core.dispatcher:_FunctionCompiler.fold_argument_types": ("self", "args", "kws"),
    "numba.core.sigutils:normalize_signature": ("sig",),
    "numba.core.base:BaseContext.insert_user_function": ("self", "func", "fndesc", "libs"),
    "numba.core.caching:NullCache.load_overload": ("self", "sig", "target_context"),
    "numba.core.caching:NullCache.save_overload": ("self", "sig", "cres"),
    "numba.core.cpu:CPUContext.get_executable": ("self", "library", "fndesc", "env"),
    "numba.core.environment:lookup_environment": ("env_name",),
    "numba.core.runtime.context:NRTContext.incref": ("self", "builder", "typ", "value"),
    "numba.core.runtime.context:NRTContext.decref": ("self", "builder", "typ", "value"),
    "llvmlite.ir:IRBuilder.extract_value": ("self", "agg", "idx", "name"),
    "llvmlite.binding:TargetMachine.emit_object": ("self", "module"),
}

# what stages.py reads of Numba's objects, and what it must be
HOLDS: dict[str, type] = {
    "Flags._values": dict,
    "Function._impl_keys": dict,
    "rewrite_registry.rewrites": dict,
}
REWRITES = "after-inference"  # a key of the last


def is_plain() -> bool:
    """Whether plain Numba is asked for, or known to be needed; part of a kernel's fingerprint."""
    return os.environ.get(SWITCH, "0") not in ("", "0") or bool(_failures) or bool(_unfit())


def must_be_plain() -> bool:
    """The same after a trial, which takes a tenth of a second: asked before a new kernel."""
    if not is_plain():
        _try()
    return is_plain()


def compiler(plain: bool) -> types.ModuleType:
    """The module with ``inner_jit`` and ``entry_jit``."""
    return import_module(f"treewright.kernel.{'plain' if plain else 'whole'}")


_failures: list[str] = []  # what a trial has found


@functools.cache
def _unfit() -> str:
    """Why the insides can't be used, by version; empty if they can."""
    return _said(_other_version())


@functools.cache
def _try() -> None:
    try:
        reason = _other_form() or _other_data() or _trial()
    except Exception as error:
        reason = f"its insides raise {type(error).__name__}"
    if _said(reason):
        _failures.append(reason)


def _said(reason: str) -> str:
    if reason:
        warnings.warn(
            f"kernels are compiled by plain Numba, slower and to slower code, because "
            f"Numba {version('numba')} was not expected: {reason}",
            RuntimeWarning,
            stacklevel=2,
        )
    return reason


def _other_version() -> str:
    for name, (first, beyond) in (("numba", NUMBA), ("llvmlite", LLVMLITE)):
        found = tuple(int(part) for part in version(name).split(".")[:2] if part.isdigit())
        if not first <= found < beyond:
            low, high = (".".join(map(str, version)) for version in (first, beyond))
            return (
                f"{name} {version(name)} is not one of the tested versions, "
                f"from {low} to below {high}"
            )
    return ""


def _other_form() -> str:
    for place, parameters in LEANS_ON.items():
        module, _, name = place.partition(":")
        try:
            found: Any = functools.reduce(getattr, name.split("."), import_module(module))
        except (ImportError, AttributeError):
            return f"it has no {place}"
        if tuple(inspect.signature(found).parameters) != parameters:
            return f"{place} has other parameters"
    return ""


def _other_data() -> str:
    from numba.core import types
    from numba.core.compiler import Flags
    from numba.core.rewrites import rewrite_registry
    from numba.core.typing.templates import AbstractTemplate

    kinds: Any = types
    nothing = type("Nothing", (AbstractTemplate,), {"key": "nothing"})
    objects = {
        "Flags": Flags(),
        "Function": kinds.Function(nothing),
        "rewrite_registry": rewrite_registry,
    }
    for place, kind in HOLDS.items():
        name, _, attribute = place.partition(".")
        if not isinstance(getattr(objects[name], attribute, None), kind):
            return f"{place} is no {kind.__name__}"
    if REWRITES not in rewrite_registry.rewrites:
        return f"no rewrites are called {REWRITES}"
    one, other = Flags(), Flags()
    one.nrt = not one.nrt
    if hash(one) != hash(other) or one == other or one._values == other._values:
        return "options are told apart in another way"
    return ""


def _trial() -> str:
    """Compile a tiny kernel through the insides, call it, and look at the result."""
    import numpy as np

    from treewright.kernel.compiling import INNER, SLOTS, finished, kind_of
    from treewright.kernel.native import Loaded, packed
    from treewright.kernel.unpacked import unpacked

    whole = compiler(plain=False)
    options: Any = {"nogil": True, **INNER}

    def put(array: Any, at: int, value: float) -> int:
        array[at] += value
        return at + 1

    step = whole.inner_jit(**options)(put)

    def fill(arrays: Any, n: int) -> int:
        for i in range(n):
            step(arrays[0], i, 2.0)
        return step(arrays[1], 0, 1.0)  # type: ignore[no-any-return]

    inner = whole.inner_jit(**options, forceinline=True)(fill)
    arguments = ((np.zeros(3), np.zeros(1)), 3)
    kinds = kind_of(arguments)
    entry = whole.entry_jit(**options)(lambda slots: inner(*unpacked(slots, kinds)))
    entry.compile((SLOTS,))
    code, needs = finished(entry.overloads[(SLOTS,)])
    counts = [sys.getrefcount(array) for array in arguments[0]]
    returned = Loaded(code)(packed(arguments))
    if needs or returned != 1 or [a.tolist() for a in arguments[0]] != [[2.0, 2.0, 2.0], [1.0]]:
        return "a small program gives a wrong result"
    if [sys.getrefcount(array) for array in arguments[0]] != counts:
        return "a small program miscounts references"
    if len(step.signatures) != 1:
        return "an inner function is compiled once for each number"
    return ""
