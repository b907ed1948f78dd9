"""``treewright bench`` of the kernel: core, evaluate, memory and gpu."""

from typing import Annotated

import typer

from treewright.workshop.commands import CpuSeconds, Json, Memory, Quiet, emit_measured


def core(
    seconds: CpuSeconds = 1.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Simulations per CPU second of our kernel and of every peer that is installed.

    Examples: treewright bench core; treewright bench core --seconds 3 --json
    """
    from treewright.apps.games.benchmarks.core import run, table

    emit_measured("measuring every library in turns", lambda: run(seconds), table, as_json, quiet)


def evaluate(
    seconds: CpuSeconds = 5.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Leaves per CPU second with a constant evaluator, beside mctx where it is installed.

    Examples: treewright bench evaluate; treewright bench evaluate --seconds 20 --json
    """
    from treewright.apps.games.benchmarks.evaluate import run, table

    emit_measured("searching many roots in turns", lambda: run(seconds), table, as_json, quiet)


def memory(
    nodes: Annotated[int, typer.Option(min=1, help="Nodes to explore.")] = 50_000_000,
    memory: Memory = "1GiB",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Explore many nodes in a fixed memory budget, with commit and without.

    Examples: treewright bench memory; treewright bench memory --nodes 2000000 --memory 64MiB
    """
    from treewright.apps.games.benchmarks.memory import run, text

    emit_measured(
        f"exploring {nodes:,} nodes, twice", lambda: run(nodes, memory), text, as_json, quiet
    )


def gpu(
    domain: Annotated[
        list[str] | None,
        typer.Option(help="Only this domain, by its name or as FILE.py:Class."),
    ] = None,
    simulations: Annotated[
        list[int] | None, typer.Option(min=1, help="Simulations for each root.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Many trees at once: one core, all cores, a GPU, and mctx with pgx on the same GPU.

    Examples: treewright bench gpu; treewright bench gpu --domain connect-four --simulations 64
    """
    from treewright.apps.games.benchmarks.gpu import run, table

    each = simulations or [64, 256, 1000]
    emit_measured(
        "searching many positions", lambda: run(domain or [], each), table, as_json, quiet
    )
