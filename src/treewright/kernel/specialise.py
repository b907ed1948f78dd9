"""From a domain and its switches to the functions that search it.

Compiled: the kernel's text is executed with the domain's functions as its globals and compiled as
one program (compiling.py), which is kept under its fingerprint (cache.py).  What is kept already is
loaded and called without Numba (native.py).
Interpreted: the same text, the same functions, no compiler.
"""

import contextlib
import functools
import hashlib
import os
import threading
import types
import warnings
from collections import namedtuple
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from treewright.errors import CompileError
from treewright.kernel import cache, fence
from treewright.kernel.fingerprint import Fingerprint, Unhashable, environment, kernel_sources
from treewright.kernel.hooks import Searchable, with_tables
from treewright.kernel.names import SYMBOL
from treewright.kernel.native import Loaded, MissingSymbolError, packed, signature
from treewright.kernel.rebind import NotCopied, Rebinder, Snapshot
from treewright.kernel.rules import numeric, uniform
from treewright.kernel.waiting import compiling, ends_at_interrupt

Functions = Mapping[str, types.FunctionType]
NO_RULES: Functions = types.MappingProxyType({})
HERE = Path(__file__).parent
KEPT = 16  # kernels that a process holds on to
_loaded: dict[tuple[str, str], types.ModuleType] = {}
_alone = threading.Lock()


def hooks(
    functions: Functions,
    rules: Functions,
    jit: Callable[..., Any] | None,
    rebind: Rebinder | None = None,
) -> dict[str, Any]:
    """A domain's functions, copied for one engine, all with ``(s, t, …)``.

    Rules that a user gave are among them, under names that begin with ``own_``.
    """
    rebind = rebind or Rebinder(jit)
    found = {}
    for name, function in functions.items():
        ready = rebind.function(function)
        call = with_tables(ready, function)
        found[name] = _named(jit, call, f"hook:{name}") if jit and call is not ready else call
    for name, function in rules.items():
        ready = rebind.function(function)
        call = uniform(name, function, ready if jit else numeric(name, function, ready))
        own = f"own_{name}"
        found[own] = _named(jit, call, f"rule:{name}") if jit and call is not ready else call
    return found


