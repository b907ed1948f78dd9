"""``treewright tune``: find good numbers for a domain."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.workshop.commands import (
    C,
    Json,
    Normalise,
    OnCluster,
    Policy,
    Quiet,
    Rave,
    Seed,
    Set,
    Solver,
    emit,
    options,
    settings,
)


def tune(
    domain: Annotated[
        str, typer.Argument(help="A domain's id, module:Class, or path/to/file.py:Class.")
    ],
    what: Annotated[
        list[str] | None,
        typer.Option(
            "--tune", metavar="NAME[=LOW:HIGH]", help="A number to tune, such as c or rave.k."
        ),
    ] = None,
    trials: Annotated[int, typer.Option(min=2, help="Trials in all; a second run goes on.")] = 30,
    simulations: Annotated[int, typer.Option(min=1, help="Budget of a search (a move).")] = 1000,
    runs: Annotated[int, typer.Option(min=2, help="Runs (games) per trial.")] = 20,
    check: Annotated[int, typer.Option(help="Held-out runs (games) at the end.")] = 100,
    seed: Seed = 0,
    set_: Set = None,
    c: C = None,
    rave: Rave = None,
    solver: Solver = False,
    policy: Policy = "uniform",
    normalise: Normalise = False,
    store: Annotated[
        Path | None, typer.Option(help="The file with the trials.", show_default="yours")
    ] = None,
    cluster: OnCluster = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tune numbers of the search and check the best on seeds that the tuning never saw.

    One player: the mean best score.  Two: the score against the options to begin with.

    Examples: treewright tune samegame --tune c --tune max_backup --policy domain --trials 20;
    treewright tune connect-four --tune c=0.1:2 --tune rave.k --trials 10 --simulations 200
    """
    from treewright.workshop.tuning import Task, parse
    from treewright.workshop.tuning import tune as run

    base = options(c, rave, solver, policy, normalise)
    task = Task(domain, settings(set_), base, parse(what or ["c"]), simulations, runs)
    place = store or _default_store()
    with _calling(cluster) as mapped, _watching(trials, quiet) as watch:
        found = run(
            task,
            trials=trials,
            check_runs=check,
            store=place,
            seed=seed,
            watch=watch,
            mapped=mapped,
        )
    values = ", ".join(f"{name} = {value:.4g}" for name, value in found.values.items())
    text = (
        f"best of {found.trials} trials: {values} (mean {found.score:.4f} over {runs} runs)\n"
        f"{found.sentence}"
    )
    data = vars(found) | {"check": vars(found.check), "domain": domain, "store": str(place)}
    emit(data, text, as_json)


def _default_store() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir("treewright")) / "tuning.sqlite"


@contextlib.contextmanager
def _calling(cluster: str | None) -> Iterator[Callable[..., Any]]:
    """How the runs of a trial are called: one by one here, or side by side on a cluster."""
    if cluster is None:
        yield map
        return
    from treewright.library.cluster.jobs import Cluster

    with Cluster(cluster) as there:
        yield there.map


@contextlib.contextmanager
def _watching(
    trials: int, quiet: bool
) -> Iterator[Callable[[int, float, dict[str, float]], object]]:
    """A bar with the best so far on a terminal, a line per trial elsewhere."""

    def words(best: float, values: dict[str, float]) -> str:
        return f"best {best:.4f} at " + ", ".join(f"{k}={v:.3g}" for k, v in values.items())

    if quiet:
        yield lambda done, best, values: None
    elif not sys.stderr.isatty():
        yield lambda done, best, values: print(
            f"trial {done} of {trials}: {words(best, values)}", file=sys.stderr, flush=True
        )
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (MofNCompleteColumn(), BarColumn(), TextColumn("{task.description}"))
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("first trial", total=trials)
            yield lambda done, best, values: bar.update(
                task, completed=done, description=words(best, values)
            )
