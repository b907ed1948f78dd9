"""One machine program per kernel: inner functions are typed and lowered, but not finished.

Numba optimises each function together with everything it calls, and makes machine code of it,
before it does the same for the caller.  With a large domain under a kernel of thirty functions
that is nine tenths of the compile time, and for nothing: the entry links all of it and is
optimised as a whole.  Functions whose qualified name carries ``MARK`` skip both steps.

This leans on three methods of Numba's code generator.  Where they are missing nothing is
changed: kernels then compile slower, to the same code.
"""

import functools
from typing import Any

MARK = "treewright_inner."


@functools.cache
def install() -> bool:
    """Teach Numba's code generator the mark, once per process; False if it can't be taught."""
    try:
        from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen

        library: Any = CPUCodeLibrary
        generator: Any = JITCPUCodegen
        optimise = library._optimize_final_module
        finish = library._finalize_final_module
        globals_of = library._finalize_dynamic_globals
        set_env = generator.set_env
    except (ImportError, AttributeError):
        return False

    def optimise_whole(self: Any) -> None:
        if not self.name.startswith(MARK):
            optimise(self)

    def finish_whole(self: Any) -> None:
        if not self.name.startswith(MARK):
            finish(self)
            return
        globals_of(self)
        self._finalized = True

    def set_env_if_there(self: Any, name: str, env: Any) -> None:
        # an inner function has no machine code of its own, and so no environment; neither has
        # it when a kernel is loaded from the cache
        if self._engine.get_global_value_address(name):
            set_env(self, name, env)

    library._optimize_final_module = optimise_whole
    library._finalize_final_module = finish_whole
    generator.set_env = set_env_if_there
    return True


def inlined(function: Any) -> Any:
    """A decorator for small helpers of a domain that are called in inner loops.

    Compiled, their code is put where they are called; LLVM does that by itself only up to a size.
    """
    function.__treewright_inlined__ = True
    return function


def is_inlined(function: Any) -> bool:
    return getattr(function, "__treewright_inlined__", False)


def inner(function: Any) -> Any:
    """Mark a plain function as part of a larger program."""
    if install() and not function.__qualname__.startswith(MARK):
        function.__qualname__ = MARK + function.__qualname__
    return function
