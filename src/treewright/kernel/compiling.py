"""Compiling a kernel: its text and the domain's functions to one machine program, by Numba."""

import gc
import re
import weakref
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite.binding import parse_assembly
from numba import typeof
from numba.core import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment

from treewright.errors import CompileError
from treewright.kernel import fence
from treewright.kernel.fingerprint import environment
from treewright.kernel.hooks import Searchable
from treewright.kernel.names import STEP, SYMBOL
from treewright.kernel.native import RETURNS, Code
from treewright.kernel.rebind import Rebinder
from treewright.kernel.specialise import Functions, execute, functions_of, hooks, tables_type
from treewright.kernel.unpacked import unpacked

# functions that only compiled code calls need no way in from Python: a third less to compile
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
FRAMES = 70_000  # words for the frames of nested calls
SELDOM = (50_000, 20, 1000)  # gc.set_threshold, from young to old
kinds: Any = types
SLOTS = kinds.CPointer(kinds.int64)
_PYTHON = ("Py", "_Py")  # how the names of the interpreter's own functions begin
_RECURSIVE = ".numba.unresolved$"
# functions by their fingerprint, for any kernel, while one that has them is held
_shared: dict[str, MutableMapping[str, Any]] = {}


class NeedsCounting(Exception):  # noqa: N818 - reads as what it is
    """Code that allocates memory, so that references must be counted."""


def jit_options(debug: bool) -> dict[str, Any]:
    """Numba's options, in one place.

    ``nogil``: workers are threads.  ``error_model="numpy"``: no test for zero before each
    division.  The debug build checks every index and every division instead.
    """
    checks = {"boundscheck": True, "error_model": "python"}
    return {"nogil": True, **(checks if debug else {"error_model": "numpy"})}


class Source:
    """A kernel's functions, with the globals they read as these are now."""

    def __init__(
        self,
        domain: Searchable,
        functions: Functions,
        rules: Functions,
        constants: Mapping[str, object],
        text: str,
        path: Path,
        entry: str,
        *,
        debug: bool,
        plain: bool,
        counted: bool,
        share: bool,
    ) -> None:
        """``functions``: those of the domain, or copies of them.

        ``counted``: references are counted, which only a program that allocates needs.
        """
        self._domain, self._rules, self._counted = domain, rules, counted or plain
        self._compiler = fence.compiler(plain)
        options = {**jit_options(debug), **INNER, "counted": self._counted}
        self._options = options

        def within(function: Any, **more: Any) -> Any:
            """Compile what only the entry reaches, without machine code of its own (whole.py)."""
            checks = options if debug else INNER  # whatever the author of a helper says
            return self._compiler.inner_jit(**{**options, **more, **checks})(function)

        module = execute(text, str(path), f"treewright_kernel_{entry}")
        module.Tables = tables_type(domain.table_names)  # type: ignore[attr-defined]
        own = functions_of(module)
        for function in own.values():
            function.__module__ = __name__  # Numba holds on to the module of this name, for ever
        # what one kernel has typed and lowered the next one links
        together = repr((environment(), debug, plain, counted))
        shared = _shared.setdefault(together, weakref.WeakValueDictionary()) if share else None
        rebind = Rebinder(within, shared=shared)
        injected: dict[str, Any] = {
            n: rebind.value(v, frozenset()) for n, v in vars(module).items() if n not in own
        }
        module.__dict__.update(injected, **constants, **hooks(functions, rules, within, rebind))
        # one machine function: calls between the steps would halve the speed
        for name, function in own.items():
            setattr(function, SYMBOL, STEP + name)
            module.__dict__[name] = within(function, forceinline=True)
        self._entry = module.__dict__[entry]

    def compile(self, arguments: tuple[Any, ...]) -> tuple[Code, dict[str, Any]]:
        """Machine code for arguments like these, and what it needs of the interpreter at run time.

        Garbage is collected a hundred times less often meanwhile: Numba makes millions of objects
        that stay until it is done, and looking through them takes a tenth of the time.
        """
        entry, wanted = self._entry, kind_of(arguments)

        def call(slots: Any) -> Any:
            return entry(*unpacked(slots, wanted))

        with global_compiler_lock:  # one thread at a time, so that the usual thresholds come back
            usual = gc.get_threshold()
            gc.set_threshold(*SELDOM)
            try:
                program = self._compiler.entry_jit(**self._options)(call)
                roomy(lambda: program.compile((SLOTS,)))
                code, environments = finished(program.overloads[(SLOTS,)])
            except MemoryError:
                raise
            except Exception as error:  # Numba stumbles in more than one way
                from treewright.kernel.explain import explain

                raise CompileError(explain(self._domain, error, self._rules)) from error
            finally:
                gc.set_threshold(*usual)
        if not self._counted and any(name.startswith("NRT_") for name in code.needs):
            raise NeedsCounting
        return code, environments


def roomy(call: Callable[[], Any]) -> Any:
    """Call a function with half a megabyte of Python's stack in one piece.

    Python takes its stack from the system in pieces of 16 kB, and gives each back as soon as no
    call is left on it.  A loop that happens to lie at the edge of one then does both with every
    call.  Numba's calls are nested so deeply that some always do: a fifth of the time.
    """
    return call()


roomy.__code__ = roomy.__code__.replace(co_stacksize=FRAMES)


def kind_of(value: Any) -> Any:
    """The type of an argument; what native.signature tells apart has different types."""
    if isinstance(value, tuple):
        return kinds.BaseTuple.from_types([kind_of(item) for item in value], type(value))
    if isinstance(value, np.ndarray):
        return typeof(value)
    if isinstance(value, (bool, np.bool_)):
        return kinds.boolean
    if isinstance(value, np.uint64):
        return kinds.uint64
    return kinds.float64 if isinstance(value, (float, np.floating)) else kinds.int64


def finished(result: Any) -> tuple[Code, dict[str, Any]]:
    """The machine code of a compiled function; nothing of it stays with Numba."""
    library = result.library
    returned = kinds.unliteral(result.signature.return_type)
    parts = tuple(returned) if isinstance(returned, kinds.BaseTuple) else (returned,)
    returns = tuple(str(kinds.unliteral(part)) for part in parts)
    if not RETURNS.keys() >= set(returns):
        raise CompileError(f"a compiled function can't return {returned}")
    module = resolved(library._final_module.clone())
    declared = [*module.functions, *module.global_variables]
    needs = [v.name for v in declared if v.is_declaration and not v.name.startswith("llvm.")]
    environments = {}
    if any(name.startswith(_PYTHON) for name in needs):  # it prints, for example
        names = [v.name for v in module.global_variables if v.name.startswith("_ZN08NumbaEnv")]
        environments = {name: lookup_environment(name) for name in names}
    machine = library._codegen._tm.emit_object(module)
    code = Code(result.fndesc.llvm_func_name, returns, tuple(sorted(needs)), machine)
    if library.has_dynamic_globals:  # addresses of this process
        environments[""] = None
    return code, environments


def resolved(module: Any) -> Any:
    """A program in which functions that call themselves find themselves.

    Numba leaves a pointer to each open, and fills it in when the program is in memory.
    """
    open_ = [v.name for v in module.global_variables if v.name.startswith(_RECURSIVE)]
    if not open_:
        return module
    text = str(module)
    for name in open_:
        line = re.compile(rf'^@"{re.escape(name)}" = external [^\n]*$', re.MULTILINE)
        text = line.sub(f'@"{name}" = internal global ptr @{name.removeprefix(_RECURSIVE)}', text)
    return parse_assembly(text)