def _named(jit: Callable[..., Any], call: Any, name: str) -> Any:
    """Compile a function that a program has once, under a name of ours (pieces.py)."""
    setattr(call, SYMBOL, name)
    return jit(call)


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
    The module also holds ``Tables``, the type of the domain's instance tables.  A compiled module
    has nothing else.
    """
    text = "\n\n".join(path.read_text() for path in texts)
    if not compiled:
        return _interpreted(domain, constants, text, texts[-1], rules)
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise CompileError("NUMBA_DISABLE_JIT is set: unset it, or search with engine='python'")
    key, keep = _key(domain, constants, text, debug, rules)
    if (known := _loaded.get((key, entry))) is not None:
        return _hold(key, entry, known)
    functions: Functions = domain.functions

    def prepare(counted: bool) -> tuple[Any, str | None]:
        """All that a compiler needs, and its fingerprint."""
        from treewright.kernel.compiling import Source

        more: Any = {"debug": debug, "plain": fence.must_be_plain()}
        more |= {"counted": counted, "share": keep}
        source = Source(domain, functions, rules, constants, text, texts[-1], entry, **more)
        now = _key(domain, constants, text, debug, rules, functions)[0] if keep else None
        if not copied and now not in (key, None):
            raise CompileError(
                "what the domain reads was changed after the search was made: make a new one"
            )
        return source, now

    module = types.ModuleType(f"treewright_kernel_{key[:32]}_{entry}")
    module.Tables = tables_type(domain.table_names)  # type: ignore[attr-defined]
    program = Compiled(key if keep else None, entry, prepare, _name(domain))
    copied = False
    with contextlib.suppress(NotCopied):
        copies = Snapshot()  # the values of this moment count, whenever they are compiled
        ours = {name: copies.function(f) for name, f in functions.items()}
        rules = {name: copies.function(f) for name, f in rules.items()}
        functions, copied = ours, True
    if not copied and not (keep and cache.holds(key, entry)):
        program.prepare()
    setattr(module, entry, program)
    return _hold(key, entry, module) if keep else module


def _name(domain: Searchable) -> str:
    return str(getattr(domain, "name", type(domain).__name__))


class Compiled:
    """A compiled function: found by its fingerprint and the form of its arguments, or compiled."""

    def __init__(
        self,
        key: str | None,
        name: str,
        prepare: Callable[[bool], tuple[Any, str | None]],
        domain: str,
    ) -> None:
        self._key = key
        self._domain = domain
        self._name = name
        self._prepare = prepare
        self._source: Any = None
        self._forms: dict[Any, Loaded] = {}
        self.hits = 0  # how many of them came from the cache
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any) -> Any:
        return self.form(arguments)(packed(arguments))

    def bind(self, *fixed: Any) -> "Bound":
        """The function with its first arguments, for calls with one more whole number."""
        return Bound(self, fixed)

    def form(self, arguments: tuple[Any, ...]) -> Loaded:
        """The function for arguments like these."""
        form = tuple(map(signature, arguments))
        found = self._forms.get(form)
        if found is None:
            with self._lock:
                found = self._forms.get(form) or self._found(form, arguments)
                self._forms[form] = found
        return found

    def prepare(self, counted: bool = False) -> None:
        """Take the functions as they are now, for the time when they are compiled."""
        self._source, self._key = self._prepare(counted)

    def _found(self, form: Any, arguments: tuple[Any, ...]) -> Loaded:
        name = f"{self._name}-{hashlib.sha256(repr(form).encode()).hexdigest()[:16]}"
        loaded = self._kept(name)
        if loaded is not None:
            return loaded
        with compiling(f"{self._domain}: {self._name}"):  # said before the compiler is imported
            return self._made(name, arguments)

    def _made(self, name: str, arguments: tuple[Any, ...]) -> Loaded:
        with ends_at_interrupt():
            if self._source is None:
                self.prepare()
        with cache.alone(self._key, name):  # another process may be about to compile it
            loaded = self._kept(name)
            if loaded is not None:
                return loaded
            with ends_at_interrupt():
                code, environments = self._compiled(arguments)
            if self._key is not None and not environments:
                cache.write(self._key, name, code)
        return Loaded(code, environments)

    def _compiled(self, arguments: tuple[Any, ...]) -> Any:
        from treewright.kernel.compiling import NeedsCounting

        try:
            return self._source.compile(arguments)
        except NeedsCounting:
            self.prepare(counted=True)
            return self._source.compile(arguments)

    def _kept(self, name: str) -> Loaded | None:
        if self._key is None or (code := cache.read(self._key, name)) is None:
            return None
        try:
            found = Loaded(code)
        except MissingSymbolError as error:
            cache.discard(self._key, name, f"this process has no {error}")
            return None
        self.hits += 1
        return found


class Bound:
    """A compiled function whose first arguments stay, so that they are packed once."""

    def __init__(self, program: Compiled, fixed: tuple[Any, ...]) -> None:
        self.fixed = fixed
        self._function = program.form((*fixed, 0))
        self._slots = packed((*fixed, 0))

    def __call__(self, number: int) -> Any:
        self._slots[-1] = number
        return self._function(self._slots)


def _hold(key: str, entry: str, module: types.ModuleType) -> types.ModuleType:
    """Keep a kernel for the next search, and let go of the one that was not used for longest.

    Whoever searches with that one still has it.
    """
    with _alone:
        _loaded.pop((key, entry), None)
        _loaded[key, entry] = module  # the last used is the last to go
        while len(_loaded) > KEPT:
            del _loaded[next(iter(_loaded))]
    return module


def _interpreted(
    domain: Searchable, constants: Mapping[str, object], text: str, path: Path, rules: Functions
) -> types.ModuleType:
    module = execute(text, str(path), "treewright_kernel_interpreted")
    rebind = Rebinder(None)
    own = functions_of(module)
    helpers = {
        n: rebind.value(v, frozenset())
        for n, v in vars(module).items()
        if n not in own and not n.startswith("__")
    }
    module.__dict__.update(helpers, **constants, **hooks(domain.functions, rules, None))
    module.Tables = tables_type(domain.table_names)  # type: ignore[attr-defined]
    return module


def functions_of(module: types.ModuleType) -> dict[str, types.FunctionType]:
    return {
        n: v
        for n, v in vars(module).items()
        if isinstance(v, types.FunctionType) and v.__module__ == module.__name__
    }


def execute(text: str, path: str, name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__file__ = path
    exec(_bytecode(text, path), module.__dict__)
    return module


@functools.lru_cache(KEPT)
def _bytecode(text: str, path: str) -> types.CodeType:
    """What Python makes of a text, which takes as long as a small search."""
    return compile(text, path, "exec")


@functools.cache
def tables_type(names: tuple[str, ...]) -> Any:
    """The type of tables with these names, the same for every kernel of a domain.

    Functions that kernels share are then compiled once, not once for each class alike.
    """
    return namedtuple("Tables", names) if names else tuple  # type: ignore[misc] # noqa: PYI024


def _key(
    domain: Searchable,
    constants: Mapping[str, object],
    text: str,
    debug: bool,
    rules: Functions = NO_RULES,
    functions: Functions | None = None,
) -> tuple[str, bool]:
    """The fingerprint, and whether it may name a cache entry.

    ``functions``: copies of those of the domain.
    """
    mark = Fingerprint(environment(), kernel_sources(), text, sorted(constants.items()), debug)
    mark.add(fence.is_plain())
    try:
        for part in domain.fingerprint_parts():
            mark.value(part)
        for name, function in sorted((functions or domain.functions).items()):
            mark.add(name)
            mark.value(function)
        for name, function in sorted(rules.items()):
            mark.add("rule", name)
            mark.value(function)
    except Unhashable as reason:
        warnings.warn(f"this kernel is not cached: {reason}", RuntimeWarning, stacklevel=3)
        return f"uncached{id(domain):x}", False
    return mark.hexdigest(), True
