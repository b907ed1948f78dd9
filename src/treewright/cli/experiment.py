"""``treewright experiment``: run, look at and report the experiments."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.errors import OptionError
from treewright.workshop.commands import (
    MOST_ON_CLUSTER,
    MOST_PROCESSES,
    Json,
    OnCluster,
    Quiet,
    check_workers,
    emit,
    exit_if_interrupted,
)

if TYPE_CHECKING:
    from treewright.workshop.experiments.experiment import Experiment
    from treewright.workshop.experiments.runner import Standing
    from treewright.workshop.experiments.store import Store as OpenStore

app = typer.Typer(
    no_args_is_help=True,
    help="Rerun any number that we print.\n\n"
    "Examples: treewright experiment list; treewright experiment run tictactoe-strength",
)
Name = Annotated[
    str, typer.Argument(help="An experiment of 'treewright experiment list', or file.py:NAME.")
]
Names = Annotated[list[str] | None, typer.Argument(help="Experiments, or file.py:NAME.")]
All = Annotated[bool, typer.Option("--all", help="Every experiment.")]
Scale = Annotated[str, typer.Option(help="smoke (seconds), laptop (minutes) or paper (hours).")]
StorePath = Annotated[
    Path | None, typer.Option("--store", help="The file with the rows.", show_default="yours")
]
Only = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="Only cells with this setting (or seed)."),
]
KeepStale = Annotated[
    bool, typer.Option("--keep-stale", help="Accept rows that older code computed.")
]


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the experiments with their numbers of cells.

    Examples: treewright experiment list; treewright experiment list --json
    """
    from treewright.workshop.experiments import SCALES
    from treewright.workshop.experiments.registry import experiments

    found = experiments()
    data: list[dict[str, Any]] = [
        {"name": e.name, "title": e.title, "claim": e.claim}
        | {scale: len(e.cells(scale)) if scale in e.scales else 0 for scale in SCALES}
        for e in found.values()
    ]
    width = max(map(len, found))
    text = "\n".join(
        f"{d['name'].ljust(width)}  {d['title']} "
        f"(cells: {d['smoke']} smoke, {d['laptop']} laptop, {d['paper']} paper)"
        for d in data
    )
    emit(data, text, as_json)


