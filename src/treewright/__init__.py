"""Treewright: Monte Carlo tree search that compiles together with your own domain."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from treewright.errors import (
    CompileError,
    DomainError,
    EvaluatorError,
    MissingExtra,
    OptionError,
    TreeFileError,
    TreewrightError,
)

if TYPE_CHECKING:
    from treewright import random as random
    from treewright.apps.functions.minimize import minimize as minimize
    from treewright.apps.functions.space import Choice as Choice
    from treewright.apps.functions.space import Integer as Integer
    from treewright.library import baselines as baselines
    from treewright.library import evolutionary as evolutionary
    from treewright.library.applications import App as App
    from treewright.library.applications import Command as Command
    from treewright.library.applications import Page as Page
    from treewright.library.bulk import BulkRollouts as BulkRollouts
    from treewright.library.checking import check as check
    from treewright.library.cluster.search import ClusterSearch as ClusterSearch
    from treewright.library.domain import CHANCE as CHANCE
    from treewright.library.domain import Domain as Domain
    from treewright.library.domain import constant as constant
    from treewright.library.domain import count_bits as count_bits
    from treewright.library.domain import hashed as hashed
    from treewright.library.domain import inlined as inlined
    from treewright.library.domain import lowest_bit as lowest_bit
    from treewright.library.domain import record as record
    from treewright.library.files import load as load
    from treewright.library.forest import Forest as Forest
    from treewright.library.multipass import MultiPass as MultiPass
    from treewright.library.options import Gumbel as Gumbel
    from treewright.library.options import Noise as Noise
    from treewright.library.options import Options as Options
    from treewright.library.options import Rave as Rave
    from treewright.library.options import Rollout as Rollout
    from treewright.library.options import Rules as Rules
    from treewright.library.options import SelectionBias as SelectionBias
    from treewright.library.options import Widening as Widening
    from treewright.library.others.gymnasium import from_gymnasium as from_gymnasium
    from treewright.library.others.openspiel import from_openspiel as from_openspiel
    from treewright.library.others.pettingzoo import from_pettingzoo as from_pettingzoo
    from treewright.library.phases import Phases as Phases
    from treewright.library.position import Position as Position
    from treewright.library.progress_bar import ProgressBar as ProgressBar
    from treewright.library.registry import make as make
    from treewright.library.result import Child as Child
    from treewright.library.result import Result as Result
    from treewright.library.running import Progress as Progress
    from treewright.library.search import Search as Search
    from treewright.library.tree import TreeView as TreeView

__version__ = "0.2.0"

# NumPy takes 0.1 s to import and Numba more than a second, so names are imported when used.
_MODULES = {
    "baselines": "library.baselines",
    "evolutionary": "library.evolutionary",
    "random": "random",
}
_WHERE = {
    "CHANCE": "library.domain",
    "Domain": "library.domain",
    "record": "library.domain",
    "make": "library.registry",
    "check": "library.checking",
    "load": "library.files",
    "BulkRollouts": "library.bulk",
    "Forest": "library.forest",
    "Gumbel": "library.options",
    "Noise": "library.options",
    "MultiPass": "library.multipass",
    "Choice": "apps.functions.space",
    "Integer": "apps.functions.space",
    "minimize": "apps.functions.minimize",
    "Options": "library.options",
    "Rave": "library.options",
    "Rollout": "library.options",
    "Rules": "library.options",
    "SelectionBias": "library.options",
    "Widening": "library.options",
    "Phases": "library.phases",
    "Position": "library.position",
    "Result": "library.result",
    "Progress": "library.running",
    "ProgressBar": "library.progress_bar",
    "Search": "library.search",
    "App": "library.applications",
    "Command": "library.applications",
    "Page": "library.applications",
    "count_bits": "library.domain",
    "hashed": "library.domain",
    "inlined": "library.domain",
    "lowest_bit": "library.domain",
    "Child": "library.result",
    "ClusterSearch": "library.cluster.search",
    "TreeView": "library.tree",
    "constant": "library.domain",
    "from_gymnasium": "library.others.gymnasium",
    "from_openspiel": "library.others.openspiel",
    "from_pettingzoo": "library.others.pettingzoo",
}

__all__ = [
    "CHANCE",
    "App",
    "BulkRollouts",
    "Child",
    "Choice",
    "ClusterSearch",
    "Command",
    "CompileError",
    "Domain",
    "DomainError",
    "EvaluatorError",
    "Forest",
    "Gumbel",
    "Integer",
    "MissingExtra",
    "MultiPass",
    "Noise",
    "OptionError",
    "Options",
    "Page",
    "Phases",
    "Position",
    "Progress",
    "ProgressBar",
    "Rave",
    "Result",
    "Rollout",
    "Rules",
    "Search",
    "SelectionBias",
    "TreeFileError",
    "TreeView",
    "TreewrightError",
    "Widening",
    "baselines",
    "check",
    "constant",
    "count_bits",
    "evolutionary",
    "from_gymnasium",
    "from_openspiel",
    "from_pettingzoo",
    "hashed",
    "inlined",
    "load",
    "lowest_bit",
    "make",
    "minimize",
    "random",
    "record",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"treewright.{_MODULES[name]}")
    if name in _WHERE:
        return getattr(import_module(f"treewright.{_WHERE[name]}"), name)
    raise AttributeError(f"treewright has no {name!r}")


def __dir__() -> list[str]:
    return __all__
