"""The experiments that come with Treewright."""

import pytest

from treewright.apps.games.experiments.tictactoe_strength import outcome
from treewright.workshop.experiments import SCALES, stats
from treewright.workshop.experiments.executors import executor
from treewright.workshop.experiments.registry import experiments
from treewright.workshop.experiments.report import report
from treewright.workshop.experiments.runner import run, standing
from treewright.workshop.experiments.store import Store
from treewright.workshop.experiments.summary import lines

every = pytest.mark.parametrize("experiment", experiments().values(), ids=lambda e: e.name)


@every
def test_declarations(experiment):
    cells = {scale: experiment.cells(scale) for scale in SCALES}
    assert 0 < len(cells["smoke"]) < len(cells["laptop"]) < len(cells["paper"])
    for made in cells.values():
        assert all(set(experiment.groups) <= set(c.values) for c in made)
    for reference in experiment.references:
        assert any(reference.where.items() <= cell.values.items() for cell in cells["paper"])


def test_perfect_play():
    assert outcome(0, 0) == 0.5  # tic-tac-toe is a draw
    assert outcome(0b000000011, 0b000011000) == 1.0  # three in a row next


@pytest.fixture(scope="module")
def cells():
    """A process that imports once what the experiments need."""
    with executor("processes", 1) as found:
        yield found


@every
def test_a_smoke_scale_takes_a_minute_at_most(experiment, cells, tmp_path):
    with Store(tmp_path / "store") as store:
        done = run(experiment, store, cells, scale="smoke")
        assert done.stopping == ""
        assert done.failed == 0, done.errors
        now = standing(experiment, store, "smoke")
    assert not now.missing
    found = report(experiment, now, "smoke")
    assert experiment.claim in found.text
    rows = [stored.values for stored in now.good]
    for line in lines(experiment, rows):
        assert isinstance(line.estimate, stats.Interval)
        assert line.estimate.low <= line.estimate.value <= line.estimate.high
    # compiling included; CPU, since the wall clock depends on the neighbours
    assert sum(stored.cpu_seconds for stored in now.good) < 60
