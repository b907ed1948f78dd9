"""What a search found, in a form that people and programs can read."""

from dataclasses import dataclass, field
from typing import Any

from treewright.library import shown


@dataclass(frozen=True, repr=False)
class Child:
    """One legal action at the root."""

    action: int
    label: str
    visits: int
    value: float | None  # mean reward of the player who decides at the root
    rave: float | None = None
    prior: float | None = None
    maximum: float | None = None
    low: float | None = None  # the solver's bounds
    high: float | None = None

    def __repr__(self) -> str:
        mean = "unvisited" if self.value is None else f"value {self.value:.4f}"
        known = "" if self.proven is None else f", proven {self.proven:g}"
        return f"<Child {self.action} {self.label!r}: {self.visits:,} visits, {mean}{known}>"

    @property
    def proven(self) -> float | None:
        """The true value, once the solver knows it."""
        return self.low if self.low is not None and self.low == self.high else None


class Children(list[Child]):
    """The root's children, best first; prints as a table."""

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The names of the columns that hold something, and a row for each child."""
        names = ["action", "label", "visits", "value"]
        for name in ("rave", "prior", "maximum", "proven"):
            if any(getattr(c, name) is not None for c in self):
                names.append(name)
        return names, [[_cell(getattr(c, name)) for name in names] for c in self]

    def __str__(self) -> str:
        names, rows = self.table()
        widths = [max(len(r[i]) for r in [names, *rows]) for i in range(len(names))]
        lines = [
            "  ".join(
                cell.ljust(w) if name == "label" else cell.rjust(w)
                for name, cell, w in zip(names, row, widths, strict=True)
            ).rstrip()
            for row in [names, *rows]
        ]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return shown.children_html(self)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, repr=False)
class Result:
    """The outcome of :meth:`treewright.Search.run`.

    ``best``, ``label``, ``value`` and ``visits`` are those of the chosen action.  Where chance
    decides at the root there is none: ``best`` is ``tw.CHANCE``, which ``commit`` refuses, and
    ``value`` is the mean over the outcomes, for whoever moved last (:meth:`Search.draw`).
    ``best_sequence`` and ``best_score`` belong to the best complete sequence ever simulated by
    this search, counted from its first root (single player).  ``stopped`` says which limit
    ended the run: ``simulations``, ``seconds``, ``nodes``, ``exhausted``, ``memory``,
    ``solved``, ``decided``, ``until``, ``stop`` or ``interrupt``.  ``trees`` is how many took part.
    """

    best: int
    label: str
    value: float
    visits: int
    children: Children
    simulations: int
    nodes: int
    created: int
    seconds: float
    stopped: str
    full: bool
    best_sequence: list[int] = field(default_factory=list)
    best_score: float | None = None
    variation: list[tuple[int, str]] = field(default_factory=list)
    trees: int = 1

    def __repr__(self) -> str:
        score = "" if self.best_score is None else f"; best score {self.best_score:.4g}"
        return (
            f"<Result {self.label!r} (action {self.best}): value {self.value:.4f}, "
            f"{self.visits:,} visits; {self.simulations:,} simulations, "
            f"{self.nodes:,} nodes, stopped by {self.stopped}{score}>"
        )

    def principal_variation(self, length: int = 10) -> list[str]:
        """Labels of the most visited line from the root."""
        return [label for _, label in self.variation[:length]]

    def _repr_html_(self) -> str:
        return shown.result_html(self)

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``: plain lists and numbers."""
        out = {k: v for k, v in vars(self).items() if k not in ("children", "variation")}
        out["principal_variation"] = self.principal_variation()
        out["children"] = [vars(c) | {"proven": c.proven} for c in self.children]
        return out
