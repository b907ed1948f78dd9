"""A study's rows as CSV or JSON files."""

import csv
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treewright.apps.study.errors import StudyError
from treewright.apps.study.store import Store
from treewright.library.writing import make_folder, write_whole

FORMATS = ("csv", "json")


def tables(store: Store) -> dict[str, list[dict[str, Any]]]:
    """Participants, levels played with their features, answered pairs, and the recorded keys."""
    people = [{"participant": row.pop("id"), **row} for row in store.participants()]
    found = {
        "participants": people,
        "plays": store.play_rows(),
        "pairs": store.pair_rows(),
        "inputs": store.input_rows(),
    }
    return {
        name: [{**row, "participant": public_id(row["participant"])} for row in rows]
        for name, rows in found.items()
    }


def public_id(participant: str) -> str:
    """An id that may be published; with the participant's own, anybody could delete the data."""
    return hashlib.sha256(participant.encode()).hexdigest()[:12]


def export(store: Store, folder: Path, kind: str = "csv") -> dict[str, int]:
    """Write one file for each table, for its owner only; how many rows each has."""
    found = tables(store)
    texts = {name: _text(rows, kind) for name, rows in found.items()}
    make_folder(folder)
    for name, text in texts.items():
        write_whole(folder / f"{name}.{kind}", text, StudyError, private=True)
    return {name: len(rows) for name, rows in found.items()}


def _text(rows: Sequence[dict[str, Any]], kind: str) -> str:
    if kind == "json":
        return json.dumps(rows, indent=1) + "\n"
    out = io.StringIO()
    if rows:
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(
                {k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()}
            )
    return out.getvalue()
