"""Experiments: one module per table or figure, run cell by cell into a store, then reported.

``docs/experiments.md`` shows how to write one.  The names below are all that a module of an
experiment needs; everything else here runs, keeps and reports what they declare.
"""

from treewright.workshop.experiments.experiment import (
    SCALES,
    Experiment,
    ExperimentError,
    Grid,
    Measure,
    Reference,
    Row,
    Rows,
    Settings,
    Verdict,
    judge,
)

__all__ = [
    "SCALES",
    "Experiment",
    "ExperimentError",
    "Grid",
    "Measure",
    "Reference",
    "Row",
    "Rows",
    "Settings",
    "Verdict",
    "judge",
]
