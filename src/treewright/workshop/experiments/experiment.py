"""What an experiment declares: cells, a function from cell to row, the paper's numbers, a verdict.

Everything here is plain data and plain functions, so that a module of an experiment reads top
to bottom and nothing but the runner knows about stores, processes or Markdown.
"""

import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from treewright.errors import TreewrightError

SCALES = ("smoke", "laptop", "paper")
Value = str | int | float | bool | None
Settings = Mapping[str, Value]
Row = dict[str, Value]
Rows = Sequence[Mapping[str, Value]]


class ExperimentError(TreewrightError):
    """An experiment, a store or a request about them that can't be used."""


@dataclass(frozen=True)
class Cell:
    """One unit of work: the same settings and seed always give the same row."""

    settings: tuple[tuple[str, Value], ...]
    seed: int

    @property
    def values(self) -> dict[str, Value]:
        return dict(self.settings)

    @property
    def key(self) -> str:
        """The settings as text, whatever the order in which they were written."""
        return json.dumps(self.values, sort_keys=True)

    def __str__(self) -> str:
        return " ".join(f"{k}={v}" for k, v in self.settings) + f" seed={self.seed}"


@dataclass(frozen=True)
class Grid:
    """Every combination of the listed values, each with seeds ``first`` to ``first+seeds-1``.

    >>> Grid({"simulations": [10, 100]}, seeds=20)
    """

    values: Mapping[str, Sequence[Value]]
    seeds: int
    first: int = 0

    def cells(self) -> Iterable[Cell]:
        """Seed by seed, so that an interrupted run has a little of everything."""
        combinations = [
            tuple(zip(self.values, combination, strict=True))
            for combination in itertools.product(*self.values.values())
        ]
        for seed in range(self.first, self.first + self.seeds):
            for combination in combinations:
                yield Cell(combination, seed)


@dataclass(frozen=True)
class Measure:
    """The number that the table and the figure show.

    ``kind="rate"``: a share between 0 and 1 with a Wilson interval; ``per`` names the column
    that says of how many games or trials each row is the mean.  ``kind="mean"``: any number,
    with a t interval over the rows.  ``kind="bootstrap"``: the same with a bootstrap interval,
    where a few rows are far from the others.
    """

    column: str
    label: str
    kind: Literal["rate", "mean", "bootstrap"] = "mean"
    per: str | None = None


@dataclass(frozen=True)
class Reference:
    """A number from the paper (or from theory) for the lines with these settings."""

    where: Settings
    value: float
    source: str


@dataclass(frozen=True)
class Verdict:
    """Whether the claim held here: yes, no, or (None) too little was run to tell."""

    held: bool | None
    sentence: str


def judge(finding: str, held: bool, *, enough: bool) -> Verdict:
    """A verdict from a finding: open unless enough was run to tell."""
    if not enough:
        return Verdict(None, f"{finding}: too little was run to tell.")
    return Verdict(held, f"{finding}: the claim {'held' if held else 'did not hold'}.")


def _no_uses(settings: Settings) -> Sequence[Any]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Series:
    """Cells and what they are for: all that the runner, the store and the displays know.

    name: what the store calls it, and for an experiment the command line.
    scales: the cells of ``smoke`` (seconds), ``laptop`` (under an hour) and ``paper``.
    run: from settings and seed to a row of numbers and words; a module-level function.
    measure, groups: the column that matters, and the settings that tell its lines apart.
    references: numbers that are expected, such as the paper's own.
    uses: the domains (or other things) that a cell with these settings depends on, for
        experiments over several domains; what ``run`` reaches by name is found without it.
    kept: whether rows outlive the run; otherwise nobody asks by which code they were computed,
        and nothing is spent on telling it from other code.
    """

    name: str
    scales: Mapping[str, Sequence[Grid]]
    run: Callable[[Settings, int], Row]
    measure: Measure
    groups: Sequence[str]
    references: Sequence[Reference] = field(default_factory=tuple)
    uses: Callable[[Settings], Sequence[Any]] = _no_uses
    kept: bool = True

    def cells(self, scale: str) -> list[Cell]:
        """The cells of a scale, each once."""
        if scale not in SCALES:
            raise ExperimentError(f"there is no scale {scale!r}; there is {', '.join(SCALES)}")
        if scale not in self.scales:
            known = ", ".join(self.scales)
            raise ExperimentError(f"{self.name} has no scale {scale!r}; it has {known}")
        found = itertools.chain.from_iterable(grid.cells() for grid in self.scales[scale])
        return list(dict.fromkeys(found))


@dataclass(frozen=True, kw_only=True)
class Experiment(Series):
    """One table or figure: a series that is reported.

    claim, source: what is claimed, and who claims it.
    verdict: from all rows to one sentence.
    draw: from all rows to a Matplotlib axes.
    """

    title: str
    claim: str
    source: str
    verdict: Callable[[Rows], Verdict]
    draw: Callable[[Rows, Any], None]
