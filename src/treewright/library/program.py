"""Compiled code beside the search: a text of our own, compiled with a domain's functions."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

from treewright.kernel.hooks import Searchable
from treewright.kernel.specialise import specialise


class Compilable(Searchable, Protocol):
    """What a text is compiled with: a domain, or something with its functions and tables."""

    @property
    def tables(self) -> Mapping[str, np.ndarray]: ...


class Program:
    """A text's ``entry`` as ``call``, and the domain's tables as that wants them."""

    def __init__(
        self,
        domain: Compilable,
        texts: tuple[Path, ...],
        entry: str,
        constants: Mapping[str, Any] | None = None,
    ) -> None:
        module = specialise(domain, constants or {}, texts, entry)
        self.call = getattr(module, entry)
        tables = domain.tables
        self.tables = module.Tables(*tables.values()) if tables else ()


class ImportedFunctions:
    """What the cache must know of a text without a domain: the functions that it imports."""

    name = "helpers"  # for whoever waits
    functions: ClassVar[Any] = {}
    table_names: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *functions: Any) -> None:
        self._functions = functions

    def fingerprint_parts(self) -> tuple[Any, ...]:
        return self._functions
