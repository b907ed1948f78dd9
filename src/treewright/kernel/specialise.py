"""From a domain and its switches to the functions that search it.

Compiled: the kernel's text goes to a file named after its fingerprint and is executed
with the domain's functions as its globals, with Numba's own cache on that file.
Interpreted: the same text, the same functions, no Numba.
"""

import functools
import gc
import hashlib
import types
import warnings
import weakref
from collections import namedtuple
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from treewright.errors import CompileError
from treewright.kernel import cache, fence
from treewright.kernel.fingerprint import Fingerprint, Unhashable, environment, kernel_sources
from treewright.kernel.hooks import Searchable, with_tables
from treewright.kernel.rebind import Rebinder
from treewright.kernel.rules import uniform

Functions = Mapping[str, types.FunctionType]
NO_RULES: Functions = types.MappingProxyType({})
HERE = Path(__file__).parent
KEPT = 16  # kernels that a process holds on to; each takes ten megabytes
_loaded: dict[tuple[str, str], types.ModuleType] = {}
# functions by their fingerprint, for any kernel, while one that has them is held
_shared: dict[str, MutableMapping[str, Any]] = {}


def hooks(
    domain: Searchable,
    jit: Callable[..., Any] | None,
    rebind: Rebinder | None = None,
    rules: Functions = NO_RULES,
) -> dict[str, Any]:
    """The domain's functions, copied for one engine, all with ``(s, t, …)``.

    Rules that a user gave are among them, under names that begin with ``own_``.
    """
    rebind = rebind or Rebinder(jit)
    found = {}
    for name, function in domain.functions.items():
        ready = rebind.function(function)
        call = with_tables(ready, function)
        found[name] = jit(call) if jit and call is not ready else call
    for name, function in rules.items():
        ready = rebind.function(function)
        call = uniform(name, function, ready)
        found[f"own_{name}"] = jit(call) if jit and call is not ready else call
    return found


def jit_options(debug: bool) -> dict[str, Any]:
    """Numba's options, in one place.

    ``nogil``: workers are threads.  ``error_model="numpy"``: no test for zero before each
    division.  The debug build checks every index and every division instead.
    """
    checks = {"boundscheck": True, "error_model": "python"}
    return {"nogil": True, **(checks if debug else {"error_model": "numpy"})}


# functions that only compiled code calls need no way in from Python: a third less to compile
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
SELDOM = (50_000, 20, 1000)  # gc.set_threshold, from young to old


def specialise(
    domain: Searchable,
    constants: Mapping[str, object],
    texts: tuple[Path, ...],
    entry: str,
    compiled: bool = True,
    debug: bool = False,
    rules: Functions = NO_RULES,
) -> types.ModuleType:
    """Load ``texts`` as one module for this domain; ``entry`` is the function that is called.

    ``rules`` are functions that a user gave in the place of parts of the search.
    The module also holds ``Tables``, the type of the domain's instance tables.
    """
    text = "\n\n".join(path.read_text() for path in texts)
    if not compiled:
        return _interpreted(domain, constants, text, texts[-1], rules)
    plain = fence.is_plain()
    key, keep = _key(domain, constants, text, debug, rules)
    if (key, entry) in _loaded:
        return _hold(key, entry, _loaded[key, entry])
    new = not (keep and cache.holds(key, entry))
    if new and plain is not fence.must_be_plain():
        return specialise(domain, constants, texts, entry, compiled, debug, rules)
    path = cache.store(key, entry, text) if keep else None
    name = f"treewright_kernel_{key[:32]}_{entry}"
    module = _execute(text, str(path or texts[-1]), name)
    module.Tables = _tables_type(domain.table_names)  # type: ignore[attr-defined]
    compiler = fence.compiler(plain)
    options = jit_options(debug)
    own = _functions_of(module)
    for function in own.values():
        # Numba holds on to the module of this name, for ever, and a kernel from the cache imports
        # it; neither looks at what is in there
        function.__module__ = __name__

    def within(function: Any, **more: Any) -> Any:
        """Compile what only the entry reaches: it gets no machine code of its own (whole.py)."""
        checks = options if debug else {}  # whatever the author of a helper says
        return compiler.inner_jit(**{**options, **more, **checks, **INNER})(function)

    # what one kernel has typed and lowered the next one links
    together = repr((environment(), debug, plain))
    shared = _shared.setdefault(together, weakref.WeakValueDictionary()) if keep and new else None
    rebind = Rebinder(within, shared=shared)
    injected: dict[str, Any] = {
        n: rebind.value(v, frozenset()) for n, v in vars(module).items() if n not in own
    }
    hooked = hooks(domain, within, rebind, rules)
    module.__dict__.update(injected, borrow=compiler.borrow, **constants, **hooked)
    # one machine function: calls between the steps would halve the speed
    for n, function in own.items():
        if n == entry:
            jitted = compiler.entry_jit(**options)(function)
            if path is not None:
                cache.keep(jitted, path)
            module.__dict__[n] = considerate(jitted, path, domain, rules, compiler.let_go_with)
        else:
            module.__dict__[n] = within(function, forceinline=True)
    return _hold(key, entry, module) if keep else module


