"""Compile-time constants that each instance of a domain sets, such as the size of its board.

A module says ``SIZE = constant()``, its functions read ``SIZE`` like any other global, and the
domain's constructor sets it with ``super().__init__(constants={SIZE: size})``.  Before anything
else sees them, the functions that read a constant, or reach one that does in whatever module, are
copied with the instance's value in its place.  So the fingerprint, the compiler and the
interpreter meet plain functions with plain numbers in their globals, and a loop over a constant
tuple is as fast as one over numbers that stand in the source.
"""

import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from treewright.errors import DomainError
from treewright.kernel.names import attributes_read, globals_read, is_library

KEPT = 64  # sets of copied functions that a process holds on to


class Constant:
    """Stands for a value that instances set; it is found wherever it was imported to."""

    __slots__ = ("formula",)

    def __init__(self, formula: Callable[[], Any] | None) -> None:
        self.formula = formula

    def __repr__(self) -> str:
        return "<a constant that domains set>"

    def __bool__(self) -> bool:
        raise TypeError("a constant has a value only in the functions of a domain that sets it")


def constant(formula: Callable[[], Any] | None = None) -> Any:
    """Declare a constant of a module: ``SIZE = constant()``, which a domain's instances set.

    With a formula it follows from others unless it is set: ``WIDTH = constant(lambda: SIZE + 1)``.
    """
    return Constant(formula)


class Binder:
    """Puts one set of values into functions and into all that they reach."""

    def __init__(self, owner: str, constants: Mapping[Constant, Any]) -> None:
        """``owner`` is the domain that an error message names."""
        self._owner = owner
        self._values = dict(constants)
        self._underway: list[Constant] = []  # formulas that are being worked out
        self._done: dict[types.FunctionType, types.FunctionType] = {}
        self._read: dict[tuple[int, str], tuple[dict[str, Any], Any]] = {}  # by scope and name
        self._modules: dict[Any, types.ModuleType] = {}  # copies, by module and names
        self._interpreter: Any = None

    def function(self, function: types.FunctionType) -> types.FunctionType:
        """The function with the values in it; itself if it reaches no constant."""
        with _lock:
            if function not in self._done:
                self._bind(self._reached(function))
            return self._done[function]

    def interpreted(self, function: types.FunctionType) -> Any:
        """The same, ready for the interpreter (see rebind.py)."""
        with _lock:
            if self._interpreter is None:
                from treewright.kernel.rebind import Rebinder

                self._interpreter = Rebinder(None)
            return self._interpreter.function(self.function(function))

    def is_current(self) -> bool:
        """Whether everything that was copied still has the value that it had then."""
        read = self._read.items()
        return all(scope.get(name, self) is value for (_, name), (scope, value) in read)

    def _reached(self, function: types.FunctionType) -> dict[types.FunctionType, list[Any]]:
        """The functions that this one reaches, as far as they are new, and what each reads."""
        found: dict[types.FunctionType, list[Any]] = {}
        todo = [function]
        while todo:
            new = todo.pop()
            if new in found or new in self._done:
                continue
            found[new] = []
            for name, value in self._values_read(new):
                if isinstance(value, Constant):
                    self._resolve(value, name, new)
                elif (plain := _plain(value)) is not None:
                    todo.append(plain)
                else:
                    continue
                found[new].append(value)
        return found

    def _values_read(self, function: types.FunctionType) -> Iterator[tuple[str, Any]]:
        """All that a function reads from outside, with the names that it reads it by."""
        code = function.__code__
        attributes = attributes_read(code)
        scope = function.__globals__
        names = [name for name in globals_read(code) if name in scope]
        todo = [(scope, name, scope[name]) for name in names]
        seen = set()  # modules may import each other
        while todo:
            scope, name, value = todo.pop()
            self._read[id(scope), name] = scope, value
            if isinstance(value, types.ModuleType):
                if not is_library(value.__name__) and value not in seen:
                    seen.add(value)
                    inside = vars(value)
                    todo += [(inside, n, inside[n]) for n in attributes if n in inside]
            else:
                yield name, value
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            yield name, cell.cell_contents
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            yield next((n for n, v in function.__globals__.items() if v is value), "?"), value

    def _resolve(self, constant: Constant, name: str, reader: types.FunctionType) -> None:
        """Work out a constant that was not set from its formula."""
        if constant in self._values:
            return
        code = reader.__code__
        place = f"{Path(code.co_filename).name}, line {code.co_firstlineno}, in {reader.__name__}"
        if constant.formula is None:
            raise DomainError(
                f"{place}: {self._owner} does not set the constant {name}; its constructor should "
                f"call super().__init__(constants={{{name}: ...}})"
            )
        if constant in self._underway:
            raise DomainError(f"{place}: the constant {name} of {self._owner} depends on itself")
        self._underway.append(constant)
        formula: Any = constant.formula
        try:
            self._values[constant] = self.function(formula)()
        finally:
            self._underway.remove(constant)

    def _bind(self, reached: dict[types.FunctionType, list[Any]]) -> None:
        """Copy the functions that need it, all of them before any is filled: they may be cyclic."""
        needed = self._needing(reached)
        copies = {}
        for function in reached:
            if function not in self._done:  # a formula may have been there before
                self._done[function] = function
                if function in needed:
                    copies[function] = self._done[function] = _empty_copy(function)
        for function, copied in copies.items():
            attributes = attributes_read(function.__code__)
            scope = function.__globals__
            for name in globals_read(function.__code__):
                if name in scope:
                    copied.__globals__[name] = self._value(scope[name], attributes)
            pairs = zip(copied.__closure__ or (), function.__closure__ or (), strict=True)
            for cell, original in pairs:
                cell.cell_contents = self._value(original.cell_contents, attributes)
            defaults = function.__defaults__
            copied.__defaults__ = defaults and tuple(self._value(d, attributes) for d in defaults)
            named = function.__kwdefaults__
            copied.__kwdefaults__ = named and {
                k: self._value(d, attributes) for k, d in named.items()
            }

    def _needing(self, reached: dict[types.FunctionType, list[Any]]) -> set[types.FunctionType]:
        """The functions that read a constant, or one that does, and so on."""
        found: set[types.FunctionType] = set()
        grown = True
        while grown:
            grown = False
            for function, values in reached.items():
                if function not in found and any(self._changes(v, found) for v in values):
                    found.add(function)
                    grown = True
        return found

    def _changes(self, value: Any, found: set[types.FunctionType]) -> bool:
        plain = _plain(value)
        if plain is None:
            return isinstance(value, Constant)
        changes = plain in found or self._done.get(plain, plain) is not plain
        if changes and plain is not value:
            raise DomainError(
                f"{plain.__name__}() reads a constant that {self._owner} sets, so it can't be "
                f"compiled beforehand: leave @njit away, it is compiled with the domain"
            )
        return changes

    def _value(self, value: Any, attributes: frozenset[str]) -> Any:
        """What stands for a value in a copied function."""
        if isinstance(value, Constant):
            value = self._values[value]
            return self.function(value) if isinstance(value, types.FunctionType) else value
        if isinstance(value, types.FunctionType):
            return self._done.get(value, value)
        if isinstance(value, types.ModuleType) and not is_library(value.__name__):
            return self._module(value, attributes)
        return value

    def _module(self, module: types.ModuleType, attributes: frozenset[str]) -> types.ModuleType:
        if (module, attributes) in self._modules:
            return self._modules[module, attributes]
        copied = types.ModuleType(module.__name__)
        self._modules[module, attributes] = copied  # before it is filled: they may be cyclic
        for name in attributes & vars(module).keys():
            setattr(copied, name, self._value(vars(module)[name], attributes))
        return copied


