"""What commands share: option types, output, progress."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from treewright.errors import OptionError
from treewright.kernel.waiting import be_quiet, told
from treewright.library.progress_bar import ProgressBar, terminal_bar
from treewright.library.shown import count_of as count_of
from treewright.library.writing import json_text

if TYPE_CHECKING:
    from treewright.library.options import Options

T = TypeVar("T")


def _quieted(quiet: bool) -> bool:
    be_quiet(quiet)
    return quiet


Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, nothing else.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", callback=_quieted, help="No progress on stderr.")
]
MOST_THREADS, MOST_PROCESSES, MOST_ON_CLUSTER = 1024, 256, 100_000
OnCluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS|auto|local",
        help="Work on the machines of a Ray cluster; the results are the same (docs/cluster.md).",
        show_default=False,
    ),
]
LARGEST = 2**60  # compiled code counts in 64 bits


def _countable(number: int | None) -> int | None:
    if number is not None and number > LARGEST:
        raise typer.BadParameter(f"{number:,} is larger than {LARGEST:,}")
    return number


Seed = Annotated[int, typer.Option(help="The same seed gives the same result.")]
Simulations = Annotated[int | None, typer.Option(callback=_countable, help="Budget: simulations.")]
Seconds = Annotated[float | None, typer.Option(help="Budget: seconds.")]
CpuSeconds = Annotated[float, typer.Option(min=0.05, help="CPU seconds per measurement.")]
Nodes = Annotated[
    int | None, typer.Option(callback=_countable, help="Budget: nodes added to the tree.")
]
Memory = Annotated[str, typer.Option(help="Memory for the tree, such as 512MiB.")]
Workers = Annotated[int, typer.Option(help="Threads, each with a tree of its own.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting of the domain, such as heap=30."),
]
C = Annotated[float | None, typer.Option("--c", help="Exploration constant of UCT.")]
Rave = Annotated[float | None, typer.Option(help="Switch on MC-RAVE with this equivalence k.")]
Solver = Annotated[bool, typer.Option(help="Back up proven wins and losses.")]
Normalise = Annotated[
    bool, typer.Option("--normalise", help="Rewards may have any scale, not only 0 to 1.")
]
Policy = Annotated[str, typer.Option(help="Rollouts: uniform, domain, weighted, greedy or table.")]


def options(
    c: float | None, rave: float | None, solver: bool, policy: str, normalise: bool
) -> "Options":
    """Search options from the flags that every search command has."""
    from treewright.library.options import Options, Rollout
    from treewright.library.options import Rave as RaveOption

    chosen: dict[str, Any] = {"solver": solver, "normalise": normalise}
    chosen["rollout"] = Rollout(policy=policy)  # type: ignore[arg-type]
    if c is not None:
        chosen["c"] = c
    if rave is not None:
        chosen["rave"] = RaveOption(k=rave)
    return Options(**chosen)


def settings(pairs: list[str] | None) -> dict[str, Any]:
    """``["heap=30"]`` as keyword arguments; numbers are read as numbers."""
    found: dict[str, Any] = {}
    for pair in pairs or []:
        name, equals, text = pair.partition("=")
        if not equals or not name.isidentifier():
            raise OptionError(f"--set {pair!r}: write it as name=value")
        if name in found:
            raise OptionError(f"--set {name} is given twice")
        found[name] = _number(text)
        if isinstance(found[name], int) and abs(found[name]) > LARGEST:
            raise OptionError(f"--set {name}: the number is larger than {LARGEST:,}")
    return found


def _number(text: str) -> Any:
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def numbers_of(option: str, text: str) -> list[float]:
    """``1,10,60`` as numbers above 0."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or not all(0 < number < 1e9 for number in found):
        raise OptionError(f"{option} {text!r}: write numbers above 0 with commas between, 1,10,60")
    return found


def check_target(option: str, path: Path, endings: Sequence[str] = ()) -> None:
    """Refuse before the work what could not be written after it."""
    if endings and path.suffix.lower() not in endings:
        raise OptionError(f"{option} {path}: the file must end in {' or '.join(endings)}")
    if not path.parent.is_dir():
        raise OptionError(f"{option} {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise OptionError(f"{option} {path}: this is a folder, and the name of a file is wanted")
    device = path.exists() and not path.is_file()  # nothing is made beside it, as for a file
    if not device and not os.access(path.parent, os.W_OK):
        raise OptionError(f"{option} {path}: nothing can be written in the folder {path.parent}")


def emit(data: Any, text: str, as_json: bool) -> None:
    """Print a command's result: for people, or one JSON document."""
    if as_json:
        sys.stdout.write(json_text(data, indent=2))
    else:
        typer.echo(text)


def emit_measured(
    what: str, measure: Callable[[], T], table: Callable[[T], str], as_json: bool, quiet: bool
) -> None:
    """What every benchmark does: say that it works, measure, and print the table or the rows."""
    with working(what, quiet):
        rows = measure()
    emit(rows, table(rows), as_json)


def exit_if_interrupted(stopped: bool) -> None:
    """After everything is written: Ctrl-C ends a command with 130, whatever it could keep."""
    if stopped:
        raise typer.Exit(130)


def check_workers(option: str, count: int, most: int) -> int:
    """Refuse a number of threads or processes that no machine could serve."""
    if not 1 <= count <= most:
        raise OptionError(f"{option} must be at least 1 and at most {most:,}, not {count:,}")
    return count


@contextlib.contextmanager
def working(what: str, quiet: bool) -> Iterator[None]:
    """A spinner on stderr for what can't be counted, such as compiling."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what) as status, told(status.update):
        yield


@contextlib.contextmanager
def progress_bar(
    what: str, total: int | None, quiet: bool
) -> Iterator[Callable[[int], object] | None]:
    """A bar on stderr for counted work; None when not wanted."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with terminal_bar("{task.description} {task.completed:,.0f}") as bar:
        task = bar.add_task(what, total=total)
        with told(lambda words: bar.update(task, description=f"{what}: {words}")):
            yield lambda done: bar.update(task, completed=done, description=what)


def progress(what: str, quiet: bool) -> ProgressBar | None:
    """A bar on stderr for a search that takes longer than a moment; None when not wanted."""
    return None if quiet or not sys.stderr.isatty() else ProgressBar(what)


@contextlib.contextmanager
def counted(what: str, total: int, quiet: bool) -> Iterator[Callable[[int, str], None]]:
    """A bar on stderr for work that is counted; it takes how much is done and a few words."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, words: None
        return
    with terminal_bar() as bar:
        task = bar.add_task(what, total=total)

        def show(words: str) -> None:
            bar.update(task, description=f"{what}: {words}")

        def at(done: int, words: str) -> None:
            bar.update(task, completed=done, description=f"{what}: {words}")

        with told(show):
            yield at
