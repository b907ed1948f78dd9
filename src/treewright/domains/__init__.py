"""The domains that come with Treewright, and those of other packages, by id."""

from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from treewright.domain import Domain
from treewright.errors import OptionError, nearest

BUILT_IN = {
    "nim-v1": "treewright.domains.nim:Nim",
    "tictactoe-v1": "treewright.domains.tictactoe:TicTacToe",
    "connect-four-v1": "treewright.domains.connect_four:ConnectFour",
    "samegame-v1": "treewright.domains.samegame:SameGame",
}


def registered() -> dict[str, str]:
    """Every domain id with where it is found (``module:Class``).

    Another package adds its own with an entry point in the group ``treewright.domains``.
    """
    others = {e.name: e.value for e in entry_points(group="treewright.domains")}
    return others | BUILT_IN


def make(name: str, **settings: Any) -> Domain:
    """A domain by its id; without ``-v1`` the newest version is meant."""
    known = registered()
    versions = sorted(k for k in known if k == name or k.rpartition("-v")[0] == name)
    if not versions:
        raise OptionError(f"there is no domain {name!r}{nearest(name, known)}")
    module, _, attribute = known[versions[-1]].partition(":")
    found: Domain = getattr(import_module(module), attribute)(**settings)
    return found