# a long function, because each option is declared here with its help
@app.command()
def run(
    names: Names = None,
    all_: All = False,
    scale: Scale = "smoke",
    engine: Annotated[str, typer.Option(help="threads or processes.")] = "processes",
    workers: Annotated[
        int | None, typer.Option(help="Cells at a time.", show_default="cores")
    ] = None,
    cluster: OnCluster = None,
    only: Only = None,
    time: Annotated[
        str | None, typer.Option(help="Start no cell after this: 90, 30m or 2h.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Cells that raised, once more.")] = False,
    keep_stale: KeepStale = False,
    store: StorePath = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compute the cells that have no row yet; interrupted runs go on where they were.

    Exit code 1 if a cell raised or the code was edited meanwhile, 130 after Ctrl-C.

    Examples: treewright experiment run tictactoe-strength; treewright experiment run mine.py:MINE;
    treewright experiment run --all --time 30m --engine threads --workers 1;
    treewright experiment run tictactoe-strength --scale laptop --cluster auto
    """
    from treewright.workshop.experiments.display import display, line
    from treewright.workshop.experiments.executors import executor
    from treewright.workshop.experiments.runner import run as run_cells
    from treewright.workshop.experiments.runner import standing
    from treewright.workshop.experiments.store import Store

    chosen = _chosen(names, all_)
    seconds = _seconds(time)
    wanted = _only(only)
    if workers is not None:
        check_workers("--workers", workers, MOST_ON_CLUSTER if cluster else MOST_PROCESSES)
    found: list[dict[str, Any]] = []
    with Store(store) as opened, executor(engine, workers, cluster) as cells:
        for experiment in chosen:
            before = standing(experiment, opened, scale, wanted, keep_stale)
            _say_stale(before, experiment, keep_stale, quiet)
            with display(quiet) as watch:
                done = run_cells(
                    experiment,
                    opened,
                    cells,
                    scale=scale,
                    only=wanted,
                    keep_stale=keep_stale,
                    retry=retry,
                    seconds=seconds,
                    watch=watch,
                )
            if seconds is not None:
                seconds = max(0.0, seconds - done.seconds)
            found.append(
                {
                    "experiment": experiment.name,
                    "scale": scale,
                    "cells": done.total,
                    "done": done.done,
                    "computed": done.computed,
                    "failed": done.failed,
                    "stale": before.stale,
                    "seconds": done.seconds,
                    "stopped": done.stopping,
                }
            )
            if not as_json:
                typer.echo(f"{line(done)} ({done.computed} computed now in {done.seconds:.1f} s)")
                for error, times in done.errors.most_common(3):
                    typer.echo(f"  {times} cells raised {error}", err=True)
            if done.stopping == "interrupt":
                break
    if as_json:
        emit(found, "", as_json)
    exit_if_interrupted(bool(found) and found[-1]["stopped"] == "interrupt")
    if any(f["failed"] or f["stopped"] not in ("", "time") for f in found):
        raise typer.Exit(1)


@app.command()
def show(
    name: Name,
    scale: Scale = "smoke",
    only: Only = None,
    keep_stale: KeepStale = False,
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Print an experiment's table and verdict from the rows so far.

    Examples: treewright experiment show tictactoe-strength;
    treewright experiment show connect-four-strength --only opponent=quarter --json
    """
    from treewright.workshop.experiments.registry import experiment as find
    from treewright.workshop.experiments.report import report
    from treewright.workshop.experiments.summary import lines

    experiment = find(name)
    with _reading(store) as opened:
        now = _standing(experiment, opened, scale, only, keep_stale, as_json)
        found = report(experiment, now, scale)
    rows = lines(experiment, [stored.values for stored in now.good])
    data = {
        "experiment": name,
        "scale": scale,
        "cells": len(now.keys),
        "done": len(now.rows),
        "stale": now.stale,
        "held": found.held,
        "verdict": found.sentence,
        "lines": [
            {"group": dict(r.group), **vars(r.estimate)}
            | {"expected": r.reference.value if r.reference else None}
            for r in rows
        ],
    }
    text = "\n".join(x for x in found.text.splitlines() if not x.startswith("!["))
    emit(data, text, as_json)


@app.command()
def report(
    names: Names = None,
    all_: All = False,
    scale: Scale = "smoke",
    out: Annotated[Path, typer.Option(help="Folder for the pages and pictures.")] = Path("results"),
    keep_stale: KeepStale = False,
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Write Markdown and PNG reports from the store.

    Examples: treewright experiment report tictactoe-strength;
    treewright experiment report --all --scale laptop --out results
    """
    from treewright.workshop.experiments import report as reports
    from treewright.workshop.experiments.registry import experiments

    written: list[Path] = []
    made = []
    with _reading(store) as opened:
        for experiment in _chosen(names, all_):
            now = _standing(experiment, opened, scale, None, keep_stale, as_json)
            if all_ and not now.good:
                typer.echo(f"{experiment.name}: nothing was run at scale {scale}", err=True)
                continue
            found = reports.report(experiment, now, scale)
            written += reports.write(found, experiment, now, out)
            made.append(found)
    if all_ and made:
        written.append(reports.write_index(made, experiments(), out))
    data = {
        "written": [str(path) for path in written],
        "verdicts": {r.name: {"held": r.held, "sentence": r.sentence} for r in made},
    }
    text = "\n".join([*(f"{r.name}: {r.sentence}" for r in made), f"{len(written)} files in {out}"])
    emit(data, text, as_json)


@app.command()
def export(
    name: Name,
    out: Annotated[Path, typer.Option(help="A .csv or .parquet file.")],
    scale: Scale = "smoke",
    only: Only = None,
    keep_stale: KeepStale = False,
    store: StorePath = None,
    as_json: Json = False,
) -> None:
    """Write the rows to CSV or Parquet, each with version, commit, machine and times.

    Examples: treewright experiment export tictactoe-strength --out rows.csv;
    treewright experiment export tictactoe-strength --out rows.parquet --only opponent=random
    """
    from treewright.workshop.experiments.export import export as write
    from treewright.workshop.experiments.registry import experiment as find

    experiment = find(name)
    with _reading(store) as opened:
        now = _standing(experiment, opened, scale, only, keep_stale, as_json)
    rows = write(now, out)
    emit({"out": str(out), "rows": rows}, f"{out}: {rows} rows", as_json)


def _reading(path: Path | None) -> "OpenStore":
    from treewright.workshop.experiments.store import Store

    return Store(path, read_only=True)


def _standing(
    experiment: "Experiment",
    store: "OpenStore",
    scale: str,
    only: list[str] | None,
    keep_stale: bool,
    quiet: bool,
) -> "Standing":
    from treewright.workshop.experiments.runner import standing, stored_beyond

    now = standing(experiment, store, scale, _only(only), keep_stale)
    _say_stale(now, experiment, keep_stale, quiet)
    beyond = None if quiet else stored_beyond(experiment, store, scale)
    if beyond is not None:
        larger, there, cells = beyond
        print(
            f"{experiment.name}: this is the scale {scale}; {there} of {cells} cells of "
            f"--scale {larger} are stored, too",
            file=sys.stderr,
        )
    return now


def _say_stale(now: "Standing", experiment: "Experiment", keep: bool, quiet: bool) -> None:
    if now.stale and not quiet:
        what = (
            "used, though other code computed them" if keep else "ignored; --keep-stale uses them"
        )
        print(f"{experiment.name}: {now.stale} stale cells are {what}", file=sys.stderr)


def _chosen(names: list[str] | None, all_: bool) -> list["Experiment"]:
    from treewright.workshop.experiments.registry import experiment, experiments

    if all_ and names:
        raise OptionError("name experiments or say --all, not both")
    if not all_ and not names:
        raise OptionError("name an experiment, or say --all; 'treewright experiment list' has them")
    return list(experiments().values()) if all_ else [experiment(n) for n in names or []]


def _only(pairs: list[str] | None) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise OptionError(f"--only {pair!r}: write it as name=value")
        found.setdefault(name, []).append(value)
    return found


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    units = {"s": 1, "m": 60, "h": 3600}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1)
    try:
        seconds = float(number) * unit
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise OptionError(f"--time {text!r}: write it like 90, 30m or 2h")
    return seconds
