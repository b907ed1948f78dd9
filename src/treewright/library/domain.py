"""What is searched: plain functions over one NumPy record.

A subclass of :class:`Domain` holds functions without ``self``.  They run compiled together
with the kernel, or interpreted (``engine="python"``), from the same source.
"""

import ast
import copy
import functools
import inspect
import linecache
import math
import textwrap
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import DomainError, OptionError, TreewrightError, given, nearest, said
from treewright.kernel.bits import count_bits as count_bits  # for authors of domains
from treewright.kernel.bits import lowest_bit as lowest_bit
from treewright.kernel.constants import Binder, Constant, binder
from treewright.kernel.constants import constant as constant
from treewright.kernel.hooks import HOOKS, spoken
from treewright.kernel.hooks import apart as apart
from treewright.kernel.hooks import inlined as inlined
from treewright.kernel.keys import hashed as hashed
from treewright.kernel.names import returns_nothing

_NUMBERS = (int, float, np.number, np.bool_)
CHANCE = -1
"""What ``player(s)`` returns where chance decides."""


def record(**fields: Any) -> np.dtype:
    """The layout of a state: ``tw.record(cell=(int8, 9), player=int8)``.

    Each field is a NumPy number type, or a type and a shape.
    """
    columns = []
    for name, kind in fields.items():
        base, shape = kind if isinstance(kind, tuple) else (kind, ())
        try:
            columns.append((name, np.dtype(base), shape))
            ok = np.dtype(base).kind in "iufb"
        except TypeError:
            ok = False
        if not ok:
            raise DomainError(
                f"tw.record({name}=...) must be a NumPy number type such as int8, or (int8, 9); "
                f"not {kind!r}"
            )
    return np.dtype(columns, align=True)


def where(function: types.FunctionType, line: int | None = None) -> str:
    """``nim.py, line 14``, for error messages."""
    code = function.__code__
    return f"{Path(code.co_filename).name}, line {line or code.co_firstlineno}"


def _field_player(s: Any) -> Any:
    return s.player


def _only_player(s: Any) -> int:
    return 0


def _action_is_key(s: Any, action: int) -> int:
    return action