def _plain(value: Any) -> types.FunctionType | None:
    """A function of somebody's own, as it was written; None for anything else."""
    value = getattr(value, "py_func", value)  # compiled by its author with @njit
    if not isinstance(value, types.FunctionType) or is_library(value.__module__):
        return None
    return None if value.__module__.split(".")[0] in sys.stdlib_module_names else value


def _empty_copy(function: types.FunctionType) -> types.FunctionType:
    """A copy whose globals and closure are yet to come."""
    code = function.__code__
    scope: dict[str, Any] = {
        "__builtins__": __builtins__,
        "__name__": function.__module__,
        "__file__": code.co_filename,
    }
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    copied = types.FunctionType(code, scope, function.__name__, None, cells)
    copied.__qualname__ = function.__qualname__
    copied.__dict__.update(function.__dict__)
    return copied


_lock = threading.RLock()
_kept: dict[Any, Binder] = {}


def binder(owner: type, constants: Mapping[Constant, Any]) -> Binder:
    """The binder for a class of domains and these values, the same for equal ones.

    A player makes a domain for each move: its functions are copied once.
    """
    key = (owner, frozenset((c, _exact(v)) for c, v in constants.items()))
    with _lock:
        found = _kept.pop(key, None)
        if found is None or not found.is_current():
            found = Binder(owner.__name__, constants)
        _kept[key] = found  # the last used is the last to go
        if len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
    return found


def _exact(value: Any) -> Any:
    """A key that tells 1 from 1.0 and True."""
    if isinstance(value, tuple):
        return tuple(map(_exact, value))
    return type(value), value.hex() if isinstance(value, float) else value
