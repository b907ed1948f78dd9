"""The domains that come with Treewright, and those of other packages, by id."""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from treewright.errors import OptionError, TreewrightError, given, nearest, said
from treewright.library.applications import declared, load
from treewright.library.domain import Domain


def registered() -> dict[str, str]:
    """Every domain id with where it is found (``module:Class``): what applications declare."""
    return declared("domains")


def make(name: str, **settings: Any) -> Domain:
    """A domain by its id; without ``-v1`` the newest version is meant."""
    known = registered()
    versions = sorted(k for k in known if k == name or k.rpartition("-v")[0] == name)
    if not versions:
        names = {k.rpartition("-v")[0] for k in known}
        raise OptionError(f"there is no domain {name!r}{nearest(name, names)}")
    newest = max(versions, key=lambda v: int(v.rpartition("-v")[2]))
    return _made(load(known[newest]), newest, settings)


def find(spec: str, **settings: Any) -> Domain:
    """A domain by id, as ``module:Class``, or as ``path/to/file.py:Class``."""
    place, colon, name = spec.rpartition(":")
    if spec.endswith(".py"):
        raise OptionError(f"{spec}: say which domain of the file, as in {spec}:Name")
    if not colon:
        return make(spec, **settings)
    module = load_file(Path(place)) if place.endswith(".py") else from_module(place)
    kinds = {k: v for k, v in vars(module).items() if isinstance(v, type) and issubclass(v, Domain)}
    kinds.pop("Domain", None)
    if name not in kinds:
        raise OptionError(f"{place} has no domain {name!r}{nearest(name, kinds)}")
    return _made(kinds[name], name, settings)


def _made(kind: Callable[..., Domain], name: str, settings: dict[str, Any]) -> Domain:
    """A domain with settings that may be anything."""
    try:
        return kind(**settings)
    except TreewrightError:
        raise
    except Exception as error:
        raise OptionError(f"{name} can't be made {given(settings)}: {said(error)}") from error


def from_module(name: str) -> Any:
    """A module by its name, also one in the current folder."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return import_module(name)
    except (
        ImportError,
        ValueError,
        TypeError,
    ) as error:  # the last two for no name, and one like ".x"
        if "/" in name or os.sep in name:
            wanted = "a domain is a class in a file, as in path/to/file.py:Class"
            raise OptionError(f"{name} is no file that ends in .py: {wanted}") from error
        raise OptionError(f"module {name!r} can't be imported: {error}") from error


def load_file(path: Path) -> Any:
    """A Python file as a module."""
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise OptionError(f"there is no file {path}")
    module = module_from_spec(spec)
    sys.path.insert(0, str(path.parent.resolve()))  # its helpers live beside it
    try:
        spec.loader.exec_module(module)
    except TreewrightError:
        raise
    except Exception as error:
        raise OptionError(f"{path} can't be loaded: {type(error).__name__}: {error}") from error
    return module
