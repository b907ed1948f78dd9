"""From rows to the lines of a table: one estimate with its interval for each group."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from treewright.workshop.experiments import stats
from treewright.workshop.experiments.experiment import (
    Measure,
    Reference,
    Rows,
    Series,
    Settings,
)


@dataclass(frozen=True)
class Line:
    """The estimate for one group of rows, and the paper's number where it has one."""

    group: Settings
    estimate: stats.Interval
    reference: Reference | None


def estimate(measure: Measure, rows: Rows) -> stats.Interval:
    """What the measure is over these rows."""
    values = [float(row[measure.column]) for row in rows]  # type: ignore[arg-type]
    if measure.kind == "rate":
        trials = [int(row[measure.per]) if measure.per else 1 for row in rows]  # type: ignore[arg-type]
        wins = math.fsum(v * n for v, n in zip(values, trials, strict=True))
        return stats.rate(wins, sum(trials))
    return stats.mean(values) if measure.kind == "mean" else stats.bootstrap(values)


def where(rows: Rows, **settings: object) -> list[dict]:  # type: ignore[type-arg]
    """The rows with these settings, by seed."""
    found = [dict(r) for r in rows if all(r.get(k) == v for k, v in settings.items())]
    return sorted(found, key=lambda r: r["seed"])


def lines(experiment: Series, rows: Rows) -> list[Line]:
    """One line per group, in the order in which the experiment declares them."""
    groups: dict[tuple, list] = {}  # type: ignore[type-arg]
    for row in rows:
        groups.setdefault(tuple(row[name] for name in experiment.groups), []).append(row)
    found = []
    for values in sorted(groups, key=_order(experiment)):
        group = dict(zip(experiment.groups, values, strict=True))
        known = next((r for r in experiment.references if r.where.items() <= group.items()), None)
        found.append(Line(group, estimate(experiment.measure, groups[values]), known))
    return found


def _order(experiment: Series):  # type: ignore[no-untyped-def]
    ranks: dict[str, dict] = {name: {} for name in experiment.groups}  # type: ignore[type-arg]
    for scale in ("paper", "laptop", "smoke"):
        for grid in experiment.scales.get(scale, ()):
            for name in experiment.groups:
                for value in grid.values.get(name, ()):
                    ranks[name].setdefault(value, len(ranks[name]))

    def key(values: Iterable) -> tuple:  # type: ignore[type-arg]
        return tuple(
            ranks[name].get(v, math.inf) for name, v in zip(experiment.groups, values, strict=True)
        )

    return key


def shown(measure: Measure, value: float) -> str:
    """A number of this measure, as people read it."""
    if math.isinf(value):
        return "?"
    if measure.kind == "rate":
        return f"{100 * value:.1f} %"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
