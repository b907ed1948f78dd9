"""``treewright cache``: the compiled kernels on disk."""

import typer

from treewright.workshop.commands import Json, Quiet, emit

app = typer.Typer(
    no_args_is_help=True,
    help="Compiled kernels on disk.\n\nExamples: treewright cache info; treewright cache clear",
)


@app.command()
def info(as_json: Json = False, quiet: Quiet = False) -> None:
    """Say where kernels are kept, how many, and how much they take.

    Examples: treewright cache info; treewright cache info --json
    """
    from treewright.kernel import cache

    found = cache.entries()
    size = sum(cache.size(folder) for folder in found)
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
