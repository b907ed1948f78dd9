"""Which experiments there are: the modules of ``catalogue`` and other packages' entry points."""

import pkgutil
from importlib import import_module
from importlib.metadata import entry_points

from treewright.errors import nearest
from treewright.experiments.experiment import Experiment, ExperimentError

GROUP = "treewright.experiments"


def experiments() -> dict[str, Experiment]:
    """Every experiment by name.

    A module of ``treewright.experiments.catalogue`` holds one as ``EXPERIMENT``; another
    package names its own ``module:EXPERIMENT`` in the entry point group.
    """
    from treewright.experiments import catalogue

    own = [
        import_module(f"{catalogue.__name__}.{module.name}").EXPERIMENT
        for module in pkgutil.iter_modules(catalogue.__path__)
        if not module.name.startswith("_")
    ]
    others = []
    for entry in entry_points(group=GROUP):
        try:
            others.append(entry.load())
        except Exception as error:
            raise ExperimentError(
                f"the experiment {entry.name!r} ({entry.value}) can't be loaded: {error}"
            ) from error
    return {e.name: e for e in sorted([*others, *own], key=lambda e: e.name)}


def experiment(name: str) -> Experiment:
    """One experiment by name."""
    known = experiments()
    if name not in known:
        raise ExperimentError(f"there is no experiment {name!r}{nearest(name, known)}")
    return known[name]
