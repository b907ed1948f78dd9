"""Pairs of anything: maps, stories, pictures; which one is better, and why?

The protocol is that of levels (taste.py): things are shown in pairs, each equally often, and each
answer is a line of a CSV file.  What a taste is made of must be given, since a file alone does not
say it: a table with a row for each thing and numbers in its columns.  The taste is a weight of each
column, from a logistic regression on differences with a ridge penalty; with it anything that has
the same columns can be ranked, such as what a generator made with a hundred seeds.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from treewright.apps.study.analysis import load
from treewright.apps.study.errors import StudyError
from treewright.apps.study.taste import FEWEST, RIDGE, rows_of
from treewright.library.reading import json_of, text_of

PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".svg": "image/svg+xml"}
TEXTS = (".txt", ".md")
LONGEST = 20_000  # characters of a text that are shown
FORMAT = "treewright-artefact-taste-1"

Table = dict[str, dict[str, float]]


def things_in(folder: Path) -> list[Path]:
    """The pictures and texts of a folder, by name."""
    if not folder.is_dir():
        raise StudyError(f"there is no folder {folder}")
    kinds = (*PICTURES, *TEXTS)
    found = sorted(p for p in folder.iterdir() if p.suffix.lower() in kinds and p.is_file())
    if len(found) < 2:
        raise StudyError(f"{folder} holds {len(found)} of {' '.join(kinds)}; a pair needs two")
    return found


def read_table(path: Path) -> Table:
    """A CSV file: the column ``file``, and numbers in all others."""
    rows = rows_of(path)
    if not rows or "file" not in rows[0] or len(rows[0]) < 2:
        raise StudyError(f"{path}: a table has the column file, and others with numbers")
    found: Table = {}
    for number, row in enumerate(rows, 2):
        name = Path(row.pop("file") or "").name
        try:
            found[name] = {key: float(value) for key, value in row.items()}
        except (TypeError, ValueError):
            raise StudyError(
                f"{path}, line {number}: {name} has something else than numbers"
            ) from None
        if not all(math.isfinite(value) for value in found[name].values()):
            raise StudyError(f"{path}, line {number}: {name} has a number that is not finite")
    return found


def read_choices(path: Path, table: Table) -> list[tuple[str, str, bool]]:
    """(a, b, whether a is better), of ratings whose things are in the table."""
    found = []
    for number, row in enumerate(rows_of(path), 2):
        a, b = (Path(row.get(side) or "").name for side in "ab")
        better = (row.get("better") or "").strip().lower()
        if better not in ("a", "b"):
            raise StudyError(f"{path}, line {number}: better must be a or b")
        for name in (a, b):
            if name not in table:
                raise StudyError(f"{path}, line {number}: the table has no row for {name!r}")
        found.append((a, b, better == "a"))
    return found


@dataclass(frozen=True)
class Taste:
    """Weights of standardised columns; a higher ``worth`` is liked more."""

    weights: dict[str, float]
    means: dict[str, float]
    scales: dict[str, float]
    ratings: int
    agreement: float

    def worth(self, row: dict[str, float]) -> float:
        missing = [name for name in self.weights if name not in row]
        if missing:
            raise StudyError(f"the table lacks {', '.join(missing)}, which the taste is made of")
        return sum(w * (row[n] - self.means[n]) / self.scales[n] for n, w in self.weights.items())

    def to_dict(self) -> dict[str, Any]:
        return {"format": FORMAT, **vars(self)}


def learn(choices: Sequence[tuple[str, str, bool]], table: Table) -> Taste:
    """From choices to weights; columns that never vary are left out."""
    if len(choices) < FEWEST or len({a for _, _, a in choices}) < 2:
        raise StudyError(
            f"a taste needs at least {FEWEST} ratings, and both a and b as the better one; "
            f"there are {len(choices)}"
        )
    names = list(next(iter(table.values())))
    values = np.array([[row.get(name, math.nan) for name in names] for row in table.values()])
    scales = values.std(axis=0)
    kept = [i for i, scale in enumerate(scales) if scale > 0.0]
    if not kept:
        raise StudyError("no column of the table varies, so nothing can be learnt from it")
    where = {name: i for i, name in enumerate(table)}
    z = (values[:, kept] - values[:, kept].mean(axis=0)) / scales[kept]
    x = np.array([z[where[a]] - z[where[b]] for a, b, _ in choices])
    y = np.array([a for _, _, a in choices], int)
    regression = load("sklearn.linear_model").LogisticRegression(C=RIDGE, fit_intercept=False)
    regression.fit(x, y)
    right = float((regression.predict(x) == y).mean())
    shown = [names[i] for i in kept]
    return Taste(
        {n: round(float(w), 6) for n, w in zip(shown, regression.coef_[0], strict=True)},
        {n: float(values[:, i].mean()) for n, i in zip(shown, kept, strict=True)},
        {n: float(scales[i]) for n, i in zip(shown, kept, strict=True)},
        len(choices),
        round(right, 4),
    )


def load_taste(path: Path) -> Taste:
    """A taste from its file."""
    found = json_of(text_of(path, StudyError), str(path), StudyError)
    if not isinstance(found, dict) or found.pop("format", None) != FORMAT:
        raise StudyError(f"{path} is no taste of this kind; study taste --table writes one")
    try:
        taste = Taste(**found)
        taste.worth(taste.means)
    except (TypeError, KeyError, AttributeError, ZeroDivisionError):
        raise StudyError(f"{path} is no taste of this kind: something is missing in it") from None
    return taste
