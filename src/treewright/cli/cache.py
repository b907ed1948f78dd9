"""``treewright cache``: the compiled kernels on disk."""

import os
from typing import Annotated

import typer

from treewright.workshop.commands import Json, Quiet, count_of, emit, working

app = typer.Typer(
    no_args_is_help=True,
    help="Compiled kernels on disk.\n\n"
    "Examples: treewright cache info; treewright cache warm; treewright cache clear",
)


@app.command()
def info(as_json: Json = False, quiet: Quiet = False) -> None:
    """Say where kernels are kept, how many, and how much they take.

    Examples: treewright cache info; treewright cache info --json
    """
    from treewright.kernel import cache

    found = cache.entries()
    size = sum(cache.size(folder) for folder in [*found, cache.directory() / cache.PIECES])
    data = {"directory": str(cache.directory()), "kernels": len(found), "bytes": size}
    text = f"{data['directory']}: {len(found)} kernels, {size / 1e6:.1f} MB"
    emit(data, text, as_json)


@app.command()
def clear(as_json: Json = False, quiet: Quiet = False) -> None:
    """Remove every compiled kernel; the next search compiles again.

    Example: treewright cache clear
    """
    from treewright.kernel import cache

    removed = cache.clear()
    emit({"removed": removed}, f"{removed} kernels removed", as_json)


@app.command()
def warm(
    what: Annotated[
        list[str] | None, typer.Argument(help="Such as nim, story or go; all without.")
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, help="How many compile at a time.")
    ] = os.cpu_count() or 1,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compile what the first commands of the applications need, so that they start at once.

    Examples: treewright cache warm; treewright cache warm story level --workers 2
    """
    from treewright.workshop.starting import warmed

    def seen(name: str) -> None:
        if not (quiet or as_json):
            typer.echo(f"{name} is compiled")

    with working("compiling", quiet):
        count = warmed(what or (), workers, seen)
    what_starts = count_of(count, "command")
    emit({"compiled": count}, f"{what_starts} will start at once now", as_json)
