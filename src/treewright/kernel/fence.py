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

SWITCH = "TREEWRIGHT_PLAIN_NUMBA"

# from the first tested version up to, but without, the second; pyproject.toml says the same
NUMBA = ((0, 61), (0, 69))
LLVMLITE = ((0, 44), (0, 51))

# what whole.py derives from or calls, with its parameters
LEANS_ON = {
    "numba.core.codegen:JITCodeLibrary._optimize_final_module": ("self",),
    "numba.core.codegen:JITCodeLibrary._finalize_final_module": ("self",),
    "numba.core.codegen:JITCodeLibrary._finalize_dynamic_globals": ("self",),
    "numba.core.codegen:JITCodeLibrary.enable_object_caching": ("self",),
    "numba.core.codegen:JITCPUCodegen.set_env": ("self", "env_name", "env"),
    "numba.core.compiler:Compiler.compile_extra": ("self", "func"),
    "numba.core.dispatcher:Dispatcher.get_call_template": ("self", "args", "kws"),
    "numba.core.environment:lookup_environment": ("env_name",),
    "numba.core.cgutils:create_struct_proxy": ("fe_type", "kind"),
    "llvmlite.binding:ExecutionEngine.remove_module": ("self", "module"),
    "llvmlite.binding:parse_assembly": ("llvmir", "context"),
}


def is_plain() -> bool:
    """Whether plain Numba is asked for, or known to be needed; part of a kernel's fingerprint."""
    return os.environ.get(SWITCH, "0") not in ("", "0") or bool(_unfit()) or bool(_failures)


def must_be_plain() -> bool:
    """The same after a trial, which takes a tenth of a second: asked before a new kernel."""
    if not is_plain():
        _try()
    return is_plain()


def compiler(plain: bool) -> types.ModuleType:
    """The module with ``inner_jit``, ``entry_jit`` and ``borrow``."""
    return import_module(f"treewright.kernel.{'plain' if plain else 'whole'}")


_failures: list[str] = []  # what a trial has found


@functools.cache
def _unfit() -> str:
    """Why the insides can't be used, by version and form; empty if they can."""
    return _said(_other_version() or _other_form())


@functools.cache
def _try() -> None:
    try:
        reason = _trial()
    except Exception as error:
        reason = f"its insides raise {type(error).__name__}"
    if _said(reason):
        _failures.append(reason)


def _said(reason: str) -> str:
    if reason:
        import numba

        warnings.warn(
            f"kernels are compiled by plain Numba, slower and to slower code, because "
            f"Numba {numba.__version__} was not expected: {reason}",
            RuntimeWarning,
            stacklevel=2,
        )
    return reason


def _other_version() -> str:
    import llvmlite
    import numba

    for module, (first, beyond) in ((numba, NUMBA), (llvmlite, LLVMLITE)):
        found = tuple(int(part) for part in module.__version__.split(".")[:2] if part.isdigit())
        if not first <= found < beyond:
            low, high = (".".join(map(str, version)) for version in (first, beyond))
            return (
                f"{module.__name__} {module.__version__} is not one of the tested versions, "
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


def _trial() -> str:
    """Compile a tiny kernel through the insides, call it, and look at the result."""
    import numpy as np

    whole = compiler(plain=False)
    borrow = whole.borrow

    def put(array: Any, at: int, value: float) -> int:
        array[at] += value
        return at + 1

    step = whole.inner_jit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(put)

    def fill(arrays: Any, n: int) -> int:
        own = borrow(arrays)
        for i in range(n):
            step(own[0], i, 2.0)
        return step(own[1], 0, 1.0)  # type: ignore[no-any-return]

    entry = whole.entry_jit(nogil=True)(fill)
    arrays = np.zeros(3), np.zeros(1)
    counts = [sys.getrefcount(array) for array in arrays]
    if entry(arrays, 3) != 1 or [a.tolist() for a in arrays] != [[2.0, 2.0, 2.0], [1.0]]:
        return "a small program gives a wrong result"
    if [sys.getrefcount(array) for array in arrays] != counts:
        return "a small program miscounts references"
    if len(step.signatures) != 1:
        return "an inner function is compiled once for each number"
    return ""