class Domain:
    """A game, puzzle, generator or function to be searched.

    Class attributes: ``state`` (a layout from :func:`record`, or any Python class for the
    interpreted engine only), ``max_actions`` (the most that ``legal`` ever returns),
    ``players``, ``keys`` (how many different ``amaf_key`` values there are; needed for RAVE and
    action-value tables) and ``max_length`` (the longest possible simulation).

    The functions below are the domain; each may take the instance's tables as a second parameter
    named ``t``, and read the :func:`constant` s that the instance sets.  A constructor that sets
    constants also sets the attributes that go with them (``self.state``, ``self.max_actions``),
    before it calls this class's.
    """

    id: str = ""
    players: int = 1
    max_actions: int = 0
    max_length: int = 10_000
    keys: int = 0
    state: Any = None

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for name, function in list(vars(cls).items()):
            if name in HOOKS and isinstance(function, types.FunctionType):
                _check_signature(cls, name, function)
                setattr(cls, name, staticmethod(function))
        _check_names(cls)

    def __init__(
        self,
        *,
        tables: Mapping[str, Any] | None = None,
        constants: Mapping[Any, Any] | None = None,
        **settings: Any,
    ) -> None:
        """``settings`` go to ``start``; ``tables`` are read-only arrays, by name.

        ``constants`` are values of what the functions' modules declare with :func:`constant`:
        ``{SIZE: 19}``.  They are part of the compiled code, so each set of them is compiled anew.
        """
        cls = type(self)
        for name, mapping in (("tables", tables), ("constants", constants)):
            if not isinstance(mapping, Mapping | None):
                raise OptionError(f"{cls.__name__} has no setting {name!r}")
        self.constants = _checked_constants(cls, constants or {})
        for hook in HOOKS.values():
            if hook.required and not callable(getattr(cls, hook.name, None)):
                raise DomainError(f"{cls.__name__} has no function {hook.signature}")
        self._check_attributes()
        start: Any = self.function("start")
        parameters = inspect.signature(start).parameters.values()
        known = {p.name: p.default for p in list(parameters)[1:] if p.name != "t"}
        for name, value in settings.items():
            if name not in known:
                raise OptionError(f"{cls.__name__} has no setting {name!r}{nearest(name, known)}")
            if isinstance(known[name], int | float) and not isinstance(value, _NUMBERS):
                raise OptionError(
                    f"{cls.__name__}: {name}={value!r} must be a number, such as {+known[name]}"
                )
        self.settings = settings
        self.tables = {k: _table(cls, k, v) for k, v in (tables or {}).items()}
        self._check_fields()

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        players = "1 player" if self.players == 1 else f"{self.players} players"
        return f"<{self.name}{'(' + given + ')' if given else ''}: {players}>"

    @property
    def name(self) -> str:
        """The registered id, or the class name."""
        return self.id or type(self).__name__

    @property
    def is_record(self) -> bool:
        """Whether states are NumPy records, so that the domain can be compiled."""
        return isinstance(self.state, np.dtype)

    def function(self, name: str) -> types.FunctionType | None:
        """One of the domain's functions, as its author wrote it, with this instance's constants."""
        found = getattr(type(self), name, None)
        return self.bind(found) if isinstance(found, types.FunctionType) else None

    def bind(self, function: Any) -> types.FunctionType:
        """A helper of the domain's functions, with this instance's constants."""
        return self._binder.function(function)

    def interpret(self, function: Any) -> Any:
        """A helper of the domain's functions, as the interpreted engine calls it.

        For a domain's own methods, which are plain Python: ``self.interpret(area)(s)``.
        """
        return self._binder.interpreted(function)

    @functools.cached_property
    def _binder(self) -> Binder:
        return binder(type(self), self.constants)

    @functools.cached_property
    def functions(self) -> dict[str, types.FunctionType]:
        """The functions that the kernel calls, defaults included."""
        found: dict[str, Any] = {n: self.function(n) for n, h in HOOKS.items() if h.compiled}
        found["player"] = found["player"] or self._default_player()
        found["amaf_key"] = found["amaf_key"] or _action_is_key
        return {n: f for n, f in found.items() if f is not None}

    @property
    def table_names(self) -> tuple[str, ...]:
        return tuple(self.tables)

    def fingerprint_parts(self) -> tuple[Any, ...]:
        """What compiled code depends on besides the functions."""
        return (self.state, self.table_names)

    @functools.cached_property
    def interpreted(self) -> dict[str, Any]:
        """The kernel's functions for the interpreter, all with ``(s, t, …)``."""
        from treewright.kernel.specialise import hooks

        return hooks(self.functions, {}, None)

    @functools.cached_property
    def interpreted_tables(self) -> types.SimpleNamespace:
        from treewright.kernel.interpreted import Cells

        return types.SimpleNamespace(**{k: Cells(v) for k, v in self.tables.items()})

    def new_state(self) -> Any:
        """The start state, as the interpreted engine sees it."""
        from treewright.kernel.interpreted import Beginning, RecordProxy

        record = np.zeros(1, self.state) if self.is_record else None
        s = self.state() if record is None else Beginning(record, self.settings)
        start = self.interpret(type(self).start)  # type: ignore[attr-defined]
        tables = (self.interpreted_tables,) if "t" in start.__code__.co_varnames[1:2] else ()
        for name, value in self.settings.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise OptionError(f"{self.name}: {name}={value} must be a finite number")
        try:
            start(s, *tables, **self.settings)
        except TreewrightError:
            raise
        except ValueError as error:  # how a domain refuses its settings
            raise OptionError(f"{self.name}: {error}") from error
        except Exception as error:
            reason = f"{self.name} can't begin {given(self.settings)}: {said(error)}"
            raise OptionError(reason) from error
        return s if record is None else RecordProxy(record)

    def check_state(self, s: Any) -> Any:
        """The state itself, if it can be one of this domain."""
        if self.is_record and getattr(getattr(s, "_record", None), "dtype", None) != self.state:
            raise OptionError(
                f"{type(s).__name__} is no state of {self.name}: give what position.state is"
            )
        return s

    def copy_state(self, s: Any) -> Any:
        """A copy of an interpreted state."""
        from treewright.kernel.interpreted import RecordProxy

        if self.is_record:
            return RecordProxy(s._record.copy())
        own = self.function("copy")
        return own(s) if own else copy.deepcopy(s)

    def _default_player(self) -> Any:
        if self.players == 1:
            return _only_player
        if self.is_record and "player" not in self.state.names:
            raise DomainError(
                f"{type(self).__name__} has {self.players} players: it needs a state field "
                f"'player' or a function player(s)"
            )
        return _field_player

    def _check_attributes(self) -> None:
        cls = type(self).__name__
        for name, low in (("players", 1), ("max_actions", 1), ("max_length", 1), ("keys", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise DomainError(
                    f"{cls}.{name} must be a whole number, at least {low}; not {value!r}"
                )
        if self.max_actions > 65535 or self.players > 127:
            raise DomainError(f"{cls} has more than 65535 actions or 127 players")
        if not self.is_record and not callable(self.state):
            raise DomainError(
                f"{cls}.state must be tw.record(...), or a Python class for engine='python'"
            )

    def _check_fields(self) -> None:
        """Find misspelt state fields and tables in the source, before any compiler sees it."""
        if not self.is_record:
            return
        for name, function in self.functions.items():
            known = {function.__code__.co_varnames[0]: set(self.state.names or ())}
            if function.__code__.co_varnames[1:2] == ("t",):
                known["t"] = set(self.tables)
            for line, owner, field in _attributes(function.__code__):
                if owner in known and field not in known[owner]:
                    what = "table" if owner == "t" else "state field"
                    raise DomainError(
                        f"{where(function, line)}, in {type(self).__name__}.{name}: there is no "
                        f"{what} {field!r}{nearest(field, known[owner])}"
                    )


def _described() -> str:
    """The hooks, for the documentation of the class."""
    lines = []
    for hook in HOOKS.values():
        need = "required" if hook.required else f"without it: {hook.default}"
        lines += textwrap.wrap(f"{hook.signature}: {hook.meaning} ({need})", 92)
        lines.append("")
    return textwrap.indent("\n".join(lines), "    ")


Domain.__doc__ = f"{(Domain.__doc__ or '').rstrip()}\n\n{_described()}"


def _check_signature(cls: type, name: str, function: types.FunctionType) -> None:
    """A wrong parameter list is found when the class is made."""
    have = list(inspect.signature(function).parameters.values())
    plain = [p for p in have if p.name != "t"]
    if name == "start":
        plain = plain[:1] + [p for p in plain[1:] if p.kind is p.VAR_POSITIONAL]
    if len(plain) != 1 + len(HOOKS[name].parameters) or any(
        p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in plain
    ):
        shown = ", ".join(str(p) for p in have)
        raise DomainError(
            f"{where(function)}: {cls.__name__}.{name}({shown}) should be {HOOKS[name].signature}"
        )
    if HOOKS[name].returns and returns_nothing(function.__code__):
        raise DomainError(
            f"{where(function)}: {cls.__name__}.{name} returns nothing: "
            f"{HOOKS[name].signature} {spoken(HOOKS[name].meaning)}"
        )


def _check_names(cls: type) -> None:
    """A function whose name is nearly one of ours is most likely a slip."""
    import difflib

    for name, function in vars(cls).items():
        if isinstance(function, types.FunctionType) and not name.startswith("_"):
            first = function.__code__.co_varnames[:1]
            close = difflib.get_close_matches(name, HOOKS, n=1, cutoff=0.75)
            if close and name not in HOOKS and first != ("self",):
                raise DomainError(
                    f"{where(function)}: {cls.__name__}.{name} is not a domain function; "
                    f"did you mean {close[0]!r}?"
                )


def _checked_constants(cls: type, constants: Mapping[Any, Any]) -> dict[Constant, Any]:
    for key, value in constants.items():
        if not isinstance(key, Constant):
            raise DomainError(
                f"{cls.__name__}: constants={{{key!r}: ...}} must name a constant that a module "
                f"declares, as in SIZE = tw.constant()"
            )
        try:
            hash(value)
        except TypeError:
            raise DomainError(
                f"{cls.__name__}: a constant is a number, a tuple or a function, and can't be of "
                f"type {type(value).__name__}; arrays go to the domain's tables"
            ) from None
    return dict(constants)


def _table(cls: type, name: str, value: Any) -> np.ndarray:
    array = np.ascontiguousarray(value)
    if array.dtype.kind not in "iufb":
        raise DomainError(f"table {name!r} of {cls.__name__} must be an array of numbers")
    array = array.copy() if array is value else array
    array.flags.writeable = False
    return array


@functools.lru_cache(1024)  # a player makes a domain for each move; its source is parsed once
def _attributes(code: types.CodeType) -> list[tuple[int, str, str]]:
    """(line, name, attribute) of every ``name.attribute`` in a function's source."""
    try:
        lines, first = _lines(code)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return []
    return [
        (node.lineno + first - 1, node.value.id, node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    ]


def _lines(code: types.CodeType) -> tuple[list[str], int]:
    """A function's source, and the number of its first line.

    Who only has code is asked by ``inspect`` for the module, which is looked for among all that
    are imported; a file that is there needs none.
    """
    linecache.checkcache(code.co_filename)
    file = linecache.getlines(code.co_filename)
    if not 0 < code.co_firstlineno <= len(file):
        return inspect.getsourcelines(code)
    return inspect.getblock(file[code.co_firstlineno - 1 :]), code.co_firstlineno
