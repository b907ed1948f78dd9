"""A TOML file whose every value knows its line, so that an error can name it.

The standard library's reader gives values without places.  It decides what the file means;
the scanner here walks the same text once more and only notes where each value begins.
"""

import functools
from pathlib import Path
from typing import Any

from treewright.errors import TreewrightError
from treewright.library.reading import text_of, toml_of

Place = tuple[str | int, ...]
_CLOSING = {"[": "]", "{": "}"}


class StoryError(TreewrightError):
    """A library or a set-up that can't be used, with its file and line."""


class Source:
    """A parsed file: ``data`` as TOML gives it, and ``line(*path)`` of each value."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.text = text
        self.data = toml_of(text, name, StoryError)
        self._options: dict[str, Any] = {}  # keys changed from outside: which parts of them

    @functools.cached_property
    def _lines(self) -> dict[Place, int]:
        return _Scanner(self.text).lines()  # only whoever has something to say asks for them

    @classmethod
    def read(cls, path: Path) -> "Source":
        return cls(text_of(path, StoryError), str(path))

    def line(self, *path: str | int) -> int:
        """Where a value begins; the nearest enclosing one if it has no line of its own."""
        at: Place = path
        while at:
            if at in self._lines:
                return self._lines[at]
            at = at[:-1]
        return 1

    def change(self, key: str, value: Any) -> None:
        """Add to a top-level key, or set it, from outside the file."""
        old = self.data.get(key)
        if isinstance(old, dict):
            self.data[key], self._options[key] = {**old, **value}, set(value)
        elif isinstance(old, list):
            self.data[key] = [*old, *value]
            self._options[key] = range(len(old), len(old) + len(value))
        else:
            self.data[key], self._options[key] = value, None

    def where(self, *path: str | int, down: int = 0) -> str:
        """File and line of a value (or some lines below), or the option that gave it."""
        key = str(path[0]) if path else ""
        if key in self._options:
            parts = self._options[key]
            if parts is None or len(path) < 2 or path[1] in parts:
                return f"the option {key}"
        return f"{self.name}, line {self.line(*path) + down}"

    def error(self, message: str, *path: str | int) -> StoryError:
        """An error that says where: file, line, message."""
        return StoryError(f"{self.where(*path)}: {message}")


class _Scanner:
    """Walks text that is known to be valid TOML and notes where keys and values begin."""

    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n")
        self._at = 0
        self._line = 1
        self._found: dict[Place, int] = {}
        self._tables: dict[Place, int] = {}  # how many times [[x]] was seen

    def lines(self) -> dict[Place, int]:
        table: Place = ()
        while self._skip(newlines=True):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
        return self._found

    def _header(self) -> Place:
        line = self._line
        double = self._text.startswith("[[", self._at)
        self._step(2 if double else 1)
        key = self._key()
        self._step(2 if double else 1)
        table: Place = ()
        for part in key:  # [[a]] [a.b] means the last a
            table += (part,)
            if table in self._tables and table != tuple(key):
                table += (self._tables[table] - 1,)
        if double:
            count = self._tables.get(table, 0)
            self._tables[table] = count + 1
            self._found.setdefault(table, line)
            table += (count,)
        self._found.setdefault(table, line)
        return table

    def _pair(self, table: Place) -> None:
        line = self._line
        path = table + tuple(self._key())
        self._found.setdefault(path, line)
        self._step(1)  # =
        self._value(path)

    def _key(self) -> list[str]:
        """A dotted key; stops at ``=`` or ``]``."""
        parts: list[str] = []
        while True:
            self._skip(newlines=False)
            if self._text[self._at] in "\"'":
                parts.append(self._string())
            else:
                begin = self._at
                while self._text[self._at] not in " \t.=]":
                    self._step(1)
                parts.append(self._text[begin : self._at])
            self._skip(newlines=False)
            if self._text[self._at] != ".":
                return parts
            self._step(1)

    def _value(self, path: Place) -> None:
        self._skip(newlines=True)
        self._found[path] = self._line
        sign = self._text[self._at]
        if sign in "\"'":
            self._string()
        elif sign in _CLOSING:
            self._group(path, _CLOSING[sign])
        else:
            while self._at < len(self._text) and self._text[self._at] not in ",]}#\n":
                self._step(1)

    def _group(self, path: Place, closing: str) -> None:
        self._step(1)
        index = 0
        while True:
            self._skip(newlines=True)
            if self._text[self._at] == closing:
                self._step(1)
                return
            if self._text[self._at] == ",":
                self._step(1)
            elif closing == "]":
                self._value((*path, index))
                index += 1
            else:
                self._pair(path)

    def _string(self) -> str:
        quote = self._text[self._at]
        fence = quote * 3 if self._text.startswith(quote * 3, self._at) else quote
        begin = self._at + len(fence)
        end = begin
        while not self._text.startswith(fence, end):
            end += 2 if quote == '"' and self._text[end] == "\\" else 1
        while len(fence) == 3 and self._text.startswith(quote, end + 3):
            end += 1  # up to two quotes may stand before the closing fence
        found = self._text[begin:end]
        self._step(end + len(fence) - self._at)
        return found

    def _skip(self, newlines: bool) -> bool:
        """Pass blanks and comments; False at the end of the text."""
        while self._at < len(self._text):
            sign = self._text[self._at]
            if sign == "#":
                while self._at < len(self._text) and self._text[self._at] != "\n":
                    self._at += 1
            elif sign in " \t" or (newlines and sign == "\n"):
                self._step(1)
            else:
                return True
        return False

    def _step(self, count: int) -> None:
        self._line += self._text.count("\n", self._at, self._at + count)
        self._at += count