def _hold(key: str, entry: str, module: types.ModuleType) -> types.ModuleType:
    """Keep a kernel for the next search, and let go of the one that was not used for longest.

    Whoever searches with that one still has it.
    """
    _loaded.pop((key, entry), None)
    _loaded[key, entry] = module  # the last used is the last to go
    while len(_loaded) > KEPT:
        del _loaded[next(iter(_loaded))]
    return module


def considerate(
    entry: Any,
    path: Path | None,
    domain: Searchable,
    rules: Functions = NO_RULES,
    let_go_with: Callable[[Any], None] | None = None,
) -> Any:
    """Compile ``entry`` in one process only, with garbage collected a hundred times less often.

    Numba makes millions of objects that stay until it is done; looking through them for garbage
    again and again takes a tenth of the time.  What can't be compiled is said in one sentence.

    The method is replaced in this dispatcher only.  Nothing compiled calls it, so it is never
    reached while it compiles, when it would wait for its own lock.
    """
    from numba.core.compiler_lock import global_compiler_lock

    compiled = entry.compile

    def compile(signature: Any) -> Any:
        # One thread at a time, so that the usual thresholds come back.  Numba's lock comes first:
        # a thread that waits for it while it holds the file would stop one that has it.
        with global_compiler_lock, cache.alone(path):
            usual = gc.get_threshold()
            gc.set_threshold(*SELDOM)
            try:
                found = compiled(signature)
            except MemoryError:
                raise
            except Exception as error:  # Numba stumbles in more than one way
                from treewright.kernel.explain import explain

                raise CompileError(explain(domain, error, rules)) from error
            finally:
                gc.set_threshold(*usual)
            if let_go_with is not None:
                let_go_with(entry.overloads[tuple(signature)].library)
            return found

    entry.compile = compile
    return entry


def _interpreted(
    domain: Searchable, constants: Mapping[str, object], text: str, path: Path, rules: Functions
) -> types.ModuleType:
    module = _execute(text, str(path), "treewright_kernel_interpreted")
    rebind = Rebinder(None)
    own = _functions_of(module)
    helpers = {
        n: rebind.value(v, frozenset())
        for n, v in vars(module).items()
        if n not in own and not n.startswith("__")
    }
    module.__dict__.update(
        helpers, borrow=lambda arrays: arrays, **constants, **hooks(domain, None, None, rules)
    )
    module.Tables = _tables_type(domain.table_names)  # type: ignore[attr-defined]
    return module


def _functions_of(module: types.ModuleType) -> dict[str, types.FunctionType]:
    return {
        n: v
        for n, v in vars(module).items()
        if isinstance(v, types.FunctionType) and v.__module__ == module.__name__
    }


def _execute(text: str, path: str, name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__file__ = path
    exec(compile(text, path, "exec"), module.__dict__)
    return module


@functools.cache
def _tables_type(names: tuple[str, ...]) -> Any:
    """The type of tables with these names, the same for every kernel of a domain.

    Numba tells the arguments of a call apart by their fields, not by their class: with two classes
    alike, each call of the second kernel would be typed anew, which takes milliseconds.  The
    class is a global of this module, where the pickles in the cache look for it.
    """
    if not names:
        return tuple
    name = f"Tables_{hashlib.sha256(' '.join(names).encode()).hexdigest()[:16]}"
    kind = namedtuple(  # type: ignore[misc]  # noqa: PYI024 - fields known at run time
        name, names, module=__name__
    )
    globals()[name] = kind
    return kind


def _key(
    domain: Searchable,
    constants: Mapping[str, object],
    text: str,
    debug: bool,
    rules: Functions = NO_RULES,
) -> tuple[str, bool]:
    """The fingerprint, and whether it may name a cache entry."""
    mark = Fingerprint(environment(), kernel_sources(), text, sorted(constants.items()), debug)
    mark.add(fence.is_plain())
    try:
        for part in domain.fingerprint_parts():
            mark.value(part)
        for name, function in sorted(domain.functions.items()):
            mark.add(name)
            mark.value(function)
        for name, function in sorted(rules.items()):
            mark.add("rule", name)
            mark.value(function)
    except Unhashable as reason:
        warnings.warn(f"this kernel is not cached: {reason}", RuntimeWarning, stacklevel=3)
        return f"uncached{id(domain):x}", False
    return mark.hexdigest(), True
