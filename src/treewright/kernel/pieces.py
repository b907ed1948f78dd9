"""Functions that were typed and lowered before, each on its own: what is edited is compiled alone.

A piece is the LLVM code of one function for one set of argument types, before anything is inlined.
It calls other functions of the program by name, and what it takes for granted about them is kept
with it: for which arguments it asks for each, and what that returns.  So its key holds what stands
in the function itself, but of the functions it calls only their names and parameters; and it is
taken only where each of them gives the same answer today.  An edit to one function, or another
switch of the search, then compiles what it changes, and the program is linked and optimised as a
whole as ever.

A function's name in a program is that of its source; where one process meets several of that name,
they are numbered.  Functions that call themselves, that need the interpreter or an address of this
process, or that their author has compiled, are not kept.
"""

import io
import pickle
from collections.abc import Callable, Iterator
from typing import Any

from llvmlite.binding import Linkage, parse_bitcode
from numba.core import types
from numba.core.caching import NullCache
from numba.core.compiler import Flags, compile_result
from numba.core.environment import Environment
from numba.core.funcdesc import PythonFunctionDescriptor
from numba.core.targetconfig import ConfigStack
from numba.core.typing import signature

from treewright.kernel import cache
from treewright.kernel.bits import natives
from treewright.kernel.fingerprint import Fingerprint, Unhashable, environment, kernel_sources
from treewright.kernel.names import SYMBOL
from treewright.kernel.specialise import tables_type

kinds: Any = types
NEVER = ("Py", "_Py", "NRT_", ".numba.unresolved$")  # how symbols begin that a piece can't need
_PLAIN = (kinds.Number, kinds.Boolean, kinds.NoneType, kinds.Array, kinds.Record, kinds.CPointer)


def described(kind: Any) -> str:
    """A type in words that no other type has."""
    if isinstance(kind, kinds.BaseTuple):
        cls = getattr(kind, "instance_class", tuple)
        names = getattr(kind, "fields", ())
        inner = ", ".join(map(described, kind))
        return f"{cls.__module__}.{cls.__qualname__}{names}({inner})"
    if not isinstance(kind, _PLAIN):
        raise Unhashable(f"{kind} is no argument that can be told from others")
    return f"{type(kind).__name__}:{kind}"


class Calls(list[Any]):
    """What a function that is being compiled asks of others: who, for which arguments."""

    sound = True  # no answer was an error


underway: list[Calls] = []  # functions that are being compiled, the innermost last


