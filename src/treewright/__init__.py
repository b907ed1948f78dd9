"""Treewright: Monte Carlo tree search that compiles together with your own domain."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from treewright.errors import (
    CompileError,
    DomainError,
    MissingExtra,
    OptionError,
    TreeFileError,
    TreewrightError,
)

if TYPE_CHECKING:
    from treewright import baselines as baselines
    from treewright.checking import check as check
    from treewright.domain import CHANCE as CHANCE
    from treewright.domain import Domain as Domain
    from treewright.domain import record as record
    from treewright.domains import make as make
    from treewright.files import load as load
    from treewright.multipass import MultiPass as MultiPass
    from treewright.optimize import minimize as minimize
    from treewright.options import Options as Options
    from treewright.options import Rave as Rave
    from treewright.options import Rollout as Rollout
    from treewright.options import SelectionBias as SelectionBias
    from treewright.options import Widening as Widening
    from treewright.phases import Phases as Phases
    from treewright.phases import run_phases as run_phases
    from treewright.position import Position as Position
    from treewright.result import Result as Result
    from treewright.search import Progress as Progress
    from treewright.search import Search as Search

__version__ = "0.1.0"

# NumPy takes 0.1 s to import and Numba more than a second, so names are imported when used.
_WHERE = {
    "CHANCE": "domain",
    "Domain": "domain",
    "record": "domain",
    "make": "domains",
    "check": "checking",
    "load": "files",
    "MultiPass": "multipass",
    "minimize": "optimize",
    "Options": "options",
    "Rave": "options",
    "Rollout": "options",
    "SelectionBias": "options",
    "Widening": "options",
    "Phases": "phases",
    "run_phases": "phases",
    "Position": "position",
    "Result": "result",
    "Progress": "search",
    "Search": "search",
}

__all__ = [
    "CHANCE",
    "CompileError",
    "Domain",
    "DomainError",
    "MissingExtra",
    "MultiPass",
    "OptionError",
    "Options",
    "Phases",
    "Position",
    "Progress",
    "Rave",
    "Result",
    "Rollout",
    "Search",
    "SelectionBias",
    "TreeFileError",
    "TreewrightError",
    "Widening",
    "baselines",
    "check",
    "load",
    "make",
    "minimize",
    "record",
    "run_phases",
]


def __getattr__(name: str) -> Any:
    if name == "baselines":
        return import_module("treewright.baselines")
    if name in _WHERE:
        return getattr(import_module(f"treewright.{_WHERE[name]}"), name)
    raise AttributeError(f"treewright has no {name!r}")


def __dir__() -> list[str]:
    return __all__
