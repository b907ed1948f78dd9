"""A fingerprint of the code that computes a cell.

What an experiment's function reaches is followed as far as it can change a number:

- functions and classes of the experiment, of applications and of anybody's own modules: by their
  bytecode, constants and the values of the globals they read, so that a changed constant in
  one domain makes that domain's cells stale and no others;
- Treewright's own modules (search, kernel, baselines), and applications that say so: by the
  source of the module and of all it imports, as it is compiled: comments don't count;
- installed packages by their version, the standard library by name.
"""

import dataclasses
import dis
import functools
import hashlib
import importlib.util
import sys
import types
import typing
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

import treewright
from treewright.kernel.constants import Constant
from treewright.kernel.fingerprint import Fingerprint, Unhashable
from treewright.library.applications import application_of
from treewright.library.domain import Domain
from treewright.workshop.experiments.experiment import ExperimentError, Series, Settings

_BY_NAME = ("treewright.library.registry.make", "treewright.library.registry.find")
# These find, say or keep things: a change in them changes no number.
_SILENT = frozenset(
    {
        "treewright",
        "treewright.library.applications",
        "treewright.library.registry",
        "treewright.errors",
        "treewright.library.files",
        "treewright.library.tree_picture",
        "treewright.kernel.cache",
        "treewright.kernel.explain",
    }
)
_SHOWN_ONLY = frozenset({"describe", "render"})
_IMPORT, _FROM = dis.opmap["IMPORT_NAME"], dis.opmap["IMPORT_FROM"]
_EXTENDED = dis.EXTENDED_ARG
_HERE = Path(treewright.__file__).parent


_seen: dict[Path, tuple[tuple[int, int], bytes]] = {}  # the files that fingerprints are of


def changed() -> Path | None:
    """A file that was edited since its fingerprint was taken, if there is one.

    A run must stop then: processes that it starts would load other code than it believes.
    """
    for path, (stamp, content) in _seen.items():
        now = _stamp(path)
        if now != stamp:
            if _content(path) != content:
                return path
            _seen[path] = (now, content)  # touched, not changed
    return None


def _remember(path: Path) -> None:
    if path not in _seen:
        _seen[path] = (_stamp(path), _content(path))


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


def _content(path: Path) -> bytes:
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:  # code from a string or an archive
        return b""


def code_of(experiment: Series, settings: Settings) -> str:
    """The fingerprint of everything that the row of a cell with these settings depends on."""
    uses = experiment.uses(settings)
    try:
        mark = CodeFingerprint(declared=bool(uses))
        mark.value(experiment.run)
        mark.value(list(uses))
    except Unhashable as reason:
        raise ExperimentError(
            f"the code of experiment {experiment.name!r} can't be told from other code: {reason}"
        ) from reason
    return mark.hexdigest()[:24]


class CodeFingerprint(Fingerprint):
    """The kernel's fingerprint, for code that is not compiled as well."""

    def __init__(self, *parts: Any, declared: bool = True) -> None:
        self._declared = declared
        self._known: dict[int, int] = {}
        super().__init__(*parts)

    def add(self, *parts: Any) -> None:
        """The order of a set is not part of it."""
        super().add(*(sorted(map(repr, p)) if isinstance(p, frozenset) else p for p in parts))

    def function(self, function: types.FunctionType) -> None:
        new = id(function) not in self._seen
        _remember(Path(function.__code__.co_filename))
        super().function(function)
        if new and function.__kwdefaults__:
            self.value(function.__kwdefaults__)

    def value(self, value: Any, attributes: frozenset[str] = frozenset()) -> None:
        if isinstance(value, Domain):
            self.value(type(value))
            self.value([value.state, value.settings, value.tables, value.players])
            self.value([value.max_actions, value.max_length, value.keys])
            self.value(list(value.constants.values()))
        elif isinstance(value, Constant):  # its value belongs to a domain, its formula is code
            self.add("constant")
            self.value(value.formula)
        elif isinstance(value, dict | types.MappingProxyType):
            self.add("dict", len(value))
            for key in sorted(value, key=repr):
                self.value(key, attributes)
                self.value(value[key], attributes)
        elif isinstance(value, set | frozenset):
            self.add("set", frozenset(value))
        elif isinstance(value, Path):
            ours = value.is_relative_to(_HERE)  # wherever this copy of Treewright lies
            self.add("path", str(value.relative_to(_HERE) if ours else value))
        elif value is getattr(dataclasses, "_HAS_DEFAULT_FACTORY", self):
            self.add("made by a factory")  # which stands among the globals of __init__
        elif typing.get_origin(value) is not None or isinstance(value, types.UnionType):
            self.add("type alias", repr(value))
        elif isinstance(value, functools.partial):
            self.value([value.func, value.args, value.keywords], attributes)
        elif isinstance(value, functools._lru_cache_wrapper):
            self.value(value.__wrapped__, attributes)
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            self.value(type(value))
            self.value([getattr(value, f.name) for f in dataclasses.fields(value)])
        else:
            super().value(value, attributes)

    def _plain_function(self, function: types.FunctionType) -> None:
        place = f"{function.__module__}.{function.__qualname__}"
        if place in _BY_NAME and not self._declared:
            raise Unhashable(
                f"{place}() makes domains by name, so the experiment must name them with 'uses'"
            )
        if not self._by_module(function.__module__, place):
            super()._plain_function(function)

    def _module(self, module: types.ModuleType, attributes: frozenset[str]) -> None:
        if module.__name__ in _SILENT or not self._by_module(module.__name__, module.__name__):
            super()._module(module, attributes)

    def _type(self, kind: type) -> None:
        if self._by_module(kind.__module__, kind.__qualname__):
            return
        if id(kind) in self._known:
            self.add("known", self._known[id(kind)])
            return
        self._known[id(kind)] = len(self._known)
        self._keep.append(kind)
        self.add("class", kind.__qualname__)
        for base in kind.__bases__:
            self._type(base)
        hidden = _SHOWN_ONLY if issubclass(kind, Domain) else frozenset()
        for name, member in sorted(vars(kind).items()):
            inner = _unwrapped(member)
            if name in hidden or (name.startswith("__") and not callable(inner)):
                continue
            self.add("member", name)
            self.value(inner)

    def _by_module(self, module: str, place: str) -> bool:
        """Add what stands for a whole module; False if its parts must be followed instead."""
        top = module.partition(".")[0]
        if _is_followed(module):
            return False
        if top == "treewright":
            if module not in _SILENT:
                self.add("source", place, _source_of(module))
        elif top in sys.stdlib_module_names:
            self.add("library", place)
        elif _installed(top):
            self.add("installed", place, _version_of(top))
        else:
            return False
        return True


