"""``treewright bench``: speed against peers, and the signature of the search's behaviour."""

from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.lazy import lazy_group
from treewright.workshop.commands import (
    Json,
    OnCluster,
    Quiet,
    check_target,
    emit,
    numbers_of,
    working,
)

app = typer.Typer(
    cls=lazy_group("benchmarks"),
    invoke_without_command=True,
    help="Speed side by side with peers; the signature of the search.\n\n"
    "Examples: treewright bench --signature --only nim; treewright bench core --seconds 1",
)


@app.callback()
def bench(
    context: typer.Context,
    signature: Annotated[
        bool,
        typer.Option("--signature", help="Hashes of the trees of every domain and variant."),
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Signature: only this domain, or part such as nim/uct or core."),
    ] = None,
    write: Annotated[
        Path | None, typer.Option(help="Signature: write the parts to this JSON file.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Speed side by side with peers; the signature of the search."""
    if signature:
        _signature(only or [], write, as_json, quiet)
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _signature(only: list[str], write: Path | None, as_json: bool, quiet: bool) -> None:
    """Each part as soon as it is known, then the whole."""
    from treewright.library.writing import json_text, write_whole
    from treewright.workshop.signature import signature

    if write is not None:
        check_target("--write", write, (".json",))

    def seen(part: str, digest: str) -> None:
        if not as_json:
            typer.echo(f"{part:32} {digest}")

    with working("searching every domain and variant", quiet):
        whole, parts = signature(only, seen=seen)
    data = {"signature": whole, "parts": parts}
    if write is not None:
        write_whole(write, json_text(data, indent=1))
    emit(data, f"{f'total of {len(parts)} parts':32} {whole}", as_json)


@app.command()
def start(
    only: Annotated[
        list[str] | None, typer.Option(help="Only this one, such as nim; can be repeated.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """How long first commands take: with nothing compiled, once more, and after a change.

    Each is a process of its own with a cache of its own.  A change is what an author does all
    day: an edit to one action of a story, or another switch of the search.

    Examples: treewright bench start; treewright bench start --only nim --only story --json
    """
    from treewright.workshop.starting import measured, table

    with working("starting one after another", quiet):
        rows = measured(only or (), seen=str)
    emit(rows, table(rows), as_json)


@app.command()
def cluster(
    address: OnCluster = "local",
    machines: Annotated[str, typer.Option(help="Numbers of machines to plan with.")] = "1,100,1000",
    seconds: Annotated[str, typer.Option(help="Seconds that a cell takes.")] = "1,10,60",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """What a cluster costs for each cell and each merge, and how far that carries.

    Examples: treewright bench cluster;
    treewright bench cluster --cluster auto --machines 10,100 --seconds 5,30 --json
    """
    from treewright.workshop import planning

    counts, lengths = numbers_of("--machines", machines), numbers_of("--seconds", seconds)
    with working("measuring cells that do nothing", quiet):
        figures = planning.measured(address or "local")
    rows = planning.table(figures, [max(1, int(c)) for c in counts], lengths)
    data = {"figures": vars(figures), "rows": rows, "shares": planning.shares_at_most(figures)}
    emit(data, planning.text(figures, rows), as_json)
