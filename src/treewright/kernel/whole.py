"""One machine program per kernel: inner functions are typed and lowered, but not finished.

Numba optimises each function together with everything it calls, and makes machine code of it,
before it does the same for the caller.  With a large domain under a kernel of thirty functions
that is nine tenths of the compile time, and for nothing: the entry links all of it and is
optimised as a whole.  Inner functions skip both steps.

Nor are references counted in such a program.  Numba counts them for every array that passes from
function to function, tables and buffers of a domain included, which takes a third of the time of a
small step.  Where nothing is allocated nothing has to be freed: the caller keeps the arrays alive.
A program that turns out to allocate is compiled once more, counted.

And a whole number that stands in a call is a number like any other: Numba would type and lower
an inner function once for ``f(0)`` and again for ``f(i)``, to the same code.

This leans on Numba's insides, but only for our own functions: they have code libraries of their
own, derived from Numba's, through a compiler pipeline of their own.  Nothing of Numba is replaced,
so whatever else is compiled in the same process is compiled as it would be without us.  fence.py
decides whether this module is used at all; nothing else imports it.
"""

import functools
from collections.abc import Callable
from typing import Any

from llvmlite.binding import Linkage
from numba import njit
from numba.core import event, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.errors import ForceLiteralArg
from numba.core.runtime.context import NRTContext
from numba.core.sigutils import normalize_signature

from treewright.kernel.folded import folding
from treewright.kernel.lean import LeanContext
from treewright.kernel.names import STEP, SYMBOL
from treewright.kernel.pieces import Calls, Pieces, noted, underway
from treewright.kernel.stages import QuickFlags, forget, remembering

kinds: Any = types


class _NoEnvironment:
    """What Numba tells of a function's environment, which a function without machine code lacks."""

    def set_env(self, name: str, environment: Any) -> None:
        pass


def _give_back(passes: Any) -> None:
    """llvmlite never does (its ObjectRef hides the method), and 0.4 MB would stay each time."""
    from llvmlite.binding.newpassmanagers import NewPassManager

    NewPassManager._dispose(passes)
    passes.detach()


