"""Stand-ins that let the kernel and a domain run interpreted, with the compiled results.

Compiled code reads ``s.cell[i]`` from a NumPy record and wraps integers at the field's
width when it stores them.  Interpreted, NumPy scalars would overflow with warnings or
raise, so these proxies hand out plain Python numbers and wrap on store.  Tree rows are
plain objects: an interpreted search is for debugging and for states that only Python
can hold, and attribute access is the fastest thing the interpreter has.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def _store(array: np.ndarray, index: Any, value: Any) -> None:
    """Put a value into an array, wrapped like C."""
    if type(value) is not int and array.dtype.kind in "iu":
        value = np.asarray(value).astype(array.dtype)
    try:
        array[index] = value
    except OverflowError:  # a whole number that does not fit
        array[index] = np.asarray(value).astype(array.dtype)


class Cells:
    """An array whose loads are Python numbers and whose stores wrap like C."""

    __slots__ = ("_index", "array")

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self._index = None if array.dtype.names else int if array.ndim == 1 else tuple

    def __len__(self) -> int:
        return len(self.array)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def size(self) -> int:
        return self.array.size

    def __getitem__(self, index: Any) -> Any:
        if type(index) is self._index:  # nearly always that of one number
            try:
                return self.array.item(index)
            except (TypeError, ValueError):
                pass
        found = self.array[index]
        if self.array.dtype.names:  # states inside a state
            return RecordProxy(self.array[index : index + 1])
        return Cells(found) if isinstance(found, np.ndarray) else found.item()

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(value, RecordProxy):
            value = value._record[0]
        if isinstance(value, Cells):
            value = value.array
        _store(self.array, index, value)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.array, dtype=dtype)

    def __repr__(self) -> str:
        return repr(self.array)


class RecordProxy:
    """One NumPy record as an object with attributes: ``s.player``, ``s.cell[i]``."""

    __slots__ = ("_cells", "_record")

    def __init__(self, record: np.ndarray) -> None:
        """``record`` is an array of one structured element, seen and changed in place."""
        dtype = record.dtype
        arrays = {n: Cells(record[n][0]) for n in dtype.names or () if dtype[n].shape}
        object.__setattr__(self, "_record", record)
        object.__setattr__(self, "_cells", arrays)

    def __getattr__(self, name: str) -> Any:
        cells = self._cells.get(name)
        if cells is not None:
            return cells
        try:
            return self._record[name].item()
        except ValueError:
            raise AttributeError(f"the state has no field {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        cells = self._cells.get(name)
        if cells is not None:
            cells[:] = value
            return
        if name not in self._record.dtype.names:
            raise AttributeError(f"the state has no field {name!r}")
        _store(self._record[name], 0, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """A state can travel to other processes: a copy of its record does."""
        return RecordProxy, (self._record,)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        """``np.asarray(s)``: an array of one record, in the same memory."""
        record: np.ndarray = self._record
        return np.array(record, dtype=dtype) if copy else np.asarray(record, dtype=dtype)

    def __repr__(self) -> str:
        names = self._record.dtype.names or ()
        return ", ".join(f"{name} = {_short(getattr(self, name))}" for name in names)


class Beginning(RecordProxy):
    """A state that is set up: a setting that its field can't hold is refused, and not wrapped."""

    __slots__ = ("_settings",)

    def __init__(self, record: np.ndarray, settings: Mapping[str, Any]) -> None:
        super().__init__(record)
        object.__setattr__(self, "_settings", settings)

    def __setattr__(self, name: str, value: Any) -> None:
        kind = self._record.dtype[name] if name in self._record.dtype.names else None
        if type(value) is int and kind is not None and kind.kind in "iu":
            limits = np.iinfo(kind)
            setting = [k for k, v in self._settings.items() if type(v) is int and v == value]
            if setting and not limits.min <= value <= limits.max:
                raise ValueError(
                    f"{setting[0]}={value} does not fit into the field {name!r} of the state, "
                    f"which is {kind} and holds {limits.min} to {limits.max}"
                )
        super().__setattr__(name, value)


def _short(value: Any) -> str:
    """A field as text: long arrays by their ends."""
    if not isinstance(value, Cells):
        return str(value)
    if value.array.dtype.names:
        return f"{len(value)} records"
    return " ".join(np.array2string(value.array, threshold=40, edgeitems=5).split())


class Records:
    """An array of record states: item assignment copies the whole state."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self._rows = [RecordProxy(array[i : i + 1]) for i in range(len(array))]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return Records(self.array[index]) if isinstance(index, slice) else self._rows[index]

    def __setitem__(self, index: int, value: RecordProxy) -> None:
        self.array[index] = value._record[0]


class Objects:
    """States that are any Python object: item assignment copies by the domain's ``copy``."""

    def __init__(self, state: Any, copier: Callable[[Any], Any], count: int = 1) -> None:
        self.rows = [state] * count
        self._copy = copier

    def __getitem__(self, index: int) -> Any:
        return self.rows[index]

    def __setitem__(self, index: int, value: Any) -> None:
        self.rows[index] = self._copy(value)


class Many:
    """The same array of several trees: an index is the array of one, and so is a slice of one."""

    def __init__(self, items: list[Any]) -> None:
        self._items = items

    def __getitem__(self, index: Any) -> Any:
        return self._items[index.start if isinstance(index, slice) else index]


class Rows:
    """Tree rows as Python objects, made on demand; ``to_array`` gives the compiled layout."""

    def __init__(self, dtype: np.dtype, capacity: int, array: np.ndarray | None = None) -> None:
        names = dtype.names or ()
        self.dtype = dtype
        self._capacity = capacity
        self._row = type("Row", (), {"__slots__": names})
        self._zero = {n: 0.0 if dtype[n].kind == "f" else 0 for n in names}
        self._rows: dict[int, Any] = {}
        for index, record in enumerate(array if array is not None else ()):
            row = self._rows[index] = self._row()
            for name, value in zip(names, record.item(), strict=True):
                setattr(row, name, value)

    def __len__(self) -> int:
        return self._capacity

    def __getitem__(self, index: int) -> Any:
        row = self._rows.get(index)
        if row is None:
            if not 0 <= index < self._capacity:
                raise IndexError(f"row {index} of {self._capacity}")
            row = self._rows[index] = self._row()
            for name, value in self._zero.items():
                setattr(row, name, value)
        return row

    def __setitem__(self, index: int, value: Any) -> None:
        row = self._rows[index] = self._row()
        for name in self._zero:
            setattr(row, name, getattr(value, name))

    def to_array(self, used: int) -> np.ndarray:
        out = np.zeros(used, self.dtype)
        for i in range(used):
            row = self[i]
            out[i] = tuple(getattr(row, n) for n in self.dtype.names or ())
        return out


def wrapping(kind: type) -> Callable[[Any], int]:
    """The interpreted form of ``int8(x)`` to ``uint64(x)``: a Python int, wrapped like C."""
    info = np.iinfo(kind)
    bits, low = info.bits, int(info.min)

    def cast(value: Any) -> int:
        return ((int(value) - low) & ((1 << bits) - 1)) + low

    cast.__name__ = kind.__name__
    return cast
