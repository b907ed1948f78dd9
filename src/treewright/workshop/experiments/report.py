"""Reports: Markdown and PNG from the rows of a store, the same rows giving the same files."""

import time
from dataclasses import dataclass
from pathlib import Path

from treewright.library.writing import make_folder, write_whole
from treewright.workshop.experiments import plots
from treewright.workshop.experiments.display import duration
from treewright.workshop.experiments.experiment import Experiment, ExperimentError
from treewright.workshop.experiments.runner import Standing
from treewright.workshop.experiments.store import Stored
from treewright.workshop.experiments.summary import Line, lines, shown

HELD = {True: "held", False: "did not hold", None: "open"}


@dataclass(frozen=True)
class Report:
    """A report in memory; ``text`` is the Markdown without the last section, ``made``."""

    name: str
    text: str
    made: str
    held: bool | None
    sentence: str


def report(experiment: Experiment, standing: Standing, scale: str) -> Report:
    """Put the table, the figure and the verdict of an experiment together."""
    rows = [stored.values for stored in standing.good]
    if not rows:
        raise ExperimentError(
            f"there is no row of {experiment.name} at scale {scale}: "
            f"treewright experiment run {experiment.name} --scale {scale}"
        )
    verdict = experiment.verdict(rows)
    parts = [
        f"# {experiment.title}",
        f"**Claim.** {experiment.claim} ({experiment.source}.)",
        f"**Result ({HELD[verdict.held]}).** {verdict.sentence}",
        table(experiment, lines(experiment, rows)),
        f"![{experiment.title}]({experiment.name}.png)",
        *_gaps(experiment, standing, scale),
    ]
    text = "\n\n".join(parts) + "\n"
    made = _made(experiment, standing, scale)
    return Report(experiment.name, text, made, verdict.held, verdict.sentence)


def table(experiment: Experiment, found: list[Line]) -> str:
    """Ours with its interval, and the paper's number beside it."""
    measure = experiment.measure
    referred = any(line.reference for line in found)
    unit = measure.per or "runs"
    heads = [*experiment.groups, unit, measure.label, "95 % interval"]
    heads += ["expected", "from"] if referred else []
    rows = []
    for line in found:
        e = line.estimate
        value, low, high = (shown(measure, v) for v in (e.value, e.low, e.high))
        cells = [*map(_cell, line.group.values()), f"{e.n:,}", value, f"{low} to {high}"]
        if line.reference:
            inside = line.reference.value in e
            number = shown(measure, line.reference.value) + ("" if inside else " (outside)")
            cells += [number, line.reference.source]
        elif referred:
            cells += ["", ""]
        rows.append(cells)
    rule = ["---"] * len(experiment.groups) + ["---:"] * 3 + ["---:", "---"][: 2 * referred]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [heads, rule, *rows])


def write(found: Report, experiment: Experiment, standing: Standing, out: Path) -> list[Path]:
    """``<name>.md`` and ``<name>.png`` in a folder."""
    page, picture = out / f"{found.name}.md", out / f"{found.name}.png"
    make_folder(out)
    write_whole(page, f"{found.text}\n{found.made}")
    plots.save(experiment, [stored.values for stored in standing.good], picture)
    return [page, picture]


def write_index(reports: list[Report], experiments: dict[str, Experiment], out: Path) -> Path:
    """A page over all reports in a folder."""

    def row(found: Report) -> str:
        experiment = experiments[found.name]
        claim = experiment.claim.replace("|", "\\|")  # a bar would begin the next cell
        return f"| [{experiment.title}]({found.name}.md) | {claim} | {HELD[found.held]} |"

    lines = [
        "# Results",
        "",
        "Made by `treewright experiment report --all`; each page names the run behind it. "
        "A claim is *open* where too little was run to tell.",
        "",
        "| experiment | claim | outcome |",
        "| --- | --- | --- |",
        *map(row, reports),
    ]
    page = out / "README.md"
    write_whole(page, "\n".join(lines) + "\n")
    return page


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _gaps(experiment: Experiment, standing: Standing, scale: str) -> list[str]:
    """What a reader must know about cells that are not in the table."""
    gaps = []
    if standing.missing:
        gaps.append(
            f"Not finished: {len(standing.missing)} of {len(standing.keys)} cells of the scale "
            f"{scale} have no row yet."
        )
    if standing.failed:
        key, stored = standing.failed[0]
        gaps.append(f"{len(standing.failed)} cells raised; the first, {key.cell}: {stored.error}")
    return gaps


def _made(experiment: Experiment, standing: Standing, scale: str) -> str:
    rows = standing.good
    last = max(stored.finished for stored in rows)
    cpu = sum(stored.cpu_seconds for stored in rows)
    wall = sum(stored.wall_seconds for stored in rows)
    lines = [
        "## How this was made",
        "",
        "```",
        f"treewright experiment run {experiment.name} --scale {scale}",
        f"treewright experiment report {experiment.name} --scale {scale}",
        "```",
        "",
        f"- {len(rows):,} cells, {duration(cpu)} of CPU and {duration(wall)} of cell time, the "
        f"last on {time.strftime('%Y-%m-%d', time.gmtime(last))}",
        f"- Treewright {_all(rows, 'version')}, commit {_all(rows, 'git') or 'unknown'}",
        f"- {_all(rows, 'machine')}",
    ]
    return "\n".join(lines) + "\n"


def _all(rows: list[Stored], name: str) -> str:
    return " and ".join(sorted({str(getattr(stored, name)) for stored in rows if name}))
