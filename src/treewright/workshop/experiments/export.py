"""Rows as CSV or Parquet, with their provenance, for other tools."""

from pathlib import Path
from typing import Any

from treewright.errors import MissingExtra, OptionError
from treewright.library.writing import whole
from treewright.workshop.experiments.runner import Standing

FORMATS = (".csv", ".parquet")


def records(standing: Standing) -> list[dict[str, Any]]:
    """Settings, seed, results and where they come from; failed cells have an error.

    Where an experiment has a column of that name itself, the store's is called ``run_…``.
    """
    found = []
    done = [standing.rows[key] for key in standing.keys if key in standing.rows]
    taken = {name for stored in done for name in stored.values}
    for stored in done:
        made = {
            "error": stored.error,
            "version": stored.version,
            "commit": stored.git,
            "machine": stored.machine,
            "code": stored.code,
            "cpu_seconds": stored.cpu_seconds,
            "wall_seconds": stored.wall_seconds,
            "finished": stored.finished,
        }
        own = {f"run_{name}" if name in taken else name: value for name, value in made.items()}
        found.append(stored.values | own)
    return found


def export(standing: Standing, out: Path) -> int:
    """Write every finished cell to a file and return how many there were."""
    if out.suffix not in FORMATS:
        raise OptionError(f"{out}: export to one of {', '.join(FORMATS)}")
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("exporting rows", "experiments") from None
    frame = pd.DataFrame(records(standing))
    with whole(out) as part:
        if out.suffix == ".csv":
            frame.to_csv(part, index=False)
        else:
            frame.to_parquet(part, index=False)
    return len(frame)
