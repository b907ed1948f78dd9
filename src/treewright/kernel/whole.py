"""One machine program per kernel: inner functions are typed and lowered, but not finished.

Numba optimises each function together with everything it calls, and makes machine code of it,
before it does the same for the caller.  With a large domain under a kernel of thirty functions
that is nine tenths of the compile time, and for nothing: the entry links all of it and is
optimised as a whole.  Functions whose qualified name carries ``MARK`` skip both steps.

Nor are references counted in such a program.  Numba counts them for every array that passes
from function to function, tables and buffers of a domain included, which takes a third of the
time of a small step.  Where nothing is allocated nothing has to be freed: the caller keeps the
arrays alive.  A program that does allocate is left as it is.

And a whole number that stands in a call is a number like any other: Numba would type and lower
an inner function once for ``f(0)`` and again for ``f(i)``, to the same code.

This leans on three methods of Numba's code generator and one of its dispatcher.  Where they are
missing nothing is changed: kernels then compile slower, to slower code.
"""

import functools
import re
from typing import Any

MARK = "treewright_inner."


_COUNT = re.compile(r"^ *(?:tail )?call void @NRT_(?:incref|decref)\(.*\n", re.MULTILINE)
_RUNTIME = re.compile(r" @(?:NRT_|numba_unpickle)(?!incref|decref)")
_OTHERS = re.compile(r"@(?:_ZN7cpython|_ZN5cfunc|cfunc\.|cpython\.|NRT_)")  # not of the program


def uncounted(text: str) -> str:
    """A program in LLVM's language without its reference counts, or as it is if it allocates.

    The wrapper through which Python calls it owns references and keeps its counts.
    """
    if "@NRT_adapt_ndarray_to_python" in text:  # an array is returned, with a reference
        return text
    head, *parts = re.split(r"(?m)^(?=define )", text)
    found = [head]
    for part in parts:
        if _OTHERS.search(part.partition("\n")[0]):
            found.append(part)
        elif _RUNTIME.search(part.partition("\n}")[0]):
            return text
        else:
            found.append(_COUNT.sub("", part))
    return "".join(found)


@functools.cache
def install() -> bool:
    """Teach Numba's code generator the mark, once per process; False if it can't be taught."""
    try:
        from llvmlite.binding import parse_assembly
        from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen
        from numba.core.dispatcher import Dispatcher
        from numba.core.errors import ForceLiteralArg
        from numba.core.types import IntegerLiteral

        library: Any = CPUCodeLibrary
        generator: Any = JITCPUCodegen
        dispatcher: Any = Dispatcher
        optimise = library._optimize_final_module
        finish = library._finalize_final_module
        globals_of = library._finalize_dynamic_globals
        set_env = generator.set_env
        template = dispatcher.get_call_template
    except (ImportError, AttributeError):
        return False

    def optimise_whole(self: Any) -> None:
        if self.name.startswith(MARK):
            return
        module = self._final_module
        if any(MARK[:-1] in function.name for function in module.functions):
            self._final_module = parse_assembly(uncounted(str(module)))
            self._final_module.name = module.name
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

    def plain(kind: Any) -> Any:
        return kind.literal_type if isinstance(kind, IntegerLiteral) else kind

    def template_of_numbers(self: Any, args: Any, kws: Any) -> Any:
        if self.py_func.__qualname__.startswith(MARK):
            try:
                named = {name: plain(kind) for name, kind in kws.items()}
                return template(self, tuple(map(plain, args)), named)
            except ForceLiteralArg:
                pass  # numba.literally: its author wants the number itself
        return template(self, args, kws)

    library._optimize_final_module = optimise_whole
    library._finalize_final_module = finish_whole
    generator.set_env = set_env_if_there
    dispatcher.get_call_template = template_of_numbers
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