@functools.lru_cache(1)
def _function_passes(codegen: Any) -> Any:
    """The same for all functions: what llvmlite makes for them it does not free."""
    return codegen._function_pass_manager()


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that an entry links: by itself it is not linked, optimised or finished."""

    codegen = _NoEnvironment()
    is_step = False  # of a search, which stands once in the whole and is optimised there

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.calls = Calls()

    def _optimize_functions(self, module: Any) -> None:
        """As Numba does, with the same passes for all modules, and not for steps."""
        if not hasattr(self._codegen, "_pass_builder"):  # before LLVM's new pass managers
            super()._optimize_functions(module)
            return
        module.data_layout = self._codegen._data_layout
        passes, builder = _function_passes(self._codegen)
        for function in module.functions if not self.is_step else ():
            if not function.is_declaration:
                passes.run(function, builder)

    def finalize(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        return self._final_module

    def linked(self, found: dict[Any, None]) -> None:
        """Add all libraries that this one needs, each after one that needs it.

        LLVM leaves out what nothing in the program refers to yet.
        """
        for library in self._linking_libraries:
            if library not in found:
                found[library] = None
                if isinstance(library, InnerLibrary):
                    library.linked(found)


class EntryLibrary(InnerLibrary):
    """A whole program, optimised, whose machine code is loaded elsewhere (native.py)."""

    def _optimize_final_module(self) -> None:
        """Once: the cheap round that Numba has before it serves the counting of references."""
        if not hasattr(self._codegen, "_pass_builder"):  # before LLVM's new pass managers
            self._codegen._module_pass_manager().run(self._final_module)
            return
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)
        _give_back(passes)

    def finalize(self) -> None:
        needed: dict[Any, None] = {}
        self.linked(needed)
        # what Numba has finished refers to nothing that is left open, so it comes last
        for library in sorted(needed, key=lambda found: not isinstance(found, InnerLibrary)):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        for function in self._final_module.functions:
            inlined = any(b"alwaysinline" in attributes for attributes in function.attributes)
            if function.linkage == Linkage.linkonce_odr and not inlined:
                function.linkage = Linkage.internal  # what has one caller goes into it
        self._optimize_final_module()
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _NotCounting(NRTContext):  # type: ignore[misc]
    """How references are counted in a program that does not allocate: not at all."""

    def incref(self, *arguments: Any) -> None:
        pass

    def decref(self, *arguments: Any) -> None:
        pass


_internal: dict[Any, Any] = {}  # what Numba has compiled for us in that way


class _InnerCompiler(Compiler):  # type: ignore[misc]
    library = InnerLibrary
    counted = False

    def define_pipelines(self) -> Any:
        usual = super().define_pipelines()
        return usual if self.counted else [folding(stages) for stages in usual]

    def compile_extra(self, function: Any) -> Any:
        """As Numba does, with a library of our kind where Numba would make one of its own."""
        context = self.state.targetctx  # a copy, for this function only
        name = getattr(function, SYMBOL, None)
        if not self.counted:
            self.state.flags.__class__ = QuickFlags
            self.state.typingctx = remembering(self.state.typingctx)
            context.nrt = _NotCounting(context, True)
            context.__class__ = LeanContext
            context.cached_internal_func = _internal
            if name is not None:
                context.known = (f"{function.__module__}.{function.__qualname__}", name)
        generator = context.codegen()
        self.state.library = self.library(generator, function.__qualname__)
        self.state.library.is_step = str(name).startswith(STEP)
        self.state.library.enable_object_caching()
        underway.append(self.state.library.calls)
        try:
            result = super().compile_extra(function)
        finally:
            underway.pop()
        # what was inferred is for looking at only; Numba would hold on to it, and through it to the
        # function and all its globals, for as long as the process lives
        result.fndesc.typemap = result.fndesc.calltypes = None
        return result._replace(type_annotation=None, metadata={})


class _EntryCompiler(_InnerCompiler):
    library = EntryLibrary


class _CountedInner(_InnerCompiler):
    counted = True


class _CountedEntry(_EntryCompiler):
    counted = True


def inner_jit(counted: bool = False, **options: Any) -> Callable[[Any], Any]:
    """``njit`` for a function that only an entry reaches."""

    def decorate(function: Any) -> Any:
        compiler = _CountedInner if counted else _InnerCompiler
        dispatcher = njit(pipeline_class=compiler, **options)(function)
        template = _of_numbers(dispatcher.get_call_template)
        dispatcher.get_call_template = noted(dispatcher, template)
        dispatcher.compile = functools.partial(_compiled, dispatcher)
        if not counted:
            dispatcher._cache = Pieces(dispatcher)
        return dispatcher

    return decorate


def entry_jit(counted: bool = False, **options: Any) -> Callable[[Any], Any]:
    """``njit`` for the function that is called from outside; what others were told is forgotten."""
    forget()
    compiler = _CountedEntry if counted else _EntryCompiler
    return njit(pipeline_class=compiler, **options)  # type: ignore[no-any-return]


def _compiled(dispatcher: Any, sig: Any) -> Any:
    """What Numba's ``compile`` does, but for the clocks that it starts for each function.

    One function is compiled inside another, and all that happens is told to the clocks of all.
    """
    with dispatcher._compiling_counter:
        arguments, returned = normalize_signature(sig)
        found = dispatcher.overloads.get(tuple(arguments))
        if found is not None:
            return found.entry_point
        found = dispatcher._cache.load_overload(sig, dispatcher.targetctx)
        if found is not None:
            dispatcher.targetctx.insert_user_function(
                found.entry_point, found.fndesc, [found.library]
            )
            dispatcher.add_overload(found)
            return found.entry_point
        about = {"dispatcher": dispatcher, "args": arguments, "return_type": returned}
        try:
            with event.trigger_event("numba:compile", data=about):
                found = dispatcher._compiler.compile(arguments, returned)
        except ForceLiteralArg as wanted:

            def folded(args: Any, kws: Any) -> Any:
                return dispatcher._compiler.fold_argument_types(args, kws)[1]

            raise wanted.bind_fold_arguments(folded) from None
        dispatcher.add_overload(found)
        dispatcher._cache.save_overload(sig, found)
        return found.entry_point


def _of_numbers(template: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """How a call is typed: kinds of arguments that make no difference are taken as one."""

    def of_numbers(args: Any, kws: Any) -> Any:
        try:
            named = {name: _plain(kind) for name, kind in kws.items()}
            return template(tuple(map(_plain, args)), named)
        except ForceLiteralArg:
            return template(args, kws)  # numba.literally: its author wants the number itself

    return of_numbers


def _plain(kind: Any) -> Any:
    """A literal as its number, a small number as one of 64 bits."""
    if isinstance(kind, kinds.IntegerLiteral):
        kind = kind.literal_type
    if isinstance(kind, kinds.Integer) and kind.signed:
        return kinds.int64
    if isinstance(kind, (kinds.Tuple, kinds.UniTuple)):
        return kinds.BaseTuple.from_types([_plain(item) for item in kind])
    return kind