def _is_followed(module: str) -> bool:
    """Whether a module's functions are looked at one by one."""
    app = application_of(module) if module.startswith("treewright.apps.") else None
    return app is not None and not app.by_source


def _unwrapped(member: Any) -> Any:
    if isinstance(member, staticmethod | classmethod):
        return member.__func__
    if isinstance(member, functools.cached_property):
        return member.func
    return member.fget if isinstance(member, property) else member


@functools.cache
def _installed(package: str) -> bool:
    """Whether a package lies where installers put things, not in somebody's working tree."""
    found = (
        importlib.util.find_spec(package) if package not in ("__main__", "__mp_main__") else None
    )
    origin = found.origin if found is not None else None
    return origin is not None and ("site-packages" in origin or "dist-packages" in origin)


@functools.cache
def _version_of(package: str) -> str:
    try:
        return version(package)  # most have the name that is imported
    except PackageNotFoundError:  # looking through all of them takes a third of a second
        names = packages_distributions().get(package, [])
        return version(names[0]) if names else ""


@functools.cache
def _source_of(module: str) -> str:
    """A hash of a Treewright module and of every one that it imports, directly or not."""
    digest = hashlib.sha256()
    for path in sorted(_closure(module)):
        _remember(path)
        digest.update(path.name.encode())
        digest.update(_compiled(path).mark.encode())
    return digest.hexdigest()


def _closure(module: str) -> set[Path]:
    found: set[Path] = set()
    seen: set[str] = set()
    todo = [module]
    while todo:
        name = todo.pop()
        if name in seen or name in _SILENT:
            continue
        seen.add(name)
        path = _file(name)
        if path is None:
            continue
        source = _compiled(path)
        found |= {path, *source.texts}
        todo += source.imports
    return found


@functools.cache
def _file(module: str) -> Path | None:
    """The file of a Treewright module, which is not imported: it may need the compiler."""
    path = _HERE.joinpath(*module.split(".")[1:])
    found = path / "__init__.py" if path.is_dir() else path.with_name(f"{path.name}.py")
    return found if found.is_file() else None  # else a name that is imported from a module


@dataclasses.dataclass(frozen=True)
class _Source:
    """What matters of a file; the compiler reads it ten times as fast as we would."""

    mark: str
    imports: tuple[str, ...]  # Treewright modules that it names in its imports
    texts: tuple[Path, ...]  # sources that it reads as text, as the specialiser reads ``steps.py``


@functools.cache
def _compiled(path: Path) -> _Source:
    codes = list(_codes(_stripped(path.read_bytes())))
    words = {word for code in codes for word in code.co_consts if isinstance(word, str)}
    texts = {path.parent / n for n in words if n.endswith(".py") and (path.parent / n).is_file()}
    imports = {name for code in codes for name in _imports(code) if name.startswith("treewright.")}
    return _Source(_mark(codes[0]), tuple(sorted(imports)), tuple(sorted(texts)))


def _stripped(source: bytes) -> types.CodeType:
    """A source without comments and docstrings."""
    found: types.CodeType = compile(source, "", "exec", dont_inherit=True, optimize=2)
    return found


def _mark(code: types.CodeType) -> str:
    found = CodeFingerprint()
    found.code(code)
    return found.hexdigest()


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A piece of code and all that are defined in it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


def _imports(code: types.CodeType) -> Iterator[str]:
    """The modules that are imported; a name that is imported from one may be a module itself."""
    module, high = "", 0
    for operation, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        at = high | low
        high = at << 8 if operation == _EXTENDED else 0
        if operation == _IMPORT:
            module = code.co_names[at]
            yield module
        elif operation == _FROM:
            yield f"{module}.{code.co_names[at]}"
