"""``treewright bench``: speed against peers, and the signature of the search's behaviour."""

from typing import Annotated

import typer

from treewright.cli.lazy import lazy_group
from treewright.workshop.commands import Json, Quiet, emit, working

app = typer.Typer(
    cls=lazy_group("benchmarks"),
    invoke_without_command=True,
    help="Speed side by side with peers; the signature of the search.\n\n"
    "Examples: treewright bench --signature; treewright bench core --seconds 1",
)


@app.callback()
def bench(
    context: typer.Context,
    signature: Annotated[
        bool,
        typer.Option("--signature", help="One hash over the visit counts of every variant."),
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Speed side by side with peers; the signature of the search."""
    if signature:
        from treewright.workshop.signature import signature as compute

        with working("searching every domain and variant", quiet):
            value, parts = compute()
        emit({"signature": value, "parts": parts}, value, as_json)
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
