"""One machine program per kernel: inner functions are typed and lowered, but not finished.

Numba optimises each function together with everything it calls, and makes machine code of it,
before it does the same for the caller.  With a large domain under a kernel of thirty functions
that is nine tenths of the compile time, and for nothing: the entry links all of it and is
optimised as a whole.  Inner functions skip both steps.

Nor are references counted in such a program.  Numba counts them for every array that passes
from function to function, tables and buffers of a domain included, which takes a third of the
time of a small step.  Where nothing is allocated nothing has to be freed: the caller keeps the
arrays alive.  A program that does allocate is left as it is.

And a whole number that stands in a call is a number like any other: Numba would type and lower
an inner function once for ``f(0)`` and again for ``f(i)``, to the same code.

This leans on Numba's insides, but only for our own functions: they have code libraries of their
own, derived from Numba's, through a compiler pipeline of their own.  Nothing of Numba is replaced,
so whatever else is compiled in the same process is compiled as it would be without us.  fence.py
decides whether this module is used at all; nothing else imports it.
"""

import re
import weakref
from collections.abc import Callable
from typing import Any

from llvmlite.binding import parse_assembly
from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.environment import lookup_environment
from numba.core.errors import ForceLiteralArg
from numba.core.types import IntegerLiteral

from treewright.kernel.borrow import borrow as borrow

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


class _NoEnvironment:
    """What Numba tells of a function's environment, which a function without machine code lacks."""

    def set_env(self, name: str, environment: Any) -> None:
        pass


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked into an entry, and so neither optimised nor finished by itself."""

    codegen = _NoEnvironment()

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class EntryLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A whole program, optimised without its reference counts."""

    def _optimize_final_module(self) -> None:
        module: Any = self._final_module
        self._final_module: Any = parse_assembly(uncounted(str(module)))
        self._final_module.name = module.name
        super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        """Hand the inner functions their environments too, which ``print`` needs, for example.

        Numba does the same when it loads a program from its cache.
        """
        super()._finalize_final_module()
        names = [v.name for v in self._final_module.global_variables]
        known = {n: lookup_environment(n) for n in names if n.startswith("_ZN08NumbaEnv")}
        self._environments = {n: env for n, env in known.items() if env is not None}  # kept alive
        for name, environment in self._environments.items():
            self._codegen.set_env(name, environment)


class _InnerCompiler(Compiler):  # type: ignore[misc]
    library = InnerLibrary

    def compile_extra(self, function: Any) -> Any:
        """As Numba does, with a library of our kind where Numba would make one of its own."""
        generator = self.state.targetctx.codegen()
        self.state.library = self.library(generator, function.__qualname__)
        self.state.library.enable_object_caching()
        result = super().compile_extra(function)
        # what was inferred is for looking at only; Numba would hold on to it, and through it to the
        # function and all its globals, for as long as the process lives
        result.fndesc.typemap = result.fndesc.calltypes = None
        return result._replace(type_annotation=None, metadata={})


class _EntryCompiler(_InnerCompiler):
    library = EntryLibrary


def let_go_with(library: Any) -> None:
    """Free the text of a program together with its library; Numba's engine would keep it."""
    engine = library._codegen._engine._ee
    weakref.finalize(library, engine.remove_module, library._final_module).atexit = False


def inner_jit(**options: Any) -> Callable[[Any], Any]:
    """``njit`` for a function that only an entry reaches."""

    def decorate(function: Any) -> Any:
        dispatcher = njit(pipeline_class=_InnerCompiler, **options)(function)
        dispatcher.get_call_template = _of_numbers(dispatcher.get_call_template)
        return dispatcher

    return decorate


def entry_jit(**options: Any) -> Callable[[Any], Any]:
    """``njit`` for the function that Python calls."""
    return njit(pipeline_class=_EntryCompiler, **options)  # type: ignore[no-any-return]


def _of_numbers(template: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """How a call is typed, with literal numbers taken as numbers."""

    def plain(kind: Any) -> Any:
        return kind.literal_type if isinstance(kind, IntegerLiteral) else kind

    def of_numbers(args: Any, kws: Any) -> Any:
        try:
            named = {name: plain(kind) for name, kind in kws.items()}
            return template(tuple(map(plain, args)), named)
        except ForceLiteralArg:
            return template(args, kws)  # numba.literally: its author wants the number itself

    return of_numbers
