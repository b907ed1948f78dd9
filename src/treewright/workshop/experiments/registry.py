"""Which experiments there are: what the applications declare."""

import sys
from pathlib import Path
from typing import Any

from treewright.errors import nearest
from treewright.library.applications import applications, load
from treewright.library.registry import from_module
from treewright.workshop.experiments.experiment import Experiment, ExperimentError


def experiments() -> dict[str, Experiment]:
    """Every experiment by name."""
    found: dict[str, Experiment] = {}
    for app in applications():
        for where in app.experiments:
            try:
                one: Experiment = load(where)
            except Exception as error:
                raise ExperimentError(f"the experiment {where} can't be loaded: {error}") from error
            found.setdefault(one.name, one)
    return dict(sorted(found.items()))


def experiment(name: str) -> Experiment:
    """One experiment by name, as ``module:NAME``, or as ``path/to/file.py:NAME``."""
    place, colon, own = name.rpartition(":")
    if colon:
        return _own(place, own)
    if name.endswith(".py"):
        raise ExperimentError(f"{name}: say which experiment of the file, as in {name}:NAME")
    known = experiments()
    if name not in known:
        raise ExperimentError(f"there is no experiment {name!r}{nearest(name, known)}")
    return known[name]


def _own(place: str, name: str) -> Experiment:
    """An experiment of the user's; its module is imported, so that processes find it too."""
    module = _from_file(Path(place)) if place.endswith(".py") else from_module(place)
    known = {k: v for k, v in vars(module).items() if isinstance(v, Experiment)}
    if name not in known:
        raise ExperimentError(f"{place} has no experiment {name!r}{nearest(name, known)}")
    return known[name]


def _from_file(path: Path) -> Any:
    if not path.is_file():
        raise ExperimentError(f"there is no file {path}")
    sys.path.insert(0, str(path.parent.resolve()))  # processes get a copy of this list
    try:
        module = from_module(path.stem)
    except ExperimentError:
        raise
    except Exception as error:
        raise ExperimentError(f"{path} can't be loaded: {type(error).__name__}: {error}") from error
    if Path(module.__file__ or "").resolve() != path.resolve():
        raise ExperimentError(f"{path}: another module is called {path.stem!r}; rename the file")
    return module
