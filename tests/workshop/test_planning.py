"""The plan: the model agrees with the simulation of the scheduler, and both with arithmetic."""

from dataclasses import replace

import pytest

from treewright.workshop.planning import (
    Figures,
    predicted,
    shares_at_most,
    shortest_cell,
    simulated,
    table,
    text,
    travelling,
)

FIGURES = Figures(cell=0.002, worker=0.001, begin=2.0, merge=1e-4, report=4000)


@pytest.mark.parametrize("slots", [2, 32, 1600])
@pytest.mark.parametrize("seconds", [0.1, 1.0, 30.0])
def test_the_model_is_near_the_simulation(slots, seconds):
    cells = 20 * slots
    model = predicted(FIGURES, slots, cells, seconds)
    played = simulated(FIGURES, slots, cells, seconds)
    assert model.seconds == pytest.approx(played.seconds, rel=0.15)


def test_without_costs_it_is_work_by_workers():
    free = Figures(cell=0.0, worker=0.0, begin=0.0, merge=1.0, report=0)
    assert predicted(free, 10, 1000, 1.0).seconds == pytest.approx(100, rel=0.02)
    assert simulated(free, 10, 1000, 1.0).seconds == pytest.approx(100, rel=0.1)
    assert simulated(free, 10, 1000, 1.0).busy > 0.95


def test_a_driver_without_time_left_decides():
    """A thousand workers and cells of 10 ms: 500 cells a second, whatever the workers do."""
    for plan in (predicted, simulated):
        assert plan(FIGURES, 1000, 50_000, 0.01).seconds == pytest.approx(100, rel=0.1)
    assert shortest_cell(FIGURES, 1000) == pytest.approx(4.0)
    assert shares_at_most(FIGURES) == 500


def test_a_line_without_room_decides():
    """Cells of 1 MB over a gigabit: 125 of them a second."""
    assert 200 < travelling() < 20_000
    large = replace(FIGURES, travel=1_000_000)
    for plan in (predicted, simulated):
        assert plan(large, 1000, 50_000, 0.01).seconds == pytest.approx(400, rel=0.1)


def test_the_table_is_printed():
    rows = table(FIGURES, [1, 10], [1.0])
    assert [row["machines"] for row in rows] == [1, 10]
    said = text(FIGURES, rows)
    assert "at most 500 cells a second" in said
    assert "10 machines want cells of at least 0.6 s" in said
    assert len(said.splitlines()) == 9
