"""``treewright bench``: speed against peers, and the signature of the search's behaviour."""

from typing import Annotated

import typer

from treewright.cli.common import Json, Quiet, emit, working

app = typer.Typer(
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
        from treewright.benchmarks.signature import signature as compute

        with working("searching every domain and variant", quiet):
            value, parts = compute()
        emit({"signature": value, "parts": parts}, value, as_json)
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def core(
    seconds: Annotated[float, typer.Option(min=0.05, help="CPU seconds per measurement.")] = 1.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Simulations per CPU second of our kernel and of every peer that is installed.

    Examples: treewright bench core; treewright bench core --seconds 3 --json
    """
    from treewright.benchmarks.core import run, table

    with working("measuring every library in turns", quiet):
        rows = run(seconds)
    emit(rows, table(rows), as_json)


@app.command()
def go(
    seconds: Annotated[float, typer.Option(min=0.05, help="CPU seconds per measurement.")] = 2.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Simulations per CPU second of the Go searches, light and heavy, 9x9 and 19x19.

    Examples: treewright bench go; treewright bench go --seconds 5 --json
    """
    from treewright.benchmarks.go import run, table

    with working("searching the empty board", quiet):
        rows = run(seconds)
    emit(rows, table(rows), as_json)


@app.command()
def tactics(
    seconds: Annotated[float, typer.Option(min=0.05, help="CPU seconds per measurement.")] = 1.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Hero Academy: random actions and evaluated turns per CPU second at 5, 10 and 15 points.

    Examples: treewright bench tactics; treewright bench tactics --seconds 3 --json
    """
    from treewright.benchmarks.tactics import run, table

    with working("playing at random and planning turns", quiet):
        rows = run(seconds)
    emit(rows, table(rows), as_json)


@app.command()
def stories(
    nodes: Annotated[int, typer.Option(min=1, help="Nodes for each set-up.")] = 100_000,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """CPU seconds of the default story search, for 5, 12 and 40 people.

    Examples: treewright bench stories; treewright bench stories --nodes 3000000
    """
    from treewright.benchmarks.stories import run, table

    with working("searching for stories", quiet):
        rows = run(nodes)
    emit(rows, table(rows), as_json)


@app.command()
def memory(
    nodes: Annotated[int, typer.Option(min=1, help="Nodes to explore.")] = 50_000_000,
    budget: Annotated[str, typer.Option(help="Memory for the tree.")] = "1GiB",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Explore many nodes in a fixed memory budget, with commit and without.

    Examples: treewright bench memory; treewright bench memory --nodes 2000000 --budget 64MiB
    """
    from treewright.benchmarks.memory import run, text

    with working(f"exploring {nodes:,} nodes, twice", quiet):
        found = run(nodes, budget)
    emit(found, text(found), as_json)