def noted(dispatcher: Any, template: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """How a call is typed, which whoever makes it takes for granted from then on."""

    def get_call_template(args: Any, kws: Any) -> Any:
        asking = underway[-1] if underway else Calls()
        try:
            found = template(args, kws)
        except Exception:
            asking.sound = False
            raise
        asking.append((dispatcher, tuple(found[2])))
        return found

    return get_call_template


class _Own(Fingerprint):
    """What stands in a function itself; other functions of the program by name and parameters."""

    def __init__(self, *parts: Any) -> None:
        self.reached: dict[str, Any] = {}
        super().__init__(*parts)

    def value(self, value: Any, attributes: frozenset[str] = frozenset()) -> None:
        if type(value) is type(next(iter(natives()))) and value in natives():
            self.add("native", natives()[value])
        else:
            super().value(value, attributes)

    def _dispatcher(self, value: Any) -> None:
        name = getattr(value.py_func, SYMBOL, None)
        if name is None:
            raise Unhashable("a function without a name")
        code = value.py_func.__code__
        self.add("call", name, code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        self.add(code.co_argcount, code.co_flags)
        for default in (value.py_func.__defaults__ or (), value.py_func.__kwdefaults__ or {}):
            for item in default.items() if isinstance(default, dict) else default:
                self.value(item)
        self.reached[name] = value


class Pieces(NullCache):  # type: ignore[misc]
    """Where a function of a program is looked for before it is compiled (Numba's ``_cache``)."""

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        underway.append(Calls())  # what is asked here, whoever calls this function does not ask
        try:
            key, reached = self._key(sig)
            if (data := cache.read_piece(key)) is None:
                return None
            with ConfigStack().enter(self._flags()):  # what it calls is compiled as it is
                return self._made(_Reader(io.BytesIO(data)).load(), reached)
        except Unhashable:
            return None
        except (pickle.UnpicklingError, AttributeError, ImportError, ValueError, TypeError):
            return None  # of another version of something; it is compiled and kept anew
        finally:
            underway.pop()

    def save_overload(self, sig: Any, result: Any) -> None:
        try:
            key, reached = self._key(sig)
            piece = _kept(result, reached)
            written = io.BytesIO()
            _Writer(written).dump(piece)
            if _Reader(io.BytesIO(written.getvalue())).load() == piece:
                cache.write_piece(key, written.getvalue())
        except (Unhashable, pickle.PicklingError, AttributeError, TypeError):
            return

    def _key(self, sig: Any) -> tuple[str, dict[str, Any]]:
        """The fingerprint of the function for these arguments, and the functions it reaches."""
        dispatcher = self._dispatcher
        name = getattr(dispatcher.py_func, SYMBOL, None)
        if name is None:
            raise Unhashable("a function without a name")
        mark = _Own(environment(), kernel_sources(), name, self._flags().summary())
        mark.add(sorted(map(repr, dispatcher.locals.items())), *map(described, sig))
        mark.function(dispatcher.py_func)
        return mark.hexdigest(), mark.reached

    def _flags(self) -> Any:
        """How it is compiled: as is said of it, and else as its caller is."""
        flags = Flags()
        options = self._dispatcher._compiler.targetdescr.options
        options.parse_as_flags(flags, self._dispatcher.targetoptions)
        return flags

    def _made(self, piece: dict[str, Any], reached: dict[str, Any]) -> Any:
        """A compiled function out of a piece, if what it calls answers as it did."""
        context = self._dispatcher.targetctx
        library = self._dispatcher._compiler.pipeline_class.library(
            context.codegen(), piece["name"]
        )
        for name, arguments, answer in piece["calls"]:
            found = _answer(reached[name], arguments)
            if found is None or _interface(found) != answer:
                return None
            library.add_linking_library(found.library)
        library._final_module = parse_bitcode(piece["code"])
        library._finalized = True
        about = PythonFunctionDescriptor(**_about(piece, self._dispatcher.py_func))
        environment = Environment.from_fndesc(about)
        return compile_result(
            typing_context=self._dispatcher.typingctx,
            target_context=context,
            entry_point=context.get_executable(library, about, environment),
            typing_error=None,
            type_annotation=None,
            library=library,
            call_helper=None,
            signature=signature(piece["returns"], *piece["arguments"]),
            objectmode=False,
            lifted=(),
            fndesc=about,
            environment=environment,
            metadata={},
            reload_init=(),
        )


def _answer(dispatcher: Any, arguments: Any) -> Any:
    """A function for these arguments, compiled if need be; None if it can't be."""
    try:
        dispatcher.get_call_template(arguments, {})
    except Exception:  # whoever asks compiles what asked, and is told then
        return None
    return dispatcher.overloads.get(arguments)


def _interface(result: Any) -> tuple[Any, ...]:
    """All that a caller's code depends on."""
    about = result.fndesc
    return (about.mangled_name, described(about.restype), about.inline, about.noalias)


def _about(piece: dict[str, Any], function: Any) -> dict[str, Any]:
    def named(name: str, *others: Any, **more: Any) -> str:
        return str(piece["environment" if name.startswith(".NumbaEnv") else "name"])

    return {
        "native": True,
        "modname": function.__module__,
        "qualname": function.__qualname__,
        "unique_name": piece["name"],
        "doc": "",
        "typemap": None,
        "restype": piece["returns"],
        "calltypes": None,
        "args": piece["parameters"],
        "kws": (),
        "mangler": named,
        "argtypes": piece["arguments"],
        "inline": piece["inline"],
        "noalias": piece["noalias"],
    }


def _kept(result: Any, reached: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a compiled function; raises where it needs more than its piece."""
    about, library = result.fndesc, result.library
    calls: dict[Any, Any] = {}
    for dispatcher, arguments in library.calls:
        name = str(getattr(dispatcher.py_func, SYMBOL, None))
        if name not in reached or reached[name] is not dispatcher:
            raise Unhashable("it calls what it does not name")
        calls[name, arguments] = _interface(dispatcher.overloads[arguments])
    if not library.calls.sound or result.reload_init or result.objectmode:
        raise Unhashable("it was not compiled in the usual way")
    return {
        "name": about.mangled_name,
        "environment": about.env_name,
        "parameters": about.args,
        "arguments": about.argtypes,
        "returns": about.restype,
        "inline": about.inline,
        "noalias": about.noalias,
        "calls": [(name, arguments, answer) for (name, arguments), answer in calls.items()],
        "code": _code(about.mangled_name, library, {a[0] for a in calls.values()}),
    }


def _code(name: str, library: Any, called: set[str]) -> bytes:
    """The bitcode of a function, with those of Numba's own that it calls under no name at all."""
    module = library._final_module.clone()
    for other in dict.fromkeys(_foreign(library)):
        if other._dynamic_globals:
            raise Unhashable("an address of this process")
        module.link_in(other._get_module_for_linking(), preserve=True)
    for function in module.functions:
        if function.is_declaration:
            ours = function.name.startswith("_ZN10treewright") and function.name not in called
            if ours or function.name.startswith(NEVER):
                raise Unhashable(f"it needs {function.name}")
        elif function.name != name:
            function.linkage = Linkage.internal
    if any(v.name.startswith(NEVER) for v in module.global_variables):
        raise Unhashable("it calls itself")
    return module.as_bitcode()  # type: ignore[no-any-return]


def _foreign(library: Any) -> Iterator[Any]:
    """The libraries that Numba has made in its own way, for ``min`` and its like."""
    if library._dynamic_globals:
        raise Unhashable("an address of this process")
    for other in library._linking_libraries:
        if not hasattr(other, "calls"):
            yield other


class _Writer(pickle.Pickler):
    """Types of tables are made anew in each process."""

    def persistent_id(self, value: Any) -> Any:
        names = getattr(value, "_fields", None) if isinstance(value, type) else None
        return names if names is not None and value is tables_type(names) else None


class _Reader(pickle.Unpickler):
    def persistent_load(self, names: Any) -> Any:
        return tables_type(names)
