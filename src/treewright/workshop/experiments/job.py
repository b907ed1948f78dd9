"""An experiment as a job of the studio: its cells are kept as they end, so that it can go on."""

import contextlib
import tempfile
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

from treewright.errors import MissingExtra, OptionError, nearest
from treewright.workshop.experiments.runner import Standing, standing
from treewright.workshop.jobs.work import Export, Report, Result, Work


class Run(BaseModel):
    """What ``treewright experiment run`` takes; the rows are in its usual store."""

    experiment: str = Field("tictactoe-strength", max_length=80, pattern=r"^[a-z0-9-]+$")
    scale: Literal["smoke", "laptop"] = "smoke"


def listed() -> list[dict[str, Any]]:
    """Every experiment: what it asks, and how large it is."""
    from treewright.workshop.experiments.registry import experiments

    return [
        {"name": e.name, "title": e.title, "claim": e.claim, "source": e.source}
        | {s: len(e.cells(s)) if s in e.scales else 0 for s in ("smoke", "laptop")}
        for e in experiments().values()
    ]


def run(settings: Run, report: Report) -> Result:
    """Compute the cells that have no row yet, and put the report together."""
    from treewright.workshop.experiments.executors import executor
    from treewright.workshop.experiments.plots import save
    from treewright.workshop.experiments.registry import experiments
    from treewright.workshop.experiments.report import report as report_of
    from treewright.workshop.experiments.runner import run as run_cells
    from treewright.workshop.experiments.store import Store

    known = experiments()
    if settings.experiment not in known:  # one that is declared, never a file, which would be code
        raise OptionError(
            f"there is no experiment {settings.experiment!r}{nearest(settings.experiment, known)}"
        )
    found = known[settings.experiment]

    def watch(now: Any) -> None:
        report(now.done / max(1, now.total), f"{now.done} of {now.total} cells")

    report(None, "looking at what was computed before")
    with Store() as store, executor("threads", 1) as cells:
        run_cells(found, store, cells, scale=settings.scale, watch=watch)
        now = standing(found, store, settings.scale)
    made = report_of(found, now, settings.scale)
    rows = [stored.values for stored in now.good]
    with tempfile.TemporaryDirectory() as folder:
        save(found, rows, Path(folder) / "figure.png")
        _export(now, Path(folder))
        files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    text = made.text.replace(f"]({found.name}.png)", "](figure.png)")
    return Result({"text": text, "made": made.made, "held": made.held}, files)


def _export(now: Standing, folder: Path) -> None:
    """The rows, if pandas is there to write them."""
    from treewright.workshop.experiments.export import FORMATS, export

    with contextlib.suppress(MissingExtra):
        for ending in FORMATS:
            export(now, folder / f"rows{ending}")


def _markdown(data: dict[str, Any]) -> bytes:
    return f"{data['text']}\n{data['made']}\n".encode()


EXPORTS = {
    "markdown": Export(".md", "text/markdown", _markdown),
    "png": Export(".png", "image/png", "figure.png"),
    "csv": Export(".csv", "text/csv", "rows.csv"),
    "parquet": Export(".parquet", "application/vnd.apache.parquet", "rows.parquet"),
}
WORK = Work("An experiment", Run, run, EXPORTS)
