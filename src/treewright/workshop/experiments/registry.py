"""Which experiments there are: what the applications declare."""

from treewright.errors import nearest
from treewright.library.applications import applications, load
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
    """One experiment by name."""
    known = experiments()
    if name not in known:
        raise ExperimentError(f"there is no experiment {name!r}{nearest(name, known)}")
    return known[name]
